"""Aiming: MFD-19, with every switch of it."""

from typing import Any

import pytest

from domain.battle import Aim, Battle
from domain.events import AimLost, AimTaken
from tests.domain.mfd.field import (
    END_PHASE,
    END_TURN,
    ROUND,
    Row,
    added,
    aim,
    armoury,
    decided,
    duel,
    field,
    fig,
    fight,
    shot,
    to,
    tried,
)
from tests.spec import kinds, only, played, refused, when


def range_(*weapons: str, **policy: Any) -> Battle:
    """Red-1 with these weapons, two enemies in reach and an object."""
    red = fig("red-1", 10, 10, *(weapons or ("pistol",)))
    blue = [fig("blue-1", 16, 10), fig("blue-2", 10, 16), fig("blue-wall", 4, 10, kind="object")]
    return field(red, *blue, **policy)


def aims(battle: Battle, name: str = "red-1") -> Aim | None:
    return battle.fig(name).aim


def lost(battle: Battle, **command: Any) -> list[tuple[str, str, str]]:
    return [(e.fig, e.target, e.reason) for e in decided(battle, **command).events if isinstance(e, AimLost)]


def test_mfd_19_each_turn_of_aiming_adds_one_without_end() -> None:
    battle = range_()
    for turns in range(1, 6):
        decision = when(battle, **aim())
        assert only(decision, AimTaken) == AimTaken("red-1", "blue-1", turns)
        battle = played(decision.battle, *ROUND)
        assert added(tried(battle, **shot("pistol")).modifiers) == [("MFD-19", turns)]


def test_mfd_19_the_bonus_is_for_the_target_aimed_at_only() -> None:
    battle = played(range_(), aim(), *ROUND)
    assert added(tried(battle, **shot("pistol", "blue-2")).modifiers) == []


def test_mfd_19_both_shots_of_a_pistol_have_it_and_then_it_is_gone() -> None:
    battle = played(range_(), aim(), *ROUND, shot("pistol", dice=[1]))
    assert added(tried(battle, **shot("pistol")).modifiers) == [("MFD-19", 1)]
    decision = when(battle, **END_TURN)
    assert only(decision, AimLost) == AimLost("red-1", "blue-1", "fire")
    assert kinds(decision)[-4:] == ["AimLost", "TurnEnded", "TurnStarted", "PhaseStarted"]


def test_mfd_19_it_outlasts_turns_in_which_nothing_happens_and_being_shot_at() -> None:
    battle = played(
        field(fig("red-1", 10, 10, "rifle"), fig("blue-1", 16, 10, "rifle")),
        aim(),
        END_TURN,
        shot("rifle", "red-1", "blue-1", dice=[6, 1]),
        END_TURN,
        *ROUND,
    )
    assert aims(battle) == Aim("blue-1", 1)


def test_mfd_19_one_may_aim_at_an_object() -> None:
    battle = played(range_(), aim(target="blue-wall"), *ROUND)
    assert added(tried(battle, **shot("pistol", "blue-wall")).modifiers) == [("MFD-16", 1), ("MFD-19", 1)]


@pytest.mark.parametrize("cap", [1, 2])
def test_mfd_19_the_bonus_may_be_capped(cap: int) -> None:
    battle = played(range_(aim_cap=cap), aim(), *ROUND, aim(), *ROUND, aim(), *ROUND)
    assert aims(battle) == Aim("blue-1", cap)
    assert added(tried(battle, **shot("pistol")).modifiers) == [("MFD-19", cap)]


def test_mfd_19_a_cap_is_reached_turn_by_turn() -> None:
    battle = played(range_(aim_cap=3), aim(), *ROUND)
    assert aims(battle) == Aim("blue-1", 1)
    assert aims(played(battle, aim())) == Aim("blue-1", 2)


def test_mfd_19_a_cap_of_nothing_is_no_bonus() -> None:
    battle = played(range_(aim_cap=0), aim(), *ROUND)
    assert added(tried(battle, **shot("pistol")).modifiers) == []


NOT_ABLE = [
    ([to("red-1", 10, 11)], aim(), "has moved"),
    ([aim()], aim(), "has aimed"),
    ([shot("pistol", dice=[1])], aim(), "has fired"),
    ([], aim(target="red-1"), "own side"),
]


@pytest.mark.parametrize(("before", "command", "why"), NOT_ABLE, ids=["moved", "aimed", "fired", "own-side"])
def test_mfd_19_who_may_aim(before: list[Row], command: Row, why: str) -> None:
    no = refused(played(range_(), *before), **command)
    assert (no.kind, no.rule) == ("rule-refused", "MFD-19")
    assert why in no.reason


def test_mfd_19_aiming_takes_a_gun_and_free_hands() -> None:
    assert "no gun" in refused(range_("ccw"), **aim()).reason
    battle = field(fig("red-1", 10, 10, "pistol"), fig("blue-1", 11, 10), fig("blue-2", 16, 10))
    no = refused(battle, **aim(target="blue-2"))
    assert (no.rule, no.legal) == ("MFD-19", ("fight",))


def test_mfd_19_a_target_that_is_out_or_unknown_is_no_target() -> None:
    battle = field(
        fig("red-1", 10, 10, "rifle"), fig("red-2", 10, 14, "rifle"), fig("blue-1", 16, 10), fig("blue-2", 30, 30)
    )
    battle = played(battle, shot("rifle", dice=[6, 10]))
    no = refused(battle, **aim("red-2"))
    assert (no.rule, no.legal) == ("TURN-03", ("blue-2",))
    assert refused(battle, **aim("red-2", "blue-9")).pointer == "/target"


def test_mfd_19_aiming_takes_the_place_of_firing() -> None:
    battle = played(range_(), aim())
    assert refused(battle, **shot("pistol")).rule == "MFD-19"


