"""The odds of N:ME actions: held against every face of every die, the vectors of the rules page, and many shots."""

import json
from collections import Counter, defaultdict
from fractions import Fraction
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from domain.battle import Battle
from domain.commands import COMMAND
from domain.decider import decide
from domain.dice import MOST_DICE
from domain.draft import REFEREE
from domain.odds import Odds
from domain.refusals import Refused
from domain.systems.chances import odds_of
from domain.systems.nme.hits import ammo_holds
from domain.systems.nme.runs import expected, to_hit
from tests.domain.every_face import compared, foretold, odds, told
from tests.domain.nme.scenes import BLAST, FLAMER, GUN, PASS, RED, SHOOT, a, duel, put, table
from tests.laws.play import Chance
from tests.spec import refused

VECTORS = json.loads((Path(__file__).parents[2] / "vectors" / "odds.json").read_text())
SURE = {"id": "sure", "er": 10, "strength": 3, "ammo_rating": 1}


def facing(distance: float, bs: int = 1, gun: dict[str, Any] = GUN, **policy: Any) -> Battle:
    """A shooter of that BS with one gun, and a target straight ahead."""
    arms: dict[str, Any] = {"bs": bs, "weapons": [gun]}
    return table(a("red-1", 10, **arms), a("blue-1", round(10 + distance, 3), **arms), policy=policy)


def by_words(found: Odds) -> dict[tuple[str, ...], Fraction]:
    """The chances by what the roll comes to, whatever the fates."""
    shares: dict[tuple[str, ...], Fraction] = defaultdict(Fraction)
    for outcome, (chance, _) in found.outcomes().items():
        shares[outcome.words] += chance
    return shares


# --- every face -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("distance", [1.5, 2.5, 3, 4, 4.5, 5, 7, 10, 10.001, 11, 12])
@pytest.mark.parametrize("cover", ["open", "cover"])
def test_nme_11_to_30_as_every_face_says_where_bonus_dice_fall_once(distance: float, cover: str) -> None:
    battle = facing(distance, 1, SURE, bonus_dice="once")
    compared(battle, RED, start=(PASS,), **SHOOT | {"weapon": "sure", "mode": "aimed", "cover": cover})


@pytest.mark.parametrize("policy", [{}, {"critical_hits": False}, {"point_blank": False}, {"hit_pins": False}])
@pytest.mark.parametrize("distance", [3, 5, 7, 16])
def test_nme_14_to_30_as_every_face_says_where_bonus_dice_explode(distance: float, policy: dict[str, Any]) -> None:
    compared(facing(distance, 2, GUN, **policy), RED, start=(PASS,), most_rolls=6, **SHOOT)


@pytest.mark.parametrize("rating", [1, 2, 4, 6, 7])
def test_nme_12_13_a_jam_is_among_the_outcomes(rating: int) -> None:
    gun = {**SURE, "ammo_rating": rating}
    battle = facing(6, 1, gun, bonus_dice="once")
    compared(battle, RED, **SHOOT | {"weapon": "sure"})
    jams = by_words(odds(battle, RED, **SHOOT | {"weapon": "sure"}))["jam",]
    assert jams == Fraction(rating - 1, 36)
    if rating > 1:
        found = odds(battle, RED, **SHOOT | {"weapon": "sure"}).outcomes()
        assert [rules for outcome, (_, rules) in found.items() if outcome.words == ("jam",)] == [("NME-12", "NME-13")]


def test_nme_21_a_target_that_lies_already_is_pinned_no_more() -> None:
    battle = put(facing(4.5, 1, SURE, bonus_dice="once"), "blue-1", status="pinned", pinned_turn=1)
    compared(battle, RED, start=(PASS,), **SHOOT | {"weapon": "sure"})
    near = [o for o in odds(battle, RED, **SHOOT | {"weapon": "sure"}).outcomes() if o.words == ("near_miss",)]
    assert [outcome.fates for outcome in near] == [()]


