"""A shot from its request to its last consequence: MFD-09, MFD-21 and MFD-22, sight, the tape and damage."""

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from domain.battle import Battle
from domain.dice import DiceWanted, Throw
from domain.draft import REFEREE
from domain.events import (
    ActionDeclared,
    DamageRolled,
    FigHit,
    FigRemoved,
    MeleeLeft,
    MfdHitRolled,
    ShotFired,
    Sight,
    VictimDrawn,
)
from domain.measures import Point
from tests.domain.mfd.field import (
    BLUE,
    END_TURN,
    RED,
    Row,
    added,
    armoury,
    damage,
    duel,
    field,
    fig,
    rolled,
    shot,
    to,
    tried,
)
from tests.spec import inches, kinds, only, played, refused, when

# --- the request ------------------------------------------------------------------------------------------------------


def test_mfd_09_one_fires_at_figs_and_objects_not_at_points() -> None:
    no = refused(duel("rifle"), do="shoot", fig="red-1", weapon="rifle", point={"x": 1, "y": 1})
    assert (no.kind, no.rule) == ("rule-refused", "MFD-09")
    assert "muster an object" in no.legal[0]
    assert refused(duel("rifle"), **shot("rifle", point={"x": 1, "y": 1})).rule == "MFD-09"


@pytest.mark.parametrize(
    ("command", "pointer"),
    [
        ({"do": "shoot", "fig": "red-1", "weapon": "rifle"}, "/target"),
        (shot("rifle", mode="aimed"), "/mode"),
        (shot("rifle", "blue-9"), "/target"),
        (shot("rifle", cover="open"), "/cover"),
        (shot("rifle", cover="cover"), "/cover"),
        (shot("rifle", sight={"blue-2": "open"}), "/sight/blue-2"),
        (shot("rifle", sight={"blue-2": "full"}), "/sight/blue-2"),
        (shot("rifle", sight={"blue-1": "full"}), "/sight/blue-1"),
        (shot("rifle", sight={"blue-9": "full"}), "/sight/blue-9"),
        (shot("rifle", into_melee=True), "/into_melee"),
        (shot("rifle", touched=[{"fig": "blue-2", "under": True}]), "/touched"),
    ],
)
def test_what_makes_no_sense_is_invalid(command: Row, pointer: str) -> None:
    battle = field(fig("red-1", 10, 10, "rifle"), fig("blue-1", 16, 10), fig("blue-2", 16, 14))
    no = refused(battle, **command)
    assert (no.kind, no.pointer) == ("invalid", pointer)


def test_a_fig_that_there_is_not_is_unknown() -> None:
    assert refused(duel("rifle"), **shot("rifle", sight={"blue-9": "full"})).rule == "UNKNOWN"
    no = refused(duel("rifle"), do="shoot", fig="red-1", weapon="rifle")
    assert no.reason == "say at what: a fig or an object"


def test_mfd_22_nobody_fires_at_his_own_side() -> None:
    battle = field(fig("red-1", 10, 10, "rifle"), fig("red-2", 14, 10), fig("blue-1", 16, 10))
    no = refused(battle, **shot("rifle", "red-2"))
    assert (no.rule, no.legal) == ("MFD-22", ("blue-1",))


def test_who_is_out_neither_fires_nor_is_fired_at() -> None:
    battle = field(fig("red-1", 10, 10, "pistol"), fig("blue-1", 16, 10, "rifle"), fig("blue-2", 16, 14))
    battle = played(battle, shot("pistol", dice=[3, 6]))
    assert not battle.fig("blue-1").in_play
    no = refused(battle, **shot("pistol"))
    assert (no.rule, no.legal) == ("TURN-03", ("blue-2",))
    assert refused(played(battle, END_TURN), **shot("rifle", "red-1", "blue-1")).rule == "TURN-03"


# --- the shot ---------------------------------------------------------------------------------------------------------


