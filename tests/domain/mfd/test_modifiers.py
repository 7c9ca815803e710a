"""To-hit modifiers: MFD-11 to MFD-18, MFD-20, how they add up, and the tables of derived vectors."""

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.events import ActionDeclared
from domain.policy import MfdPolicy
from domain.systems.mfd.modifiers import hits, size_steps
from tests.domain.mfd.field import (
    BLUE,
    END_TURN,
    RED,
    ROUND,
    Row,
    added,
    aim,
    duel,
    field,
    fig,
    rolled,
    shot,
    to,
    tried,
)
from tests.spec import played, refused, when

POLICY = MfdPolicy()


def net(battle_modifiers: list[tuple[str, int]]) -> int:
    return sum(value for _, value in battle_modifiers)


def test_mfd_11_the_referee_may_bend_the_roll_and_it_is_written_down() -> None:
    given = [{"value": 2, "reason": "high ground"}, {"value": -1, "reason": "smoke"}]
    decision = when(duel("rifle"), dice=[1], **shot("rifle", cover="partial", modifiers=given))
    assert added(rolled(decision).modifiers) == [("MFD-13", -1), ("MFD-11", 2), ("MFD-11", -1)]
    assert [m.reason for m in rolled(decision).modifiers[1:]] == ["high ground", "smoke"]
    head = decision.events[0]
    assert isinstance(head, ActionDeclared)
    assert head.modifiers == rolled(decision).modifiers


def test_mfd_11_a_side_may_not() -> None:
    no = refused(duel("rifle"), RED, **shot("rifle", modifiers=[{"value": 1, "reason": "please"}]))
    assert no.kind == "forbidden"


def test_mfd_11_every_modifier_is_a_named_entry_that_the_policy_can_bend() -> None:
    policy = {
        "modifier_ran": -1,
        "modifier_cover_partial": -2,
        "modifier_cannot_dodge": 3,
        "modifier_under_3in": 4,
        "modifier_size_step": 5,
    }
    battle = duel("pistol", 2, moved=6, at={"cannot_dodge": True, "height": 8}, **policy)
    expected = [("MFD-12", -1), ("MFD-13", -2), ("MFD-16", 3), ("MFD-17", 4), ("MFD-20", 5)]
    assert added(tried(battle, **shot("pistol", cover="partial")).modifiers) == expected
    full = duel("pistol", modifier_cover_full=-4, modifier_unseen=-5)
    assert added(tried(full, **shot("pistol", cover="full")).modifiers) == [("MFD-14", -4)]
    assert added(tried(full, **shot("pistol", cover="unseen")).modifiers) == [("MFD-15", -5)]
    aimed = played(duel("pistol", modifier_aim_per_turn=2), aim(), *ROUND)
    assert added(tried(aimed, **shot("pistol")).modifiers) == [("MFD-19", 2)]


@pytest.mark.parametrize(("moved", "expected"), [(5, []), (5.001, [("MFD-12", -3)]), (10, [("MFD-12", -3)])])
def test_mfd_12_running_costs_three(moved: float, expected: list[tuple[str, int]]) -> None:
    assert added(tried(duel("pistol", moved=moved), **shot("pistol")).modifiers) == expected


COVER = [
    ("none", []),
    ("partial", [("MFD-13", -1)]),
    ("full", [("MFD-14", -3)]),
    ("unseen", [("MFD-15", -6)]),
]


@pytest.mark.parametrize(("word", "expected"), COVER)
def test_mfd_13_14_15_cover_is_one_family(word: str, expected: list[tuple[str, int]]) -> None:
    assert added(tried(duel("rifle"), **shot("rifle", cover=word)).modifiers) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [("partial", [("MFD-13", -1)]), ("full", [("MFD-14", -3)]), ("unseen", [("MFD-14", -3), ("MFD-15", -6)])],
)
def test_mfd_14_15_cover_lines_add_where_the_policy_says_so(word: str, expected: list[tuple[str, int]]) -> None:
    assert added(tried(duel("rifle", cover_family="adding"), **shot("rifle", cover=word)).modifiers) == expected