def test_nme_21b_injuries_that_players_report_are_awaited() -> None:
    battle = facing(4.5, 1, SURE, bonus_dice="once", injury="reported_by_players")
    compared(battle, RED, start=(PASS,), **SHOOT | {"weapon": "sure"})
    hits = [o for o in odds(battle, RED, **SHOOT | {"weapon": "sure"}).outcomes() if o.words == ("hit",)]
    assert [[fate.words for fate in outcome.fates] for outcome in hits] == [[("awaits_injury", "pinned")]]


def melee(others: int) -> Battle:
    """Red-1, and blue-1 in a combat with that many of green."""
    names = [f"green-{n}" for n in range(1, others + 1)]
    figs = [a("red-1", 10, bs=1, weapons=[SURE]), a("blue-1", 18, y=20)]
    battle = table(*figs, *(a(name, 30, y=4 + 2 * n) for n, name in enumerate(names)), policy={"bonus_dice": "once"})
    for name in names:
        battle = put(battle, name, engaged=("blue-1",))
    return put(battle, "blue-1", engaged=tuple(names))


def test_nme_26_everybody_in_a_combat_is_equally_likely() -> None:
    command = SHOOT | {"weapon": "sure", "sight": {"green-1": "cover"}}
    compared(melee(1), RED, start=(PASS,), **command)
    compared(melee(2), RED, start=(PASS,), **command)


def test_nme_26_a_die_that_is_thrown_again_is_in_the_fractions() -> None:
    found = odds(melee(6), RED, **SHOOT | {"weapon": "sure"})
    hit = by_words(found)["hit",] + by_words(found)["critical",]
    shares = {fig: sum(shares.values()) for fig, shares in found.figs().items()}
    assert shares == dict.fromkeys(["blue-1", *(f"green-{n}" for n in range(1, 7))], hit / 7)
    again = 2 + expected(1, explode=False) + hit * (Fraction(100, 98) + 1)
    assert found.dice == again, "ammo, to hit, a d100 for one of seven, an injury"


def lobbed(*figs: dict[str, Any], weapon: str = "blast", **more: Any) -> dict[str, Any]:
    """A template on the first of these figs, with all of them under it or near."""
    return SHOOT | {"weapon": weapon, "target": "blue-1", "touched": list(figs)} | more


UNDER, NEAR = {"under": True}, {"under": False}


@pytest.mark.parametrize("weapon", [BLAST, FLAMER])
def test_nme_24_templates_hit_and_pin_friend_and_foe(weapon: dict[str, Any]) -> None:
    battle = table(a("red-1", 10, weapons=[weapon]), a("blue-1", 17), a("blue-2", 18.5))
    touched = [{"fig": "blue-1"} | UNDER, {"fig": "blue-2"} | NEAR, {"fig": "red-1"} | UNDER]
    command = lobbed(*touched, weapon=weapon["id"], sight={"blue-1": "cover"})
    compared(battle, RED, start=(PASS,), **command)
    assert next(iter(odds(battle, RED, **lobbed(weapon=weapon["id"])).figs())) == "blue-1"


def test_nme_24_who_is_left_alone_by_the_fall_of_an_enemy_is_pinned() -> None:
    battle = table(a("red-1", 10, weapons=[BLAST]), a("blue-1", 17), a("green-1", 18))
    battle = put(put(battle, "blue-1", engaged=("green-1",)), "green-1", engaged=("blue-1",))
    for order in (("blue-1", "green-1"), ("green-1", "blue-1")):
        command = lobbed(*({"fig": name} | UNDER for name in order), target="green-1")
        compared(battle, RED, start=(PASS,), **command)


def test_nme_24_a_crowd_is_told_by_who_falls_and_a_bigger_one_by_how_many() -> None:
    figs = [a(f"blue-{n}", 17, y=2 + 2 * n) for n in range(1, 21)]
    battle = table(a("red-1", 10, y=20, weapons=[BLAST]), *figs)
    command: dict[str, Any] = {}
    for size, several in ((2, 9), (3, 27), (4, 16), (6, 64), (7, 8), (20, 21)):
        touched = [{"fig": f"blue-{n}"} | UNDER for n in range(1, size + 1)]
        command = lobbed(*touched, target="blue-9")
        found = odds(battle, RED, **command)
        assert len(found.outcomes()) == several + 1, "and the jam"
        fall = Fraction(11, 12) * Fraction(1, 3)
        for fates in found.figs().values():
            assert sum(chance for fate, chance in fates.items() if fate.falls) == fall
    found = odds(battle, RED, **command)
    likely = {outcome.fallen: chance for outcome, (chance, _) in found.outcomes().items()}
    assert likely[20] == Fraction(11, 12) * Fraction(1, 3) ** 20
    assert found.dice == 2 + Fraction(11, 12) * 20


