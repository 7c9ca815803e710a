"""Seeing a target: arc and turning (NME-07, NME-08), cover (NME-09), pinned and down (NME-10, NME-23)."""

import pytest

from domain.battle import Status
from domain.events import FigTurned, NmeHitRolled
from domain.measures import Vector
from tests.domain.nme.scenes import MISS, RED, SHOOT, a, duel, put, shot, table
from tests.domain.nme.targeting import may, no
from tests.spec import only, when

# NME-07: the arc


@pytest.mark.parametrize(("x", "seen"), [(10, True), (9.5, True), (9.499, False), (5, False)])
def test_nme_07_any_part_of_the_base_in_the_arc(x: float, seen: bool) -> None:
    battle = table(a("red-1", 10), a("blue-1", x, 35))
    if seen:
        assert may(battle, "blue-1")
    else:
        assert no(battle).rule == "NME-07"


def test_nme_07_the_legal_ones_are_in_front() -> None:
    battle = table(a("red-1", 30), a("blue-1", 10), a("blue-2", 50))
    assert no(battle).legal == ("blue-2",)


# NME-08: turning to the target


def test_nme_08_the_shooter_is_turned_to_the_target() -> None:
    decision = shot(table(a("red-1", 10), a("blue-1", 20, 35)), *MISS)
    assert only(decision, FigTurned) == FigTurned("red-1", Vector(10_000, 15_000), "target")
    assert decision.battle.figs["red-1"].pace == "still"


def test_nme_08_no_turn_where_it_looks_that_way_already() -> None:
    assert not any(isinstance(event, FigTurned) for event in shot(duel(20), *MISS).events)
    away = put(duel(20), "red-1", facing=Vector(0, 1))
    assert only(shot(away, *MISS), FigTurned).facing == Vector(20_000, 0)


def test_nme_08_turning_to_the_target_spoils_neither_aim_nor_heavy_weapons() -> None:
    battle = table(a("red-1", 10), a("blue-1", 10, 40))
    assert only(shot(battle, *MISS, *MISS, mode="aimed", weapon="heavy"), NmeHitRolled).mode == "aimed"


def test_nme_08_the_second_shot_looks_from_the_new_facing() -> None:
    battle = table(a("red-1", 20), a("blue-1", 20, 40), a("blue-2", 21, 5))
    assert may(battle, "blue-2")
    turned = shot(battle, *MISS).battle
    assert no(turned, "blue-2").rule == "NME-07"


def test_nme_08_facing_stays_after_a_jam() -> None:
    decision = when(table(a("red-1", 10), a("blue-1", 10, 40)), RED, dice=(1, 1), **SHOOT)
    assert decision.battle.figs["red-1"].facing == Vector(0, 20_000)


# NME-09: open, cover, unseen


@pytest.mark.parametrize(("word", "allowed"), [("open", True), ("cover", True), ("unseen", False)])
def test_nme_09_what_is_unseen_is_no_target(word: str, allowed: bool) -> None:
    for said in ({"cover": word}, {"sight": {"blue-1": word}}):
        if allowed:
            assert may(duel(20), "blue-1", **said)
        else:
            assert no(duel(20), **said).rule == "NME-09"


def test_nme_09_the_word_of_people_goes_before_terrain() -> None:
    wall = {"id": "w", "kind": "wall", "points": [{"x": 20, "y": 10}, {"x": 20, "y": 30}], "cover": "unseen"}
    walled = table(a("red-1", 10), a("blue-1", 30), terrain=[wall])
    assert no(walled).rule == "NME-09"
    assert may(walled, "blue-1", cover="open")


def test_nme_09_who_hides_cannot_be_seen() -> None:
    battle = table(a("red-1", 10), a("blue-1", 30), a("blue-2", 31, 25))
    refusal = no(put(battle, "blue-1", hidden=True))
    assert (refusal.rule, refusal.legal) == ("NME-09", ("blue-2",))


# NME-10 and NME-23: pinned and down


@pytest.mark.parametrize("status", ["pinned", "down"])
@pytest.mark.parametrize(("distance", "allowed"), [(3, True), (5, True), (5.001, False), (20, False)])
def test_nme_10_inactive_figs_only_within_five_inches(status: Status, distance: float, allowed: bool) -> None:
    battle = put(duel(distance), "blue-1", status=status)
    if allowed:
        assert may(battle, "blue-1")
    else:
        assert no(battle).rule == "NME-10"


def test_nme_10_goes_by_the_declared_tape() -> None:
    battle = put(duel(5.5), "blue-1", status="down")
    assert may(battle, "blue-1", distance=5)
    assert no(put(duel(4.5), "blue-1", status="down"), distance=5.001).rule == "NME-10"


def test_nme_10_a_first_shot_may_take_the_target_away_from_the_second() -> None:
    pinned = shot(duel(12), 5, 5, 1).battle
    assert pinned.figs["blue-1"].status == "pinned"
    assert no(pinned).rule == "NME-10"


def test_nme_23_pinned_in_cover_cannot_be_seen() -> None:
    battle = put(duel(3), "blue-1", status="pinned")
    assert no(battle, cover="cover").rule == "NME-09"
    assert may(battle, "blue-1", cover="open")
    assert may(put(duel(3), "blue-1", status="down"), "blue-1", cover="cover")


def test_nme_23_unless_the_policy_says_that_it_may_be_targeted_up_close() -> None:
    near = put(duel(3, hidden_pinned_targetable=True), "blue-1", status="pinned")
    decision = shot(near, 5, 1, 1, 4, cover="cover")
    assert only(decision, NmeHitRolled).outcome == "hit"
    far = put(duel(6, hidden_pinned_targetable=True), "blue-1", status="pinned")
    assert no(far, cover="cover").rule == "NME-10"
