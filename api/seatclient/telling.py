"""Telling: what a seat's player gets to hear. Law: one line for each roll, with its dice and whose links made them."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from domain import events as e
from domain.dice import Throw
from domain.entry import Entry
from domain.record import Record


class Told(NamedTuple):
    """Something to tell: in words, and as JSON."""

    line: str
    data: dict[str, Any]


def lines_of(record: Record | None, batch: Sequence[Entry]) -> Iterator[Told]:
    """What there is to tell of a batch that was checked; `record` is the one before it."""
    head = batch[0]
    throws = [throw for entry in batch for throw in e.dice_of(entry.body)]
    match head.body:
        case e.ActionDeclared(do=do, side=side) if throws:
            drawn = next((entry.body for entry in batch if isinstance(entry.body, e.DiceDrawn)), None)
            waits = record.pending if record is not None else None
            roll = waits.seq if waits is not None else head.seq
            how = "table" if drawn is None else drawn.source
            data: dict[str, Any] = {
                "roll": roll,
                "do": do,
                "side": side,
                "how": how,
                "dice": msgspec.to_builtins(throws),
            }
            if drawn is not None:
                data |= {"epoch": drawn.epoch, "index": drawn.index, "parties": [c.party for c in drawn.contributors]}
            yield Told(f"roll {roll}: {do} of {side or 'nobody'}: {said(throws)} ({_how(record, drawn)})", data)
        case e.RollForfeited(request=roll, party=0, reason=reason):
            yield Told(f"roll {roll}: void: {reason}", {"roll": roll, "void": True, "reason": reason})
        case e.RollForfeited(request=roll, party=party, reason=reason):
            who = _name(record, party)
            yield Told(f"roll {roll}: forfeited by {who}: {reason}", {"roll": roll, "forfeited": who, "reason": reason})
        case e.DiceTyped(do=do, side=side, faces=faces):
            line = (
                f"roll {head.seq}: {do} of {side}: {' '.join(map(str, faces))} typed by {head.actor}, to be confirmed"
            )
            yield Told(line, {"roll": head.seq, "do": do, "side": side, "typed": list(faces), "by": head.actor})
        case e.DiceContested(request=roll, faces=faces):
            line = f"roll {roll}: {head.actor} saw {' '.join(map(str, faces))}; the referee decides"
            yield Told(line, {"roll": roll, "contested": list(faces), "by": head.actor})
        case e.BattleClosed():
            yield Told("the battle is closed", {"closed": True})
        case _:
            return


def joined_line(seat: str, epoch: int, length: int) -> Told:
    """This seat has joined."""
    how = f"a chain of {length} links, epoch {epoch}" if length else "a key"
    return Told(f"{seat} has joined with {how}", {"joined": seat, "epoch": epoch, "length": length})


def said(throws: Sequence[Throw]) -> str:
    """Dice as people read them out."""
    return "; ".join(f"{t.purpose.replace('_', ' ')} {' '.join(map(str, t.faces))}" for t in throws)


def _how(record: Record | None, drawn: e.DiceDrawn | None) -> str:
    if drawn is None:
        return "thrown at the table"
    if drawn.source == "forfeit":
        return "forfeited: the worst for who withheld its link"
    names = [_name(record, c.party) for c in drawn.contributors]
    return f"checked against the links of {', '.join(['the service', *names])}"


def _name(record: Record | None, party: int) -> str:
    seats = record.seats.values() if record is not None else ()
    return next((seat.seat for seat in seats if seat.party == party), f"party {party}")
