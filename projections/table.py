"""The table as people see it. Law: what stands there now, in inches; nothing is left to work out."""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from pydantic import Field

from domain.battle import Battle
from domain.entry import Entry
from domain.record import Record
from projections.docket import (
    DisputeView,
    PendingView,
    RequestView,
    SeatView,
    open_disputes,
    pending_request,
    pending_roll,
    seat_views,
)
from projections.figs import FigState, fig_state
from projections.sentences import sentence
from projections.strength import SideState, side_states
from projections.view import PlaceView, View, place_view, to_inches
from projections.walk import steps_from

LENGTHS = frozenset({"tape_tolerance", "recovery_friend_within", "blast_radius"})
"""The switches of a policy that are lengths."""


class TerrainView(View):
    """A piece of terrain."""

    id: str
    kind: Literal["area", "wall"]
    points: tuple[PlaceView, ...]
    cover: str = Field(description="the cover word that it gives")


class TableSize(View):
    """The table's size in inches."""

    width: float
    height: float


class DiceState(View):
    """Where the dice come from, and how many of them an undo has thrown away."""

    mode: Literal["server", "table"]
    epoch: int = Field(description="the sealed chain in use; -1 where there is none")
    used: int = Field(description="how many of its links (or of a what-if's keys) are used up")
    undone_dice: int = Field(description="dice that were seen and then undone")


class WhatIf(View):
    """Where a branch parts from its parent."""

    parent: str
    at: int = Field(description="the last entry that both share")
    head: int = Field(description="the parent's last entry when the branch was opened")
    dice: Literal["fresh", "recorded", "table"]


class LastEntry(View):
    """The latest entry, in words."""

    seq: int
    time: int
    actor: str
    type: str
    sentence: str


class TableView(View):
    """The table as it stands (or stood, if the record is that of an earlier entry)."""

    id: str
    system: Literal["nme", "mfd"]
    rules: str = Field(description="the version of the rules that decides this battle")
    title: str
    seq: int = Field(description="the last entry told here; the ETag")
    time: int = Field(description="when it was written, in UTC milliseconds")
    head: int = Field(description="the last action's last entry: what an answer to an undo request has to have seen")
    turn: int
    phase: str
    side: str = Field(description="whose turn it is")
    status: Literal["playing", "ended", "closed"]
    winner: str = Field(description="empty while playing and for a draw")
    sides: dict[str, SideState] = Field(description="in turn order")
    figs: dict[str, FigState] = Field(description="in the order of the muster")
    terrain: tuple[TerrainView, ...]
    table: TableSize
    policy: dict[str, Any] = Field(description="every switch in force; lengths in inches")
    tags: dict[str, str] = Field(description="event, round, table; a what-if has none")
    disputes: tuple[DisputeView, ...] = Field(description="those that are open")
    undo_request: RequestView | None = Field(description="the undo or redo request that is open")
    dice: DiceState
    roll: PendingView | None = Field(description="the roll that is open: the action waits for its dice")
    seats: dict[str, SeatView] = Field(description="the seats that have shown their keys")
    branch: bool = Field(description="whether this is a what-if")
    what_if: WhatIf | None
    last: LastEntry | None = Field(default=None, description="the latest entry, where the log was at hand")


def table_view(battle_id: str, record: Record, entries: Sequence[Entry] | None = None) -> TableView:
    """The whole table; `entries` (the whole log up to `record`) adds what happened last."""
    battle, origin = record.battle, record.origin
    return TableView(
        id=battle_id,
        system=battle.system,
        rules=battle.rules,
        title=battle.title,
        seq=record.seq,
        time=record.time,
        head=record.head,
        turn=battle.turn,
        phase=battle.phase,
        side=battle.side,
        status="closed" if record.docket.closed else battle.status,
        winner=battle.winner,
        sides=side_states(battle),
        figs={name: fig_state(fig) for name, fig in battle.figs.items()},
        terrain=_terrain(battle),
        table=TableSize(width=to_inches(battle.width), height=to_inches(battle.height)),
        policy=_policy(battle),
        tags={} if origin else battle.tags,
        disputes=open_disputes(record),
        undo_request=pending_request(record),
        dice=_dice(record),
        roll=pending_roll(record),
        seats=seat_views(record),
        branch=origin is not None,
        what_if=WhatIf(parent=origin.parent, at=origin.at, head=origin.head, dice=origin.dice) if origin else None,
        last=_last(record, entries) if entries else None,
    )


def _terrain(battle: Battle) -> tuple[TerrainView, ...]:
    return tuple(
        TerrainView(id=piece.id, kind=piece.kind, points=tuple(map(place_view, piece.points)), cover=piece.cover)
        for piece in battle.terrain
    )


def _policy(battle: Battle) -> dict[str, Any]:
    switches: dict[str, Any] = msgspec.to_builtins(battle.policy)
    lengths = {name: to_inches(switches[name]) for name in LENGTHS & set(switches) if switches[name] is not None}
    lists = {name: list(value) for name, value in switches.items() if isinstance(value, tuple)}
    return {**switches, **lengths, **lists}


def _dice(record: Record) -> DiceState:
    return DiceState(
        mode=record.battle.dice,
        epoch=record.anchor.epoch,
        used=record.anchor.used,
        undone_dice=record.docket.dice_undone,
    )


def _last(record: Record, entries: Sequence[Entry]) -> LastEntry:
    batch = entries[entries[-1].action - entries[-1].seq - 1 :]
    tip = record.tip
    table = tip.before if tip is not None and tip.seq == batch[0].seq else record.battle
    *_, (entry, before, _after) = steps_from(table if batch[0].seq > 1 else None, batch)
    said = sentence(before, entry.body)
    return LastEntry(seq=entry.seq, time=entry.time, actor=entry.actor, type=entry.type, sentence=said)
