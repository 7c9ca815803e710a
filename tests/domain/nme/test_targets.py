"""Choosing a target: NME-05 to 10, 23 and 26."""

from typing import Any

import pytest

from domain.battle import Battle, Status
from domain.draft import REFEREE, Seat
from domain.events import ActionDeclared, FigTurned, NmeHitRolled, Sight, VictimDrawn
from domain.measures import Vector
from domain.refusals import Refusal
from tests.domain.nme.scenes import BLUE, GROUND, PASS, RED, SHOOT, a, duel, put, shot, table
from tests.spec import inches, only, refused, when

MISS = (1, 2, 2)


def no(battle: Battle, target: str = "blue-1", **more: Any) -> Refusal:
    return refused(battle, RED, **SHOOT | {"target": target} | more)


def may(battle: Battle, target: str, **more: Any) -> bool:
    """Whether the target may be shot at; the dice miss, and pin nobody at 20" and more."""
    return only(shot(battle, *MISS, target=target, **more), NmeHitRolled).target == target


def squad(policy: dict[str, Any] | None = None, **more: Any) -> Battle:
    """Three enemies in front, at 6", 8" and 20"."""
    figs = (a("red-1", 10), a("blue-1", 16), a("blue-2", 18, 20.5), a("blue-3", 30))
    return table(*figs, policy=policy, **more)


# NME-05: any visible enemy or a point on the ground


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


# NME-06: enemies within 10"


def test_nme_06_the_nearest_active_enemy_within_ten_inches() -> None:
    assert may(squad(), "blue-1")
    for other in ("blue-2", "blue-3"):
        assert (no(squad(), other).rule, no(squad(), other).legal) == ("NME-06", ("blue-1",))


def test_nme_06_within_is_inclusive() -> None:
    assert no(table(a("red-1", 10), a("blue-1", 20), a("blue-2", 30)), "blue-2").rule == "NME-06"
    assert may(table(a("red-1", 10), a("blue-1", 20.001), a("blue-2", 30)), "blue-2")


def test_nme_06_the_nearest_in_the_open_if_the_nearest_is_in_cover() -> None:
    covered = {"sight": {"blue-1": "cover"}}
    assert may(squad(), "blue-1", cover="cover")
    assert may(squad(), "blue-2", **covered)
    assert (no(squad(), "blue-3", **covered).rule, no(squad(), "blue-3", **covered).legal) == (
        "NME-06",
        ("blue-1", "blue-2"),
    )


def test_nme_06_the_open_alternative_is_within_ten_inches() -> None:
    both = {"sight": {"blue-1": "cover", "blue-2": "cover"}}
    assert no(squad(), "blue-3", **both).legal == ("blue-1",)
    assert no(squad(), "blue-2", **both).rule == "NME-06"


def test_nme_06_ties_are_free() -> None:
    tied = table(a("red-1", 10), a("blue-1", 16), a("blue-2", 10, 26), a("blue-3", 19))
    assert may(tied, "blue-1")
    assert may(tied, "blue-2")
    assert no(tied, "blue-3").legal == ("blue-1", "blue-2")
    covered = {"sight": {"blue-1": "cover"}}
    assert no(tied, "blue-3", **covered).legal == ("blue-1", "blue-2")


def test_nme_06_no_points_on_the_ground() -> None:
    refusal = refused(squad(), RED, **GROUND, point={"x": 40, "y": 20})
    assert (refusal.rule, refusal.legal) == ("NME-06", ("blue-1",))
    for weapon in ("blast", "flamer"):
        assert refused(squad(), RED, **GROUND | {"weapon": weapon}, point={"x": 14, "y": 20}).rule == "NME-06"


@pytest.mark.parametrize("status", ["pinned", "down"])
def test_nme_06_no_inactive_figs_while_it_binds(status: Status) -> None:
    battle = put(table(a("red-1", 10), a("blue-1", 13), a("blue-2", 18)), "blue-1", status=status)
    assert (no(battle).rule, no(battle).legal) == ("NME-06", ("blue-2",))


@pytest.mark.parametrize(
    "changes",
    [{"status": "pinned"}, {"status": "down"}, {"status": "out"}, {"hidden": True}, {"y": 40_000}],
)
def test_nme_06_what_triggers_it_is_active_and_visible(changes: dict[str, Any]) -> None:
    battle = put(put(squad(), "blue-1", **changes), "blue-2", status="out")
    assert may(battle, "blue-3")


