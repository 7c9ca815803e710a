"""Settling: the commitments after an entry about seats or dice. Law: no rule is made; every link opened is counted."""

from msgspec.structs import replace

from domain import events as e
from domain.commitments import Anchor, Joined, Pending
from domain.entry import Entry
from domain.record import Record


def anchored(anchor: Anchor, event: e.Event) -> Anchor:
    """The service's own commitment: a new anchor, or one link more that is used up."""
    if isinstance(event, e.DiceAnchored) and event.party == 0:
        return Anchor(event.epoch, event.length, 0, event.anchor, anchor.shown | {event.anchor})
    if isinstance(event, e.DiceDrawn):
        return replace(anchor, used=event.index, link=event.link)
    return anchor


def seated(record: Record, joined: e.SeatJoined) -> Record:
    """A seat has shown its key, and perhaps the anchor of its chain."""
    seat = Joined(joined.seat, joined.party, joined.key, joined.epoch, joined.length, joined.anchor)
    shown = {thing: joined.seat for thing in (joined.key, joined.anchor) if thing}
    return replace(record, seats={**record.seats, joined.seat: seat}, shown=record.shown | shown)


def awaiting(record: Record, entry: Entry) -> Record:
    """An action waits: for links of its parties, or for typed faces to be confirmed."""
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


def answered(record: Record, answer: e.LinkReleased | e.RollForfeited | e.DiceContested | e.DiceConfirmed) -> Record:
    """What waits has come, was given up, or is contested."""
    waits, seats = record.pending, record.seats
    assert waits is not None
    match answer:
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
