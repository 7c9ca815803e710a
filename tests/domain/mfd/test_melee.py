"""Close combat: MFD-21, MFD-23 and MFD-24."""

from typing import Any

import pytest

from domain.battle import Battle
from domain.dice import Throw
from domain.events import ActionDeclared, DamageRolled, FigHit, FigRemoved, MeleeFought, MeleeLeft, MfdHitRolled
from domain.measures import Point
from tests.domain.mfd.field import (
    BLUE,
    END_TURN,
    RED,
    ROUND,
    Row,
    added,
    decided,
    field,
    fig,
    fight,
    shot,
    to,
)
from tests.spec import kinds, only, played, refused, when


def pair(red: str = "ccw", blue: str = "ccw", **policy: Any) -> Battle:
    """Two figs in contact; a second blue one stands apart."""
    arms = [[kind] if kind else [] for kind in (red, blue)]
    figs = [fig("red-1", 10, 10, *arms[0]), fig("blue-1", 11, 10, *arms[1]), fig("blue-2", 30, 30)]
    return field(*figs, **policy)


BOTH = fight("red-1>blue-1", "blue-1>red-1")


def rolls(battle: Battle, command: Row) -> list[MfdHitRolled]:
    return [e for e in decided(battle, **command).events if isinstance(e, MfdHitRolled)]


def test_mfd_21_two_figs_in_contact_fight_close_combat() -> None:
    decision = when(pair(), RED, dice=[3, 2, 6, 6], **BOTH)
    assert kinds(decision) == [
        "PhaseStarted",
        "PhaseStarted",
        "MfdHitRolled",
        "MfdHitRolled",
        "FigHit",
        "DamageRolled",
        "FigRemoved",
        "MeleeLeft",
        "MeleeFought",
    ]
    first, second = (e for e in decision.events if isinstance(e, MfdHitRolled))
    assert (first.fig, first.target, first.weapon, first.face, first.outcome) == ("red-1", "blue-1", "ccw", 3, "hit")
    assert (second.fig, second.target, second.outcome) == ("blue-1", "red-1", "miss")
    assert (first.melee, first.distance, first.measured, first.needed) == (True, 1000, 1000, 3)
    assert first.dice == (Throw("to_hit", 6, (3,)),)
    assert first.rules == ("MFD-23", "MFD-02")
    assert only(decision, FigHit) == FigHit("blue-1", "red-1", "ccw", 0, False, 1000, "MFD-23")
    out = only(decision, FigRemoved)
    assert (out.fig, out.by, out.weapon, out.cause, out.rule) == ("blue-1", "red-1", "ccw", "damage", "MFD-02")
    assert (out.origin, out.distance) == (Point(10_000, 10_000), 1000)
    assert only(decision, MeleeLeft).fig == "blue-1"
    assert only(decision, MeleeFought).figs == ("blue-1", "red-1")
    assert decision.battle.fig("red-1").engaged == ()


@pytest.mark.parametrize(
    ("bouts", "rule"),
    [
        (fight("red-1>blue-2", "blue-1>red-1"), "MFD-21"),
        (fight("blue-2>red-1"), "MFD-21"),
        (fight("red-1>red-1"), "MFD-21"),
        (fight("red-1>blue-1"), "MFD-23"),
        (fight("blue-1>red-1"), "MFD-23"),
        (fight("red-1>blue-1", "red-1>blue-1", "blue-1>red-1"), "MFD-23"),
    ],
)
def test_mfd_21_23_each_fig_of_the_melee_strikes_once_at_an_enemy_in_contact(bouts: Row, rule: str) -> None:
    no = refused(pair(), **bouts)
    assert (no.kind, no.rule) == ("rule-refused", rule)


def test_mfd_23_who_has_not_struck_is_named() -> None:
    no = refused(pair(), **fight("red-1>blue-1"))
    assert (no.legal, "blue-1" in no.reason) == (("blue-1",), True)


def test_a_bout_names_figs_that_there_are() -> None:
    assert refused(pair(), **fight("red-1>blue-1", "blue-9>red-1")).pointer == "/bouts/1/fig"
    assert refused(pair(), **fight("red-1>blue-9")).pointer == "/bouts/0/target"