def test_a_shot_is_one_batch_from_its_declaration_to_its_last_consequence() -> None:
    decision = when(duel("rifle", 6), RED, dice=[4, 8], **shot("rifle", cover="partial"))
    assert kinds(decision) == ["PhaseStarted", "ShotFired", "MfdHitRolled", "FigHit", "DamageRolled", "FigRemoved"]
    head = decision.events[0]
    assert isinstance(head, ActionDeclared)
    assert (head.do, head.side, added(head.modifiers)) == ("shoot", "red", [("MFD-13", -1)])
    assert head.sights == (Sight("blue-1", "partial", "declared"),)
    assert only(decision, ShotFired) == ShotFired("red-1", "rifle", "fire", "blue-1", 1)
    roll = rolled(decision)
    assert roll.dice == (Throw("to_hit", 6, (4,)),)
    assert (roll.face, roll.needed, roll.outcome, roll.melee) == (4, 3, "hit", False)
    assert (roll.distance, roll.measured, roll.rules) == (6000, 6000, ("MFD-09",))
    assert only(decision, FigHit) == FigHit("blue-1", "red-1", "rifle", 0, False, 6000, "MFD-09")
    hurt = damage(decision)
    assert (hurt.by, hurt.weapon, hurt.dice) == ("red-1", "rifle", (Throw("damage", 10, (8,)),))
    assert (hurt.total, hurt.armour, hurt.modifiers, hurt.penetrated) == (8, 5, (), True)
    out = only(decision, FigRemoved)
    assert (out.cause, out.rule, out.by, out.weapon) == ("damage", "MFD-05", "red-1", "rifle")
    assert (out.origin, out.distance) == (Point(10_000, 20_000), 6000)


def test_a_miss_ends_the_shot_and_counts_all_the_same() -> None:
    decision = when(duel("rifle"), dice=[2], **shot("rifle"))
    assert kinds(decision) == ["PhaseStarted", "ShotFired", "MfdHitRolled"]
    assert decision.battle.fig("red-1").shots == 1
    assert refused(decision.battle, **shot("rifle")).rule == "MFD-09"


@pytest.mark.parametrize(
    ("policy", "face", "through"),
    [({}, 5, False), ({}, 6, True), ({"penetration": "ge"}, 4, False), ({"penetration": "ge"}, 5, True)],
)
def test_damage_has_to_exceed_armour_or_to_reach_it(policy: Row, face: int, through: bool) -> None:
    decision = when(duel("pistol", **policy), dice=[6, face], **shot("pistol"))
    assert (damage(decision).penetrated, decision.battle.fig("blue-1").in_play) == (through, not through)


@pytest.mark.parametrize(
    ("policy", "at", "armour"), [({}, {}, 5), ({"armour": 2}, {}, 2), ({"armour": 2}, {"armour": 9}, 9)]
)
def test_armour_is_five_or_the_policys_or_the_figs_own(policy: Row, at: Row, armour: int) -> None:
    assert damage(when(duel("pistol", at=at, **policy), dice=[6, 1], **shot("pistol"))).armour == armour


def test_one_penetrating_hit_removes_a_fig_and_an_object_too() -> None:
    battle = field(
        fig("red-1", 10, 10, "rifle"), fig("blue-1", 30, 30), fig("blue-wall", 16, 10, kind="object", armour=9)
    )
    assert when(battle, dice=[3, 9], **shot("rifle", "blue-wall")).battle.fig("blue-wall").in_play
    assert not when(battle, dice=[3, 10], **shot("rifle", "blue-wall")).battle.fig("blue-wall").in_play


def test_dice_are_asked_for_one_after_the_other() -> None:
    with pytest.raises(DiceWanted) as dry:
        when(duel("big_solid"), **shot("big_solid"))
    assert (dry.value.wanted.purpose, dry.value.wanted.count, dry.value.wanted.sides) == ("to_hit", 1, 6)
    with pytest.raises(DiceWanted) as dry:
        when(duel("big_solid"), dice=[5], **shot("big_solid"))
    assert (dry.value.wanted.purpose, dry.value.wanted.count, dry.value.wanted.sides) == ("damage", 3, 6)
    assert dry.value.so_far == (Throw("to_hit", 6, (5,)),)


