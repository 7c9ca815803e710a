"""Re-adjudication: every action decided again. Law: from its own request and dice, by the rules version that it names.

Nothing in the log is believed but requests and dice; where the dice have a link, not even the dice. What does not
follow is named by entry and field.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from domain import events as e
from domain import procedure, rolls, undo
from domain.commands import command_from
from domain.decider import decide
from domain.dice import DiceWanted, Tape, Throw
from domain.draft import Seat
from domain.entry import Entry
from domain.record import Record
from domain.refusals import Refused
from replays.audit.dicechain import HASH_BYTES, LENGTH, ChainId, leads_back, roll_key
from replays.forfeited import settling_tape
from replays.remuster import remustered
from replays.reseat import seat_events, table_events
from replays.roller import ReplayTape, StreamTape, TapeMismatch


class Finding(msgspec.Struct, frozen=True):
    """Something that does not follow: at which entry, in which field, and what is wrong."""

    seq: int
    check: str
    field: str
    message: str


class Doubt(Exception):  # noqa: N818 - a finding on its way up
    """A batch does not follow."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def readjudicate(
    record: Record | None, batch: Sequence[Entry], leaf_at: Callable[[int], str], *, at_end: bool = False
) -> Finding | None:
    """Decide one batch again on the record before it; `leaf_at` gives the leaf hash of an entry. None if it follows.

    At the end of a file (`at_end`) a batch that is too short was cut off.
    """
    try:
        decided = _decided(record, batch, leaf_at)
    except Doubt as doubt:
        return doubt.finding
    except Refused as no:
        return Finding(batch[0].seq, "rules", "", f"the rules refuse it: {no.refusal.rule}, {no.refusal.reason}")
    except (DiceWanted, TapeMismatch) as off:
        if at_end and isinstance(off, TapeMismatch) and off.recorded is None:
            return Finding(batch[-1].seq, "rules", "", _cut(batch))
        return Finding(batch[0].seq, "dice", "dice", f"the rules ask for other dice: {off}")
    except (ValueError, KeyError, AssertionError, TypeError, AttributeError) as off:
        return Finding(batch[0].seq, "rules", "request", f"no request of this battle: {off}")
    finding = _compared([entry for entry in batch if not isinstance(entry.body, e.RequestSigned)], decided)
    if finding is not None and at_end and finding.field == _COUNT and len(batch) < len(decided):
        return Finding(finding.seq, "rules", "", _cut(batch))
    return finding


_COUNT = "entries"


def _cut(batch: Sequence[Entry]) -> str:
    return f"the file ends in the middle of action {batch[0].action}"


def _decided(  # noqa: C901, PLR0912 - one case a kind of batch
    record: Record | None, batch: Sequence[Entry], leaf_at: Callable[[int], str]
) -> Sequence[e.Event]:
    head, by = batch[0].body, Seat.of(batch[0].actor)
    if record is None:
        return remustered([entry.body for entry in batch])
    if by.role not in {"referee", "side", "spectator"} or (by.role == "side") != (by.side in record.battle.sides):
        raise Doubt(Finding(batch[0].seq, "rules", "actor", f"this battle has no seat {batch[0].actor!r}"))
    if record.docket.closed:
        raise Doubt(Finding(batch[0].seq, "rules", "", "an entry after the battle was closed"))
    match head:
        case e.ActionDeclared():
            return _acted(record, batch, head, by)
        case e.RulingMade():
            return procedure.rule(record, _ruling(head), by)
        case e.ActionsUndone(to_before=to_before, reason=reason):
            return undo.undo(record, to_before, by, reason)
        case e.ActionsRestored(reason=reason):
            return undo.redo(record, by, reason)
        case e.UndoAsked(what=what, to_before=to_before, reason=reason):
            return undo.undo(record, to_before, by, reason) if what == "undo" else undo.redo(record, by, reason)
        case e.UndoAgreed(request=n, head=seen):
            return undo.answer(record, n, by, agree=True, head=seen)
        case e.UndoRefused(request=n):
            return undo.answer(record, n, by, agree=False, head=record.seen)
        case e.UndoWithdrawn(request=n):
            return undo.withdraw(record, n, by)
        case e.DisputeOpened(about=about, reason=reason):
            return procedure.dispute(record, procedure.DisputeAsked(about=about, reason=reason), by)
        case e.DisputeClosed(dispute=n, how=how, ruling=ruling):
            how_asked = procedure.Resolution.model_validate({how: ruling if how == "ruling" else True})
            return procedure.resolve(record, n, how_asked, by, lambda _seq: True)
        case e.BattleClosed(reason=reason):
            return procedure.close(record, by, reason)
        case e.BranchOpened():
            return [_branch(record, batch[0], head, leaf_at)]
        case e.RollForfeited(party=0, reason=reason) if len(batch) > 1:
            return rolls.renew(record, reason, by, _anchor(record, batch[1]), lost=True)
        case e.SeatJoined() | e.SeatNamed() | e.RollRequested() | e.LinkReleased() | e.RollForfeited():
            return seat_events(record, batch[0], leaf_at)
        case e.DiceTyped() | e.DiceContested() | e.DiceConfirmed():
            return table_events(record, batch[0])
        case e.DiceAnchored():
            # Who knows the released links already must not choose the chain that they are mixed with: the roll is void.
            rolls.check_settled(record)
            return rolls.renew(record, "", by, _anchor(record, batch[0]), lost=True)
        case _:
            raise Doubt(Finding(batch[0].seq, "rules", "type", f"no batch begins with {batch[0].type}"))


