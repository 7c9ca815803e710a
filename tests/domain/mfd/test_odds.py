"""Exact odds: every face of every die is thrown, and the shares are those that were worked out beforehand."""

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from domain.policy import MfdPolicy
from domain.systems.mfd.damage import penetrates
from domain.systems.mfd.modifiers import hits
from domain.systems.mfd.table import BARE_HANDS, DAMAGE

ODDS: dict[str, Any] = json.loads((Path(__file__).parents[2] / "vectors" / "odds.json").read_text())

WEAPONS = {
    "CCW 2d6": [DAMAGE["ccw"]],
    "pistol / unarmed 1d6": [DAMAGE["pistol"], BARE_HANDS],
    "rifle 1d10": [DAMAGE["rifle"]],
    "big non-explosive 3d6": [DAMAGE["big_solid"]],
    "big explosive 1d10": [DAMAGE["big_explosive"]],
}


@pytest.mark.parametrize("net", ODDS["mfd_hit_by_net_modifier"])
def test_mfd_11_to_20_chances_to_hit(net: str) -> None:
    hit = sum(hits(MfdPolicy(), face, int(net), 3) for face in range(1, 7))
    assert Fraction(hit, 6) == Fraction(ODDS["mfd_hit_by_net_modifier"][net])


@pytest.mark.parametrize("weapon", ODDS["mfd_damage_beats_armour"])
def test_mfd_02_to_06_24_chances_to_penetrate(weapon: str) -> None:
    for dice in WEAPONS[weapon]:
        throws = list(product(range(1, dice.sides + 1), repeat=dice.count))
        for row, chance in ODDS["mfd_damage_beats_armour"][weapon].items():
            policy = MfdPolicy(penetration="gt" if row.startswith("gt") else "ge")
            through = sum(penetrates(policy, sum(faces), int(row[2:])) for faces in throws)
            assert Fraction(through, len(throws)) == Fraction(chance), row


def test_every_mfd_odd_is_looked_at() -> None:
    assert {name for name in ODDS if name.startswith("mfd")} == {"mfd_hit_by_net_modifier", "mfd_damage_beats_armour"}
    assert set(ODDS["mfd_damage_beats_armour"]) == set(WEAPONS)