def test_nme_25_the_chance_to_get_up() -> None:
    battle = table(a("red-1", 10), a("red-2", 11.5), a("blue-1", 30))
    battle = put(battle, "red-1", status="pinned", pinned_turn=-1)
    command: dict[str, Any] = {"do": "recover", "fig": "red-1"}
    compared(battle, RED, **command)
    found = odds(battle, RED, **command).outcomes()
    assert sorted((outcome.fates[0].words, chance) for outcome, (chance, _) in found.items()) == [
        (("gets_up",), Fraction(1, 2)),
        (("lies_still",), Fraction(1, 2)),
    ]


def test_nme_05_a_shot_at_a_point_reaches_it_or_not() -> None:
    battle = facing(30, 1, SURE, bonus_dice="once")
    shot: dict[str, Any] = {"do": "shoot", "fig": "red-1", "weapon": "sure", "point": {"x": 15, "y": 20}}
    compared(battle, RED, start=(PASS,), **shot)


# --- the vectors ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", VECTORS["nme_shot"], ids=lambda row: "-".join(map(str, list(row.values())[:7])))
def test_nme_15_to_30_are_the_odds_of_the_rules_page(row: dict[str, Any]) -> None:
    gun = {**SURE, "er": row["er"]}
    battle = facing(row["distance"], row["bs"], gun, bonus_dice=row["bonus"], point_blank=row["point_blank"])
    shot = SHOOT | {"weapon": "sure", "mode": row["mode"]}
    words = by_words(odds(battle, RED, **shot))
    critical = words["critical",] + words["point_blank", "critical"]
    hit = critical + words["hit",] + words["point_blank",]
    assert (hit, critical) == (Fraction(row["hit"]), Fraction(row["crit"]))
    assert (words["near_miss",], words["miss",]) == (Fraction(row["pin"]), Fraction(row["clear_miss"]))
    covered = odds(battle, RED, **shot, cover="cover")
    harm = by_words_harmed(covered)
    assert harm["any"] == Fraction(row["cover_harm"])
    assert harm["critical"] == Fraction(row["cover_crit_harm"])
    assert harm["saved"] + by_words(covered)["near_miss",] == Fraction(row["cover_pin"])
    assert by_words(covered)["miss",] == Fraction(row["cover_clear_miss"])


def by_words_harmed(found: Odds) -> dict[str, Fraction]:
    """The chances that a hit does harm, that a critical one does, and that cover stops it."""
    shares: dict[str, Fraction] = defaultdict(Fraction)
    for outcome, (chance, _) in found.outcomes().items():
        for fate in outcome.fates:
            harmed = not {"saved"} & set(fate.words) and outcome.words != ("near_miss",)
            shares["any"] += chance * harmed
            shares["critical"] += chance * (harmed and "critical" in outcome.words)
            shares["saved"] += chance * ("saved" in fate.words)
    return shares


@pytest.mark.parametrize("rating", [2, 3, 4, 5, 6])
def test_nme_12_jams_are_those_of_the_rules_page(rating: int) -> None:
    battle = facing(7, 3, {**SURE, "ammo_rating": rating})
    assert by_words(odds(battle, RED, **SHOOT | {"weapon": "sure"}))["jam",] == Fraction(
        VECTORS["nme_ammo_fails"][str(rating)]
    )
    assert not ammo_holds((rating - 1, rating - 1), rating)