def test_mfd_23_melees_are_fought_one_by_one() -> None:
    battle = field(fig("red-1", 10, 10), fig("blue-1", 11, 10), fig("red-2", 20, 10), fig("blue-2", 21, 10))
    second = ("red-2>blue-2", "blue-2>red-2")
    no = refused(battle, **fight("red-1>blue-1", "blue-1>red-1", *second))
    assert (no.rule, no.legal) == ("MFD-23", ("blue-1", "red-1"))
    after = when(battle, dice=[1, 1], **BOTH).battle
    when(after, dice=[1, 1], **fight(*second))


def test_mfd_23_both_may_die() -> None:
    decision = when(pair(), dice=[6, 6, 5, 5, 6, 6], **BOTH)
    assert [e.fig for e in decision.events if isinstance(e, FigRemoved)] == ["blue-1", "red-1"]
    assert kinds(decision)[-4:] == ["FigRemoved", "MeleeLeft", "FigRemoved", "MeleeFought"]


def test_mfd_23_to_hit_rolls_come_first_and_damage_after_in_the_order_of_the_bouts() -> None:
    decision = when(pair(), dice=[6, 5, 1, 2, 3, 1], **fight("blue-1>red-1", "red-1>blue-1"))
    assert [t.faces for t in decision.thrown] == [(6,), (5,), (1, 2), (3, 1)]
    assert [e.fig for e in decision.events if isinstance(e, DamageRolled)] == ["red-1", "blue-1"]


def test_mfd_23_a_fig_felled_twice_is_felled_once_by_the_first() -> None:
    battle = field(fig("red-1", 9, 10, "ccw"), fig("red-2", 11, 10, "ccw"), fig("blue-1", 10, 10, "ccw"))
    bouts = ("red-2>blue-1", "red-1>blue-1", "blue-1>red-1")
    decision = when(battle, dice=[6, 6, 6, 4, 4, 6, 6, 5, 5], **fight(*bouts))
    assert [(e.fig, e.by) for e in decision.events if isinstance(e, FigRemoved)] == [
        ("blue-1", "red-2"),
        ("red-1", "blue-1"),
    ]
    assert sum(isinstance(e, DamageRolled) for e in decision.events) == 3
    decision = when(battle, dice=[6, 6, 1, 1, 1, 6, 6], **fight(*bouts))
    assert only(decision, FigRemoved).by == "red-1"


def test_mfd_23_one_round_for_each_melee_in_a_turn() -> None:
    battle = played(pair(), BOTH | {"dice": [1, 1]})
    assert refused(battle, **BOTH).rule == "MFD-23"
    blues = played(battle, END_TURN)
    again = when(blues, BLUE, dice=[1, 1], **BOTH)
    assert refused(again.battle, **BOTH).rule == "MFD-23"
    when(played(again.battle, END_TURN), dice=[1, 1], **BOTH)


def test_mfd_23_the_side_in_turn_has_to_be_in_the_melee() -> None:
    battle = field(
        fig("red-1", 30, 10),
        fig("blue-1", 10, 10),
        fig("green-1", 11, 10),
        sides=("red", "blue", "green"),
    )
    bouts = fight("blue-1>green-1", "green-1>blue-1")
    assert refused(battle, **bouts).rule == "TURN-01"
    when(played(battle, END_TURN), dice=[1, 1], **bouts)


def test_mfd_23_three_sides_may_meet_in_one_melee() -> None:
    battle = field(
        fig("red-1", 9, 10),
        fig("blue-1", 10, 10),
        fig("green-1", 11, 10),
        sides=("red", "blue", "green"),
    )
    bouts = fight("red-1>blue-1", "blue-1>green-1", "green-1>blue-1")
    assert only(when(battle, dice=[1, 1, 1], **bouts), MeleeFought).figs == ("blue-1", "green-1", "red-1")


@pytest.mark.parametrize(("weapon", "needed"), [("ccw", 3), ("pistol", 3), ("rifle", 4), ("", 4)])
def test_mfd_24_who_has_no_ccw_hits_on_four(weapon: str, needed: int) -> None:
    roll = rolls(pair(weapon), BOTH)[0]
    assert roll.needed == needed
    assert (roll.weapon is None) is (needed == 4)


