"""Rolls that wait: for links that seats contribute, or for a second seat to confirm what lay on the table.

Law: one roll is open at a time; nothing else changes the table meanwhile; a link that is missing stays missing, and
only the referee may end the wait. Who checks links and signatures passes in the answer; no cryptography here.
"""

from typing import Annotated

from pydantic import Field

from domain import events as e
from domain.commands import Action, request_of
from domain.commitments import Joined, Pending
from domain.draft import Seat
from domain.record import Record
from domain.refusals import Refusal, Refused, forbidden, invalid, refuse
from domain.words import Asked, Said

Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Signature = Annotated[str, Field(pattern="^[0-9a-f]{128}$")]

LONGEST_CHAIN = 4096


class Join(Asked):
    """A seat's Ed25519 key and, if it contributes to the dice, the anchor of its chain (`length` links)."""

    key: Hash
    epoch: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    length: Annotated[int, Field(ge=0, le=LONGEST_CHAIN)] = 0
    anchor: Hash | None = None
    proof: Signature


class Release(Asked):
    """A seat's link for the open roll, and its signature under exactly this request."""

    link: Hash
    sig: Signature


class Forfeit(Asked):
    """The seat whose link the referee does not wait for any longer."""

    seat: Annotated[str, Field(pattern="^side:[a-z0-9-]{1,40}$")]
    reason: Said


class Renew(Asked):
    """Why the service has to commit to new dice; a roll that is open is void then."""

    reason: Said


class Confirm(Asked):
    """The faces that lay on the table, as this seat saw them."""

    faces: Annotated[tuple[Annotated[int, Field(ge=1, le=100)], ...], Field(strict=False, max_length=1000)]


def check_settled(record: Record) -> None:
    """Refuse whatever has to wait for an open roll (DICE-01)."""
    waits = record.pending
    if waits is None:
        return
    if waits.kind == "table":
        refuse("DICE-01", f"the dice of request {waits.seq} wait to be confirmed", ["confirm them"])
    names = [seat.seat for seat in record.seats.values() if seat.party in waits.missing]
    refuse("DICE-01", f"the roll of request {waits.seq} waits for {', '.join(names)}", ["wait, or have it forfeited"])


def contributes(record: Record) -> bool:
    """Whether seats contribute to the dice of this battle."""
    battle = record.battle
    return record.origin is None and battle.dice == "server" and battle.policy.contributors != "none"


def confirms(record: Record, by: Seat) -> bool:
    """Whether dice that this seat types in have to be confirmed by another."""
    battle = record.battle
    return record.origin is None and battle.policy.table_dice == "confirmed" and by.role != "referee"


def must_sign(record: Record, by: Seat) -> bool:
    """Whether this seat's requests have to be signed: by policy, and always where all sides contribute (SEAT-03)."""
    policy = record.battle.policy
    if record.origin is not None or by.role == "spectator":
        return False
    asked = policy.signed == "required" or policy.contributors == "all"
    return by.actor in record.seats or (asked and by.role == "side")


def join(record: Record, seat: str, asked: Join, by: Seat, *, proved: bool, weak: bool) -> tuple[e.Event, ...]:
    """A seat joins with its key; `proved` tells whether its proof holds. Raises `Refused`."""
    if by.actor != seat and (by.role != "referee" or seat not in record.seats):
        forbidden(f"only {seat} itself can show its key; the referee may vouch for a new one")
    if record.origin is not None:
        refuse("SEAT-04", "a what-if has no contributors", ["play on as it is"])
    check_settled(record)
    before = record.seats.get(seat)
    if weak:
        invalid("this key is one under which any signature verifies", "/key", ["make a new key"])
    if record.shown.get(asked.key, seat) != seat:
        refuse("SEAT-04", f"that is the key of {record.shown[asked.key]}", ["make a key of your own"])
    if asked.anchor is not None and (asked.anchor in record.shown or asked.anchor in record.anchor.shown):
        refuse("SEAT-04", "that anchor was shown before; nobody can open it again", ["make a chain of your own"])
    if (asked.length == 0) != (asked.anchor is None) or (seat == "referee" and asked.length):
        invalid("a side that contributes sends an anchor and the chain's length; others send neither", "/anchor")
    if asked.epoch != (0 if before is None else before.epoch + 1):
        wanted = 0 if before is None else before.epoch + 1
        refuse("SEAT-04", f"the next epoch of {seat} is {wanted}", [str(wanted)])
    if not proved:
        invalid("the proof is no signature of this key over the join", "/proof", ["sign the join message"])
    party = party_of(record, seat)
    joined = e.SeatJoined(seat, party, asked.key, asked.epoch, asked.length, asked.anchor or "", asked.proof)
    return (joined,)