def test_an_object_may_carry_a_gun_and_fire_it_from_a_stand() -> None:
    turret = fig("red-turret", 10, 10, "rifle", kind="object")
    battle = field(turret, fig("red-1", 40, 40), fig("blue-1", 11, 10), fig("blue-2", 30, 10))
    assert added(tried(battle, **shot("rifle", "blue-1", "red-turret")).modifiers) == [("MFD-18", 2)]
    assert tried(battle, **shot("rifle", "blue-2", "red-turret")).distance == inches(20)


# --- the tape ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tape", "ok"), [(5, True), (4.999, False), (7, True), (7.001, False)])
def test_a_sides_tape_may_differ_by_an_inch(tape: float, ok: bool) -> None:
    battle = duel("rifle", 6)
    if ok:
        roll = rolled(when(battle, RED, dice=[1], **shot("rifle", distance=tape)))
        assert (roll.distance, roll.measured) == (inches(tape), 6000)
    else:
        no = refused(battle, RED, **shot("rifle", distance=tape))
        assert (no.kind, no.pointer, no.legal) == ("invalid", "/distance", ("6",))


def test_the_referees_tape_wins_whatever_it_says() -> None:
    assert tried(duel("rifle", 6), **shot("rifle", distance=20)).distance == inches(20)
    assert refused(duel("rifle", 6), **shot("rifle", distance=20.001)).rule == "MFD-09"
    assert tried(duel("rifle", 25), **shot("rifle", distance=19)).measured == inches(25)


@pytest.mark.parametrize(("tolerance", "tape", "ok"), [(0, 6, True), (0, 6.001, False), (9, 0, True), (2, 8, True)])
def test_the_tolerance_is_the_policys(tolerance: float, tape: float, ok: bool) -> None:
    battle = duel("rifle", 6, tape_tolerance=tolerance)
    if ok:
        assert rolled(when(battle, RED, dice=[2], **shot("rifle", distance=tape, cover="full"))).distance == inches(
            tape
        )
    else:
        assert refused(battle, RED, **shot("rifle", distance=tape)).pointer == "/distance"


def test_the_tape_decides_what_is_in_range() -> None:
    battle = duel("pistol", 10.5)
    assert refused(battle, RED, **shot("pistol")).rule == "MFD-09"
    when(battle, RED, dice=[1], **shot("pistol", distance=10))
    assert refused(duel("pistol", 10), RED, **shot("pistol", distance=10.001)).rule == "MFD-09"


# --- contact and melees -----------------------------------------------------------------------------------------------


def test_mfd_21_a_fig_in_contact_with_an_enemy_fig_fights_and_does_not_fire() -> None:
    battle = field(fig("red-1", 10, 10, "pistol"), fig("blue-1", 11, 10), fig("blue-2", 16, 10))
    for target in ("blue-1", "blue-2"):
        no = refused(battle, **shot("pistol", target))
        assert (no.kind, no.rule, no.legal) == ("rule-refused", "MFD-21", ("fight",))
        assert no.reason == "red-1 is in contact with blue-1: figs in contact fight"


def test_mfd_21_contact_with_an_object_alone_keeps_nobody_from_firing() -> None:
    battle = field(fig("red-1", 10, 10, "pistol"), fig("blue-wall", 11, 10, kind="object"), fig("blue-2", 16, 10))
    assert added(tried(battle, **shot("pistol", "blue-2")).modifiers) == []


def brawl(*more: Row, **policy: Any) -> Battle:
    """Blue-1 to -3 round red-2, and red-1 with a rifle looking on."""
    return field(
        fig("red-1", 10, 10, "rifle"),
        fig("red-2", 20, 10, "ccw"),
        fig("blue-1", 19, 10),
        fig("blue-2", 21, 10),
        fig("blue-3", 20, 11),
        *more,
        **policy,
    )