def _anchor(record: Record, entry: Entry) -> e.DiceAnchored:
    """The commitment that this entry has to be: the next epoch's, of the right length."""
    body = entry.body
    if not isinstance(body, e.DiceAnchored) or len(bytes.fromhex(body.anchor)) != HASH_BYTES:
        raise Doubt(Finding(entry.seq, "dice", "anchor", "no commitment to dice"))
    return e.DiceAnchored(0, record.anchor.epoch + 1, LENGTH if record.origin is None else 0, body.anchor)


def _acted(record: Record, batch: Sequence[Entry], head: e.ActionDeclared, by: Seat) -> Sequence[e.Event]:
    waits = record.pending
    if waits is not None and (not waits.ready or (waits.actor, waits.request) != (batch[0].actor, head.request)):
        raise Doubt(Finding(batch[0].seq, "dice", "request", f"the roll of request {waits.seq} is open"))
    drawn = [entry for entry in batch if isinstance(entry.body, e.DiceDrawn)]
    tape = _tape(record, batch, drawn)
    anchored = [entry.body for entry in batch if isinstance(entry.body, e.DiceAnchored)]
    if anchored and (len(anchored) > 1 or not drawn or not _follows_on(record, anchored[0])):
        raise Doubt(Finding(batch[0].seq, "dice", "anchor", "a new chain begins when the old one is used up"))
    events = list(decide(record.battle, command_from(head.request), by, tape).events)
    if isinstance(tape, ReplayTape) and not tape.exhausted:
        raise Doubt(Finding(batch[0].seq, "dice", "dice", "the rules ask for fewer dice than stand here"))
    return [events[0], *(entry.body for entry in drawn), *events[1:], *anchored]


def _follows_on(record: Record, anchored: e.DiceAnchored) -> bool:
    anchor = record.anchor
    return (anchored.party, anchored.epoch, anchor.used + 1) == (0, anchor.epoch + 1, anchor.length)


def _tape(record: Record, batch: Sequence[Entry], drawn: Sequence[Entry]) -> Tape:
    throws = [t for entry in batch for t in e.dice_of(entry.body)]
    recorded = record.origin is not None and record.origin.dice == "recorded"
    if record.battle.dice == "table":
        _check_confirmed(record, batch, throws)
        return ReplayTape(throws)
    if not drawn:
        if throws and not recorded:
            raise Doubt(Finding(batch[0].seq, "dice", "dice", "dice of the service without the link they came from"))
        return ReplayTape(throws)
    entry = drawn[0]
    assert isinstance(entry.body, e.DiceDrawn)
    key = _key(record, entry, entry.body)
    if entry.body.source == "whatif" and recorded:
        return ReplayTape(throws)
    waits = record.pending
    return StreamTape(key) if waits is None or not waits.forfeited else settling_tape(record.battle, waits, key)


