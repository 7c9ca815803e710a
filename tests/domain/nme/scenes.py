"""Scenes: the tables on which the N:ME tests play. Red stands on the left and looks along +x, blue looks back."""

from typing import Any

from msgspec.structs import replace

from domain.battle import Battle
from domain.draft import Decision, Seat
from tests.spec import given, opening, when

RED, BLUE = Seat("side", "red"), Seat("side", "blue")

GUN = {"id": "gun", "er": 15, "strength": 3, "ammo_rating": 4}
"""The gun of the rulebook's examples: no effective range in the way."""
HEAVY = {"id": "heavy", "er": 20, "strength": 4, "ammo_rating": 6, "move_or_fire": True}
BLAST = {"id": "blast", "er": 10, "strength": 3, "ammo_rating": 4, "template": "blast"}
FLAMER = {"id": "flamer", "er": 10, "strength": 4, "ammo_rating": 4, "template": "flamer"}

PASS = (1, 2)
"""An ammo roll that passes whatever the rating."""
JAM = (1, 1)
"""An ammo roll that fails whatever the rating (but 1)."""
MISS = (1, 2, 2)
"""To-hit dice that miss."""


def a(name: str, x: float, y: float = 20, **more: Any) -> dict[str, Any]:
    """A fig of BS 3 with every kind of weapon; `red-1` is of side red."""
    side = name.partition("-")[0]
    base: dict[str, Any] = {"id": name, "side": side, "x": x, "y": y, "bs": 3, "facing": 0 if side == "red" else 180}
    return base | {"weapons": [GUN, "stub-gun", HEAVY, BLAST, FLAMER]} | more


def table(*figs: dict[str, Any], policy: dict[str, Any] | None = None, **more: Any) -> Battle:
    """A table with these figs; sides in the order red, blue, green."""
    sides = [{"id": side} for side in ("red", "blue", "green") if any(fig["side"] == side for fig in figs)]
    body: dict[str, Any] = {"sides": sides, "policy": policy or {}, "table": {"width": 72, "height": 48}}
    return given(opening("nme", figs, **(body | more)))


def duel(distance: float, **policy: Any) -> Battle:
    """red-1 at 10" on the left, blue-1 straight ahead at that distance."""
    return table(a("red-1", 10), a("blue-1", round(10 + distance, 3)), policy=policy)


def put(battle: Battle, name: str, **changes: Any) -> Battle:
    """The table with a fig in another state than it was mustered in; one that does not stand is in no combat."""
    figs = {**battle.figs, name: replace(battle.figs[name], **changes)}
    if changes.get("status", "active") != "active":
        figs = {n: replace(fig, engaged=tuple(x for x in fig.engaged if name not in {n, x})) for n, fig in figs.items()}
    return replace(battle, figs=figs)


def shot(battle: Battle, *dice: int, by: Seat = RED, **more: Any) -> Decision:
    """red-1 shoots the gun at blue-1; the ammo roll passes, `dice` are what follows."""
    return when(battle, by, dice=(*PASS, *dice), **(SHOOT | more))


SHOOT: dict[str, Any] = {"do": "shoot", "fig": "red-1", "weapon": "gun", "target": "blue-1"}
GROUND: dict[str, Any] = {"do": "shoot", "fig": "red-1", "weapon": "gun"}
