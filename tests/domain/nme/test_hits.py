"""What dice amount to: NME-11 to 22 and 28 to 30 as pure functions, against the examples and a second reading."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.battle import NmeWeapon
from domain.policy import NmePolicy
from domain.systems.nme.hits import Result, accuracy, ammo_holds, bonus_dice, dice_to_hit, judged, reaches
from tests.spec import inches


def judge(faces: list[int], distance: float, er: int = 15, **policy: Any) -> Result:
    return judged(faces, NmeWeapon("gun", er * 1000, 3, 4), inches(distance) ** 2, NmePolicy(**policy))


DOUBLES = [(n, n) for n in range(1, 7)]


@pytest.mark.parametrize(("rating", "fails"), [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4), (6, 5), (7, 6)])
def test_nme_12_only_a_double_below_the_rating_fails(rating: int, fails: int) -> None:
    rolls = [(a, b) for a in range(1, 7) for b in range(1, 7)]
    failed = [roll for roll in rolls if not ammo_holds(roll, rating)]
    assert failed == DOUBLES[:fails]  # so the chance is (rating - 1) / 36


def test_nme_12_a_double_equal_to_the_rating_passes() -> None:
    assert ammo_holds((4, 4), 4)
    assert not ammo_holds((3, 3), 4)
    assert ammo_holds((6, 6), 6)
    assert not ammo_holds((5, 5), 6)


def test_nme_14_as_many_dice_as_bs() -> None:
    assert [dice_to_hit(bs, "snap") for bs in (0, 1, 3, 5)] == [0, 1, 3, 5]


def test_nme_19_an_aimed_shot_doubles_bs() -> None:
    assert [dice_to_hit(bs, "aimed") for bs in (0, 1, 3, 5)] == [0, 2, 6, 10]


@pytest.mark.parametrize(
    ("rounds", "explode", "once"),
    [
        ([[1, 5, 2]], 0, 0),
        ([[6, 5, 2]], 1, 1),
        ([[6, 6]], 2, 2),
        ([[6, 6], [6, 3]], 1, 0),
        ([[6], [5]], 0, 0),
        ([[6], [6], [6]], 1, 0),
    ],
)
def test_nme_15_each_six_of_the_latest_round_earns_a_die(rounds: list[list[int]], explode: int, once: int) -> None:
    assert bonus_dice(rounds, NmePolicy(bonus_dice="explode")) == explode
    assert bonus_dice(rounds, NmePolicy(bonus_dice="once")) == once


def test_nme_16_fives_and_sixes_are_hits() -> None:
    assert judge([1, 2, 3, 4, 5, 6], 50).hits == 2
    assert judge([6, 6, 6, 5, 4], 50).sixes == 3


@pytest.mark.parametrize(
    ("faces", "distance", "outcome"),
    [
        ([2, 5, 5], 7, "hit"),
        ([2, 5, 5], 10, "hit"),
        ([2, 5, 5], 10.001, "near_miss"),
        ([2, 5, 5], 11, "near_miss"),
        ([5, 2, 2], 7, "near_miss"),
        ([5, 2, 2], 5, "hit"),
    ],
)
def test_nme_17_accuracy_is_five_inches_for_each_hit(faces: list[int], distance: float, outcome: str) -> None:
    result = judge(faces, distance)
    assert (result.accuracy, result.outcome) == (5000 * result.hits, outcome)


@pytest.mark.parametrize(
    ("er", "reach"),
    [
        (5, [0, 5, 6, 7, 8]),
        (10, [0, 5, 10, 11, 12, 13]),
        (15, [0, 5, 10, 15, 16, 17]),
        (20, [0, 5, 10, 15, 20, 21]),
    ],
)
def test_nme_18_beyond_the_effective_range_a_hit_is_worth_one_inch(er: int, reach: list[int]) -> None:
    assert [accuracy(hits, er * 1000) for hits in range(len(reach))] == [inch * 1000 for inch in reach]


def test_nme_18_four_hits_of_a_stub_gun_reach_twelve_inches() -> None:
    assert judge([5, 5, 5, 5], 12, er=10).outcome == "hit"
    assert judge([5, 5, 5, 5], 12.001, er=10).outcome == "near_miss"


def test_nme_18_there_is_no_maximum_range() -> None:
    assert judge([5] * 45, 50, er=10).outcome == "hit"


@pytest.mark.parametrize(
    ("faces", "distance", "er", "outcome"),
    [
        ([5, 5, 1], 15, 15, "near_miss"),
        ([5, 5, 1], 14, 15, "near_miss"),
        ([5, 5, 1], 14, 10, "miss"),
        ([5, 5, 1], 15, 10, "miss"),
        ([5, 5, 1], 11, 10, "near_miss"),
        ([5, 5, 1], 11.001, 10, "miss"),
        ([5, 5, 1], 15.001, 15, "miss"),
        ([5, 2, 2], 7, 15, "near_miss"),
        ([1, 2, 2], 7, 15, "miss"),
    ],
)
def test_nme_21_missed_by_a_single_hit(faces: list[int], distance: float, er: int, outcome: str) -> None:
    assert judge(faces, distance, er).outcome == outcome


@pytest.mark.parametrize("point_blank", [True, False])
@pytest.mark.parametrize("distance", [0.001, 1, 3, 4, 4.5, 4.999, 5])
def test_nme_22_below_five_inches_no_shot_misses_clearly(distance: float, point_blank: bool) -> None:
    for face in range(1, 5):
        result = judge([face], distance, point_blank=point_blank)
        assert result.outcome != "miss"
        assert ("NME-22" in result.rules) == (result.outcome == "near_miss" and distance < 5)


@pytest.mark.parametrize(
    ("faces", "distance", "outcome", "critical"),
    [
        ([6, 6, 5, 3], 10, "hit", True),
        ([6, 6, 5, 3], 10.5, "hit", False),
        ([6, 6, 6, 6], 12, "hit", True),
        ([6, 6, 6, 5], 12, "hit", False),
        ([6, 2, 2], 5, "hit", True),
        ([5, 5, 5], 5, "hit", False),
        ([6, 2, 2], 6, "near_miss", False),
    ],
)
def test_nme_28_enough_sixes_are_a_critical(faces: list[int], distance: float, outcome: str, critical: bool) -> None:
    result = judge(faces, distance, er=10)
    assert (result.outcome, result.critical) == (outcome, critical)
    assert ("NME-28" in result.rules) == critical
    assert not judge(faces, distance, er=10, critical_hits=False).critical


@pytest.mark.parametrize(
    ("faces", "distance", "outcome", "critical"),
    [
        ([2, 2, 3], 3, "hit", False),
        ([2, 2, 3], 2, "hit", True),
        ([2, 2, 3], 3.5, "near_miss", False),
        ([1, 4, 2], 4, "hit", False),
        ([1, 4, 2], 4.001, "near_miss", False),
        ([1, 1, 1], 1, "hit", False),
        ([1, 1, 1], 1.001, "near_miss", False),
    ],
)
def test_nme_29_without_hits_the_highest_die_counts(
    faces: list[int], distance: float, outcome: str, critical: bool
) -> None:
    result = judge(faces, distance)
    assert (result.outcome, result.critical) == (outcome, critical)
    assert result.point_blank == (distance <= 4)
    assert result.accuracy == (max(faces) * 1000 if result.point_blank else 0)
    assert judge(faces, distance, point_blank=False).outcome == "near_miss"


def test_nme_29_is_for_shots_without_any_hit() -> None:
    assert not judge([5, 4, 4], 4).point_blank


@pytest.mark.parametrize(
    ("highest", "distance", "critical"), [(4, 3, True), (4, 4, False), (3, 3, False), (4, 3.999, True), (3, 2.5, True)]
)
def test_nme_30_exceeding_the_distance_is_a_critical(highest: int, distance: float, critical: bool) -> None:
    result = judge([1, highest], distance)
    assert (result.outcome, result.point_blank, result.critical) == ("hit", True, critical)
    assert ("NME-30" in result.rules) == critical
    assert not judge([1, highest], distance, critical_hits=False).critical


@pytest.mark.parametrize(
    ("faces", "distance", "er", "rules"),
    [
        ([5, 5, 1], 10, 15, "16 17"),
        ([5, 5, 1], 10, 10, "16 17"),
        ([5, 5, 5], 10, 10, "16 17 18"),
        ([5, 5, 1], 11, 15, "16 17 21"),
        ([1, 1, 1], 4.5, 15, "16 17 21 22"),
        ([1, 1, 1], 5, 15, "16 17 21"),
        ([1, 1, 1], 6, 15, "16 17"),
        ([6, 1, 1], 5, 15, "16 17 28"),
        ([1, 1, 3], 3, 15, "16 29"),
        ([1, 1, 4], 3, 15, "16 29 30"),
        ([1, 1, 1], 3, 15, "16 21 22 29"),
    ],
)
def test_nme_16_to_30_each_result_names_the_rules_that_made_it(
    faces: list[int], distance: float, er: int, rules: str
) -> None:
    assert judge(faces, distance, er).rules == tuple(f"NME-{rule}" for rule in rules.split())


# A second reading of the rules, in inches (rules page 4C).


def oracle_accuracy(h: int, er: int) -> int:
    return 5 * h if h <= er // 5 else er + h - er // 5


def oracle_reaches(h: int, er: int, d2: int) -> bool:
    return (oracle_accuracy(h, er) * 1000) ** 2 >= d2


def oracle(faces: list[int], er: int, d2: int, pb: bool = True, crit: bool = True) -> tuple[str, bool]:
    hits, sixes = sum(f >= 5 for f in faces), faces.count(6)
    if oracle_reaches(hits, er, d2):
        return "hit", crit and oracle_reaches(sixes, er, d2)
    if pb and hits == 0 and faces and d2 <= 4000**2 and (max(faces) * 1000) ** 2 >= d2:
        return "hit", crit and (max(faces) * 1000) ** 2 > d2
    return ("near_miss" if oracle_reaches(hits + 1, er, d2) else "miss"), False


SQUARES = st.integers(1, 30_000**2) | st.integers(1, 4_100**2) | st.integers(1, 30).map(lambda n: (n * 1000) ** 2)


@settings(max_examples=300, deadline=None)
@given(
    faces=st.lists(st.integers(1, 6), min_size=1, max_size=14),
    er=st.sampled_from([5, 10, 15, 20, 40]),
    squared=SQUARES,
    pb=st.booleans(),
    crit=st.booleans(),
)
def test_the_outcome_is_that_of_the_second_reading(
    faces: list[int], er: int, squared: int, pb: bool, crit: bool
) -> None:
    policy = NmePolicy(point_blank=pb, critical_hits=crit)
    result = judged(faces, NmeWeapon("gun", er * 1000, 3, 4), squared, policy)
    assert (result.outcome, result.critical) == oracle(faces, er, squared, pb, crit)
    assert result.hits == sum(f >= 5 for f in faces)
    assert reaches(result.hits, er * 1000, squared) == oracle_reaches(result.hits, er, squared)


@settings(max_examples=100, deadline=None)
@given(pair=st.tuples(st.integers(1, 6), st.integers(1, 6)), rating=st.integers(1, 7))
def test_the_ammo_roll_is_that_of_the_second_reading(pair: tuple[int, int], rating: int) -> None:
    assert ammo_holds(pair, rating) == (pair[0] != pair[1] or pair[0] >= rating)
