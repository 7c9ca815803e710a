"""Templates: NME-24 and NME-27, with placement as people declare it."""

from typing import Any

import pytest

from domain import events as e
from domain.battle import Battle
from domain.draft import Decision
from domain.measures import Point
from tests.domain.nme.scenes import PASS, RED, SHOOT, a, put, table
from tests.spec import inches, kinds, only, refused, when

SHOT = ["PhaseStarted", "PhaseStarted", "ShotFired", "AmmoRolled"]


def crowd(**policy: Any) -> Battle:
    """Three of blue close together 20" away, a friend of the shooter among them."""
    figs = (a("red-1", 10), a("blue-1", 30), a("blue-2", 32), a("blue-3", 30, 22), a("red-2", 32, 22))
    return table(*figs, policy=policy)


def burst(battle: Battle, *dice: int, touched: dict[str, bool], weapon: str = "blast", **more: Any) -> Decision:
    """red-1 lays a template; `touched` says who is touched, and whether under it."""
    listed = [{"fig": fig, "under": under} for fig, under in touched.items()]
    return when(battle, RED, dice=(*PASS, *dice), **(SHOOT | {"weapon": weapon, "touched": listed} | more))


def test_nme_24_hits_for_all_under_it_and_pins_for_all_it_touches_friend_or_foe() -> None:
    touched = {"blue-2": True, "blue-1": False, "red-2": False}
    decision = burst(crowd(), 5, touched=touched)
    assert kinds(decision) == [
        *SHOT, "TemplatePlaced", "FigHit", "InjuryRolled", "FigDowned", "FigPinned", "FigPinned",
    ]  # fmt: skip
    assert only(decision, e.TemplatePlaced) == e.TemplatePlaced(
        "red-1", "blast", "blast", Point(30_000, 20_000), ("blue-2",), ("blue-1", "red-2")
    )
    assert only(decision, e.FigHit) == e.FigHit("blue-2", "red-1", "blast", 3, False, inches(22), "NME-24")
    pins = [ev for ev in decision.events if isinstance(ev, e.FigPinned)]
    assert pins == [
        e.FigPinned("blue-1", "template", "NME-24", "red-1"),
        e.FigPinned("red-2", "template", "NME-24", "red-1"),
    ]
    statuses = {name: fig.status for name, fig in decision.battle.figs.items()}
    assert statuses == {"red-1": "active", "blue-1": "pinned", "blue-2": "down", "blue-3": "active", "red-2": "pinned"}


def test_nme_24_the_order_is_that_of_the_request_save_then_injury() -> None:
    said: dict[str, Any] = {"sight": {"blue-3": "cover", "blue-1": "cover"}}
    decision = burst(crowd(), 1, 2, 3, 5, touched={"blue-3": True, "blue-2": True, "blue-1": True}, **said)
    assert [(t.purpose, t.faces) for t in decision.thrown[1:]] == [
        ("save", (1,)), ("injury", (2,)), ("injury", (3,)), ("save", (5,)),
    ]  # fmt: skip
    causes = [(ev.fig, ev.cause, ev.rule) for ev in decision.events if isinstance(ev, e.FigPinned)]
    assert causes == [
        ("blue-3", "hit", "NME-21b"),
        ("blue-2", "hit", "NME-21b"),
        ("blue-1", "cover_save", "NME-20"),
    ]
    head = decision.events[0]
    assert isinstance(head, e.ActionDeclared)
    assert head.sights == (
        e.Sight("blue-1", "cover", "declared"),
        e.Sight("blue-3", "cover", "declared"),
        e.Sight("blue-2", "open", "assumed"),
    )


def test_nme_24_a_hit_that_pins_nobody_leaves_the_pin_to_the_template() -> None:
    decision = burst(crowd(hit_pins=False), 1, touched={"blue-1": True})
    assert only(decision, e.FigPinned).rule == "NME-24"


def test_nme_24_who_is_pinned_down_or_in_combat_is_not_pinned() -> None:
    figs = (a("red-1", 10), a("blue-1", 30), a("blue-2", 32), a("blue-3", 34), a("red-2", 35))
    battle = put(put(table(*figs), "blue-1", status="pinned"), "blue-2", status="down")
    touched = dict.fromkeys(("blue-1", "blue-2", "blue-3", "red-2"), False)
    more: dict[str, Any] = {"target": None, "point": {"x": 33, "y": 20}}
    assert kinds(burst(battle, touched=touched, **more)) == [*SHOT, "TemplatePlaced"]


def test_nme_24_combat_is_left_by_a_pin_where_the_policy_says_so() -> None:
    figs = (a("red-1", 10), a("blue-1", 34), a("red-2", 35), a("blue-2", 30, 40))
    battle = table(*figs, policy={"pin_in_combat": True})
    decision = burst(battle, touched={"blue-1": False}, target="blue-2")
    assert kinds(decision)[-2:] == ["FigPinned", "MeleeLeft"]
    assert decision.battle.figs["red-2"].engaged == ()


