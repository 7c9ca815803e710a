"""Undo and redo: who may take what back. Law: one verdict for each action, readable before anybody tries.

| the span holds | a side asks | the referee asks |
|--|--|--|
| only its own quiet acts of this turn | at once | at once |
| a roll, another side's act, the end of a turn | every other side still playing | at once, with a reason |
| a last ditch (MFD-28) | never | with a reason |
| the battle has ended | never | with a reason; it reopens |
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

from domain import events as e
from domain.docket import Request
from domain.draft import Seat
from domain.record import Act, Record, span_from
from domain.refusals import Refusal, Refused, UndoNo, forbidden, no_undo

OWN_AND_QUIET = frozenset({"move", "turn", "hide", "aim", "end_phase"})
"""What a side may take back at once, as long as it is its own, of this turn, and no die fell."""


class Verdict(msgspec.Struct, frozen=True):
    """Whether a seat may take a span back: `at_once`, by asking (`ask` names whom), with a `reason`, or `never`."""

    kind: Literal["at_once", "ask", "reason", "never"]
    why: UndoNo | Literal["own-quiet-acts", "shared-acts"]
    text: str
    ask: tuple[str, ...] = ()


class Span(msgspec.Struct, frozen=True):
    """What the verdict needs to know of a span; spans add up, so that a whole history is judged in one walk.

    `since` is the turn of its oldest act, `until` that of its newest (0 in an empty span).
    """

    sides: frozenset[str] = frozenset()
    since: int = 0
    until: int = 0
    loud: bool = False
    ruling: bool = False
    last_ditch: bool = False

    def with_act(self, act: Act) -> "Span":
        """The span and one act more, older than the rest."""
        return Span(
            self.sides if act.side in self.sides else self.sides | {act.side},
            act.turn,
            self.until or act.turn,
            self.loud or act.dice > 0 or act.ends_turn or act.do not in OWN_AND_QUIET,
            self.ruling or act.do == "ruling",
            self.last_ditch or act.last_ditch,
        )


def spanned(acts: Sequence[Act]) -> Span:
    """What a sequence of acts holds."""
    span = Span()
    for act in acts:
        span = span.with_act(act)
    return span


def verdict(  # noqa: C901 - the table of the law, row by row
    record: Record, span: Span, by: Seat, *, over: bool | None = None
) -> Verdict:
    """May `by` take `span` back (or have it back)? `over`: whether the battle is over, where `record` is not asked."""
    ended = record.battle.status == "ended" if over is None else over
    if record.docket.closed:
        return Verdict("never", "battle-closed", "the battle is closed")
    if by.role == "spectator" or (by.role == "side" and by.side not in record.battle.sides):
        return Verdict("never", "spectators-read", "only who has a seat here takes anything back")
    if record.pending is not None:
        return Verdict("never", "roll-open", "a roll is open; it is settled first")
    this_turn = span.since == span.until == record.battle.turn
    loud = span.loud or span.ruling or len(span.sides) > 1 or not this_turn
    if by.role == "referee":
        if ended or span.last_ditch or loud:
            return Verdict("reason", "reason-needed", "the referee may, and says why")
        return Verdict("at_once", "own-quiet-acts", "quiet acts of this turn")
    if ended:
        return Verdict("never", "battle-over", "the battle has ended; only the referee can reopen it")
    if span.last_ditch:
        return Verdict("never", "last-ditch", "a last ditch cannot be undone (MFD-28)")
    if span.ruling:
        return Verdict("never", "referee-only", "a ruling of the referee lies in it")
    if not loud and span.sides == {by.side}:
        return Verdict("at_once", "own-quiet-acts", "its own quiet acts of this turn")
    if record.battle.policy.undo_dice == "referee":
        return Verdict("never", "referee-only", "here only the referee takes back rolls, turns and other sides' acts")
    ask = tuple(side for side in record.battle.playing() if side != by.side)
    return Verdict("ask", "shared-acts", "every other side still playing has to agree", ask)


def redo_verdict(record: Record, by: Seat) -> Verdict:
    """May `by` have back what was struck out last? The same table, over the span that comes back (decision 3.3)."""
    span = restorable(record)
    return verdict(record, spanned(span), by, over=any(act.ends_battle for act in span))


def undo(record: Record, to_before: int, by: Seat, reason: str) -> tuple[e.Event, ...]:
    """The batch of an undo: struck out at once, or asked for. Raises `Refused`."""
    span = _span_of(record, to_before)
    ruling = verdict(record, spanned(span), by)
    if ruling.kind == "ask":
        return (_ask(record, "undo", by, to_before, ruling.ask, reason),)
    _allow(ruling, reason)
    return (_strike(span, 0, (), reason),)


def redo(record: Record, by: Seat, reason: str) -> tuple[e.Event, ...]:
    """The batch of a redo: restored at once, or asked for. Raises `Refused`."""
    _open_for_undo(record)
    struck = record.struck
    if struck is None:
        no_undo("nothing-to-redo", "nothing was undone, or something was done since")
    span = restorable(record)
    ruling = redo_verdict(record, by)
    if ruling.kind == "ask":
        return (_ask(record, "redo", by, struck.to_before, ruling.ask, reason),)
    _allow(ruling, reason)
    return (_restore(span, struck.to_before, 0, (), reason),)


def answer(record: Record, number: int, by: Seat, *, agree: bool, head: int) -> tuple[e.Event, ...]:
    """A side's answer to an open request; the last agreement carries it out. Raises `Refused`."""
    request = _request_of(record, number)
    if by.role == "referee":
        no_undo("not-asked", "the referee does not answer for a side; undo or withdraw it instead", request.ask)
    if by.side not in request.ask or by.side in request.agreed:
        no_undo(
            "not-asked", f"{by.side or 'a spectator'} is not asked", [s for s in request.ask if s not in request.agreed]
        )
    first = record.tip.seq if record.tip else record.head
    # Naming the last action by its first entry says as much; after a later redo it does not.
    if not record.seen <= head <= record.seq and (head != first or record.turned > first):
        seen = f"play went on: you saw {head}, an answer has to have seen {record.seen}; look again"
        raise Refused(Refusal("stale", "UNDO-HEAD", seen, (str(record.seen),), "/head"))
    if not agree:
        return (e.UndoRefused(number, by.side),)
    agreed = (*request.agreed, by.side)
    said = e.UndoAgreed(number, by.side, record.seen)
    if set(agreed) != set(request.ask):
        return (said,)
    if request.what == "redo":
        span = restorable(record)
        return said, _restore(span, request.to_before, number, agreed, request.reason)
    span = _span_of(record, request.to_before)
    again = verdict(record, spanned(span), Seat("side", request.by))
    if again.kind == "never":
        assert again.why not in {"own-quiet-acts", "shared-acts"}
        no_undo(again.why, again.text)  # type: ignore[arg-type]
    return said, _strike(span, number, agreed, request.reason)