def test_nme_06_what_cannot_be_seen_does_not_trigger_it() -> None:
    assert may(squad(), "blue-3", sight={"blue-1": "unseen", "blue-2": "unseen"})
    behind = table(a("red-1", 10), a("blue-1", 4), a("blue-2", 30))
    assert may(behind, "blue-2")


def test_nme_06_fighters_in_combat_do_not_trigger_it() -> None:
    fight = table(a("red-1", 10), a("blue-1", 16), a("red-2", 17), a("blue-3", 30))
    assert may(fight, "blue-3")


def test_nme_06_terrain_hides_the_nearest() -> None:
    wall = {"id": "wall", "kind": "wall", "points": [{"x": 14, "y": 19}, {"x": 14, "y": 20.2}]}
    walled = squad(terrain=[wall | {"cover": "unseen"}])
    assert may(walled, "blue-2")
    low = squad(terrain=[wall | {"cover": "cover"}])
    assert no(low, "blue-3").legal == ("blue-1", "blue-2")


def test_nme_06_any_enemy_triggers_it_under_the_other_reading() -> None:
    policy = {"proximity_trigger": "any"}
    lying = put(table(a("red-1", 10), a("blue-1", 13), a("blue-2", 25), a("blue-3", 40), policy=policy), "blue-1")
    down = put(lying, "blue-1", status="down")
    assert no(down).legal == ("blue-2",)
    assert no(down, "blue-3").rule == "NME-06"
    assert may(down, "blue-2")
    assert refused(down, RED, **GROUND, point={"x": 40, "y": 20}).rule == "NME-06"
    alone = put(table(a("red-1", 10), a("blue-1", 13), policy=policy), "blue-1", status="down")
    assert (no(alone).rule, no(alone).legal) == ("NME-06", ())
    recommended = put(table(a("red-1", 10), a("blue-1", 13)), "blue-1", status="down")
    assert may(recommended, "blue-1")


def test_nme_06_any_enemy_that_is_near_and_active_binds_as_ever() -> None:
    battle = squad(policy={"proximity_trigger": "any"})
    assert no(battle, "blue-2").legal == ("blue-1",)
    assert no(battle, "blue-3", sight={"blue-1": "cover"}).legal == ("blue-1", "blue-2")
    assert may(table(a("red-1", 10), a("blue-1", 25), a("blue-2", 40), policy={"proximity_trigger": "any"}), "blue-2")


def test_nme_06_goes_by_the_declared_tape_for_the_target() -> None:
    battle = table(a("red-1", 10), a("blue-1", 19.5), a("blue-2", 19.9, 22), a("blue-3", 30))
    assert no(battle, "blue-2").legal == ("blue-1",)
    assert may(battle, "blue-2", distance=9.4)
    just_beyond = table(a("red-1", 10), a("blue-1", 20.5), a("blue-2", 10, 30))
    assert may(just_beyond, "blue-2", distance=10.001)
    assert no(just_beyond, "blue-1").legal == ("blue-2",)
    assert may(just_beyond, "blue-1", distance=9.999)


def test_nme_06_every_sight_that_mattered_is_recorded() -> None:
    wall = {"id": "wall", "kind": "wall", "points": [{"x": 17, "y": 20.2}, {"x": 17, "y": 25}], "cover": "cover"}
    decision = shot(squad(terrain=[wall]), *MISS, cover="open", sight={"blue-3": "cover"})
    head = decision.events[0]
    assert isinstance(head, ActionDeclared)
    assert head.sights == (Sight("blue-1", "open", "declared"), Sight("blue-2", "cover", "terrain"))
    assert head.request["sight"] == {"blue-3": "cover"}
    quiet = shot(duel(20), *MISS).events[0]
    assert isinstance(quiet, ActionDeclared)
    assert quiet.sights == (Sight("blue-1", "open", "assumed"),)


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


# NME-26: shooting into combat


def strangers(**policy: Any) -> Battle:
    """Blue and green fight each other 15" away from red; green-2 fights along."""
    figs = (a("red-1", 10), a("blue-1", 25), a("green-1", 26), a("green-2", 25, 21), a("blue-2", 45))
    return table(*figs, policy=policy)