# --- larger rolls -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("bs", "distance"), [(6, 12), (6, 21), (10, 18), (10, 25)])
@pytest.mark.parametrize("bonus", ["explode", "once"])
def test_nme_19_many_dice_fall_as_foretold(bs: int, distance: float, bonus: str) -> None:
    battle = facing(distance, bs, GUN, bonus_dice=bonus)
    shot = SHOOT | {"mode": "aimed", "cover": "cover"}
    exact = foretold(battle, odds(battle, RED, **shot))
    games, dice, seen = 4000, Chance(bs), Counter[Any]()
    for _ in range(games):
        seen[told(battle, decide(battle, COMMAND.validate_python(shot), RED, dice))] += 1
    assert set(seen) <= set(exact)
    for key, chance in exact.items():
        spread = sqrt(games * chance * (1 - chance))
        assert abs(seen[key] - games * chance) <= 5 * spread + 1, key


@pytest.mark.parametrize("explode", [True, False])
@pytest.mark.parametrize("dice", [1, 2, 7, 20])
@pytest.mark.parametrize("need", [1, 2, 5, 41, 1001])
def test_nme_15_lots_leave_nothing_out(dice: int, need: int, explode: bool) -> None:
    lots = to_hit(dice, need, explode=explode)
    assert sum(lot.chance for lot in lots) == 1
    for lot in lots:
        assert len(lot.throws[0]) == dice
        for earlier, later in zip(lot.throws, lot.throws[1:], strict=False):
            assert len(later) == earlier.count(6)
        assert sum(map(len, lot.throws)) <= MOST_DICE


@pytest.mark.parametrize(("distance", "hit"), [(998, True), (999, False), (1000, False)])
def test_nme_15_what_takes_more_than_a_thousand_dice_is_missed(distance: int, hit: bool) -> None:
    battle = facing(30, 1, {**SURE, "er": 5})
    shot = SHOOT | {"weapon": "sure", "distance": distance, "cover": "cover"}
    assert ("critical" in {word for words in by_words(odds(battle, REFEREE, **shot)) for word in words}) == hit


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "more",
    [
        {"target": "red-1"},
        {"target": "nobody"},
        {"weapon": "spoon"},
        {"cover": "unseen"},
        {"modifiers": [{"value": 1, "reason": "luck"}]},
        {"fig": "blue-1", "target": "red-1"},
    ],
)
def test_odds_of_what_is_refused_are_refused_in_the_same_words(more: dict[str, Any]) -> None:
    battle = duel(7)
    with pytest.raises(Refused) as caught:
        odds_of(battle, COMMAND.validate_python(SHOOT | more), RED)
    assert caught.value.refusal == refused(battle, RED, **SHOOT | more)


@pytest.mark.parametrize(
    ("distance", "cover", "rules"),
    [
        (7, "open", {"NME-12", "NME-13", "NME-17", "NME-21", "NME-21b", "NME-28", "INJURY-01"}),
        (7, "cover", {"NME-12", "NME-13", "NME-17", "NME-20", "NME-21", "NME-21b", "NME-28", "INJURY-01"}),
        (3, "open", {"NME-12", "NME-13", "NME-17", "NME-21", "NME-21b", "NME-28", "NME-29", "NME-30", "INJURY-01"}),
    ],
)
def test_nme_12_13_17_20_21_21b_28_29_30_every_outcome_names_its_rules(
    distance: float, cover: str, rules: set[str]
) -> None:
    found = odds(facing(distance, 2), RED, **SHOOT | {"cover": cover}).outcomes()
    assert {rule for _, named in found.values() for rule in named} == rules
    for outcome, (_, named) in found.items():
        assert ("NME-20" in named) == (cover == "cover" and outcome.words not in {("jam",), ("miss",), ("near_miss",)})


def test_what_needs_no_die_is_certain() -> None:
    found = odds(duel(7), RED, do="turn", fig="red-1", facing=90)
    assert by_words(found) == {("certain",): Fraction(1)}
    assert found.dice == 0
    assert found.first is None
    assert not found.figs()


def test_dice_that_have_fallen_have_no_odds() -> None:
    with pytest.raises(Refused, match="before any die"):
        odds(duel(7), RED, **SHOOT, dice=[1, 2])
