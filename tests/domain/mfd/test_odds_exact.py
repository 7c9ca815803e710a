"""The odds of MiniFig Death actions: held against every face of every die, the vectors, and rounds with many figs."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from domain.battle import Battle
from domain.odds import Odds
from tests.domain.every_face import compared, odds
from tests.domain.mfd.field import Row, armoury, duel, field, fig, fight, shot, to
from tests.spec import played

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[2] / "vectors" / "odds.json").read_text())
WEAPONS = {
    "pistol / unarmed 1d6": "pistol",
    "rifle 1d10": "rifle",
    "big non-explosive 3d6": "big_solid",
    "big explosive 1d10": "big_explosive",
}


def share(found: Odds, *words: str) -> Fraction:
    """The chance of outcomes whose roll or fates have one of these words."""
    return sum(
        (
            chance
            for outcome, (chance, _) in found.outcomes().items()
            if set(words) & {*outcome.words, *(word for fate in outcome.fates for word in fate.words)}
        ),
        Fraction(0),
    )


# --- shots ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weapon", ["pistol", "rifle", "big_solid", "big_explosive"])
@pytest.mark.parametrize("policy", [{}, {"penetration": "ge"}, {"natural_rules": "one_misses_six_hits"}])
def test_mfd_02_to_09_as_every_face_says(weapon: str, policy: Row) -> None:
    compared(duel(weapon, 6, **policy), **shot(weapon))
    compared(duel(weapon, 2.5, **policy), **shot(weapon, cover="full"))
    compared(duel(weapon, 6, **policy), **shot(weapon, cover="unseen"))


def test_mfd_11_the_referees_modifier_counts() -> None:
    battle = duel("pistol")
    for value in range(-5, 4):
        net = shot("pistol", modifiers=[{"value": value, "reason": "fog"}])
        compared(battle, **net)
        assert share(odds(battle, **net), "hit") == Fraction(VECTORS["mfd_hit_by_net_modifier"][str(value)])


@pytest.mark.parametrize("name", WEAPONS)
def test_mfd_03_05_06_penetrations_are_those_of_the_rules_page(name: str) -> None:
    for row, chance in VECTORS["mfd_damage_beats_armour"][name].items():
        policy = {"penetration": row[:2], "base_to_hit": 1}
        found = odds(duel(WEAPONS[name], 6, at={"armour": int(row[2:])}, **policy), **shot(WEAPONS[name]))
        assert share(found, "out") == Fraction(chance), row


def test_mfd_18_in_contact_a_shot_grazes_or_hits() -> None:
    battle = field(fig("red-1", 10, 20, "pistol"), fig("blue-1", 11, 20, kind="object", armour=3))
    compared(battle, **shot("pistol", cover="full"))
    found = odds(battle, **shot("pistol", cover="full"))
    (grazed,) = (rules for outcome, (_, rules) in found.outcomes().items() if outcome.words == ("grazed",))
    assert grazed == ("MFD-18",)


def brawl(friends: int, enemies: int) -> Battle:
    """Blue-1 in the middle of a melee, and red-9 with a pistol apart from it."""
    figs = [fig("red-9", 14, 20, "pistol"), fig("blue-1", 20, 20)]
    figs += [fig(f"red-{n}", 40, 20 + 2 * n, armour=2) for n in range(friends)]
    figs += [fig(f"green-{n}", 40, 30 + 2 * n) for n in range(enemies)]
    battle = field(*figs, sides=("red", "blue", "green") if enemies else ("red", "blue"))
    names = [f"red-{n}" for n in range(friends)] + [f"green-{n}" for n in range(enemies)]
    crowd = dict(battle.figs)
    for name, (x, y) in zip(names, [(20, 21), (21, 20), (20, 19), (19, 20)], strict=False):
        crowd[name] = replace(crowd[name], x=x * 1000, y=y * 1000, engaged=("blue-1",))
    crowd["blue-1"] = replace(crowd["blue-1"], engaged=tuple(sorted(names)))
    return replace(battle, figs=crowd)


@pytest.mark.parametrize(("friends", "enemies"), [(0, 1), (1, 0), (1, 2), (2, 1)])
def test_mfd_22_half_of_what_hits_a_melee_strikes_ones_own_side(friends: int, enemies: int) -> None:
    battle = brawl(friends, enemies)
    command = shot("pistol", name="red-9", into_melee=True)
    compared(battle, **command)
    found = odds(battle, **command)
    struck = {name: sum(fates.values(), Fraction(0)) for name, fates in found.figs().items()}
    own = sum((chance for name, chance in struck.items() if name.startswith("red")), Fraction(0))
    hit = share(found, "hit")
    assert own == (hit / 2 if friends else 0)
    assert sum(struck.values()) == hit


def test_mfd_06_a_blast_strikes_each_fig_on_its_own() -> None:
    figs = [
        fig("red-1", 10, 20, "big_explosive"),
        fig("blue-1", 20, 20),
        fig("blue-2", 21.5, 20, armour=3),
        armoury("red"),
    ]
    battle = field(*figs, blast_radius=2)
    compared(battle, **shot("big_explosive"))
    found = odds(battle, **shot("big_explosive"))
    assert share(found, "hit") == Fraction(2, 3)
    assert found.dice == 1 + Fraction(2, 3) * 2


def test_mfd_06_a_blast_in_a_crowd_is_told_by_who_falls() -> None:
    crowd = [fig(f"blue-{n}", 20 + n % 3, 20 + n // 3) for n in range(1, 8)]
    battle = field(fig("red-1", 10, 20, "big_explosive"), armoury("red"), *crowd, blast_radius=10)
    found = odds(battle, **shot("big_explosive"))
    assert {outcome.fallen for outcome in found.outcomes()} == {None, *range(8)}
    assert {fate.words for fates in found.figs().values() for fate in fates} == {("out",), ("unharmed",)}


# --- close combat -----------------------------------------------------------------------------------------------------


def pair(*weapons: str, **policy: Any) -> Battle:
    """Red-1 and blue-1 base to base."""
    arms = [[weapon] if weapon else [] for weapon in weapons]
    return played(field(fig("red-1", 10, 20, *arms[0]), fig("blue-1", 13, 20, *arms[1]), **policy), to("red-1", 12, 20))


@pytest.mark.parametrize("weapons", [("pistol", ""), ("", "")])
def test_mfd_21_23_24_both_may_fall(weapons: tuple[str, str]) -> None:
    battle = pair(*weapons)
    compared(battle, **fight("red-1>blue-1", "blue-1>red-1"))


def test_mfd_02_04_a_ccw_penetrates_as_the_rules_page_says() -> None:
    found = odds(pair("ccw", "pistol"), **fight("red-1>blue-1", "blue-1>red-1"))
    deadly = Fraction(2, 3) * Fraction(VECTORS["mfd_damage_beats_armour"]["CCW 2d6"]["gt5"])
    fallen = {name: sum(c for fate, c in fates.items() if fate.falls) for name, fates in found.figs().items()}
    assert fallen == {"red-1": deadly, "blue-1": deadly}
    both = [chance for outcome, (chance, _) in found.outcomes().items() if sum(f.falls for f in outcome.fates) == 2]
    assert both == [deadly**2]
    assert found.dice == 2 + 2 * Fraction(2, 3) * 2


def test_mfd_23_two_against_one_fall_apart_from_each_other() -> None:
    figs = [fig("red-1", 10, 20), fig("red-2", 16, 20), fig("blue-1", 13, 20)]
    battle = played(field(*figs), to("red-1", 12, 20), to("red-2", 14, 20))
    compared(battle, **fight("red-1>blue-1", "red-2>blue-1", "blue-1>red-1"))


def test_mfd_23_a_blow_that_cannot_hit_harms_nobody() -> None:
    battle = pair("", "", unarmed_hits_on=7)
    command = fight("red-1>blue-1", "blue-1>red-1")
    compared(battle, **command)
    assert [o.fates for o in odds(battle, **command).outcomes()] == [()]


@pytest.mark.parametrize(("figs", "outcomes"), [(2, 9), (4, 27), (5, 16), (7, 64), (8, 8)])
def test_mfd_23_a_big_melee_is_told_by_who_falls_and_a_bigger_one_by_how_many(figs: int, outcomes: int) -> None:
    names = [f"{'red' if n % 2 else 'blue'}-{n}" for n in range(figs)]
    battle = field(*(fig(name, 2 + 2 * n, 20, "ccw") for n, name in enumerate(names)))
    row = [None, *names, None]
    linked = {
        name: replace(battle.figs[name], engaged=tuple(sorted(filter(None, (row[n], row[n + 2])))))
        for n, name in enumerate(names)
    }
    bouts = [f"{name}>{fig.engaged[0]}" for name, fig in linked.items()]
    found = odds(replace(battle, figs=linked), **fight(*bouts))
    assert set(found.figs()) == {bout.partition(">")[2] for bout in bouts}
    assert len(found.outcomes()) == outcomes