def test_mfd_19_one_may_aim_and_fire_in_one_turn_where_the_policy_says_so() -> None:
    battle = played(range_(aim_same_turn=True), aim())
    assert added(tried(battle, **shot("pistol")).modifiers) == [("MFD-19", 1)]
    after = played(range_(aim_same_turn=True), shot("pistol", dice=[1]), aim())
    assert aims(after) == Aim("blue-1", 1)


def test_mfd_19_aiming_breaks_no_standing_still() -> None:
    battle = played(duel("rifle", 20, aim_same_turn=True), aim())
    assert tried(battle, **shot("rifle")).distance == 20_000


def test_mfd_19_aiming_at_another_starts_afresh() -> None:
    decision = when(played(range_(), aim(), *ROUND, aim(), *ROUND), **aim(target="blue-2"))
    assert kinds(decision) == ["PhaseStarted", "AimLost", "AimTaken"]
    assert only(decision, AimLost) == AimLost("red-1", "blue-1", "retarget")
    assert aims(decision.battle) == Aim("blue-2", 1)


def kept(*reasons: str) -> list[str]:
    return [reason for reason in ("move", "retarget", "fire", "melee") if reason not in reasons]


def test_mfd_19_moving_loses_it_or_not() -> None:
    assert lost(played(range_(), aim(), *ROUND), **to("red-1", 10, 11)) == [("red-1", "blue-1", "move")]
    battle = played(range_(aim_lost_on=kept("move")), aim(), *ROUND, to("red-1", 10, 11))
    assert added(tried(battle, **shot("pistol")).modifiers) == [("MFD-19", 1)]


def test_mfd_19_firing_at_another_loses_it_or_not() -> None:
    decision = when(played(range_(), aim(), *ROUND), dice=[1], **shot("pistol", "blue-2"))
    assert kinds(decision) == ["PhaseStarted", "AimLost", "ShotFired", "MfdHitRolled"]
    assert only(decision, AimLost).reason == "retarget"
    battle = played(range_(aim_lost_on=kept("retarget")), aim(), *ROUND, shot("pistol", "blue-2", dice=[1]))
    assert added(tried(battle, **shot("pistol")).modifiers) == [("MFD-19", 1)]


def test_mfd_19_having_fired_loses_it_or_not() -> None:
    fired = (aim(), *ROUND, shot("pistol", dice=[1]), *ROUND)
    assert aims(played(range_(), *fired)) is None
    assert aims(played(range_(aim_lost_on=kept("fire")), *fired)) == Aim("blue-1", 1)


def test_mfd_19_the_others_keep_theirs_when_a_turn_ends() -> None:
    battle = field(fig("red-1", 10, 10, "rifle"), fig("blue-1", 16, 10, "rifle"))
    battle = played(battle, shot("rifle", dice=[1]), END_TURN, aim("blue-1", "red-1"), END_TURN)
    assert aims(battle, "blue-1") == Aim("red-1", 1)


@pytest.mark.parametrize("loses", [True, False])
def test_mfd_19_being_drawn_into_a_melee_loses_it_or_not(loses: bool) -> None:
    policy: dict[str, Any] = {} if loses else {"aim_lost_on": kept("melee")}
    battle = field(fig("red-1", 10, 10, "rifle"), fig("blue-1", 16, 10), **policy)
    battle = played(battle, aim(), END_TURN, to("blue-1", 11, 10))
    assert aims(battle) == (None if loses else Aim("blue-1", 1))


def test_mfd_19_a_target_shot_dead_is_lost_to_all_who_aimed_at_it() -> None:
    figs = [fig(f"red-{n}", 10, 10 + 2 * n, "rifle") for n in range(1, 4)]
    battle = played(field(*figs, fig("blue-1", 16, 14)), aim("red-1"), aim("red-2"), *ROUND)
    decision = when(battle, dice=[3, 6], **shot("rifle", name="red-3"))
    assert kinds(decision)[-3:] == ["FigRemoved", "AimLost", "AimLost"]
    assert [e.fig for e in decision.events if isinstance(e, AimLost)] == ["red-1", "red-2"]
    own = when(battle, dice=[2, 6], **shot("rifle", name="red-1"))
    assert [(e.fig, e.reason) for e in own.events if isinstance(e, AimLost)] == [
        ("red-1", "target_lost"),
        ("red-2", "target_lost"),
    ]
    never = played(field(*figs, fig("blue-1", 16, 14), aim_lost_on=[]), aim("red-1"), *ROUND)
    assert lost(never, **shot("rifle", name="red-3", modifiers=[{"value": 9, "reason": "x"}])) == []
    gone = when(never, dice=[3, 6], **shot("rifle", name="red-3"))
    assert only(gone, AimLost).reason == "target_lost"


def test_mfd_19_a_target_that_falls_in_close_combat_is_lost_too() -> None:
    battle = field(fig("red-1", 10, 10, "rifle"), fig("red-2", 15, 10, "ccw"), fig("blue-1", 16, 10))
    battle = played(battle, aim(), *ROUND)
    decision = when(battle, dice=[3, 1, 6, 6], **fight("red-2>blue-1", "blue-1>red-2"))
    assert only(decision, AimLost) == AimLost("red-1", "blue-1", "target_lost")


def test_mfd_19_aiming_belongs_to_the_shooting_phase() -> None:
    assert played(range_(), aim()).phase == "shooting"
    assert refused(played(range_(), END_PHASE, END_PHASE), **aim()).rule == "TURN-02"


def test_mfd_19_a_big_gun_may_be_aimed() -> None:
    battle = field(fig("red-1", 10, 10, "big_solid"), armoury("red"), fig("blue-1", 20, 10))
    assert aims(played(battle, aim())) == Aim("blue-1", 1)
