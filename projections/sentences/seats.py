"""Seats: keys, names, shared dice and signatures, in plain English. Law: one sentence a fact."""

from collections.abc import Callable, Mapping
from typing import Any

from domain import events as e
from domain.battle import Battle
from projections.sentences.asking import ASKS
from projections.wording import counted, listed, saying, side_name


def seat_name(battle: Battle, seat: str) -> str:
    """A seat as people call it."""
    role, _, side = seat.partition(":")
    return side_name(battle, side) if side else f"The {role}"


def party_name(battle: Battle, party: int) -> str:
    """Who contributes dice under that number."""
    sides = [side.id for side in battle.sides.values() if side.party == party]
    return side_name(battle, sides[0]) if sides else "the referee"


def _faces(faces: tuple[int, ...]) -> str:
    return " ".join(map(str, faces)) or "none"


def _joined(battle: Battle, event: e.SeatJoined) -> str:
    who = seat_name(battle, event.seat)
    if not event.length:
        return f"{who} shows the key {event.key[:8]} that signs its requests."
    chain = f"seals a chain of {event.length} dice secrets (chain {event.epoch})"
    return f"{who} shows the key {event.key[:8]} that signs its requests, and {chain}."


def _named(battle: Battle, event: e.SeatNamed) -> str:
    who = seat_name(battle, event.seat)
    return f"{who} has a player, whose name is kept beside the log (commitment {event.person[:8]})."


def _requested(battle: Battle, event: e.RollRequested) -> str:
    who = listed(party_name(battle, party) for party in event.parties)
    return f"{ASKS[event.do](battle, event.request)} The dice wait for {who}."


def _released(battle: Battle, event: e.LinkReleased) -> str:
    return f"{party_name(battle, event.party)} opens its secret for the roll of entry {event.request}."


def _forfeited(battle: Battle, event: e.RollForfeited) -> str:
    who = party_name(battle, event.party)
    rule = "it counts as the worst for them (DICE-04)"
    return f"The referee ends the wait for {who} at the roll of entry {event.request}: {rule}{saying(event.reason)}."


def _typed(battle: Battle, event: e.DiceTyped) -> str:
    asked: Mapping[str, Any] = event.request
    return f"{ASKS[event.do](battle, asked)} Typed in: {_faces(event.faces)}; another seat has to confirm."


def _contested(_: Battle, event: e.DiceContested) -> str:
    return f"Other dice were seen for entry {event.request}: {_faces(event.faces)}. The referee decides."


def _confirmed(_: Battle, event: e.DiceConfirmed) -> str:
    return f"The dice of entry {event.request} are confirmed: {_faces(event.faces)}."


def _signed(_: Battle, event: e.RequestSigned) -> str:
    kind = event.kind.replace("_", " ")
    return f"The request ({kind}) is signed: {event.sig[:8]}, {counted(len(event.sig) // 2, 'byte')}."


SAYS: dict[type, Callable[[Any, Any], str]] = {
    e.SeatJoined: _joined,
    e.SeatNamed: _named,
    e.RollRequested: _requested,
    e.LinkReleased: _released,
    e.RollForfeited: _forfeited,
    e.DiceTyped: _typed,
    e.DiceContested: _contested,
    e.DiceConfirmed: _confirmed,
    e.RequestSigned: _signed,
}
