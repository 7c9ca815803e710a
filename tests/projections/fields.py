"""Fields: two small battles on which the projections are tested. Names differ from ids, as at a real table."""

from typing import Any

from tests.projections.tale import Body, Tale

AUTOGUN: Body = {"id": "autogun", "er": 15, "strength": 3, "ammo_rating": 4}
FLAMER: Body = {"id": "flamer", "er": 10, "strength": 4, "ammo_rating": 4, "template": "flamer"}


def gang(**more: Any) -> Body:
    """N:ME: Sarge and Thug of red look along +x at Ganger and Boss of blue; Ganger is 12" from Sarge."""
    figs: list[Body] = [
        {"id": "red-1", "name": "Sarge", "side": "red", "x": 10, "y": 20, "weapons": [AUTOGUN, FLAMER], "leader": True},
        {"id": "red-2", "name": "Thug", "side": "red", "x": 10, "y": 22.5, "weapons": [AUTOGUN]},
        {"id": "blue-1", "name": "Ganger", "side": "blue", "x": 22, "y": 20, "facing": 180, "weapons": [AUTOGUN]},
        {"id": "boss", "name": "Boss", "side": "blue", "x": 30, "y": 20, "facing": 180, "weapons": ["stub-gun"]},
    ]
    body: Body = {
        "system": "nme",
        "title": "Toll Bridge",
        "dice": "table",
        "table": {"width": 48, "height": 36},
        "sides": [{"id": "red", "name": "House Red"}, {"id": "blue"}],
        "figs": [{"bs": 3} | fig for fig in figs],
        "tags": {"event": "Autumn Cup", "round": "2", "table": "7"},
    }
    return body | more


def bricks(**more: Any) -> Body:
    """MiniFig Death: two red figs and their hut against two blue ones; r1 and b1 are 6" apart."""
    gun = [{"id": "gun", "kind": "pistol"}]
    figs: list[Body] = [
        {"id": "r1", "name": "Red One", "side": "red", "x": 10, "y": 10, "weapons": gun},
        {"id": "r2", "name": "Red Two", "side": "red", "x": 13, "y": 10, "weapons": [{"id": "rifle", "kind": "rifle"}]},
        {"id": "hut", "name": "Hut", "side": "red", "x": 4, "y": 4, "kind": "object", "height": 16, "base": 2},
        {"id": "b1", "name": "Blue One", "side": "blue", "x": 10, "y": 16, "weapons": gun},
        {"id": "b2", "name": "Blue Two", "side": "blue", "x": 16, "y": 16, "weapons": gun},
    ]
    body: Body = {"system": "mfd", "dice": "table", "sides": [{"id": "red"}, {"id": "blue"}], "figs": figs}
    return body | more


PASS = (1, 2)
"""An ammo roll that passes."""


def shot(tale: Tale, *dice: int, fig: str = "red-1", target: str = "blue-1", mode: str = "snap", **more: Any) -> int:
    """N:ME: a snap shot with the autogun whose ammo roll passes; `dice` are what follows."""
    side = tale.record.battle.figs[fig].side
    asked: Body = {"do": "shoot", "fig": fig, "weapon": "autogun", "target": target, "mode": mode}
    return tale.act(side, dice=(*PASS, *dice), **(asked | more))


def fire(tale: Tale, *dice: int, fig: str = "r1", target: str = "b1", weapon: str = "gun", **more: Any) -> int:
    """MiniFig Death: one shot."""
    asked: Body = {"do": "shoot", "fig": fig, "weapon": weapon, "target": target}
    return tale.act(tale.record.battle.figs[fig].side, dice=dice, **(asked | more))