def test_mfd_13_terrain_gives_cover_where_nobody_says_a_word() -> None:
    wood = {
        "id": "wood",
        "kind": "area",
        "points": [{"x": 15, "y": 15}, {"x": 19, "y": 15}, {"x": 19, "y": 25}, {"x": 15, "y": 25}],
        "cover": "full",
    }
    battle = field(fig("red-1", 10, 20, "rifle"), fig("blue-1", 17, 20), terrain=[wood])
    decision = when(battle, dice=[1], **shot("rifle"))
    assert added(rolled(decision).modifiers) == [("MFD-14", -3)]
    assert decision.events[0].sights[0].by == "terrain"  # type: ignore[union-attr]
    decision = when(battle, dice=[1], **shot("rifle", cover="none"))
    assert added(rolled(decision).modifiers) == []
    assert decision.events[0].sights[0].by == "declared"  # type: ignore[union-attr]
    decision = when(duel("rifle"), dice=[1], **shot("rifle"))
    sight = decision.events[0].sights[0]  # type: ignore[union-attr]
    assert (sight.fig, sight.cover, sight.by) == ("blue-1", "none", "assumed")


def test_mfd_15_what_cannot_be_seen_may_be_shot_at_all_the_same() -> None:
    assert rolled(when(duel("rifle"), dice=[6], **shot("rifle", cover="unseen"))).outcome == "miss"


def test_mfd_16_what_cannot_dodge_is_easier_and_an_object_never_can() -> None:
    bound = duel("rifle", at={"cannot_dodge": True})
    assert added(tried(bound, **shot("rifle")).modifiers) == [("MFD-16", 1)]
    wall = field(fig("red-1", 10, 20, "rifle"), fig("blue-1", 16, 20, kind="object"))
    assert added(tried(wall, **shot("rifle")).modifiers) == [("MFD-16", 1)]


def test_mfd_16_standing_still_is_not_the_same() -> None:
    battle = played(duel("rifle"), END_TURN, END_TURN)
    assert battle.fig("blue-1").moved == 0
    assert added(tried(battle, **shot("rifle")).modifiers) == []


@pytest.mark.parametrize(("far", "expected"), [(2.999, [("MFD-17", 1)]), (3, [])])
def test_mfd_17_less_than_three_inches_strictly(far: float, expected: list[tuple[str, int]]) -> None:
    assert added(tried(duel("rifle", far), **shot("rifle")).modifiers) == expected


def test_mfd_17_is_exact_on_the_diagonal() -> None:
    # 1.8 and 2.4 make 3 exactly; one thou less is a distance that thou cannot write, and it is close.
    battle = field(fig("red-1", 10, 10, "rifle"), fig("blue-1", 11.8, 12.4), fig("blue-2", 11.8, 7.601))
    assert added(tried(battle, **shot("rifle")).modifiers) == []
    near = tried(battle, **shot("rifle", "blue-2"))
    assert added(near.modifiers) == [("MFD-17", 1)]
    assert near.distance == 3000


@pytest.mark.parametrize(("tape", "expected"), [(2.999, [("MFD-17", 1)]), (3, [])])
def test_mfd_17_goes_by_the_tape_where_there_is_one(tape: float, expected: list[tuple[str, int]]) -> None:
    roll = tried(duel("rifle", 3.5), **shot("rifle", distance=tape))
    assert added(roll.modifiers) == expected
    assert (roll.distance, roll.measured) == (round(tape * 1000), 3500)


def test_mfd_18_contact_replaces_the_three_inches() -> None:
    battle = field(fig("red-1", 10, 10, "pistol"), fig("blue-wall", 11, 10, kind="object"))
    decision = when(battle, dice=[1, 1], **shot("pistol", "blue-wall"))
    assert added(rolled(decision).modifiers) == [("MFD-16", 1), ("MFD-18", 2)]
    assert (rolled(decision).outcome, rolled(decision).rules) == ("hit", ("MFD-09", "MFD-18"))


def test_mfd_18_17_both_count_where_the_policy_says_so() -> None:
    battle = field(fig("red-1", 10, 10, "pistol"), fig("blue-wall", 11, 10, kind="object"), contact_stacks=True)
    decision = when(battle, dice=[1, 1], **shot("pistol", "blue-wall"))
    assert added(rolled(decision).modifiers) == [("MFD-16", 1), ("MFD-17", 1), ("MFD-18", 2)]


def test_mfd_18_who_fails_in_contact_has_touched_and_done_no_harm() -> None:
    battle = field(fig("red-1", 10, 10, "pistol"), fig("blue-wall", 11, 10, kind="object"))
    decision = when(battle, dice=[1], **shot("pistol", "blue-wall", cover="full"))
    assert (rolled(decision).outcome, net(added(rolled(decision).modifiers))) == ("grazed", 0)
    assert decision.battle.fig("blue-wall") == battle.fig("blue-wall")


def test_mfd_18_a_wide_object_may_be_in_contact_beyond_three_inches() -> None:
    battle = field(
        fig("red-1", 10, 10, "pistol"), fig("blue-wall", 14.5, 10, kind="object", base=8), contact_stacks=True
    )
    decision = when(battle, dice=[1, 1], **shot("pistol", "blue-wall"))
    assert added(rolled(decision).modifiers) == [("MFD-16", 1), ("MFD-18", 2)]


