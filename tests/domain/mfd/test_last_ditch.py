"""Last ditch: MFD-25 to MFD-28."""

from typing import Any

import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

from domain.battle import Battle
from domain.events import FigRemoved, LastDitchCalled, MfdHitRolled
from domain.evolve import evolve
from domain.measures import Point
from domain.systems.mfd.last_ditch import reduced
from tests.domain.mfd.field import (
    BLUE,
    END_PHASE,
    END_TURN,
    RED,
    ROUND,
    Row,
    added,
    aim,
    armoury,
    damage,
    decided,
    duel,
    field,
    fig,
    fight,
    rolled,
    shot,
    to,
    tried,
)
from tests.spec import kinds, only, played, refused, when

CALL: Row = {"do": "last_ditch", "side": "red"}


def fallen(battle: Battle, *names: str) -> Battle:
    """The table after these have fallen."""
    for name in names:
        out = FigRemoved(fig=name, cause="damage", rule="", by="", weapon=None, origin=Point(0, 0), distance=0)
        battle = evolve(battle, out)
    return battle


def force(start: int, left: int, *more: Row, blues: int = 3, **policy: Any) -> Battle:
    """A red force of so many with so many left, red-1 first, and some blue figs ten inches off."""
    reds = [fig(f"red-{n}", 2 + 2 * (n % 20), 2 + 2 * (n // 20), "rifle") for n in range(1, start + 1)]
    reds[0] = fig("red-1", 20, 20, "rifle")
    blue = [fig(f"blue-{n}", 20 + 2 * n, 30, "rifle") for n in range(blues)]
    return fallen(field(*reds, *blue, *more, **policy), *[f"red-{n}" for n in range(left + 1, start + 1)])


VECTORS = [(20, 2, True), (20, 3, False), (10, 1, True), (9, 1, False), (100, 10, True), (100, 11, False)]


@pytest.mark.parametrize(("start", "left", "ready"), VECTORS)
def test_mfd_25_a_force_down_to_a_tenth(start: int, left: int, ready: bool) -> None:
    assert reduced(start, left) is ready
    battle = force(start, left, blues=12)
    if ready:
        decision = when(battle, RED, **CALL)
        assert only(decision, LastDitchCalled) == LastDitchCalled("red", start, left, "outnumbered", "MFD-25")
        assert kinds(decision) == ["LastDitchCalled"]
        assert decision.battle.sides["red"].last_ditch
    else:
        no = refused(battle, **CALL)
        assert (no.kind, no.rule) == ("rule-refused", "MFD-25")
        assert f"{left} of {start} figs" in no.reason
        assert no.legal == (f"at most {start // 10} left",)


@for_all(st.integers(0, 300), st.integers(0, 300))
def test_mfd_25_is_the_reference_function(start: int, left: int) -> None:
    def last_ditch_ready(start: int, left: int) -> bool:
        return 10 * left <= start

    assert reduced(start, left) is last_ditch_ready(start, left)


@pytest.mark.parametrize(("percent", "left", "ready"), [(50, 5, True), (50, 6, False), (0, 1, False), (100, 10, True)])
def test_mfd_25_the_share_is_a_switch(percent: int, left: int, ready: bool) -> None:
    battle = force(10, left, blues=12, last_ditch_percent=percent)
    if ready:
        when(battle, **CALL)
    else:
        assert refused(battle, **CALL).rule == "MFD-25"


def test_mfd_25_objects_do_not_count_as_figs() -> None:
    crates = [fig(f"red-o{n}", 2 + 2 * n, 40, kind="object") for n in range(8)]
    assert only(when(force(10, 1, *crates), **CALL), LastDitchCalled).start == 10
    targets = [fig(f"blue-o{n}", 2 + 2 * n, 40, kind="object") for n in range(8)]
    assert refused(force(10, 1, *targets, blues=1), **CALL).rule == "MFD-25"


def test_mfd_25_a_side_of_objects_alone_has_nobody_to_fight_on() -> None:
    battle = field(fig("red-wall", 5, 5, kind="object"), fig("blue-1", 9, 9))
    no = refused(battle, **CALL)
    assert (no.rule, no.reason) == ("MFD-25", "red has no fig left to fight on")


def test_mfd_25_not_with_vehicles_of_its_own() -> None:
    tank = fig("red-tank", 40, 40, kind="object", vehicle=True)
    no = refused(force(10, 1, tank), **CALL)
    assert (no.rule, "red-tank" in no.reason) == ("MFD-25", True)
    when(fallen(force(10, 1, tank), "red-tank"), **CALL)
    when(force(10, 1, fig("blue-tank", 40, 40, kind="object", vehicle=True)), **CALL)


def test_mfd_25_outnumbered_or_outgunned() -> None:
    assert only(when(force(10, 1, blues=2), **CALL), LastDitchCalled).because == "outnumbered"
    no = refused(force(10, 1, blues=1), **CALL)
    assert "1 figs to 1" in no.reason
    assert "1 guns to 1" in no.reason
    armed = fig("blue-0", 20, 30, "rifle", "pistol", "ccw")
    battle = fallen(force(10, 1, armed, fig("blue-9", 40, 40), blues=0), "blue-9")
    assert only(when(battle, **CALL), LastDitchCalled).because == "outgunned"
    swords = fig("blue-0", 20, 30, "rifle", "ccw")
    assert refused(fallen(force(10, 1, swords, fig("blue-9", 40, 40), blues=0), "blue-9"), **CALL).rule == "MFD-25"


def test_mfd_25_all_enemies_count_whichever_side_they_are_of() -> None:
    reds = [fig(f"red-{n}", 2 * n, 2, "rifle") for n in range(1, 11)]
    battle = field(*reds, fig("blue-1", 20, 30), fig("green-1", 30, 30), sides=("red", "blue", "green"))
    battle = fallen(battle, *[f"red-{n}" for n in range(2, 11)])
    assert only(when(battle, **CALL), LastDitchCalled).because == "outnumbered"


def test_mfd_25_is_called_by_its_own_side_in_its_own_movement_phase() -> None:
    battle = force(10, 1)
    assert refused(battle, BLUE, **CALL).kind == "not-your-fig"
    assert refused(played(battle, END_PHASE), **CALL).rule == "TURN-02"
    assert refused(played(battle, END_TURN), **CALL).rule == "TURN-01"
    assert refused(battle, do="last_ditch", side="green").pointer == "/side"


def test_mfd_28_it_is_never_called_off_and_never_again() -> None:
    battle = played(force(10, 1), CALL)
    assert refused(battle, **CALL).rule == "MFD-28"
    battle = played(battle, to("red-1", 20, 21), *ROUND, to("red-1", 20, 22), *ROUND)
    assert battle.sides["red"].last_ditch
    assert refused(battle, **CALL).rule == "MFD-28"


def ditch(*more: Row, **policy: Any) -> Battle:
    """Red-1, the last of ten, has called it; three enemies stand ten inches off."""
    return played(force(10, 1, *more, **policy), CALL)


def test_mfd_26_every_fig_has_to_go_for_the_closest_enemy() -> None:
    no = refused(ditch(), **END_PHASE)
    assert (no.kind, no.rule) == ("rule-refused", "MFD-26")
    assert no.reason.endswith("not so: red-1")
    for command in (END_TURN, shot("rifle", "blue-0"), aim("red-1", "blue-0")):
        assert refused(ditch(), **command).rule == "MFD-26"
    when(played(ditch(), to("red-1", 20, 20.001)), **END_PHASE)
    assert refused(played(ditch(), to("red-1", 20, 19)), **END_PHASE).rule == "MFD-26"
    assert refused(played(ditch(), to("red-1", 20, 21), to("red-1", 20, 20)), **END_PHASE).rule == "MFD-26"


def test_mfd_26_in_every_turn_from_then_on() -> None:
    battle = played(ditch(), to("red-1", 20, 21), *ROUND)
    assert refused(battle, **END_PHASE).rule == "MFD-26"


def test_mfd_26_nobody_runs() -> None:
    no = refused(ditch(), **to("red-1", 20, 25.001))
    assert (no.rule, no.legal) == ("MFD-26", ('5" more',))
    battle = played(ditch(), to("red-1", 20, 25))
    assert refused(battle, **to("red-1", 20, 25.001)).rule == "MFD-26"
    when(battle, **END_PHASE)
    slow = field(fig("red-1", 20, 20, move=2), fig("blue-1", 20, 30), fig("blue-2", 22, 30), last_ditch_percent=100)
    assert refused(played(slow, CALL), **to("red-1", 20, 24.001)).rule == "MFD-08"


def test_mfd_26_who_ran_before_has_to_wait_a_turn_with_the_call() -> None:
    battle = played(force(10, 1), to("red-1", 20, 26))
    no = refused(battle, **CALL)
    assert (no.rule, no.legal) == ("MFD-26", ("call it next turn",))
    when(played(battle, *ROUND), **CALL)


def test_mfd_26_who_is_in_contact_already_has_arrived() -> None:
    battle = played(force(10, 1, fig("blue-9", 20, 21)), CALL)
    when(battle, **END_PHASE)


def test_mfd_26_big_weapon_figs_may_stand_but_not_stroll() -> None:
    figs = [fig("red-1", 20, 20, "big_solid"), armoury("red"), fig("blue-1", 20, 30), fig("blue-2", 24, 30)]
    battle = played(field(*figs, last_ditch_percent=100), CALL)
    when(battle, **END_PHASE)
    assert refused(played(battle, to("red-1", 20, 19)), **END_PHASE).rule == "MFD-26"
    when(played(battle, to("red-1", 20, 21)), **END_PHASE)


def test_mfd_26_objects_need_not_go_anywhere() -> None:
    when(played(ditch(armoury("red")), to("red-1", 20, 21)), **END_PHASE)


def test_mfd_26_without_an_enemy_fig_there_is_nowhere_to_go() -> None:
    battle = fallen(ditch(fig("blue-wall", 40, 40, kind="object")), "blue-0", "blue-1", "blue-2")
    when(battle, **END_PHASE)


def test_mfd_26_the_referee_may_waive_it_and_a_side_may_not() -> None:
    for command in (END_PHASE, END_TURN):
        when(ditch(), **command, waive="it is walled in")
        assert refused(ditch(), RED, **command, waive="please").kind == "forbidden"


def test_mfd_26_a_side_that_has_not_called_it_may_stay_where_it_is() -> None:
    battle = played(ditch(), to("red-1", 20, 21), END_TURN)
    when(battle, **END_PHASE)


def test_mfd_27_28_the_worked_example() -> None:
    battle = duel("rifle", 10, moved=3)
    for side in ("red", "blue"):
        battle = evolve(battle, LastDitchCalled(side, 10, 1, "outnumbered", "MFD-25"))
    roll = tried(battle, **shot("rifle", cover="full"))
    assert added(roll.modifiers) == [("MFD-27", 2), ("MFD-27", 1), ("MFD-27", 0)]
    assert [m.reason for m in roll.modifiers] == [
        "red is in last ditch",
        "blue is in last ditch",
        "no benefit from cover in last ditch",
    ]
    hurt = damage(decided(battle, **shot("rifle", cover="full")))
    assert (hurt.armour, added(hurt.modifiers)) == (4, [("MFD-27", -1)])


def reds_turn(*more: Row, **policy: Any) -> Battle:
    """Red in last ditch, red-1 a step closer to blue-0 and ready to fire."""
    return played(ditch(*more, **policy), to("red-1", 20, 21))


def blues_turn(**policy: Any) -> Battle:
    return played(reds_turn(**policy), END_TURN)


def test_mfd_27_two_better_to_hit() -> None:
    assert added(tried(reds_turn(), **shot("rifle", "blue-0", cover="partial")).modifiers) == [
        ("MFD-13", -1),
        ("MFD-27", 2),
    ]


@pytest.mark.parametrize("cover", ["partial", "full", "unseen"])
def test_mfd_27_one_easier_to_be_hit_and_no_good_from_cover(cover: str) -> None:
    roll = tried(blues_turn(), **shot("rifle", "red-1", "blue-0", cover=cover))
    assert added(roll.modifiers) == [("MFD-27", 1), ("MFD-27", 0)]
    roll = tried(blues_turn(), **shot("rifle", "red-1", "blue-0"))
    assert added(roll.modifiers) == [("MFD-27", 1)]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ({"last_ditch_cancels_unseen": False}, [("MFD-15", -6), ("MFD-27", 1)]),
        (
            {"last_ditch_cancels_unseen": False, "cover_family": "adding"},
            [("MFD-15", -6), ("MFD-27", 1), ("MFD-27", 0)],
        ),
        ({"cover_family": "adding"}, [("MFD-27", 1), ("MFD-27", 0)]),
    ],
)
def test_mfd_27_whether_it_cancels_unseen_is_a_switch(policy: Row, expected: list[tuple[str, int]]) -> None:
    battle = blues_turn(**policy)
    assert added(tried(battle, **shot("rifle", "red-1", "blue-0", cover="unseen")).modifiers) == expected


def test_mfd_27_armour_is_one_worse() -> None:
    hurt = damage(when(blues_turn(), dice=[6, 5], **shot("rifle", "red-1", "blue-0")))
    assert (hurt.armour, added(hurt.modifiers), hurt.penetrated) == (4, [("MFD-27", -1)], True)
    assert not damage(when(blues_turn(), dice=[6, 4], **shot("rifle", "red-1", "blue-0"))).penetrated


def test_mfd_27_objects_are_not_in_last_ditch() -> None:
    wall = fig("red-wall", 22, 24, kind="object", weapons=[{"id": "rifle", "kind": "rifle"}])
    roll = tried(reds_turn(wall), **shot("rifle", "blue-0", "red-wall"))
    assert added(roll.modifiers) == []
    battle = played(reds_turn(wall), END_TURN)
    decision = when(battle, dice=[6, 5], **shot("rifle", "red-wall", "blue-0"))
    assert added(rolled(decision).modifiers) == [("MFD-16", 1)]
    assert damage(decision).armour == 5


def test_mfd_27_24_in_melee_too_the_unarmed_four_included() -> None:
    battle = ditch(fig("blue-9", 20, 21, "ccw"))
    decision = when(battle, dice=[2, 2, 6, 2, 2], **fight("red-1>blue-9", "blue-9>red-1"))
    first, second = (e for e in decision.events if isinstance(e, MfdHitRolled))
    assert (added(first.modifiers), first.needed, first.outcome) == ([("MFD-27", 2)], 4, "hit")
    assert (added(second.modifiers), second.needed, second.outcome) == ([("MFD-27", 1)], 3, "hit")
