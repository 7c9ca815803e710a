"""Small fields of both systems, with table dice, on which much can happen in the first turn."""

from typing import Any

from tests.laws.game import Body

COLOURS = ("red", "blue", "green")


def sides(count: int) -> list[Body]:
    """Red and blue, and green as a third."""
    return [{"id": name} for name in COLOURS[:count]]


def bricks(count: int = 2, **more: Any) -> Body:
    """MiniFig Death: a lone red fig, which may call last ditch, a red wall, two blue figs, and green far off."""
    figs: list[Body] = [
        {"id": "r1", "side": "red", "x": 10, "y": 10, "weapons": [{"id": "gun", "kind": "pistol"}]},
        {"id": "r-wall", "side": "red", "x": 40, "y": 2, "kind": "object"},
        {"id": "b1", "side": "blue", "x": 10, "y": 18, "weapons": [{"id": "gun", "kind": "pistol"}]},
        {"id": "b2", "side": "blue", "x": 14, "y": 18, "weapons": [{"id": "gun", "kind": "rifle"}]},
        {"id": "g1", "side": "green", "x": 40, "y": 40, "weapons": [{"id": "gun", "kind": "pistol"}]},
    ]
    mine = [fig for fig in figs if fig["side"] in COLOURS[:count]]
    policy = {"last_ditch_percent": 100} | more.pop("policy", {})
    return {"system": "mfd", "dice": "table", "sides": sides(count), "figs": mine, "policy": policy} | more


def gangs(count: int = 2, **more: Any) -> Body:
    """N:ME: two gangs eight inches apart, each with a stub gun and a second weapon, and green far off."""
    weapons = ["stub-gun", {"id": "rusty", "er": 10, "strength": 4, "ammo_rating": 6}]
    shared = {"bs": 2, "weapons": weapons}
    figs: list[Body] = [
        {"id": "r1", "side": "red", "x": 10, "y": 10, "facing": 90, "leader": True} | shared,
        {"id": "r2", "side": "red", "x": 13, "y": 10, "facing": 90} | shared,
        {"id": "b1", "side": "blue", "x": 10, "y": 18, "facing": 270} | shared,
        {"id": "b2", "side": "blue", "x": 14, "y": 18, "facing": 270} | shared,
        {"id": "g1", "side": "green", "x": 40, "y": 40} | shared,
    ]
    mine = [fig for fig in figs if fig["side"] in COLOURS[:count]]
    return {"system": "nme", "dice": "table", "sides": sides(count), "figs": mine} | more


def shooting_range(count: int = 10, **more: Any) -> Body:
    """N:ME with the service's dice: red figs who never jam and can each fire at the ground, with nobody near."""
    weapon = {"id": "gun", "er": 20, "strength": 3, "ammo_rating": 1}
    figs: list[Body] = [
        {"id": f"r{n}", "side": "red", "x": 3 + 3 * n, "y": 3, "facing": 90, "bs": 2, "weapons": [weapon]}
        for n in range(count)
    ]
    blue: Body = {"id": "b1", "side": "blue", "x": 24, "y": 40, "bs": 2}
    return {"system": "nme", "dice": "server", "sides": sides(2), "figs": [*figs, blue]} | more


def shot_by(fig: str) -> Body:
    """A snap shot at the ground on the range."""
    return {"do": "shoot", "fig": fig, "weapon": "gun", "mode": "snap", "point": {"x": 24, "y": 24}}