def test_mfd_22_nobody_fires_into_a_melee_unless_he_says_so() -> None:
    no = refused(brawl(), **shot("rifle"))
    assert (no.kind, no.rule, no.legal) == ("rule-refused", "MFD-22", ("say into_melee",))


def test_mfd_22_or_not_at_all_where_the_policy_says_so() -> None:
    for command in (shot("rifle"), shot("rifle", into_melee=True)):
        no = refused(brawl(fire_into_melee="never"), **command)
        assert (no.rule, no.legal) == ("MFD-22", ())


VICTIMS: list[tuple[int, int | None, str]] = [(side, None, "red-2") for side in (1, 2, 3)]
VICTIMS += [(side, die, f"blue-{die}") for side in (4, 5, 6) for die in (1, 2, 3)]


@pytest.mark.parametrize(("side", "die", "victim"), VICTIMS)
def test_mfd_22_half_the_hits_strike_ones_own_side_whatever_the_heads(side: int, die: int | None, victim: str) -> None:
    dice = [3, side] + ([] if die is None else [die]) + [6]
    decision = when(brawl(), dice=dice, **shot("rifle", into_melee=True))
    drawn = only(decision, VictimDrawn)
    pool = ("red-2",) if die is None else ("blue-1", "blue-2", "blue-3")
    assert (drawn.fig, drawn.target, drawn.victim, drawn.pool, drawn.rule) == (
        "red-1",
        "blue-1",
        victim,
        pool,
        "MFD-22",
    )
    assert [(t.purpose, t.sides, t.faces) for t in drawn.dice] == [("victim_side", 6, (side,))] + (
        [] if die is None else [("victim", 3, (die,))]
    )
    assert only(decision, FigHit).fig == only(decision, DamageRolled).fig == only(decision, FigRemoved).fig == victim
    assert only(decision, FigHit).rule == "MFD-22"
    assert kinds(decision)[-2:] == ["FigRemoved", "MeleeLeft"]


def test_mfd_22_one_friend_and_three_enemies_friend_a_half_and_each_enemy_a_sixth() -> None:
    odds: Counter[str] = Counter()
    for side in range(1, 7):
        for die in range(1, 4):
            dice = [3, side, *([die] if side > 3 else []), 1]
            victim = only(when(brawl(), dice=dice, **shot("rifle", into_melee=True)), VictimDrawn).victim
            odds[victim] += 1
    assert {name: Fraction(n, 18) for name, n in odds.items()} == {
        "red-2": Fraction(1, 2),
        "blue-1": Fraction(1, 6),
        "blue-2": Fraction(1, 6),
        "blue-3": Fraction(1, 6),
    }


def test_mfd_22_the_side_is_drawn_after_a_hit_only() -> None:
    assert kinds(when(brawl(), dice=[2], **shot("rifle", into_melee=True)))[-1] == "MfdHitRolled"


def test_mfd_22_a_strangers_melee_is_drawn_from_evenly() -> None:
    battle = field(
        fig("red-1", 10, 10, "rifle"),
        fig("blue-1", 19, 10),
        fig("green-1", 20, 10),
        fig("green-2", 18, 10),
        sides=("red", "blue", "green"),
    )
    decision = when(battle, dice=[3, 2, 6], **shot("rifle", into_melee=True))
    drawn = only(decision, VictimDrawn)
    assert (drawn.pool, drawn.victim) == (("blue-1", "green-1", "green-2"), "green-1")
    assert [t.purpose for t in drawn.dice] == ["victim"]


