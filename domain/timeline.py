"""The timeline: the only definition of "undone". Law: nothing is deleted; the line is what still counts.

A `Record` is the fold of a whole log: the table on the line, the acts that brought it there, and the docket (disputes,
undo requests, dice seen and undone), which no undo ever rewinds. Every act keeps the table as it was before it, so that
undo, redo and a look back cost the same at action 10 and at action 10,000.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from domain import events as e
from domain.battle import Battle
from domain.entry import Entry
from domain.evolve import evolve

OWN_AND_QUIET = frozenset({"move", "turn", "hide", "aim", "end_phase"})
"""What a side may take back at once, as long as it is its own, of this turn, and no die fell."""


class Act(msgspec.Struct, frozen=True, eq=False):
    """One action (or ruling) on the line: a batch of entries `seq`..`last`, and the table `before` it.

    `side` is the side of the acting fig, whoever typed; `dice` counts the dice in the batch.
    """

    seq: int
    last: int
    do: str
    actor: str
    side: str
    turn: int
    phase: str
    dice: int
    ends_turn: bool
    last_ditch: bool
    ends_battle: bool
    before: Battle
    previous: "Act | None"


class Struck(msgspec.Struct, frozen=True, eq=False):
    """A span that a redo would restore, and the table that it led to; `below` is what a second redo would restore."""

    to_before: int
    tip: Act
    battle: Battle
    dice: int
    below: "Struck | None"


class Request(msgspec.Struct, frozen=True):
    """An open request to undo or redo."""

    request: int
    what: Literal["undo", "redo"]
    by: str
    to_before: int
    head: int
    turn: int
    ask: tuple[str, ...]
    agreed: tuple[str, ...]
    reason: str
    seq: int


class Dispute(msgspec.Struct, frozen=True):
    """A question about an entry."""

    dispute: int
    about: int
    reason: str
    by: str
    seq: int
    status: Literal["open", "ruling", "agreed", "withdrawn"] = "open"
    ruling: int | None = None


class Docket(msgspec.Struct, frozen=True):
    """Procedure: what an undo never rewinds."""

    disputes: dict[int, Dispute] = {}
    request: Request | None = None
    requests: int = 0
    asked: dict[tuple[str, int], int] = {}
    refused: frozenset[tuple[str, str, int]] = frozenset()
    dice_undone: int = 0
    undos: int = 0
    closed: bool = False


class Anchor(msgspec.Struct, frozen=True):
    """The server's commitment that is in use, and how many links (or what-if keys) are used up.

    `link` is the last one opened, or the anchor itself: what the next has to lead back to. `shown` are all anchors that
    there were.
    """

    epoch: int = -1
    length: int = 0
    used: int = 0
    link: str = ""
    shown: frozenset[str] = frozenset()


class Origin(msgspec.Struct, frozen=True):
    """Where a branch parts from its parent."""

    parent: str
    at: int
    head: int
    dice: Literal["fresh", "recorded", "table"]


class Joined(msgspec.Struct, frozen=True):
    """A seat that has shown its key; it contributes to the dice if its chain has a `length`.

    `asked` counts the rolls of this epoch that it was asked for: its next link is `asked` + 1. `link` is the last one
    it opened (number `opened`; 0 is the anchor itself).
    """

    seat: str
    party: int
    key: str
    epoch: int
    length: int
    link: str
    opened: int = 0
    asked: int = 0


class Pending(msgspec.Struct, frozen=True):
    """An action that waits for its dice: links that parties have to release, or faces that a seat has to confirm."""

    seq: int
    kind: Literal["chain", "table"]
    actor: str
    side: str
    request: dict[str, Any]
    epoch: int = 0
    index: int = 0
    parties: tuple[int, ...] = ()
    released: dict[int, str] = {}
    forfeited: tuple[int, ...] = ()
    faces: tuple[int, ...] = ()
    contested: bool = False
    confirmed: bool = False

    @property
    def missing(self) -> tuple[int, ...]:
        """The parties whose links are still awaited."""
        return tuple(p for p in self.parties if p not in self.released and p not in self.forfeited)

    @property
    def ready(self) -> bool:
        """Whether the dice are all there."""
        return self.confirmed if self.kind == "table" else not self.missing


class Record(msgspec.Struct, frozen=True, eq=False):
    """The fold of a log up to entry `seq`; `shown` are all keys and anchors that seats ever showed, and whose."""

    seq: int
    time: int
    battle: Battle
    tip: Act | None
    struck: Struck | None
    docket: Docket
    anchor: Anchor
    origin: Origin | None = None
    turned: int = 0
    seats: dict[str, Joined] = {}
    shown: dict[str, str] = {}
    pending: Pending | None = None

    @property
    def floor(self) -> int:
        """The entry that no undo reaches across: the muster, or the opening of the branch."""
        return self.origin.at + 1 if self.origin else 1

    @property
    def head(self) -> int:
        """The last strikable seq (decision 3.2)."""
        return self.tip.last if self.tip else self.floor

    @property
    def seen(self) -> int:
        """What an answer to an undo request has to have seen: the head, or a later redo that made the line longer."""
        return max(self.head, self.turned)

    @property
    def status(self) -> str:
        """`playing`, `ended` or `closed`."""
        return "closed" if self.docket.closed else self.battle.status


def batches(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Entries by action, in order."""
    batch: list[Entry] = []
    for entry in entries:
        if batch and entry.action != batch[0].action:
            yield batch
            batch = []
        batch.append(entry)
    if batch:
        yield batch


