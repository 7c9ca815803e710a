"""The chances of a shot, worked out exactly from the rules' own functions, against the vectors of the rules page."""

import json
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from domain.battle import NmeWeapon
from domain.policy import NmePolicy
from domain.systems.nme.hits import ammo_holds, bonus_dice, dice_to_hit, judged

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "odds.json").read_text())
ROWS: list[dict[str, Any]] = VECTORS["nme_shot"]
SIX = Fraction(1, 6)
CAP = 13
"""No row needs so many Hits; from there on they are lumped together."""

Counts = dict[tuple[int, int], Fraction]


def one_die(bonus: str) -> Counts:
    """Hits and sixes of one die and all the dice that it earns."""
    chain: Counts = {}
    longest = CAP if bonus == "explode" else 2
    for sixes in range(longest):
        chain[sixes, sixes] = SIX**sixes * 4 * SIX
        chain[sixes + 1, sixes] = SIX**sixes * SIX
    chain[longest, longest] = SIX**longest
    return chain


@cache
def several(bonus: str, dice: int) -> Counts:
    """Hits and sixes of that many dice."""
    if dice == 0:
        return {(0, 0): Fraction(1)}
    total: Counts = {}
    for ((h, s), p), ((more_h, more_s), q) in product(several(bonus, dice - 1).items(), one_die(bonus).items()):
        key = (min(h + more_h, CAP), min(s + more_s, CAP))
        total[key] = total.get(key, Fraction(0)) + p * q
    return total


def faces_of(bonus: str, dice: int) -> dict[tuple[int, ...], Fraction]:
    """Faces that stand for all rolls alike: so many sixes, fives, and without any Hit the highest die."""
    rolls = {(6,) * s + (5,) * (h - s): p for (h, s), p in several(bonus, dice).items() if h}
    for highest in range(1, 5):
        rolls[highest,] = Fraction(highest**dice - (highest - 1) ** dice, 6**dice)
    return rolls


@cache
def chances(bonus: str, dice: int, er: int, distance: int, point_blank: bool) -> tuple[Fraction, Fraction, Fraction]:
    """The chances to hit, to pin by a near miss, and to hit critically."""
    policy = NmePolicy(point_blank=point_blank)
    weapon = NmeWeapon("gun", er * 1000, 3, 4)
    results = [(judged(faces, weapon, (distance * 1000) ** 2, policy), p) for faces, p in faces_of(bonus, dice).items()]
    assert sum(p for _, p in results) == 1
    hit = sum((p for result, p in results if result.outcome == "hit"), Fraction(0))
    pin = sum((p for result, p in results if result.outcome == "near_miss"), Fraction(0))
    return hit, pin, sum((p for result, p in results if result.critical), Fraction(0))


@pytest.mark.parametrize(("bonus", "er"), [("explode", 10), ("explode", 15), ("once", 10), ("once", 15)])
def test_nme_15_to_30_give_the_odds_of_the_rules_page(bonus: str, er: int) -> None:
    rows = [row for row in ROWS if (row["bonus"], row["er"]) == (bonus, er)]
    assert rows
    for row in rows:
        assert dice_to_hit(row["bs"], row["mode"]) == row["dice"]
        hit, pin, critical = chances(bonus, row["dice"], er, row["distance"], row["point_blank"])
        clear = 1 - hit - pin
        told = (row["hit"], row["pin"], row["crit"], row["clear_miss"])
        assert (hit, pin, critical, clear) == tuple(map(Fraction, told)), row
        covered = (row["cover_harm"], row["cover_pin"], row["cover_crit_harm"], row["cover_clear_miss"])
        assert (hit / 2, pin + hit / 2, critical / 2, clear) == tuple(map(Fraction, covered)), row


@pytest.mark.parametrize("bonus", ["explode", "once"])
def test_nme_15_chains_are_what_the_rounds_throw(bonus: str) -> None:
    """The chain of one die, against every roll of the rounds themselves (four dice deep)."""
    policy = NmePolicy(bonus_dice="once" if bonus == "once" else "explode")
    seen: Counts = {}

    def play(rounds: list[tuple[int, ...]], chance: Fraction) -> None:
        more = bonus_dice(rounds, policy)
        faces = [face for r in rounds for face in r]
        if more == 0 or len(rounds) == 4:
            key = (sum(f >= 5 for f in faces), faces.count(6))
            seen[key] = seen.get(key, Fraction(0)) + chance
            return
        for face in range(1, 7):
            play([*rounds, (face,)], chance * SIX)

    for face in range(1, 7):
        play([(face,)], SIX)
    told = one_die(bonus)
    assert all(seen[key] == told[key] for key in seen if key[1] < 3)
    assert sum(seen.values()) == 1


def test_nme_12_gives_the_odds_of_the_rules_page() -> None:
    rolls = list(product(range(1, 7), repeat=2))
    for rating, told in VECTORS["nme_ammo_fails"].items():
        fails = sum(not ammo_holds(roll, int(rating)) for roll in rolls)
        assert Fraction(fails, 36) == Fraction(told)