@pytest.mark.parametrize(("face", "victim"), [(1, "blue-1"), (2, "green-1"), (3, "green-2")])
def test_nme_26_all_combatants_are_equally_likely_to_be_hit(face: int, victim: str) -> None:
    decision = shot(strangers(), 5, 6, 5, 2, face, 1)
    drawn = only(decision, VictimDrawn)
    assert (drawn.pool, drawn.victim) == (("blue-1", "green-1", "green-2"), victim)
    assert [(t.sides, t.faces) for t in drawn.dice] == [(3, (face,))]
    assert only(decision, NmeHitRolled).distance == inches(15)  # to the one named, whoever is hit


def test_nme_26_the_cover_is_that_of_the_one_drawn() -> None:
    decision = shot(strangers(), 5, 6, 5, 2, 2, 4, sight={"green-1": "cover"})
    assert [t.purpose for t in decision.thrown] == ["ammo", "to_hit", "to_hit", "victim", "save"]
    head = decision.events[0]
    assert isinstance(head, ActionDeclared)
    assert Sight("green-1", "cover", "declared") in head.sights


def test_nme_26_nobody_is_drawn_for_a_miss() -> None:
    decision = shot(strangers(), 5, 5, 1)
    assert not any(isinstance(event, VictimDrawn) for event in decision.events)


def test_nme_26_never_where_a_friend_fights() -> None:
    fight = table(a("red-1", 10), a("red-2", 31), a("blue-1", 30), a("blue-2", 50))
    refusal = no(fight)
    assert (refusal.rule, refusal.legal) == ("NME-26", ("blue-2",))


def test_nme_26_a_friend_anywhere_in_the_same_combat_forbids_it() -> None:
    chain = table(a("red-1", 10), a("blue-1", 30), a("green-1", 31), a("blue-2", 32), a("red-2", 33))
    assert no(chain).rule == "NME-26"
    assert no(chain, "green-1").legal == ()


def test_nme_26_not_while_enemies_within_ten_inches_bind() -> None:
    battle = table(a("red-1", 10), a("blue-1", 16), a("green-1", 17), a("blue-2", 19, 21))
    assert (no(battle).rule, no(battle).legal) == ("NME-06", ("blue-2",))


# The tape


@pytest.mark.parametrize(("tape", "allowed"), [(20, True), (21, True), (19, True), (21.001, False), (18.999, False)])
def test_a_sides_tape_may_differ_by_an_inch(tape: float, allowed: bool) -> None:
    if allowed:
        rolled = only(shot(duel(20), *MISS, distance=tape), NmeHitRolled)
        assert (rolled.distance, rolled.measured) == (inches(tape), inches(20))
    else:
        refusal = no(duel(20), distance=tape)
        assert (refusal.kind, refusal.pointer, refusal.legal) == ("invalid", "/distance", ("20",))


def test_a_tape_is_compared_exactly() -> None:
    slanted = table(a("red-1", 10), a("blue-1", 20, 21))  # the root of 101: 10.0498...
    assert may(slanted, "blue-1", distance=11.049)
    assert no(slanted, distance=11.05).pointer == "/distance"
    assert may(slanted, "blue-1", distance=9.05)
    assert no(slanted, distance=9.049).pointer == "/distance"


@pytest.mark.parametrize(("by", "policy", "allowed"), [(REFEREE, 1, True), (RED, 9, True), (RED, 0, False)])
def test_the_referees_tape_is_free_and_the_policy_sets_the_others(by: Seat, policy: int, allowed: bool) -> None:
    battle = duel(20, tape_tolerance=policy)
    if allowed:
        assert only(shot(battle, 5, 5, 5, 6, by=by, distance=11), NmeHitRolled).outcome == "hit"
    else:
        assert no(battle, distance=11).pointer == "/distance"


def test_a_tape_to_a_point_counts_too() -> None:
    decision = when(duel(30), RED, dice=(*PASS, 5, 5, 1), **GROUND, point={"x": 20.5, "y": 20}, distance=10)
    rolled = only(decision, NmeHitRolled)
    assert (rolled.outcome, rolled.distance, rolled.measured) == ("hit", inches(10), inches(10.5))


def test_it_is_the_turn_that_says_who_shoots() -> None:
    assert refused(duel(20), BLUE, **SHOOT).kind == "not-your-fig"
