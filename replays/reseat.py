"""What seats did, decided again. Law: nothing but signatures and links is believed, and those are checked.

Joins, requests, releases, forfeits, and dice that were typed in and confirmed.
"""

from collections.abc import Callable, Sequence

from domain import events as e
from domain import rolls
from domain.commands import command_from
from domain.decider import acting_side, decide
from domain.dice import DiceWanted
from domain.draft import Seat
from domain.entry import Entry
from domain.record import Record
from domain.refusals import forbidden
from replays.audit.dicechain import ChainId, leads_back
from replays.audit.statements import holds, is_weak, join_message, release_message
from replays.roller import DryTape


def seat_events(record: Record, entry: Entry, leaf_at: Callable[[int], str]) -> Sequence[e.Event]:
    """The events that a seat's act has to be; `leaf_at` gives the leaf hash of an entry."""
    by = Seat.of(entry.actor)
    match entry.body:
        case e.SeatJoined() as joined:
            return _joined(record, entry, joined, by)
        case e.SeatNamed(seat=seat) as named:
            if by.role != "referee" and by.actor != seat:
                forbidden(f"only {seat} or the referee names who sits there")
            return [named]
        case e.RollRequested() as asked:
            command = command_from(asked.request)
            try:
                decide(record.battle, command, by, DryTape())
            except DiceWanted:
                rolls.check_settled(record)
                return rolls.request(record, command, acting_side(record.battle, command, by))
            forbidden("an action without dice is not requested")
        case e.LinkReleased() as released:
            return _released(record, entry, released, by, leaf_at(released.request))
        case e.RollForfeited(request=number, party=party, reason=reason):
            name = next((seat.seat for seat in record.seats.values() if seat.party == party), "side:nobody")
            return rolls.forfeit(record, number, rolls.Forfeit(seat=name, reason=reason), by)
        case _:
            raise AssertionError(entry.type)


def _joined(record: Record, entry: Entry, joined: e.SeatJoined, by: Seat) -> Sequence[e.Event]:
    asked = rolls.Join(
        key=joined.key,
        epoch=joined.epoch,
        length=joined.length,
        anchor=joined.anchor or None,
        proof=joined.proof,
    )
    party = rolls.party_of(record, joined.seat)
    message = join_message(entry.battle, party, joined.epoch, joined.length, joined.key, joined.anchor)
    proved = holds(joined.key, joined.proof, message)
    return rolls.join(record, joined.seat, asked, by, proved=proved, weak=is_weak(joined.key))


def _released(record: Record, entry: Entry, released: e.LinkReleased, by: Seat, requested: str) -> Sequence[e.Event]:
    seat = rolls.released_by(record, released.request, by)
    of = ChainId(bytes.fromhex(entry.battle), seat.party, seat.epoch)
    opens = leads_back(of, seat.asked, bytes.fromhex(released.link), bytes.fromhex(seat.link), seat.opened)
    message = release_message(
        entry.battle, seat.party, seat.epoch, seat.asked, released.request, requested, released.link
    )
    asked = rolls.Release(link=released.link, sig=released.sig)
    return rolls.release(seat, released.request, asked, opens=opens, signed=holds(seat.key, released.sig, message))


def table_events(record: Record, entry: Entry) -> Sequence[e.Event]:
    """The events that typing in or confirming dice has to be."""
    by = Seat.of(entry.actor)
    match entry.body:
        case e.DiceTyped() as typed:
            rolls.check_settled(record)
            command = command_from(typed.request).model_copy(update={"dice": typed.faces})
            if not rolls.confirms(record, by):
                forbidden("these dice need no confirmation")
            return rolls.typed(command, acting_side(record.battle, command, by))
        case e.DiceContested(request=number, faces=faces) | e.DiceConfirmed(request=number, faces=faces):
            return rolls.confirm(record, number, rolls.Confirm(faces=faces), by)
        case _:
            raise AssertionError(entry.type)
