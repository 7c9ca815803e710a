"""Opening: the muster, the terrain and the dice, in plain English. Law: one sentence a fact."""

from collections.abc import Callable
from typing import Any

from domain import events as e
from domain.battle import Battle
from domain.measures import Point
from projections.view import degrees
from projections.wording import COVER, SYSTEMS, counted, inch, listed, side_name, spot, weapon_name, with_id

_DICE = {"server": "the service throws the dice", "table": "dice are thrown at the table"}


def _started(_: Battle | None, event: e.BattleStarted) -> str:
    sides = " against ".join(with_id(side.name, side.id) for side in event.sides)
    title = f" '{event.title}'" if event.title else ""
    size = f"{inch(event.width)} by {inch(event.height)}"
    system = SYSTEMS[event.system]
    return f"The battle{title} begins: {sides} at {system}, on a table of {size}; {_DICE[event.dice]}."


def _anchored(battle: Battle, event: e.DiceAnchored) -> str:
    sides = [side.id for side in battle.sides.values() if side.party == event.party]
    who = side_name(battle, sides[0]) if sides else "The service"
    if not event.length:
        return f"{who} seals the secret that the what-if's dice come from, before any of them is thrown."
    return f"{who} seals a chain of {event.length} dice secrets before any of them is used (chain {event.epoch})."


def _mustered(battle: Battle, event: e.FigMustered) -> str:
    who = with_id(event.name, event.fig)
    arms = f" with {listed(weapon_name(w.id) for w in event.weapons)}" if event.weapons else " without a weapon"
    where = f"at {spot(Point(event.x, event.y))}, looking {degrees(event.facing):g} degrees"
    return f"{who} takes the field for {side_name(battle, event.side)} {where},{arms}."


def _placed(_: Battle, event: e.TerrainPlaced) -> str:
    piece = event.terrain
    shape = "A wall" if piece.kind == "wall" else "An area of terrain"
    corners = counted(len(piece.points), "point")
    return f"{shape} ({piece.id}, {corners}) lies on the table: figs behind or in it are {COVER[piece.cover]}."


def _drawn(_: Battle, event: e.DiceDrawn) -> str:
    if event.source == "chain":
        return f"The dice of this action come from secret {event.index} of the service's sealed chain {event.epoch}."
    if event.source == "forfeit":
        return f"Secret {event.index} of the service's sealed chain {event.epoch} is used up; the dice are forfeited."
    return f"The dice of this action come from key {event.index} of the what-if, and prove nothing."


SAYS: dict[type, Callable[[Any, Any], str]] = {
    e.BattleStarted: _started,
    e.DiceAnchored: _anchored,
    e.FigMustered: _mustered,
    e.TerrainPlaced: _placed,
    e.DiceDrawn: _drawn,
}
