"""The action table: MFD-08 to MFD-10, and MFD-12 where it stands in it."""

import pytest

from domain.systems.mfd.table import TABLE, band_of
from tests.domain.mfd.field import added, duel, field, fig, rolled, shot, to, tried
from tests.spec import inches, played, refused, when

BANDS = [(0, "still"), (0.001, "moved"), (5, "moved"), (5.001, "ran"), (10, "ran")]


@pytest.mark.parametrize(("moved", "band"), BANDS)
def test_mfd_08_10_bands_are_inclusive(moved: float, band: str) -> None:
    assert band_of(inches(moved)) == band


ROWS = {
    "ccw": [],
    "pistol": [("still", 2, 10), ("moved", 1, 10), ("ran", 1, 10)],
    "rifle": [("still", 1, 20), ("moved", 1, 15)],
    "big_solid": [("still", 1, 20)],
    "big_explosive": [("still", 1, 20)],
}


def test_mfd_09_the_table_is_the_documents() -> None:
    assert {k: [(b, c.shots, c.reach // 1000) for b, c in row.items()] for k, row in TABLE.items()} == ROWS


FIRED = [
    ("pistol", 0, 10, 2, []),
    ("pistol", 5, 10, 1, []),
    ("pistol", 5.001, 10, 1, [("MFD-12", -3)]),
    ("pistol", 10, 10, 1, [("MFD-12", -3)]),
    ("rifle", 0, 20, 1, []),
    ("rifle", 5, 15, 1, []),
    ("big_solid", 0, 20, 1, []),
    ("big_explosive", 0, 20, 1, []),
]


@pytest.mark.parametrize(("weapon", "moved", "far", "shots", "modifiers"), FIRED)
def test_mfd_09_12_so_many_shots_with_that_modifier(
    weapon: str, moved: float, far: float, shots: int, modifiers: list[tuple[str, int]]
) -> None:
    battle = duel(weapon, far, moved=moved)
    for n in range(shots):
        decision = when(battle, dice=[1], **shot(weapon))
        assert added(rolled(decision).modifiers) == modifiers
        battle = decision.battle
        assert battle.fig("red-1").shots == n + 1
    no = refused(battle, **shot(weapon))
    assert (no.kind, no.rule) == ("rule-refused", "MFD-09")
    assert f"has fired {shots} of {shots}" in no.reason


NOT_FIRED = [
    ("pistol", 0, 10.001, "MFD-09", "out of range"),
    ("pistol", 5, 10.001, "MFD-09", "out of range"),
    ("rifle", 0, 20.001, "MFD-09", "out of range"),
    ("rifle", 0.001, 20, "MFD-09", "out of range"),
    ("rifle", 5, 15.001, "MFD-09", "out of range"),
    ("rifle", 6, 1, "MFD-09", "fired after that"),
    ("rifle", 6, 2, "MFD-09", "fired after that"),
    ("rifle", 10, 5, "MFD-09", "fired after that"),
    ("big_solid", 0.001, 5, "MFD-09", "fired after that"),
    ("big_explosive", 6, 5, "MFD-09", "fired after that"),
    ("ccw", 0, 5, "MFD-02", "not fired"),
]


@pytest.mark.parametrize(("weapon", "moved", "far", "rule", "why"), NOT_FIRED)
def test_mfd_09_10_empty_cells_and_ranges(weapon: str, moved: float, far: float, rule: str, why: str) -> None:
    no = refused(duel(weapon, far, moved=moved), **shot(weapon))
    assert (no.kind, no.rule) == ("rule-refused", rule)
    assert why in no.reason


def test_mfd_08_more_than_ten_inches_is_no_move() -> None:
    battle = duel("pistol")
    assert refused(battle, **to("red-1", 10, 30.001)).rule == "MFD-08"
    when(battle, **to("red-1", 10, 30))


def test_mfd_09_both_pistol_shots_may_have_their_own_targets() -> None:
    battle = field(fig("red-1", 10, 10, "pistol"), fig("blue-1", 16, 10), fig("blue-2", 10, 18))
    battle = played(battle, shot("pistol", dice=[1]), shot("pistol", "blue-2", dice=[1]))
    assert battle.fig("red-1").shot_at == ("blue-1", "blue-2")


def test_mfd_09_one_weapon_a_turn() -> None:
    battle = field(fig("red-1", 10, 10, "pistol", "rifle"), fig("blue-1", 16, 10))
    battle = played(battle, shot("pistol", dice=[1]))
    no = refused(battle, **shot("rifle"))
    assert (no.rule, no.legal) == ("MFD-09", ("pistol",))
    when(battle, dice=[1], **shot("pistol"))


def test_mfd_09_shots_are_counted_by_the_turn() -> None:
    battle = played(duel("rifle"), shot("rifle", dice=[1]), {"do": "end_turn"}, {"do": "end_turn"})
    assert tried(battle, **shot("rifle")).outcome == "miss"


def test_mfd_10_a_range_is_exact_on_the_diagonal() -> None:
    battle = field(fig("red-1", 10, 10, "pistol"), fig("blue-1", 16, 18), fig("blue-2", 4, 18.001))
    assert tried(battle, **shot("pistol")).distance == inches(10)
    assert refused(battle, **shot("pistol", "blue-2")).rule == "MFD-09"
