"""Told: a log from beginning to end, a sentence an entry. Law: all is told, and what no longer counts is marked."""

from collections.abc import Iterator, Sequence

from pydantic import Field

from domain.entry import Entry
from domain.timeline import struck_out
from projections.sentences import sentence
from projections.view import View
from projections.walk import along_log


class ToldEntry(View):
    """An entry in words."""

    seq: int
    action: int
    time: int
    actor: str
    type: str
    turn: int
    side: str = Field(description="whose turn it was")
    phase: str
    sentence: str
    struck_out: bool


def told(entries: Sequence[Entry]) -> Iterator[ToldEntry]:
    """Every entry of a whole log, in order."""
    gone = struck_out(entries)
    for batch in along_log(entries):
        for entry, before, after in batch.steps:
            yield ToldEntry(
                seq=entry.seq,
                action=entry.action,
                time=entry.time,
                actor=entry.actor,
                type=entry.type,
                turn=after.turn,
                side=after.side,
                phase=after.phase,
                sentence=sentence(before, entry.body),
                struck_out=entry.action in gone,
            )
