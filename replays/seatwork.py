"""Seats at work: keys, links and signatures. Law: what a seat's key did not sign, that seat did not say."""

import re
from typing import Final

from domain import events as e
from domain import rolls
from domain.draft import Seat
from domain.record import Record
from domain.refusals import Refusal, Refused, forbidden
from replays.asking import Asked
from replays.audit.dicechain import ChainId, leads_back
from replays.audit.statements import command_message, holds, is_weak, join_message, release_message
from replays.codec import canonical
from replays.shelf import Book

_JOIN: Final = re.compile(r"seats/[^/]+/join")
_OWN: Final = re.compile(r"seats/[^/]+/name|rolls/[0-9]+/release|branches")


def signs_itself(record: Record, asked: Asked) -> bool:
    """Acts that carry a signature of their own, or none: a name is no act of play, a what-if is nobody's battle.

    Who joins for the first time has no key yet to sign with; a new key is signed for by the old one.
    """
    if _JOIN.fullmatch(asked.kind):
        return asked.seat.actor not in record.seats
    return _OWN.fullmatch(asked.kind) is not None


def joined(battle: str, record: Record, seat: str, what: rolls.Join, by: Seat) -> tuple[e.Event, ...]:
    """The batch of a seat that joins. Raises `Refused`."""
    if by.role == "spectator" or (by.role == "side" and by.side not in record.battle.sides):
        forbidden("only who has a seat can join")
    party = rolls.party_of(record, seat)
    message = join_message(battle, party, what.epoch, what.length, what.key, what.anchor or "")
    proved = holds(what.key, what.proof, message)
    return rolls.join(record, seat, what, by, proved=proved, weak=is_weak(what.key))


def released(book: Book, record: Record, roll: int, what: rolls.Release, by: Seat) -> tuple[e.Event, ...]:
    """The batch of a seat that opens its link. Raises `Refused`."""
    seat = rolls.released_by(record, roll, by)
    of = ChainId(bytes.fromhex(book.battle), seat.party, seat.epoch)
    opens = leads_back(of, seat.asked, bytes.fromhex(what.link), bytes.fromhex(seat.link), seat.opened)
    request = book.leaf_at(roll)
    message = release_message(book.battle, seat.party, seat.epoch, seat.asked, roll, request, what.link)
    return rolls.release(seat, roll, what, opens=opens, signed=holds(seat.key, what.sig, message))


def seat_signature(book: Book, asked: Asked) -> tuple[e.Event, ...]:
    """`RequestSigned` for a signed request; refuses one that is not signed where it has to be (SEAT-03)."""
    record, actor = book.record, asked.seat.actor
    if asked.signed is None:
        if rolls.must_sign(record, asked.seat):
            raise Refused(Refusal("forbidden", "SEAT-03", f"requests of {actor} have to be signed", ("sign it",)))
        return ()
    seat = record.seats.get(actor)
    if seat is None:
        raise Refused(Refusal("forbidden", "SEAT-03", f"{actor} has not shown its key", ("join first",)))
    if asked.signed.seq != record.seq + 1:
        late = f"it was signed to be entry {asked.signed.seq}, the next is {record.seq + 1}; sign it again"
        raise Refused(Refusal("stale", "SEAT-03", late, (str(record.seq),)))
    message = command_message(book.battle, asked.signed.seq, book.tail, asked.kind, canonical(asked.request))
    if not holds(seat.key, asked.signed.sig, message):
        raise Refused(Refusal("forbidden", "SEAT-03", f"that is no signature of {actor} under this request"))
    in_head = asked.kind == "actions" and "dice" not in asked.request
    return (e.RequestSigned(asked.kind, None if in_head else asked.request, asked.signed.sig),)
