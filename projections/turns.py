"""Turns: the undoable history. Law: nothing is ever missing, and what may be taken back is said before anyone tries.

Lines stand in the order of the log within their turn and phase. A turn that an undo took back stays, marked, with what
was done in it; when the game comes to it again, what is done then stands behind. All that is said about one undo (it is
asked for, agreed to, done, and the same for its redo) stands in the turn of the action that it goes back to.
"""

from collections.abc import Sequence

from pydantic import Field

from domain import events as e
from domain.entry import Entry
from domain.record import Record
from projections.docket import RequestView, pending_request
from projections.lines import Line, line_of
from projections.struck import StruckOut, strikings
from projections.verdicts import RedoView, redo_view, undo_verdicts
from projections.view import View
from projections.walk import Batch, along_log


class PhaseView(View):
    """A phase and what was done in it."""

    phase: str
    lines: tuple[Line, ...]


class TurnView(View):
    """A side's turn; turn 0 holds the muster."""

    turn: int
    side: str
    struck_out: bool = Field(description="whether an undo went back behind its beginning, and it has not begun again")
    phases: tuple[PhaseView, ...] = Field(description="in the order of the log: a phase that was undone may come again")


class TurnHistory(View):
    """The whole history, and what may still be taken back."""

    battle: str
    seq: int
    head: int = Field(description="what an answer to an undo request has to have seen")
    turn: int
    side: str
    phase: str
    status: str
    turns: tuple[TurnView, ...]
    redo: RedoView | None
    request: RequestView | None = Field(description="the undo or redo request that is open")
    undos: int
    dice_undone: int = Field(description="dice that were seen and then undone")


_Turn = tuple[int, str]
_Phases = list[tuple[str, list[Line]]]


def turn_history(battle_id: str, record: Record, entries: Sequence[Entry]) -> TurnHistory:
    """The history of a whole log, with the undo verdict of every action for every seat."""
    struck, verdicts = strikings(entries), undo_verdicts(record)
    floor = record.floor if record.origin else 0
    placed: dict[_Turn, _Phases] = {}
    turn_of: dict[int, _Turn] = {}
    requests: dict[int, int] = {}
    for batch in along_log(entries):
        first = batch.steps[0].entry
        seq = first.seq
        line = line_of(batch, struck.get(seq), verdicts.get(seq, {}), inherited=seq < floor)
        turn, side, phase = _place(batch)
        back = _goes_back_to(first.body, requests)
        where = turn_of.get(back, (turn, side)) if back else (turn, side)
        turn_of[seq] = where
        phases = placed.setdefault(where, [])
        if where != (turn, side) and phases:
            phase = phases[-1][0]
        if not phases or phases[-1][0] != phase:
            phases.append((phase, []))
        phases[-1][1].append(line)
    battle = record.battle
    return TurnHistory(
        battle=battle_id,
        seq=record.seq,
        head=record.head,
        turn=battle.turn,
        side=battle.side,
        phase=battle.phase,
        status=record.status,
        turns=_turns(placed, _begun(entries, struck)),
        redo=redo_view(record),
        request=pending_request(record),
        undos=record.docket.undos,
        dice_undone=record.docket.dice_undone,
    )


def _place(batch: Batch) -> tuple[int, str, str]:
    if batch.before is None:
        return 0, "", ""
    table = batch.before.battle
    return table.turn, table.side, batch.act.phase if batch.act else table.phase


def _goes_back_to(event: e.Event, requests: dict[int, int]) -> int:
    """The action that an undo, a redo, or a word about one goes back to; 0 for anything else."""
    match event:
        case e.UndoAsked(request=request, to_before=to_before):
            requests[request] = to_before
            return to_before
        case e.UndoAgreed(request=request) | e.UndoRefused(request=request) | e.UndoWithdrawn(request=request):
            return requests[request]
        case e.ActionsUndone(to_before=to_before) | e.ActionsRestored(to_before=to_before):
            return to_before
        case _:
            return 0


def _turns(placed: dict[_Turn, _Phases], begun: dict[_Turn, None]) -> tuple[TurnView, ...]:
    # The same turn may have begun for two sides, if what was undone had left the first of them with no fig.
    seen = dict.fromkeys(placed) | begun
    return tuple(
        TurnView(
            turn=turn,
            side=side,
            struck_out=turn > 0 and (turn, side) not in begun,
            phases=tuple(PhaseView(phase=phase, lines=tuple(lines)) for phase, lines in placed.get((turn, side), [])),
        )
        for turn, side in sorted(seen, key=lambda turn: turn[0])
    )


def _begun(entries: Sequence[Entry], struck: dict[int, StruckOut]) -> dict[_Turn, None]:
    return {
        (entry.body.turn, entry.body.side): None
        for entry in entries
        if isinstance(entry.body, e.TurnStarted) and entry.action not in struck
    }
