"""Proceedings: the record after an entry that no act holds. Law: procedure strikes whole acts, and never itself."""

from collections.abc import Sequence

from msgspec.structs import replace

from domain import events as e
from domain.battle import Battle
from domain.commitments import Anchor
from domain.docket import Dispute, Docket, Request
from domain.entry import Entry
from domain.evolve import evolve
from domain.record import Origin, Record, Struck, span_from
from domain.settling import anchored, answered, awaiting, seated


def proceed(record: Record, entry: Entry) -> Record:  # noqa: C901, PLR0912 - one case an event
    """The record after an entry that no act holds."""
    docket = record.docket
    match entry.body:
        case e.ActionsUndone() as undone:
            return _undone(record, undone)
        case e.ActionsRestored():
            return replace(_restored(record), turned=entry.seq)
        case e.BranchOpened() as opened:
            return _branched(record, opened)
        case e.DisputeOpened(dispute=n, about=about, reason=reason):
            dispute = Dispute(n, about, reason, entry.actor, entry.seq)
            return replace(record, docket=replace(docket, disputes={**docket.disputes, n: dispute}))
        case e.DisputeClosed(dispute=n, how=how, ruling=ruling):
            closed = replace(docket.disputes[n], status=how, ruling=ruling)
            return replace(record, docket=replace(docket, disputes={**docket.disputes, n: closed}))
        case e.UndoAsked() as asked:
            return replace(record, docket=_asked(docket, asked, entry.seq))
        case e.UndoAgreed(side=side):
            assert docket.request is not None
            request = replace(docket.request, agreed=(*docket.request.agreed, side))
            return replace(record, docket=replace(docket, request=request))
        case e.UndoRefused():
            assert docket.request is not None
            no = (docket.request.by, docket.request.what, docket.request.to_before)
            return replace(record, docket=replace(docket, request=None, refused=docket.refused | {no}))
        case e.UndoWithdrawn():
            return replace(record, docket=replace(docket, request=None))
        case e.SeatJoined() as joined:
            return seated(record, joined)
        case e.RollRequested() | e.DiceTyped():
            return awaiting(record, entry)
        case e.RollForfeited(party=0):
            return replace(record, pending=None)
        case e.LinkReleased() | e.RollForfeited() | e.DiceContested() | e.DiceConfirmed() as answer:
            return answered(record, answer)
        case e.BattleClosed():
            return replace(record, docket=replace(docket, closed=True, request=None))
        case body:
            return replace(record, battle=evolve(record.battle, body), anchor=anchored(record.anchor, body))


def _asked(docket: Docket, asked: e.UndoAsked, seq: int) -> Docket:
    request = Request(
        request=asked.request,
        what=asked.what,
        by=asked.side,
        to_before=asked.to_before,
        head=asked.head,
        turn=asked.turn,
        ask=asked.ask,
        agreed=(),
        reason=asked.reason,
        seq=seq,
    )
    key = (asked.side, asked.turn)
    counts = {**docket.asked, key: docket.asked.get(key, 0) + 1}
    return replace(docket, request=request, requests=asked.request, asked=counts)


def _undone(record: Record, undone: e.ActionsUndone) -> Record:
    span = span_from(record.tip, undone.to_before)
    first, tip = span[-1], span[0]
    struck = Struck(undone.to_before, tip, record.battle, undone.dice, record.struck)
    asked = record.docket.request
    # It lives until it is answered or withdrawn, unless what it would strike has fallen, or a redo would restore this.
    moot = asked is None or asked.what == "redo" or asked.to_before >= undone.to_before
    docket = replace(
        record.docket,
        disputes=_reopened(record.docket, undone.actions),
        request=None if moot else asked,
        dice_undone=record.docket.dice_undone + undone.dice,
        undos=record.docket.undos + 1,
    )
    return replace(record, battle=first.before, tip=first.previous, struck=struck, docket=docket)


def _restored(record: Record) -> Record:
    struck = record.struck
    assert struck is not None
    docket = replace(
        record.docket,
        disputes=_ruled_again(record.docket, {act.seq for act in span_from(struck.tip, struck.to_before)}),
        request=played_on(record.docket.request, struck.battle),
        dice_undone=record.docket.dice_undone - struck.dice,
    )
    return replace(record, battle=struck.battle, tip=struck.tip, struck=struck.below, docket=docket)


def _reopened(docket: Docket, actions: Sequence[int]) -> dict[int, Dispute]:
    """A dispute is open again when the ruling that settled it is struck out."""
    struck = {n: d for n, d in docket.disputes.items() if d.status == "ruling" and d.ruling in actions}
    return {**docket.disputes, **{n: replace(d, status="open") for n, d in struck.items()}}


def _ruled_again(docket: Docket, actions: set[int]) -> dict[int, Dispute]:
    """And settled again when that ruling is restored."""
    ruled = {n: d for n, d in docket.disputes.items() if d.status == "open" and d.ruling in actions}
    return {**docket.disputes, **{n: replace(d, status="ruling") for n, d in ruled.items()}}


def played_on(request: Request | None, battle: Battle) -> Request | None:
    """What newer play leaves of a request: no agreement to what nobody was shown, and nothing to redo."""
    if request is None or request.what == "redo":
        return None
    playing = battle.playing()
    return replace(request, agreed=(), ask=tuple(side for side in request.ask if side in playing))


def _branched(record: Record, opened: e.BranchOpened) -> Record:
    return replace(
        record,
        battle=evolve(record.battle, opened),
        struck=None,
        docket=Docket(),
        anchor=Anchor(epoch=0, link=opened.commitment),
        origin=Origin(opened.parent, opened.at, opened.head, opened.dice),
        turned=0,
        seats={},
        shown={},
        pending=None,
    )