def withdraw(record: Record, number: int, by: Seat) -> tuple[e.Event, ...]:
    """Take an open request back; who asked may, and the referee. Raises `Refused`."""
    request = _request_of(record, number)
    if by.role == "spectator" or (by.role == "side" and by.side != request.by):
        forbidden(f"only {request.by} or the referee may withdraw request {number}")
    return (e.UndoWithdrawn(number, request.by),)


def _open_for_undo(record: Record) -> None:
    if record.docket.closed:
        no_undo("battle-closed", "the battle is closed; nothing is written any more")
    if record.pending is not None:
        no_undo("roll-open", f"a roll is open (request {record.pending.seq}); it is settled first")


def _span_of(record: Record, to_before: int) -> list[Act]:
    _open_for_undo(record)
    span = span_from(record.tip, to_before)
    if span and span[-1].seq > record.floor:
        return span
    if to_before > record.seq:
        no_undo("unknown-action", f"the log ends at {record.seq}; there is no action {to_before}")
    if to_before <= record.floor and record.origin is not None:
        no_undo("before-branch", f"action {to_before} lies before this branch; open an earlier branch instead")
    on_line = [str(act.seq) for act in _newest(record)]
    no_undo("not-strikable", f"{to_before} does not begin an action that still counts", on_line)


def _newest(record: Record) -> list[Act]:
    acts: list[Act] = []
    act = record.tip
    while act is not None and act.seq > record.floor and len(acts) < 5:
        acts.append(act)
        act = act.previous
    return acts


def _allow(ruling: Verdict, reason: str) -> None:
    if ruling.kind == "never":
        assert ruling.why not in {"own-quiet-acts", "shared-acts"}
        ask = ["ask the referee, who may, with a reason"] if ruling.why in {"referee-only", "last-ditch"} else ()
        no_undo(ruling.why, ruling.text, ask)  # type: ignore[arg-type]
    if ruling.kind == "reason" and not reason.strip():
        no_undo("reason-needed", "say why: this undo needs a reason", ['add "reason"'])


def _ask(
    record: Record, what: Literal["undo", "redo"], by: Seat, to_before: int, ask: tuple[str, ...], reason: str
) -> e.UndoAsked:
    docket, turn = record.docket, record.battle.turn
    no = blocked(record, by.side, what, to_before)
    if no is not None:
        no_undo(*no)
    return e.UndoAsked(docket.requests + 1, what, by.side, to_before, record.head, turn, ask, reason)


def blocked(record: Record, side: str, what: Literal["undo", "redo"], to_before: int) -> tuple[UndoNo, str] | None:
    """Why a side may not ask for that now (the reason of the closed list, and words), or None."""
    docket, most = record.docket, record.battle.policy.undo_requests
    if docket.request is not None:
        return "request-open", f"request {docket.request.request} is still open; answer or withdraw it first"
    if (side, what, to_before) in docket.refused:
        return "refused-before", f"a request for action {to_before} was refused already"
    if docket.asked.get((side, record.battle.turn), 0) >= most:
        return "too-many-requests", f"{side} has asked {most} times this turn"
    return None


def _request_of(record: Record, number: int) -> Request:
    _open_for_undo(record)
    request = record.docket.request
    if request is None or request.request != number:
        no_undo("no-such-request", f"no open undo request {number}", [str(request.request)] if request else ())
    return request


def restorable(record: Record) -> list[Act]:
    """The span that a redo would bring back; something has to be struck out."""
    assert record.struck is not None
    return span_from(record.struck.tip, record.struck.to_before)


def _strike(span: list[Act], request: int, agreed: tuple[str, ...], reason: str) -> e.ActionsUndone:
    actions = tuple(act.seq for act in reversed(span))
    return e.ActionsUndone(actions[0], actions, sum(act.dice for act in span), request, agreed, reason)


def _restore(span: list[Act], to_before: int, request: int, agreed: tuple[str, ...], reason: str) -> e.ActionsRestored:
    actions = tuple(act.seq for act in reversed(span))
    return e.ActionsRestored(to_before, actions, request, agreed, reason)
