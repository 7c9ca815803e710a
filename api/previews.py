"""Previews: the answer to a dry run. Law: what would happen, told in full; nothing is written, no die is thrown."""

from collections.abc import Sequence
from typing import Any

import msgspec
from pydantic import BaseModel, Field
from starlette.responses import Response

from api.answers import JSON, etag, written
from api.problems import rolled, thrown
from domain import events as e
from domain.battle import Battle
from domain.evolve import evolve
from domain.record import Act
from projections.sentences import sentence
from projections.summaries import summary
from replays.codec import WIRE
from replays.referee import Preview, Receipt
from replays.shelf import Book


class Foreseen(BaseModel):
    """An event that would be written."""

    type: str
    body: dict[str, Any]
    sentence: str


class WantedRoll(BaseModel):
    """Dice that the rules would ask for next."""

    purpose: str
    count: int
    sides: int


class ThrownRoll(BaseModel):
    """Dice that were read."""

    purpose: str
    sides: int
    faces: list[int]


class Falling(BaseModel):
    """An action that would be struck out, or would count again."""

    seq: int = Field(description="its first entry")
    do: str
    side: str
    turn: int
    phase: str
    dice: int = Field(description="how many dice were seen in it")
    sentence: str


class DryRun(BaseModel):
    """What would happen. Where dice are wanted, the events that hang on them are not told."""

    dry_run: bool = True
    events: list[Foreseen] = []
    wanted: list[WantedRoll] = []
    so_far: list[ThrownRoll] = []


class DryUndo(DryRun):
    """What an undo would do; `falls` are the actions that it would strike out (or bring back), oldest first."""

    falls: list[Falling] = []


def answered(result: Receipt | Preview) -> Response:
    """The answer to a write: the batch as it stands in the log, or in a dry run what would happen."""
    return foreseen(result, result.record.battle) if isinstance(result, Preview) else written(result)


def foreseen(preview: Preview, before: Battle | None, falls: Sequence[dict[str, Any]] | None = None) -> Response:
    """The answer to a dry run, told from the table `before` it."""
    events = []
    for event in preview.events:
        body = msgspec.to_builtins(event)
        events.append({"type": WIRE[type(event)], "body": body, "sentence": sentence(before, event)})
        before = evolve(before, event)
    answer: dict[str, Any] = {
        "dry_run": True,
        "events": events,
        "wanted": [rolled(roll) for roll in preview.wanted],
        "so_far": [thrown(throw) for throw in preview.so_far],
    }
    if falls is not None:
        answer["falls"] = falls
    fresh = preview.events and isinstance(preview.events[0], e.BattleStarted)
    headers = {"Cache-Control": "no-store"} | ({} if fresh else {"ETag": etag(preview.record.seq)})
    return Response(msgspec.json.encode(answer), 200, headers, JSON)


def falling(book: Book, span: Sequence[Act]) -> list[dict[str, Any]]:
    """The acts of a span (the newest first), told oldest first."""
    return [
        {
            "seq": act.seq,
            "do": act.do,
            "side": act.side,
            "turn": act.turn,
            "phase": act.phase,
            "dice": act.dice,
            "sentence": summary(act.before, [entry.body for entry in book.entries(act.seq - 1, act.last)]),
        }
        for act in reversed(span)
    ]
