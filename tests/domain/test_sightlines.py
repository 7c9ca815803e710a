"""What terrain says about cover: people's word first, then walls and areas, and what nobody said is assumed."""

from typing import Any

import pytest

from domain.battle import Battle
from domain.events import Sight
from domain.measures import Point
from domain.sightlines import WORDS, sight_of, stands_in_cover
from tests.spec import given, opening

Piece = dict[str, Any]
WORD = {"nme": ("cover", "unseen"), "mfd": ("partial", "full")}


def wall(*points: tuple[float, float], cover: str = "cover", name: str = "wall") -> Piece:
    return {"id": name, "kind": "wall", "cover": cover, "points": [{"x": x, "y": y} for x, y in points]}


def area(*points: tuple[float, float], cover: str = "cover", name: str = "wood") -> Piece:
    return wall(*points, cover=cover, name=name) | {"kind": "area"}


def field(*terrain: Piece, shooter: tuple[float, float] = (10, 10), target: tuple[float, float] = (10, 30)) -> Battle:
    """Red looks north at blue, across what lies between."""
    figs = [
        {"id": side, "side": side, "x": x, "y": y, "bs": 3} for side, (x, y) in (("red", shooter), ("blue", target))
    ]
    return given(opening("nme", figs, terrain=list(terrain)))


def seen(battle: Battle, declared: str | None = None) -> Sight:
    return sight_of(battle, battle.figs["red"], battle.figs["blue"], declared)


ACROSS = wall((5, 20), (15, 20))
WOOD = area((5, 18), (15, 18), (15, 22), (5, 22))


def test_what_nobody_says_is_open_and_assumed() -> None:
    assert seen(field()) == Sight("blue", "open", "assumed")


def test_peoples_word_goes_before_terrain() -> None:
    assert seen(field(ACROSS), "open") == Sight("blue", "open", "declared")
    assert seen(field(), "unseen") == Sight("blue", "unseen", "declared")


@pytest.mark.parametrize(
    ("points", "covered"),
    [
        ([(5, 20), (15, 20)], True),
        ([(5, 20), (9.999, 20)], False),
        ([(5, 20), (10, 20)], True),
        ([(10, 20), (10, 25)], True),
        ([(5, 31), (15, 31)], False),
        ([(5, 9), (15, 9)], False),
        ([(0, 0), (5, 20), (15, 20)], True),
        ([(0, 0), (5, 5)], False),
    ],
    ids=["across", "just short", "its end", "along the line", "behind", "before", "its second part", "aside"],
)
def test_a_wall_covers_whatever_lies_beyond_it(points: list[tuple[float, float]], covered: bool) -> None:
    wanted = Sight("blue", "cover", "terrain") if covered else Sight("blue", "open", "assumed")
    assert seen(field(wall(*points))) == wanted


@pytest.mark.parametrize(
    ("y", "word"),
    [(19.5, "open"), (19.45, "open"), (19.449, "cover"), (19, "cover"), (20, "open")],
    ids=["base to it", "as far as hands go", "a hair farther", "half an inch off", "upon it"],
)
def test_whoever_stands_against_a_wall_shoots_over_it(y: float, word: str) -> None:
    assert seen(field(ACROSS, shooter=(10, y))).cover == word


def test_a_target_against_a_wall_on_the_far_side_is_covered_and_on_the_near_side_is_not() -> None:
    assert seen(field(ACROSS, target=(10, 20.5))).cover == "cover"
    assert seen(field(ACROSS, target=(10, 19.5))).cover == "open"


def test_a_larger_base_reaches_farther() -> None:
    battle = given(
        opening(
            "nme",
            [
                {"id": "red", "side": "red", "x": 10, "y": 18.5, "bs": 3, "base": 3},
                {"id": "blue", "side": "blue", "x": 10, "y": 30, "bs": 3},
            ],
            terrain=[ACROSS],
        )
    )
    assert seen(battle).cover == "open"


@pytest.mark.parametrize(
    ("shooter", "target", "word"),
    [
        ((10, 10), (10, 20), "cover"),
        ((10, 10), (10, 30), "cover"),
        ((10, 20), (10, 30), "open"),
        ((10, 19), (12, 21), "cover"),
        ((10, 10), (10, 17.9), "open"),
        ((10, 10), (10, 18), "cover"),
        ((10, 18), (10, 30), "open"),
        ((20, 10), (20, 30), "open"),
        ((15.5, 10), (14.5, 30), "cover"),
    ],
    ids=[
        "into it",
        "through it",
        "out of it",
        "within it",
        "before it",
        "onto its edge",
        "from its edge",
        "past it",
        "through a corner",
    ],
)
def test_an_area_covers_who_stands_in_it_and_beyond_it(
    shooter: tuple[float, float], target: tuple[float, float], word: str
) -> None:
    assert seen(field(WOOD, shooter=shooter, target=target)).cover == word


def test_of_several_the_one_that_hides_best_counts() -> None:
    smoke = area((5, 24), (15, 24), (10, 26), cover="unseen", name="smoke")
    assert seen(field(ACROSS, smoke)).cover == "unseen"
    assert seen(field(smoke, ACROSS)).cover == "unseen"


def test_terrain_that_gives_nothing_still_says_so() -> None:
    assert seen(field(wall((5, 20), (15, 20), cover="open"))) == Sight("blue", "open", "terrain")


def test_each_system_has_its_own_words_from_plain_to_hidden() -> None:
    assert WORDS == {"nme": ("open", "cover", "unseen"), "mfd": ("none", "partial", "full", "unseen")}
    figs = [{"id": side, "side": side, "x": 10, "y": y} for side, y in (("red", 10), ("blue", 30))]
    terrain = [
        wall((5, 20), (15, 20), cover="partial"),
        wall((5, 22), (15, 22), cover="full", name="other"),
    ]
    battle = given(opening("mfd", figs, terrain=terrain))
    assert seen(battle) == Sight("blue", "full", "terrain")
    assert seen(given(opening("mfd", figs))) == Sight("blue", "none", "assumed")


@pytest.mark.parametrize(
    ("at", "covered"),
    [
        ((10, 20), True),
        ((10, 17.6), False),
        ((30, 39.5), True),
        ((30, 38.9), False),
        ((40, 10), False),
        ((41, 41), False),
    ],
    ids=[
        "in the wood",
        "before it",
        "against the wall",
        "away from it",
        "in a clearing that gives nothing",
        "in the bend of a wall",
    ],
)
def test_where_a_fig_can_hide(at: tuple[float, float], covered: bool) -> None:
    clearing = area((38, 8), (42, 8), (40, 14), cover="open", name="clearing")
    bend = wall((38, 38), (46, 38), (38, 46), name="bend")
    battle = field(WOOD, wall((25, 40), (35, 40)), clearing, bend)
    place = Point(round(at[0] * 1000), round(at[1] * 1000))
    assert stands_in_cover(battle, battle.figs["red"], place) is covered
