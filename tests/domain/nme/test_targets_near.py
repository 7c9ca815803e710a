"""Enemies within ten inches: the nearest that is active and seen comes first (NME-06)."""

from typing import Any

import pytest

from domain.battle import Status
from domain.events import ActionDeclared, Sight
from tests.domain.nme.scenes import GROUND, MISS, RED, a, duel, put, shot, table
from tests.domain.nme.targeting import may, no, squad
from tests.spec import refused


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
