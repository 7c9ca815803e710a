"""Weapons, equipment and the composition of a force: MFD-01 to MFD-07."""

from typing import Any

import pytest
from pydantic import ValidationError

from domain.battle import MfdProfile, MfdWeapon
from domain.events import Change, FigHit, FigRemoved, MfdHitRolled, RulingMade
from domain.evolve import evolve
from domain.muster import NEW_BATTLE, muster
from domain.refusals import Refusal, Refused
from domain.systems.mfd.force import ratio_kept
from tests.domain.mfd.field import Row, armoury, body, damage, duel, field, fig, fight, rolled, shot
from tests.spec import inches, kinds, only, played, refused, when

KINDS = ("ccw", "pistol", "rifle", "big_solid", "big_explosive")


def not_mustered(*figs: Row, **policy: Any) -> Refusal:
    with pytest.raises(Refused) as caught:
        muster(NEW_BATTLE.validate_python(body(*figs, **policy)))
    return caught.value.refusal


def test_mfd_01_there_are_four_categories_big_ones_in_two_kinds_and_no_other() -> None:
    battle = field(fig("red-1", 1, 1, "ccw", "pistol", "rifle"), fig("blue-1", 9, 9))
    assert [w.id for w in battle.fig("red-1").weapons] == ["ccw", "pistol", "rifle"]
    with pytest.raises(ValidationError, match="ccw"):
        NEW_BATTLE.validate_python(body(fig("red-1", 1, 1, "laser"), fig("blue-1", 9, 9)))


def test_a_fig_is_the_usual_one_unless_it_says_otherwise() -> None:
    battle = field(fig("red-1", 1, 1), fig("blue-1", 9, 9, kind="object"))
    assert battle.fig("red-1").profile == MfdProfile(
        to_hit=3, armour=5, move=5000, height=4, kind="fig", cannot_dodge=False
    )
    assert battle.fig("blue-1").profile == MfdProfile(kind="object", cannot_dodge=True)


def test_mfd_01_flavour_has_no_effect() -> None:
    for name in ("laser", "bolt-thrower"):
        gun = {"weapons": [{"id": name, "kind": "rifle"}]}
        battle = field(fig("red-1", 1, 1, **gun), fig("blue-1", 16, 1))
        assert damage(when(battle, dice=[3, 6], **shot(name))).penetrated


@pytest.mark.parametrize(
    ("kind", "count", "sides", "rule"),
    [
        ("pistol", 1, 6, "MFD-03"),
        ("rifle", 1, 10, "MFD-05"),
        ("big_solid", 3, 6, "MFD-06"),
        ("big_explosive", 1, 10, "MFD-06"),
    ],
)
def test_mfd_03_05_06_damage_dice_of_what_fires(kind: str, count: int, sides: int, rule: str) -> None:
    decision = when(duel(kind), dice=[6, *[2] * count], **shot(kind))
    roll = damage(decision)
    assert (roll.dice[0].sides, roll.faces, roll.total, roll.rule) == (sides, (2,) * count, 2 * count, rule)


def test_mfd_02_a_ccw_does_2d6_in_close_combat() -> None:
    battle = field(fig("red-1", 10, 10, "ccw"), fig("blue-1", 11, 10))
    decision = when(battle, dice=[3, 3, 2, 3], **fight("red-1>blue-1", "blue-1>red-1"))
    roll = damage(decision)
    assert (roll.weapon, roll.dice[0].sides, roll.faces, roll.total) == ("ccw", 6, (2, 3), 5)
    assert (roll.rule, roll.penetrated) == ("MFD-02", False)


def test_mfd_02_a_ccw_is_not_fired() -> None:
    no = refused(duel("ccw", 5), **shot("ccw"))
    assert (no.kind, no.rule, no.legal) == ("rule-refused", "MFD-02", ())


def test_mfd_03_a_pistol_reaches_ten_inches() -> None:
    assert rolled(when(duel("pistol", 10), dice=[1], **shot("pistol"))).distance == inches(10)
    assert refused(duel("pistol", 10.001), **shot("pistol")).rule == "MFD-09"


def test_mfd_04_who_holds_a_pistol_holds_a_ccw_too() -> None:
    battle = field(fig("red-1", 10, 10, "pistol"), fig("blue-1", 11, 10, "rifle"))
    decision = when(battle, dice=[3, 3, 6, 6], **fight("red-1>blue-1", "blue-1>red-1"))
    hit = next(e for e in decision.events if isinstance(e, MfdHitRolled))
    assert (hit.weapon, hit.needed, hit.outcome) == ("pistol", 3, "hit")
    assert hit.rules == ("MFD-23", "MFD-04")
    assert (damage(decision).dice[0].sides, damage(decision).faces) == (6, (6, 6))
    assert damage(decision).rule == "MFD-02"