def recorded(record: Record | None, entries: Iterable[Entry]) -> Record:
    """The fold of a log (or of what follows `record`); the last batch may be cut short."""
    for batch in batches(entries):
        record = advance(record, batch)
    assert record is not None
    return record


def advance(record: Record | None, batch: Sequence[Entry]) -> Record:
    """The record after one batch."""
    head = batch[0].body
    if record is None:
        return _mustered(batch)
    if isinstance(head, e.ActionDeclared) or (isinstance(head, e.RulingMade) and head.changes):
        record = _acted(record, batch)
    else:
        for entry in batch:
            record = _proceed(record, entry)
    return replace(record, seq=batch[-1].seq, time=batch[-1].time)


def _mustered(batch: Sequence[Entry]) -> Record:
    battle: Battle | None = None
    anchor = Anchor()
    for entry in batch:
        battle = evolve(battle, entry.body)
        anchor = _anchored(anchor, entry.body)
    assert battle is not None
    return Record(batch[-1].seq, batch[-1].time, battle, None, None, Docket(), anchor)


def _anchored(anchor: Anchor, event: e.Event) -> Anchor:
    if isinstance(event, e.DiceAnchored) and event.party == 0:
        return Anchor(event.epoch, event.length, 0, event.anchor, anchor.shown | {event.anchor})
    if isinstance(event, e.DiceDrawn):
        return replace(anchor, used=event.index, link=event.link)
    return anchor


def _acted(record: Record, batch: Sequence[Entry]) -> Record:
    battle, before, anchor = record.battle, record.battle, record.anchor
    head = batch[0].body
    dice, ends_turn, last_ditch, ends_battle = 0, False, False, False
    for entry in batch:
        body = entry.body
        battle = evolve(battle, body)
        kind = type(body)
        if kind in e.ROLLED:
            dice += sum(len(t.faces) for t in e.dice_of(body))
        elif kind is e.DiceDrawn or kind is e.DiceAnchored:
            anchor = _anchored(anchor, body)
        elif kind is e.TurnEnded:
            ends_turn = True
        elif kind is e.LastDitchCalled:
            last_ditch = True
        elif kind is e.BattleEnded:
            ends_battle = True
    act = Act(
        seq=batch[0].seq,
        last=batch[-1].seq,
        do=head.do if isinstance(head, e.ActionDeclared) else "ruling",
        actor=batch[0].actor,
        side=head.side if isinstance(head, e.ActionDeclared) else "",
        turn=before.turn,
        phase=battle.phase if battle.turn == before.turn else before.phase,
        dice=dice,
        ends_turn=ends_turn,
        last_ditch=last_ditch,
        ends_battle=ends_battle,
        before=before,
        previous=record.tip,
    )
    docket = replace(record.docket, request=_played_on(record.docket.request, battle))
    return replace(record, battle=battle, tip=act, struck=None, docket=docket, anchor=anchor, pending=None)


def _played_on(request: Request | None, battle: Battle) -> Request | None:
    """What newer play leaves of a request: no agreement to what nobody was shown, and nothing to redo."""
    if request is None or request.what == "redo":
        return None
    playing = battle.playing()
    return replace(request, agreed=(), ask=tuple(side for side in request.ask if side in playing))


def span_from(tip: Act | None, to_before: int) -> list[Act]:
    """The acts of the line from `to_before` on, the newest first; empty where it is not on the line."""
    span: list[Act] = []
    act = tip
    while act is not None and act.seq >= to_before:
        span.append(act)
        act = act.previous
    return span if span and span[-1].seq == to_before else []


