"""What may be a target: any visible enemy or a point on the ground (NME-05), and exactly one."""

from typing import Any

import pytest

from domain.events import NmeHitRolled
from tests.domain.nme.scenes import BLUE, GROUND, PASS, RED, SHOOT, a, duel, put, table
from tests.domain.nme.targeting import may, no
from tests.spec import only, refused, when


def test_nme_05_any_visible_enemy_in_the_distance() -> None:
    far = table(a("red-1", 10), a("blue-1", 25), a("blue-2", 40))
    assert may(far, "blue-1")
    assert may(far, "blue-2")


def test_nme_05_not_a_friend_nor_oneself_nor_who_is_out() -> None:
    battle = table(a("red-1", 10), a("red-2", 20), a("blue-1", 30), a("blue-2", 31, 25))
    assert (no(battle, "red-2").rule, no(battle, "red-2").legal) == ("NME-05", ("blue-1", "blue-2"))
    assert no(battle, "red-1").rule == "NME-05"
    gone = no(put(battle, "blue-1", status="out"), "blue-1")
    assert (gone.rule, gone.legal) == ("NME-05", ("blue-2",))
    assert no(battle, "blue-9").pointer == "/target"


def test_nme_05_a_point_on_the_ground() -> None:
    decision = when(duel(20), RED, dice=(*PASS, 5, 5, 5), **GROUND, point={"x": 20, "y": 22})
    rolled = only(decision, NmeHitRolled)
    assert (rolled.target, rolled.outcome, rolled.distance) == (None, "hit", 10199)
    assert rolled.point is not None
    assert (rolled.point.x, rolled.point.y) == (20_000, 22_000)
    assert decision.events[-1] == rolled  # nobody is hit, nobody is pinned


def test_nme_05_a_near_miss_of_a_point_pins_nobody() -> None:
    decision = when(duel(12), RED, dice=(*PASS, 5, 1, 1), **GROUND, point={"x": 20, "y": 20})
    assert only(decision, NmeHitRolled).outcome == "near_miss"
    assert decision.battle.figs["blue-1"].status == "active"


@pytest.mark.parametrize(
    ("point", "rule"), [((80, 20), "TABLE-01"), ((10, -0.001), "TABLE-01"), ((9, 20), "NME-07"), ((10, 20), "INVALID")]
)
def test_nme_05_points_that_cannot_be_shot_at(point: tuple[float, float], rule: str) -> None:
    refusal = refused(duel(20), RED, **GROUND, point={"x": point[0], "y": point[1]})
    assert refusal.rule == rule
    assert refusal.legal or refusal.pointer == "/point"


def test_a_shot_has_exactly_one_target() -> None:
    assert refused(duel(20), RED, **GROUND).pointer == "/target"
    assert refused(duel(20), RED, **SHOOT, point={"x": 1, "y": 1}).pointer == "/target"


@pytest.mark.parametrize(
    ("more", "pointer"),
    [
        ({"into_melee": True}, "/into_melee"),
        ({"modifiers": [{"value": 1, "reason": "lucky"}]}, "/modifiers"),
        ({"cover": "partial"}, "/cover"),
        ({"sight": {"blue-1": "none"}}, "/sight/blue-1"),
        ({"sight": {"blue-7": "open"}}, "/sight/blue-7"),
        ({"sight": {"blue-1": "open"}, "cover": "cover"}, "/sight/blue-1"),
        ({"touched": [{"fig": "blue-1", "under": True}]}, "/touched"),
        ({"distance": 0}, "/distance"),
    ],
)
def test_what_no_nme_shot_can_mean_is_invalid(more: dict[str, Any], pointer: str) -> None:
    refusal = no(duel(20), **more)
    assert (refusal.kind, refusal.pointer) == ("invalid", pointer)


def test_a_point_has_no_cover() -> None:
    assert refused(duel(20), RED, **GROUND, point={"x": 20, "y": 20}, cover="open").pointer == "/cover"


def test_it_is_the_turn_that_says_who_shoots() -> None:
    assert refused(duel(20), BLUE, **SHOOT).kind == "not-your-fig"