@pytest.mark.parametrize(("many", "dice", "victim"), [(5, [9], "blue-5"), (7, [99, 98], "blue-7")])
def test_mfd_22_five_in_a_pool_take_a_ten_sided_die_and_seven_a_hundred(
    many: int, dice: list[int], victim: str
) -> None:
    blues = [fig(f"blue-{n}", 18 + 2 * n, 10) for n in range(1, many + 1)]
    reds = [fig(f"red-{n}", 17 + 2 * n, 10) for n in range(2, many + 1)]
    battle = field(fig("red-1", 10, 10, "rifle"), *reds, *blues)
    drawn = only(when(battle, dice=[3, 6, *dice, 1], **shot("rifle", into_melee=True)), VictimDrawn)
    assert (len(drawn.pool), drawn.victim) == (many, victim)
    assert [t.faces[0] for t in drawn.dice] == [6, *dice]


def test_mfd_22_the_roll_goes_by_the_fig_named_and_the_armour_by_the_one_struck() -> None:
    battle = field(
        fig("red-1", 10, 10, "rifle"),
        fig("red-2", 13, 10, armour=9),
        fig("blue-1", 12, 10, height=8),
        fig("blue-2", 14, 10),
    )
    decision = when(battle, dice=[1, 1, 9], **shot("rifle", into_melee=True))
    assert added(rolled(decision).modifiers) == [("MFD-17", 1), ("MFD-20", 1)]
    assert (damage(decision).fig, damage(decision).armour, damage(decision).penetrated) == ("red-2", 9, False)
    assert only(decision, FigHit).distance == inches(3)


def test_mfd_22_06_a_blast_goes_off_where_it_strikes() -> None:
    figs = [
        fig("red-1", 10, 10, "big_explosive"),
        armoury("red"),
        fig("red-2", 20, 10),
        fig("blue-1", 19, 10),
        fig("blue-2", 21.5, 10),
    ]
    battle = field(*figs, blast_radius=1.5)
    decision = when(battle, dice=[3, 1, 6, 6, 6], **shot("big_explosive", into_melee=True))
    hit = [(e.fig, e.rule) for e in decision.events if isinstance(e, FigHit)]
    assert hit == [("blue-1", "MFD-06"), ("blue-2", "MFD-06"), ("red-2", "MFD-22")]
    said = [{"fig": "blue-2", "under": True}]
    decision = when(battle, dice=[3, 1, 1, 1], **shot("big_explosive", into_melee=True, touched=said))
    assert [e.fig for e in decision.events if isinstance(e, FigHit)] == ["blue-2", "red-2"]
    only(when(battle, dice=[3, 1, 6, 6, 6], **shot("big_explosive", into_melee=True)), MeleeLeft)


def test_sight_is_noted_for_those_whom_a_melee_or_a_blast_may_strike() -> None:
    decision = when(brawl(), dice=[1], **shot("rifle", into_melee=True, cover="none", sight={"blue-2": "full"}))
    head = decision.events[0]
    assert isinstance(head, ActionDeclared)
    assert head.sights == (Sight("blue-1", "none", "declared"), Sight("blue-2", "full", "declared"))
    assert only(decision, MfdHitRolled).modifiers == ()
    battle = field(
        fig("red-1", 10, 10, "big_explosive"),
        armoury("red"),
        fig("blue-1", 20, 10),
        fig("blue-2", 22, 10),
        fig("blue-3", 23, 10),
        blast_radius=2,
    )
    when(battle, dice=[1], **shot("big_explosive", sight={"blue-2": "full"}))
    no = refused(battle, **shot("big_explosive", sight={"blue-3": "full"}))
    assert (no.pointer, no.legal) == ("/sight/blue-3", ("blue-2",))


def test_a_side_fires_in_its_own_turn_with_its_own_figs() -> None:
    battle = field(fig("red-1", 10, 10, "rifle"), fig("blue-1", 16, 10, "rifle"))
    assert refused(battle, RED, **shot("rifle", "red-1", "blue-1")).kind == "not-your-fig"
    assert refused(battle, BLUE, **shot("rifle", "red-1", "blue-1")).rule == "TURN-01"
    when(battle, REFEREE, dice=[1], **shot("rifle"))
    assert refused(
        played(battle, to("red-1", 10, 11), {"do": "end_phase"}, {"do": "end_phase"}), **shot("rifle")
    ).rule == ("TURN-02")