def test_mfd_04_a_ccw_that_it_has_of_its_own_comes_first() -> None:
    battle = field(fig("red-1", 10, 10, "pistol", "ccw"), fig("blue-1", 11, 10))
    decision = when(battle, dice=[3, 1, 1, 1], **fight("red-1>blue-1", "blue-1>red-1"))
    assert damage(decision).weapon == "ccw"


@pytest.mark.parametrize(("moved", "far", "ok"), [(0, 20, 1), (0, 20.001, 0), (5, 15, 1), (5, 15.001, 0)])
def test_mfd_05_a_rifle_reaches_fifteen_inches_and_twenty_from_a_stand(moved: float, far: float, ok: int) -> None:
    battle = duel("rifle", far, moved=moved)
    if ok:
        assert rolled(when(battle, dice=[1], **shot("rifle"))).needed == 3
    else:
        assert refused(battle, **shot("rifle")).rule == "MFD-09"


@pytest.mark.parametrize("kind", ["big_solid", "big_explosive"])
def test_mfd_06_a_big_weapon_reaches_twenty_inches_and_not_after_a_move(kind: str) -> None:
    assert rolled(when(duel(kind, 20), dice=[1], **shot(kind))).distance == inches(20)
    assert refused(duel(kind, 20.001), **shot(kind)).rule == "MFD-09"
    no = refused(duel(kind, 5, moved=0.001), **shot(kind))
    assert (no.rule, no.legal) == ("MFD-09", ('still: 1 up to 20"',))


def test_mfd_06_explosive_or_not_is_settled_at_the_muster() -> None:
    assert duel("big_explosive").fig("red-1").weapons == (MfdWeapon("big-explosive", "big_explosive"),)
    no = not_mustered(fig("red-1", 1, 1), fig("blue-1", 9, 9), big_mode_per_shot=True)
    assert (no.kind, no.pointer) == ("invalid", "/policy/big_mode_per_shot")


def blast_field() -> list[Row]:
    return [
        fig("red-1", 10, 10, "big_explosive"),
        armoury("red"),
        fig("blue-1", 20, 10),
        fig("blue-2", 22, 10),
        fig("blue-3", 20, 12.001),
        fig("red-2", 20, 8.5),
        fig("blue-wall", 18.5, 10, kind="object", armour=8),
    ]


def test_mfd_06_without_a_radius_an_explosion_strikes_the_target_alone() -> None:
    decision = when(field(*blast_field()), dice=[4, 6], **shot("big_explosive"))
    assert kinds(decision)[-4:] == ["MfdHitRolled", "FigHit", "DamageRolled", "FigRemoved"]
    assert only(decision, FigRemoved).fig == "blue-1"


def test_mfd_06_with_a_radius_all_within_take_a_roll_of_their_own_in_the_order_of_ids() -> None:
    battle = field(*blast_field(), blast_radius=2)
    decision = when(battle, dice=[4, 6, 5, 9, 10], **shot("big_explosive"))
    hit = [(e.fig, e.rule) for e in decision.events if isinstance(e, FigHit)]
    assert hit == [("blue-1", "MFD-09"), ("blue-2", "MFD-06"), ("blue-wall", "MFD-06"), ("red-2", "MFD-06")]
    out = [e for e in decision.events if isinstance(e, FigRemoved)]
    assert [e.fig for e in out] == ["blue-1", "blue-wall", "red-2"]
    assert out[0].distance == inches(10)
    assert out[1].distance == inches(8.5)
    assert all((e.by, e.weapon, e.origin.x) == ("red-1", "big-explosive", inches(10)) for e in out)
    assert decision.battle.fig("blue-2").in_play


def test_mfd_06_a_blast_may_take_its_own_firer_along() -> None:
    battle = field(fig("red-1", 10, 10, "big_explosive"), armoury("red"), fig("blue-1", 11.5, 10), blast_radius=2)
    decision = when(battle, dice=[1], **shot("big_explosive"))
    assert rolled(decision).outcome == "miss"
    decision = when(battle, dice=[2, 6, 10], **shot("big_explosive"))
    assert [e.fig for e in decision.events if isinstance(e, FigRemoved)] == ["blue-1", "red-1"]


def test_mfd_06_the_table_may_say_whom_a_blast_touches() -> None:
    battle = field(*blast_field(), blast_radius=2)
    touched = [{"fig": "blue-3", "under": True}, {"fig": "red-2", "under": False}]
    decision = when(battle, dice=[4, 1, 10], **shot("big_explosive", touched=touched))
    assert [e.fig for e in decision.events if isinstance(e, FigHit)] == ["blue-1", "blue-3"]


def test_mfd_06_a_blast_that_is_said_to_touch_nobody_else_strikes_its_target() -> None:
    battle = field(*blast_field(), blast_radius=2)
    decision = when(battle, dice=[4, 1], **shot("big_explosive", touched=[{"fig": "red-2", "under": False}]))
    assert damage(decision).fig == "blue-1"