def test_mfd_24_a_rifle_and_a_ccw_are_a_ccw() -> None:
    battle = field(fig("red-1", 10, 10, "rifle", "ccw"), fig("blue-1", 11, 10))
    assert [(r.weapon, r.needed) for r in rolls(battle, BOTH)] == [("ccw", 3), (None, 4)]


def test_mfd_24_bare_hands_do_1d6() -> None:
    decision = when(pair("rifle"), dice=[4, 2, 6], **BOTH)
    (roll,) = (e for e in decision.events if isinstance(e, DamageRolled))
    assert (roll.weapon, roll.dice, roll.rule, roll.penetrated) == (None, (Throw("damage", 6, (6,)),), "MFD-24", True)
    assert only(decision, FigRemoved).weapon is None
    assert only(decision, FigRemoved).rule == "MFD-24"
    assert rolls(pair("rifle"), BOTH)[0].rules == ("MFD-23", "MFD-24")


def test_mfd_24_four_is_fixed_whatever_the_fig_hits_on_and_a_switch() -> None:
    battle = field(fig("red-1", 10, 10, "rifle", to_hit=2), fig("blue-1", 11, 10, "ccw", to_hit=2))
    assert [r.needed for r in rolls(battle, BOTH)] == [4, 2]
    assert rolls(pair("rifle", unarmed_hits_on=5), BOTH)[0].needed == 5


def test_mfd_23_of_the_shooters_list_only_size_and_dodging_count() -> None:
    battle = field(
        fig("red-1", 10, 10, "ccw"),
        fig("blue-1", 18, 10, "ccw", height=16, cannot_dodge=True),
        terrain=[{"id": "fog", "kind": "area", "cover": "full", "points": CORNERS}],
    )
    battle = played(battle, to("red-1", 17, 10))
    assert battle.fig("red-1").moved == 7000
    decision = decided(battle, **BOTH)
    first, second = (e for e in decision.events if isinstance(e, MfdHitRolled))
    assert added(first.modifiers) == [("MFD-16", 1), ("MFD-20", 2)]
    assert added(second.modifiers) == []
    head = decision.events[0]
    assert isinstance(head, ActionDeclared)
    assert head.modifiers == first.modifiers
    assert head.sights == ()


CORNERS = [{"x": 1, "y": 1}, {"x": 40, "y": 1}, {"x": 40, "y": 40}, {"x": 1, "y": 40}]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ({}, []),
        ({"melee_uses_proximity": True}, [("MFD-18", 2)]),
        ({"melee_uses_proximity": True, "contact_stacks": True}, [("MFD-17", 1), ("MFD-18", 2)]),
    ],
)
def test_mfd_17_18_nearness_counts_in_melee_only_by_the_switch(policy: Row, expected: list[tuple[str, int]]) -> None:
    assert added(rolls(pair(**policy), BOTH)[0].modifiers) == expected


def test_mfd_18_nobody_grazes_in_a_melee() -> None:
    assert [r.outcome for r in rolls(pair(), BOTH)] == ["miss", "miss"]


def test_mfd_21_an_object_does_not_fight() -> None:
    battle = field(fig("red-1", 10, 10), fig("blue-wall", 11, 10, kind="object"), fig("blue-1", 30, 30))
    assert refused(battle, **fight("red-1>blue-wall")).rule == "MFD-21"


def test_mfd_21_a_fig_may_leave_a_melee_and_shoot() -> None:
    battle = field(fig("red-1", 10, 10, "pistol"), fig("blue-1", 11, 10))
    when(played(battle, to("red-1", 8, 10)), dice=[1], **shot("pistol"))


def test_close_combat_ends_the_phases_before_it() -> None:
    battle = played(pair(), BOTH | {"dice": [1, 1]})
    assert battle.phase == "close_combat"
    assert refused(battle, **to("red-1", 9, 10)).rule == "TURN-02"
    assert played(battle, *ROUND).phase == "movement"
