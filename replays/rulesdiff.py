"""Rules drift: a recorded battle decided by another rules version. Law: each action on the recorded table before it.

The first difference does not lead to others: every action is judged for itself, with the dice that fell. A version that
wants other dice, or refuses what was done, differs too.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

import msgspec

from domain import events as e
from domain.commands import command_from
from domain.decider import decide
from domain.dice import DiceWanted, Tape
from domain.draft import Seat, System
from domain.entry import Entry
from domain.record import Record
from domain.refusals import Refused
from domain.timeline import advance, batches
from replays.audit.dicechain import ChainId, TooManyDice, roll_key
from replays.codec import WIRE
from replays.roller import BadFace, ReplayTape, StreamTape, TapeMismatch

_BESIDE = (e.DiceDrawn, e.DiceAnchored, e.RequestSigned)


class Drift(msgspec.Struct, frozen=True):
    """An action that would come out otherwise: at which entry, in which field, what it was and what it would be."""

    action: int
    seq: int
    field: str
    then: str
    now: str


def rules_diff(
    entries: Sequence[Entry], system: System, *, seen: Callable[[int], None] = lambda _seq: None
) -> Iterator[Drift]:
    """Whatever `system` decides otherwise, in the order of the log; what a difference brings along comes after it."""
    record: Record | None = None
    for batch in batches(entries):
        head = batch[0].body
        if record is not None and isinstance(head, e.ActionDeclared):
            yield from _drifts(record, batch, head, system)
        record = advance(record, batch)
        seen(batch[-1].seq)


def _drifts(record: Record, batch: Sequence[Entry], head: e.ActionDeclared, system: System) -> Iterator[Drift]:
    seq = batch[0].seq
    tape = _tape(record, batch)
    try:
        decision = decide(record.battle, command_from(head.request), Seat.of(batch[0].actor), tape, system)
    except Refused as no:
        yield Drift(seq, seq, head.do, "done", f"refused: {no.refusal.rule}, {no.refusal.reason}")
        return
    except (DiceWanted, TapeMismatch, BadFace, TooManyDice) as off:
        yield Drift(seq, seq, "dice", "enough", f"other dice are wanted: {off}")
        return
    drifts = list(_differences(seq, [x for x in batch if not isinstance(x.body, _BESIDE)], decision.events))
    yield from drifts
    if not drifts and isinstance(tape, ReplayTape) and not tape.exhausted:
        yield Drift(seq, seq, "dice", "all used", "fewer dice are wanted")


def _differences(action: int, batch: Sequence[Entry], decided: Sequence[e.Event]) -> Iterator[Drift]:
    """What differs, up to the first entry that is another event altogether."""
    for entry, event in zip_longest(batch, decided):
        if event is None:
            yield Drift(action, entry.seq, entry.type, "happened", "does not happen")
            return
        if entry is None:
            yield Drift(
                action, batch[-1].seq, WIRE[type(event)], "did not happen", f"happens after entry {batch[-1].seq}"
            )
            return
        if type(entry.body) is not type(event):
            yield Drift(action, entry.seq, "type", entry.type, WIRE[type(event)])
            return
        yield from _fields(action, entry.seq, entry.type, (msgspec.to_builtins(entry.body), msgspec.to_builtins(event)))


def _fields(action: int, seq: int, name: str, both: tuple[Any, Any]) -> Iterator[Drift]:
    was, now = both
    if isinstance(was, dict) and isinstance(now, dict) and was.keys() == now.keys():
        for key in sorted(was):
            yield from _fields(action, seq, f"{name}.{key}", (was[key], now[key]))
    elif was != now:
        yield Drift(action, seq, name, repr(was), repr(now))


def _tape(record: Record, batch: Sequence[Entry]) -> Tape:
    """The service's stream goes on where a version asks for more; what people threw, or was forfeited, does not."""
    drawn = next((entry.body for entry in batch if isinstance(entry.body, e.DiceDrawn)), None)
    recorded = record.origin is not None and record.origin.dice == "recorded"
    if drawn is None or drawn.source == "forfeit" or recorded:
        return ReplayTape([throw for entry in batch for throw in e.dice_of(entry.body)])
    if drawn.source == "whatif":
        return StreamTape(bytes.fromhex(drawn.link))
    of = ChainId(bytes.fromhex(batch[0].battle), epoch=drawn.epoch)
    shares = {share.party: bytes.fromhex(share.link) for share in drawn.contributors}
    return StreamTape(roll_key(of, drawn.index, bytes.fromhex(drawn.link), shares))
