"""The desk: every table at a glance. Law: read from one row a battle, so that ten thousand battles cost a page no more.

Only where a row says that something is open is the battle itself looked at, for what exactly that is.
"""

from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple

from pydantic import BaseModel, Field

from domain.refusals import Refused
from projections.docket import DisputeView, RequestView, open_disputes, pending_request
from replays.referee import Referee
from replays.store import Damaged, Summary

Status = Literal["playing", "ended", "closed"]
_AT_ONCE = 200


class TableTags(BaseModel):
    """How a desk finds a battle; a what-if has none."""

    event: str
    round: str
    table: str


class Row(BaseModel):
    """A battle as the desk lists it."""

    id: str
    system: Literal["nme", "mfd"]
    title: str
    status: Status
    turn: int
    phase: str
    side: str = Field(description="whose turn it is")
    tags: TableTags
    seq: int = Field(description="its last entry")
    time: int = Field(description="when that was written, in UTC milliseconds")
    parent: str | None = Field(description="the battle that this what-if parts from")
    disputes: list[DisputeView] = Field(description="those that are open")
    undo_request: RequestView | None = Field(description="the undo or redo request that is open")
    damaged: bool = Field(description="whether its stored log cannot be read (`log-damaged`)")
    forked: bool = Field(description="whether it contradicts what was signed, so that nothing proves it (`log-forked`)")


class Desk(BaseModel):
    """A page of the desk, in the order in which the battles were stored."""

    battles: list[Row]
    next: int | None = Field(description="`after` of the next page; null on the last")


class Wanted(NamedTuple):
    """Which battles a page is of: with this tag, of this round, that stand so; None is all of them."""

    event: str | None = None
    round: str | None = None
    status: Status | None = None


def desk(referee: Referee, forked: AbstractSet[str], after: int, limit: int, wanted: Wanted) -> Desk:
    """The next battles after a place; private ones are not listed. Nothing proves those that are `forked`."""
    rows: list[Row] = []
    looked = shown = after
    aside = {left.battle for left in referee.store.totals.set_aside()}
    while True:
        found = referee.store.summaries(looked, _AT_ONCE, *wanted)
        for looked, summary in found:
            if summary.private:
                continue
            if len(rows) == limit:
                return Desk(battles=rows, next=shown)
            rows.append(_row(referee, summary, damaged=summary.battle in aside, forked=summary.battle in forked))
            shown = looked
        if len(found) < _AT_ONCE:
            return Desk(battles=rows, next=None)


def _row(referee: Referee, summary: Summary, *, damaged: bool, forked: bool) -> Row:
    record = None
    if summary.disputes or summary.undo_pending:
        try:
            record = referee.shelf.book(summary.battle).record
        except (Damaged, Refused):
            damaged = True
    return Row(
        id=summary.battle,
        system="mfd" if summary.system == "mfd" else "nme",
        title=summary.title,
        status="closed" if summary.status == "closed" else "ended" if summary.status == "ended" else "playing",
        turn=summary.turn,
        phase=summary.phase,
        side=summary.side,
        tags=TableTags(event=summary.event, round=summary.round, table=summary.table),
        seq=summary.head,
        time=summary.time,
        parent=summary.parent or None,
        disputes=list(open_disputes(record)) if record else [],
        undo_request=pending_request(record) if record else None,
        damaged=damaged,
        forked=forked,
    )