def party_of(record: Record, seat: str) -> int:
    """The number of a seat among those who contribute dice; refuses a seat that this battle does not have."""
    role, _, side = seat.partition(":")
    if role == "referee":
        return len(record.battle.sides) + 1
    return record.battle.side_of(side, "/seat").party


def request(record: Record, command: Action, side: str) -> tuple[e.Event, ...]:
    """Ask the contributors for the dice of an action. Raises `Refused` where one has not joined (DICE-02)."""
    wanted = [f"side:{name}" for name in record.battle.playing()]
    ready = {name: seat.party for name, seat in record.seats.items() if name in wanted and seat.asked < seat.length}
    absent = [name for name in wanted if name not in ready]
    if (record.battle.policy.contributors == "all" and absent) or not ready:
        refuse("DICE-02", f"before this roll these seats have to join with a chain: {', '.join(absent)}", absent)
    parties = tuple(sorted(ready.values()))
    asked = request_of(command)
    anchor = record.anchor
    return (e.RollRequested(asked["do"], side, asked, anchor.epoch, anchor.used + 1, parties),)


def awaited(record: Record, number: int, kind: str) -> Pending:
    """The open roll of that number; refuses another."""
    waits = record.pending
    if waits is None or waits.seq != number or waits.kind != kind:
        now = () if waits is None else (str(waits.seq),)
        raise Refused(Refusal("not-found", "DICE-03", f"no such roll is open: {number}", now))
    return waits


def released_by(record: Record, number: int, by: Seat) -> Joined:
    """The seat whose link is awaited, if it is this one's (DICE-03)."""
    waits, seat = awaited(record, number, "chain"), record.seats.get(by.actor)
    if seat is None or seat.party not in waits.missing:
        missing = [s.seat for s in record.seats.values() if s.party in waits.missing]
        refuse("DICE-03", f"roll {number} does not wait for {by.actor}", missing)
    return seat


def release(seat: Joined, number: int, asked: Release, *, opens: bool, signed: bool) -> tuple[e.Event, ...]:
    """A link is opened; `opens` and `signed` tell whether link and signature hold (DICE-05)."""
    if not opens:
        refuse(
            "DICE-05", f"this is not link {seat.asked} of the chain that {seat.seat} committed to", ["the next link"]
        )
    if not signed:
        refuse("DICE-05", "the signature is not over this very request", ["sign the release message"])
    return (e.LinkReleased(number, seat.party, asked.link, asked.sig),)


def forfeit(record: Record, number: int, asked: Forfeit, by: Seat) -> tuple[e.Event, ...]:
    """The referee ends the wait for a seat (DICE-04). Raises `Refused`."""
    if by.role != "referee":
        forbidden("only the referee ends the wait for a link")
    waits, seat = awaited(record, number, "chain"), record.seats.get(asked.seat)
    if seat is None or seat.party not in waits.missing:
        missing = [s.seat for s in record.seats.values() if s.party in waits.missing]
        refuse("DICE-03", f"roll {number} does not wait for {asked.seat}", missing)
    return (e.RollForfeited(number, seat.party, asked.reason),)


def renew(record: Record, reason: str, by: Seat, anchored: e.DiceAnchored, *, lost: bool) -> tuple[e.Event, ...]:
    """The service commits to new dice (DICE-07): its seed is lost, and an open roll, which it cannot settle, is void.

    Party 0, the service itself, forfeits the roll: nothing of the action happens, and its index is never used. Raises
    `Refused`.
    """
    if by.role != "referee":
        forbidden("only the referee has the service commit to new dice")
    waits = record.pending
    if not lost:
        refuse("DICE-07", "the dice of this battle are at hand; nobody may exchange them", ["play on"])
    if waits is None or waits.kind != "chain":
        return (anchored,)
    return (e.RollForfeited(waits.seq, 0, reason), anchored)


def typed(command: Action, side: str) -> tuple[e.Event, ...]:
    """Dice typed in by a seat; another has to confirm them."""
    asked = request_of(command)
    return (e.DiceTyped(asked["do"], side, asked, command.dice or ()),)


def confirm(record: Record, number: int, asked: Confirm, by: Seat) -> tuple[e.Event, ...]:
    """Another seat confirms the dice, or saw others (then the referee says which lay there). Raises `Refused`."""
    waits = awaited(record, number, "table")
    if by.role == "spectator" or by.actor == waits.actor:
        forbidden("dice are confirmed by another seat than the one that typed them")
    if by.role == "referee" or (asked.faces == waits.faces and not waits.contested):
        return (e.DiceConfirmed(number, asked.faces),)
    if waits.contested:
        refuse("DICE-06", "these dice are contested; the referee says which lay on the table", ["call the referee"])
    return (e.DiceContested(number, asked.faces),)
