"""Verdicts: what undo and redo would answer. Law: said for every action and seat before anyone tries, in one walk.

`kind` is the verdict of contract 5; `blocked` says why a request could not be made just now, though it would be lawful.
"""

from typing import Literal

from pydantic import Field

from domain.draft import REFEREE, Seat
from domain.record import Record, span_from
from domain.refusals import UndoNo
from domain.undo import Span, Verdict, blocked, redo_verdict, verdict
from projections.view import View


class SeatVerdict(View):
    """Whether a seat may take back (or restore) everything from an action on."""

    kind: Literal["at_once", "ask", "reason", "never"] = Field(
        description="at_once; ask: the sides in `ask` have to agree; reason: at once, with a reason; never"
    )
    why: str = Field(description="the word of the closed list that an undo would be refused with, or why it is allowed")
    text: str
    ask: tuple[str, ...] = Field(default=(), description="the sides that have to agree")
    blocked: UndoNo | None = Field(default=None, description="why no request can be made just now")


class RedoView(View):
    """The span that a redo would restore."""

    to_before: int
    actions: tuple[int, ...]
    dice: int = Field(description="dice that would count again")
    seats: dict[str, SeatVerdict] = Field(description="by seat")


def undo_verdicts(record: Record) -> dict[int, dict[str, SeatVerdict]]:
    """By the seq of every act on the line: for each seat, whether it may take back everything from there on."""
    told: dict[int, dict[str, SeatVerdict]] = {}
    seats, span, act, shown = seats_of(record), Span(), record.tip, _Shown(record)
    while act is not None and act.seq > record.floor:
        span = span.with_act(act)
        told[act.seq] = {seat.actor: shown.of(verdict(record, span, seat), seat, act.seq) for seat in seats}
        act = act.previous
    inherited = {seat.actor: _inherited(record) for seat in seats}
    while act is not None:
        told[act.seq] = inherited
        act = act.previous
    return told


def redo_view(record: Record) -> RedoView | None:
    """What a redo would restore, and who may; None where there is nothing to restore."""
    struck = record.struck
    if struck is None:
        return None
    acts, shown = span_from(struck.tip, struck.to_before), _Shown(record, "redo")
    return RedoView(
        to_before=struck.to_before,
        actions=tuple(act.seq for act in reversed(acts)),
        dice=struck.dice,
        seats={seat.actor: shown.of(redo_verdict(record, seat), seat, struck.to_before) for seat in seats_of(record)},
    )


def seats_of(record: Record) -> list[Seat]:
    """The seats that may ever take something back: the referee, then the sides in turn order."""
    return [REFEREE, *(Seat("side", side) for side in record.battle.sides)]


class _Shown:
    """Verdicts as they are shown. A long battle has few, each many times: equal ones are one object."""

    def __init__(self, record: Record, what: Literal["undo", "redo"] = "undo") -> None:
        self._record = record
        self._what = what
        self._known: dict[tuple[Verdict, UndoNo | None], SeatVerdict] = {}

    def of(self, found: Verdict, seat: Seat, to_before: int) -> SeatVerdict:
        """A verdict for a seat, and what keeps a request from being made just now."""
        no = blocked(self._record, seat.side, self._what, to_before) if found.kind == "ask" else None
        why = None if no is None else no[0]
        if (found, why) not in self._known:
            self._known[found, why] = SeatVerdict(
                kind=found.kind, why=found.why, text=found.text, ask=found.ask, blocked=why
            )
        return self._known[found, why]


def _inherited(record: Record) -> SeatVerdict:
    if record.docket.closed:
        return SeatVerdict(kind="never", why="battle-closed", text="the battle is closed")
    text = "it lies before this branch; open an earlier branch instead"
    return SeatVerdict(kind="never", why="before-branch", text=text)