def _check_confirmed(record: Record, batch: Sequence[Entry], throws: Sequence[Throw]) -> None:
    waits, by = record.pending, Seat.of(batch[0].actor)
    faces = tuple(face for t in throws for face in t.faces)
    if waits is not None and faces != waits.faces:
        raise Doubt(Finding(batch[0].seq, "dice", "dice", "other dice than those that were confirmed"))
    if waits is None and throws and rolls.confirms(record, by):
        raise Doubt(Finding(batch[0].seq, "dice", "dice", "dice that no second seat has confirmed"))


def _key(record: Record, entry: Entry, drawn: e.DiceDrawn) -> bytes:
    anchor, waits = record.anchor, record.pending
    if (drawn.epoch, drawn.index) != (anchor.epoch, anchor.used + 1):
        wanted = f"epoch {anchor.epoch}, index {anchor.used + 1}"
        raise Doubt(Finding(entry.seq, "dice", "index", f"index never used twice or skipped: wanted {wanted}"))
    link = bytes.fromhex(drawn.link)
    if (drawn.source == "whatif") != (record.origin is not None):
        raise Doubt(Finding(entry.seq, "dice", "source", "a what-if has its own dice, and only a what-if"))
    if drawn.source == "whatif":
        return link
    of = ChainId(bytes.fromhex(entry.battle), epoch=drawn.epoch)
    if not leads_back(of, drawn.index, link, bytes.fromhex(anchor.link), anchor.used):
        raise Doubt(Finding(entry.seq, "dice", "link", "the link does not open the commitment"))
    if waits is not None and (drawn.epoch, drawn.index) != (waits.epoch, waits.index):
        wanted = f"epoch {waits.epoch}, index {waits.index}"
        raise Doubt(Finding(entry.seq, "dice", "index", f"the request named another link: {wanted}"))
    released = {} if waits is None else waits.released
    if {c.party: c.link for c in drawn.contributors} != released or (waits is None and rolls.contributes(record)):
        raise Doubt(Finding(entry.seq, "dice", "contributors", "other links than those that were released"))
    if (drawn.source == "forfeit") != (waits is not None and waits.forfeited != ()):
        raise Doubt(Finding(entry.seq, "dice", "source", "dice are forfeited by the referee, and only then"))
    return roll_key(of, drawn.index, link, {c.party: bytes.fromhex(c.link) for c in drawn.contributors})


def _ruling(made: e.RulingMade) -> procedure.Ruling:
    changes = [{"fig": c.fig, "field": c.field, "value": c.after} for c in made.changes]
    asked = {"about": made.about, "rule": made.rule, "reason": made.reason, "changes": changes}
    return procedure.Ruling.model_validate(asked, context={"unit": "thou"})


def _branch(record: Record, entry: Entry, opened: e.BranchOpened, leaf_at: Callable[[int], str]) -> e.BranchOpened:
    if len(bytes.fromhex(opened.commitment)) != HASH_BYTES:
        raise Doubt(Finding(entry.seq, "dice", "commitment", "no commitment to dice"))
    return msgspec.structs.replace(
        opened,
        at=record.seq,
        leaf=leaf_at(record.seq),
        head=max(opened.head, entry.seq - 1),
        mode="table" if opened.dice == "table" else "server",
        title=opened.title[:120],
    )


def _compared(batch: Sequence[Entry], decided: Sequence[e.Event]) -> Finding | None:
    for entry, event in zip(batch, decided, strict=False):
        if entry.body != event:
            path, was, now = _difference(msgspec.to_builtins(entry.body), msgspec.to_builtins(event), entry.type)
            return Finding(entry.seq, "rules", path, f"recorded {_json(was)}, the rules and dice give {_json(now)}")
    if len(batch) != len(decided):
        seq = batch[min(len(batch), len(decided)) - 1].seq
        return Finding(seq, "rules", _COUNT, f"{len(batch)} entries recorded, the rules and dice give {len(decided)}")
    return None


def _json(value: Any) -> str:
    return msgspec.json.encode(value, order="sorted").decode()


def _difference(was: Any, now: Any, name: str) -> tuple[str, Any, Any]:
    if isinstance(was, dict) and isinstance(now, dict) and was.keys() == now.keys():
        for key in sorted(was):
            if was[key] != now[key]:
                return _difference(was[key], now[key], f"{name}.{key}")
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        for n, (a, b) in enumerate(zip(was, now, strict=True)):
            if a != b:
                return _difference(a, b, f"{name}[{n}]")
    return name, was, now