@pytest.mark.parametrize(
    ("weapon", "policy", "touched", "pointer"),
    [
        ("big_explosive", {}, ["blue-2"], "/touched"),
        ("rifle", {"blast_radius": 2}, ["blue-2"], "/touched"),
        ("big_explosive", {"blast_radius": 2}, ["blue-2", "blue-2"], "/touched/1/fig"),
        ("big_explosive", {"blast_radius": 2}, ["blue-9"], "/touched/0/fig"),
        ("big_explosive", {"blast_radius": 2}, ["blue-4"], "/touched/0/fig"),
    ],
)
def test_mfd_06_touched_makes_sense_for_blasts_only(weapon: str, policy: Row, touched: list[str], pointer: str) -> None:
    figs = [*blast_field(), fig("red-3", 30, 30, "rifle"), fig("blue-4", 33, 30)]
    figs[0] = fig("red-1", 10, 10, "big_explosive", "rifle")
    battle = played(field(*figs, **policy), shot("rifle", "blue-4", "red-3", dice=[6, 10]))
    no = refused(battle, **shot(weapon, touched=[{"fig": name, "under": True} for name in touched]))
    assert (no.kind, no.pointer) == ("invalid", pointer)


RATIO = [
    (10, 1, True),
    (9, 1, False),
    (20, 2, True),
    (19, 2, False),
    (0, 0, True),
    (5, 0, True),
    (0, 1, False),
    (32, 4, False),
]


@pytest.mark.parametrize(("others", "big", "ok"), RATIO)
def test_mfd_07_ten_guns_for_every_big_one(others: int, big: int, ok: bool) -> None:
    assert ratio_kept(others, big) is ok
    red = [fig(f"red-{n}", 1 + n % 20, 1 + n // 20, "rifle") for n in range(others)]
    red += [fig(f"red-b{n}", 1 + n, 5, "big_solid") for n in range(big)]
    red += [fig("red-ccw", 1, 8, "ccw")]
    if ok:
        assert len(field(*red, fig("blue-1", 40, 40)).figs) == others + big + 2
    else:
        no = not_mustered(*red, fig("blue-1", 40, 40))
        assert (no.kind, no.rule, no.legal) == ("rule-refused", "MFD-07", (f"{others // 10} big guns",))
        assert f"{big} big guns for {others} other guns" in no.reason


def test_mfd_07_a_pistol_is_a_gun_and_a_ccw_is_none() -> None:
    ten = [fig(f"red-{n}", 1 + n, 1, "pistol") for n in range(10)]
    big = fig("red-b", 1, 5, "big_explosive")
    field(*ten, big, fig("blue-1", 40, 40))
    ten[0] = fig("red-0", 1, 1, "ccw")
    assert not_mustered(*ten, big, fig("blue-1", 40, 40)).rule == "MFD-07"


def test_mfd_07_ratio_counts_figs_where_the_policy_says_so() -> None:
    figs = [fig(f"red-{n}", 1 + n, 1, "ccw") for n in range(10)]
    big = [fig("red-b", 1, 5, "big_explosive", "rifle"), fig("blue-1", 40, 40)]
    assert not_mustered(*figs, *big).rule == "MFD-07"
    field(*figs, *big, ratio_counts="figs")
    no = not_mustered(*figs[:9], *big, armoury("red"), ratio_counts="figs")
    assert no.reason == "red has 1 big guns for 9 figs without one, not ten for each"


def test_mfd_07_is_looked_at_when_a_force_musters_and_never_again() -> None:
    battle = field(
        *[fig(f"red-{n}", 1 + n, 1, "pistol") for n in range(9)],
        fig("red-9", 20, 20, "pistol"),
        fig("red-b", 1, 5, "big_solid"),
        fig("blue-1", 23, 20, "rifle"),
    )
    after = played(battle, {"do": "end_turn"}, shot("rifle", "red-9", "blue-1", dice=[6, 10]), {"do": "end_turn"})
    assert not after.fig("red-9").in_play
    assert rolled(when(after, dice=[1], **shot("big_solid", name="red-b", distance=20))).needed == 3


def test_arms_that_a_ruling_made_useless_are_not_used() -> None:
    broken = Change("red-1", "weapon", {"id": "pistol", "usable": True}, {"id": "pistol", "usable": False})
    battle = evolve(duel("pistol", 1), RulingMade(None, "MFD-11", "dropped", (broken,)))
    decision = when(battle, dice=[4, 1, 6], **fight("red-1>blue-1", "blue-1>red-1"))
    assert damage(decision).weapon is None
    battle = evolve(duel("pistol"), RulingMade(None, "MFD-11", "dropped", (broken,)))
    assert refused(battle, **shot("pistol")).rule == "MFD-09"
    assert refused(battle, do="aim", fig="red-1", target="blue-1").rule == "MFD-19"


@pytest.mark.parametrize("kind", KINDS)
def test_a_shot_names_a_weapon_that_the_fig_has(kind: str) -> None:
    no = refused(duel(kind), **shot("slingshot"))
    assert (no.kind, no.pointer, no.legal) == ("invalid", "/weapon", (kind.replace("_", "-"),))