def test_nme_24_a_fighter_under_it_is_hit_but_not_pinned() -> None:
    figs = (a("red-1", 10), a("blue-1", 34), a("red-2", 35), a("blue-2", 30, 40))
    decision = burst(table(*figs), 1, touched={"red-2": True}, target="blue-2")
    assert kinds(decision)[-2:] == ["FigHit", "InjuryRolled"]


@pytest.mark.parametrize(
    ("weapon", "policy", "pinned"),
    [
        ("flamer", {}, False),
        ("flamer", {"flamer_pins_firer": True}, True),
        ("blast", {}, True),
        ("blast", {"flamer_pins_firer": True}, True),
    ],
)
def test_nme_24_the_firer_is_spared_by_his_own_flamer_only(weapon: str, policy: dict[str, bool], pinned: bool) -> None:
    battle = table(a("red-1", 10), a("blue-1", 15), policy=policy)
    decision = burst(battle, touched={"red-1": False, "blue-1": False}, weapon=weapon)
    assert decision.battle.figs["red-1"].status == ("pinned" if pinned else "active")
    assert decision.battle.figs["blue-1"].status == "pinned"


def test_nme_24_the_firer_is_not_burnt_by_his_own_flamer() -> None:
    battle = table(a("red-1", 10), a("blue-1", 15))
    decision = burst(battle, 1, touched={"red-1": True, "blue-1": True}, weapon="flamer")
    assert only(decision, e.FigHit).fig == "blue-1"
    own_blast = burst(battle, 1, 1, touched={"red-1": True, "blue-1": True})
    assert [ev.fig for ev in own_blast.events if isinstance(ev, e.FigHit)] == ["red-1", "blue-1"]


def test_nme_24_does_not_pin_by_near_miss() -> None:
    decision = burst(table(a("red-1", 10), a("blue-1", 14), a("red-2", 16)), touched={"red-2": False})
    assert kinds(decision) == [*SHOT, "TemplatePlaced", "FigPinned"]
    assert decision.battle.figs["blue-1"].status == "active"


def test_nme_27_placement_is_what_people_say_and_nothing_is_rolled_for_it() -> None:
    decision = burst(crowd(), touched={}, target=None, point={"x": 40, "y": 21})
    assert [t.purpose for t in decision.thrown] == ["ammo"]
    assert only(decision, e.TemplatePlaced).point == Point(40_000, 21_000)


def test_nme_27_a_template_has_an_ammo_roll_like_any_shot() -> None:
    listed = [{"fig": "blue-1", "under": True}]
    decision = when(crowd(), RED, dice=(2, 2), **SHOOT | {"weapon": "blast", "touched": listed})
    assert kinds(decision) == [*SHOT, "WeaponFailed"]


def test_nme_27_a_template_knows_no_critical() -> None:
    battle = table(a("red-1", 10), a("blue-1", 12))
    hit = only(burst(battle, 1, touched={"blue-1": True}, weapon="flamer"), e.FigHit)
    assert (hit.critical, hit.strength) == (False, 4)


def test_nme_27_the_distance_of_the_target_is_the_declared_one() -> None:
    hits = [
        ev
        for ev in burst(crowd(), 1, 1, touched={"blue-1": True, "blue-2": True}, distance=19.5).events
        if isinstance(ev, e.FigHit)
    ]
    assert [(hit.fig, hit.distance) for hit in hits] == [("blue-1", inches(19.5)), ("blue-2", inches(22))]


@pytest.mark.parametrize(
    ("touched", "pointer"),
    [
        ([{"fig": "blue-9", "under": True}], "/touched/0/fig"),
        ([{"fig": "blue-1", "under": True}, {"fig": "blue-1", "under": False}], "/touched/1/fig"),
        ([{"fig": "blue-1", "under": True}, {"fig": "blue-3", "under": False}], "/touched/1/fig"),
    ],
)
def test_nme_24_touched_are_figs_in_play_each_once(touched: list[dict[str, Any]], pointer: str) -> None:
    battle = put(crowd(), "blue-3", status="out")
    refusal = refused(battle, RED, **SHOOT | {"weapon": "blast", "touched": touched})
    assert (refusal.kind, refusal.pointer) == ("invalid", pointer)


def test_nme_24_an_iced_fig_is_not_pinned_afterwards() -> None:
    battle = table(a("red-1", 10), a("blue-1", 12))
    decision = burst(battle, 6, touched={"blue-1": True}, weapon="flamer")
    assert kinds(decision)[-1] == "FigRemoved"


def test_nme_24_awaited_injuries_of_several_figs() -> None:
    battle = crowd(injury="reported_by_players")
    decision = burst(battle, touched={"blue-1": True, "blue-2": True, "blue-3": False})
    waiting = [name for name, fig in decision.battle.figs.items() if fig.injuries]
    assert waiting == ["blue-1", "blue-2"]
    assert refused(decision.battle, do="end_turn").legal == ("injure blue-1", "injure blue-2")


def test_nme_24_who_is_aimed_at_is_under_it_where_nobody_says_whom_it_touches() -> None:
    decision = burst(table(a("red-1", 10), a("blue-1", 14)), 1, touched={})
    assert only(decision, e.TemplatePlaced).under == ("blue-1",)
    assert only(decision, e.FigHit).fig == "blue-1"