def line_of(record: Record) -> list[Act]:
    """All acts on the line, the oldest first."""
    acts: list[Act] = []
    act = record.tip
    while act is not None:
        acts.append(act)
        act = act.previous
    acts.reverse()
    return acts


def _proceed(record: Record, entry: Entry) -> Record:  # noqa: C901, PLR0912 - one case an event
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
            seat = Joined(joined.seat, joined.party, joined.key, joined.epoch, joined.length, joined.anchor)
            shown = {thing: joined.seat for thing in (joined.key, joined.anchor) if thing}
            return replace(record, seats={**record.seats, joined.seat: seat}, shown=record.shown | shown)
        case e.RollRequested() | e.DiceTyped():
            return _awaiting(record, entry)
        case e.RollForfeited(party=0):
            return replace(record, pending=None)
        case e.LinkReleased() | e.RollForfeited() | e.DiceContested() | e.DiceConfirmed() as answered:
            return _answered(record, answered)
        case e.BattleClosed():
            return replace(record, docket=replace(docket, closed=True, request=None))
        case body:
            return replace(record, battle=evolve(record.battle, body), anchor=_anchored(record.anchor, body))


def _awaiting(record: Record, entry: Entry) -> Record:
    body, seats = entry.body, record.seats
    assert isinstance(body, e.RollRequested | e.DiceTyped)
    if isinstance(body, e.DiceTyped):
        waits = Pending(entry.seq, "table", entry.actor, body.side, body.request, faces=body.faces)
    else:
        waits = Pending(entry.seq, "chain", entry.actor, body.side, body.request, body.epoch, body.index, body.parties)
        seats = {
            name: replace(seat, asked=seat.asked + 1) if seat.party in body.parties else seat
            for name, seat in seats.items()
        }
    return replace(record, pending=waits, seats=seats)


def _answered(record: Record, answered: e.LinkReleased | e.RollForfeited | e.DiceContested | e.DiceConfirmed) -> Record:
    waits, seats = record.pending, record.seats
    assert waits is not None
    match answered:
        case e.LinkReleased(party=party, link=link):
            waits = replace(waits, released={**waits.released, party: link})
            seats = {
                name: replace(seat, link=link, opened=seat.asked) if seat.party == party else seat
                for name, seat in seats.items()
            }
        case e.RollForfeited(party=party):
            waits = replace(waits, forfeited=(*waits.forfeited, party))
        case e.DiceContested():
            waits = replace(waits, contested=True)
        case e.DiceConfirmed(faces=faces):
            waits = replace(waits, faces=faces, confirmed=True)
    return replace(record, pending=waits, seats=seats)


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


def _reopened(docket: Docket, actions: Sequence[int]) -> dict[int, Dispute]:
    """A dispute is open again when the ruling that settled it is struck out."""
    struck = {n: d for n, d in docket.disputes.items() if d.status == "ruling" and d.ruling in actions}
    return {**docket.disputes, **{n: replace(d, status="open") for n, d in struck.items()}}


def _ruled_again(docket: Docket, actions: set[int]) -> dict[int, Dispute]:
    """And settled again when that ruling is restored."""
    ruled = {n: d for n, d in docket.disputes.items() if d.status == "open" and d.ruling in actions}
    return {**docket.disputes, **{n: replace(d, status="ruling") for n, d in ruled.items()}}


def _restored(record: Record) -> Record:
    struck = record.struck
    assert struck is not None
    docket = replace(
        record.docket,
        disputes=_ruled_again(record.docket, {act.seq for act in span_from(struck.tip, struck.to_before)}),
        request=_played_on(record.docket.request, struck.battle),
        dice_undone=record.docket.dice_undone - struck.dice,
    )
    return replace(record, battle=struck.battle, tip=struck.tip, struck=struck.below, docket=docket)


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


def effective(entries: Sequence[Entry]) -> list[Entry]:
    """The entries that still count: what was struck out is gone, procedure stays, in the order of the log."""
    gone = struck_out(entries)
    return [entry for entry in entries if entry.action not in gone]


def struck_out(entries: Iterable[Entry]) -> set[int]:
    """The actions (by the seq of their first entry) that are struck out at the end of these entries."""
    gone: set[int] = set()
    for entry in entries:
        body = entry.body
        if isinstance(body, e.ActionsUndone):
            gone |= set(body.actions)
        elif isinstance(body, e.ActionsRestored):
            gone -= set(body.actions)
    return gone
