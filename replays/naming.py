r"""Names: who sits where. Law: a name never enters the log; it stands beside it with its salt, and both can be erased.

The log holds `SeatNamed.person` = HMAC-SHA256(salt, "wlog/v1/person\n" || canonical {"name": ...}). Without the salt,
32 random bytes, that is a number which nobody can lead back to a name, and every proof of the log still holds.
"""

import hmac

from domain import events as e
from domain.draft import Seat
from domain.record import Record
from domain.refusals import Refusal, Refused, forbidden
from replays.codec import canonical
from replays.roller import new_seed
from replays.store import NameRow


def fresh(battle: str, seat: str, name: str) -> NameRow:
    """A name with a salt that nobody has had before."""
    return NameRow(battle, seat, new_seed(), name)


def person(row: NameRow) -> str:
    """The commitment to a name, in hex."""
    return hmac.digest(row.salt, b"wlog/v1/person\n" + canonical({"name": row.name}), "sha256").hex()


def check_may_name(record: Record, seat: str, by: Seat) -> None:
    """Refuse a seat that there is not, and whoever is neither on it nor the referee."""
    seats = ["referee", *(f"side:{side}" for side in record.battle.sides)]
    if seat not in seats:
        known = ", ".join(seats)
        raise Refused(Refusal("not-found", "SEAT-01", f"this battle has no such seat; it has {known}", tuple(seats)))
    if by.role != "referee" and by.actor != seat:
        forbidden(f"only {seat} or the referee says who sits there")


def named(record: Record, row: NameRow, by: Seat) -> tuple[e.Event, ...]:
    """The batch that commits to a name. Raises `Refused`."""
    check_may_name(record, row.seat, by)
    return (e.SeatNamed(row.seat, person(row)),)