HEIGHTS = [(4, 0), (7, 0), (8, 1), (15, 1), (16, 2), (31, 2), (32, 3), (1, 0), (10_000, 11)]


@pytest.mark.parametrize(("height", "steps"), HEIGHTS)
def test_mfd_20_twice_the_size_is_one_and_each_doubling_one_more(height: int, steps: int) -> None:
    assert size_steps(POLICY, height) == steps
    expected = [("MFD-20", steps)] if steps else []
    assert added(tried(duel("rifle", at={"height": height}), **shot("rifle")).modifiers) == expected


@pytest.mark.parametrize(("height", "steps"), [(4, 0), (7, 0), (8, 1), (15, 1), (16, 2), (23, 2), (24, 3), (32, 4)])
def test_mfd_20_sizes_are_linear_where_the_policy_says_so(height: int, steps: int) -> None:
    expected = [("MFD-20", steps)] if steps else []
    battle = duel("rifle", at={"height": height}, size_steps="linear")
    assert added(tried(battle, **shot("rifle")).modifiers) == expected


DERIVED = [
    ("pistol", 0, 6, {}, "none", 0, 0, 3),
    ("pistol", 6, 6, {}, "none", 0, -3, 6),
    ("pistol", 6, 2, {}, "partial", 0, -3, 6),
    ("rifle", 0, 6, {}, "unseen", 3, -3, 6),
    ("rifle", 0, 6, {}, "unseen", 2, -4, 7),
    ("rifle", 0, 2.5, {"cannot_dodge": True, "height": 16}, "none", 0, 4, -1),
]


@pytest.mark.parametrize(("weapon", "moved", "far", "at", "cover", "aimed", "sum_", "needs"), DERIVED)
def test_mfd_12_to_20_derived_vectors(
    weapon: str, moved: float, far: float, at: Row, cover: str, aimed: int, sum_: int, needs: int
) -> None:
    battle = duel(weapon, far, moved=moved, at=at)
    for _ in range(aimed):
        battle = played(battle, aim(), *ROUND)
    for face in range(1, 7):
        outcome = "hit" if face >= needs else "miss"
        damage = [1] if outcome == "hit" else []
        roll = rolled(when(battle, dice=[face, *damage], **shot(weapon, cover=cover)))
        assert (net(added(roll.modifiers)), roll.needed, roll.outcome) == (sum_, 3, outcome)


@for_all(st.integers(1, 6), st.lists(st.integers(-9, 9), max_size=5), st.integers(1, 7))
def test_to_hit_is_the_reference_function(face: int, modifiers: list[int], base: int) -> None:
    def mfd_hits(face: int, mods: list[int], base: int = 3) -> bool:
        return face + sum(mods) >= base

    assert hits(POLICY, face, sum(modifiers), base) is mfd_hits(face, modifiers, base)


@for_all(st.integers(1, 10_000))
def test_mfd_20_is_the_reference_function(height: int) -> None:
    def mfd_size(h: int) -> int:
        n = 0
        while h >= 8 << n:
            n += 1
        return n

    assert size_steps(POLICY, height) == mfd_size(height)


@pytest.mark.parametrize(("face", "sum_", "expected"), [(1, 9, False), (6, -9, True), (2, 0, False), (3, 0, True)])
def test_natural_ones_and_sixes_count_only_where_the_policy_says_so(face: int, sum_: int, expected: bool) -> None:
    natural = MfdPolicy(natural_rules="one_misses_six_hits")
    assert hits(natural, face, sum_, 3) is expected
    assert hits(POLICY, face, sum_, 3) is (face + sum_ >= 3)


def test_the_base_is_three_or_the_policys_or_the_figs_own() -> None:
    assert tried(duel("rifle"), **shot("rifle")).needed == 3
    assert tried(duel("rifle", base_to_hit=4), **shot("rifle")).needed == 4
    battle = field(fig("red-1", 1, 1, "rifle", to_hit=2), fig("blue-1", 9, 1), base_to_hit=4)
    assert tried(battle, **shot("rifle")).needed == 2


def test_a_side_sees_with_its_own_eyes_in_its_own_turn() -> None:
    assert refused(duel("rifle"), BLUE, **shot("rifle")).kind == "not-your-fig"
    battle = played(duel("rifle"), to("red-1", 11, 20), END_TURN)
    assert refused(battle, **shot("rifle")).rule == "TURN-01"
