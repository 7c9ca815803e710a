"""One shot from declaration to consequence: NME-11 to 22 and 28 to 30 as events, in the order of the rulebook."""

import pytest

from domain import events as e
from domain.dice import DiceWanted, Roll, Throw
from domain.draft import Seat
from domain.measures import Point
from tests.domain.nme.scenes import RED, SHOOT, a, duel, put, shot, table
from tests.spec import inches, kinds, only, when

SHOT = ["PhaseStarted", "PhaseStarted", "ShotFired", "AmmoRolled", "NmeHitRolled"]


def test_nme_11_ammo_is_rolled_after_the_target_is_declared_and_before_the_hit() -> None:
    decision = shot(duel(7), 2, 5, 5, 4)
    assert kinds(decision) == [*SHOT, "FigHit", "InjuryRolled", "FigPinned"]
    assert decision.thrown == (
        Throw("ammo", 6, (1, 2)),
        Throw("to_hit", 6, (2, 5, 5)),
        Throw("injury", 6, (4,)),
    )
    assert only(decision, e.AmmoRolled) == e.AmmoRolled(
        "red-1", "gun", (Throw("ammo", 6, (1, 2)),), (1, 2), rating=4, passed=True
    )


def test_nme_11_every_shot_has_its_own_ammo_roll() -> None:
    after = shot(duel(20), 1, 2, 2).battle
    assert only(when(after, RED, dice=(6, 6, 1, 2, 2), **SHOOT), e.AmmoRolled).faces == (6, 6)


@pytest.mark.parametrize(
    ("weapon", "rating", "faces", "passed"),
    [
        *[("gun", 4, (n, n), n >= 4) for n in range(1, 7)],
        *[("heavy", 6, (n, n), n == 6) for n in range(1, 7)],
        ("gun", 4, (1, 2), True),
        ("heavy", 6, (4, 5), True),
    ],
)
def test_nme_12_the_documents_ratings(weapon: str, rating: int, faces: tuple[int, int], passed: bool) -> None:
    decision = when(duel(30), RED, dice=(*faces, *([1, 2, 2] if passed else [])), **SHOOT | {"weapon": weapon})
    rolled = only(decision, e.AmmoRolled)
    assert (rolled.rating, rolled.passed) == (rating, passed)


def test_nme_13_no_shot_after_a_failed_roll_and_no_pin() -> None:
    decision = when(duel(3), RED, dice=(1, 1), **SHOOT)
    assert kinds(decision) == [*SHOT[:4], "WeaponFailed"]
    assert only(decision, e.WeaponFailed) == e.WeaponFailed("red-1", "gun", "NME-13")
    assert decision.battle.figs["blue-1"].status == "active"


def test_nme_15_bonus_dice_come_in_rounds_breadth_first() -> None:
    decision = shot(duel(20), 6, 6, 1, 6, 2, 5)
    rolled = only(decision, e.NmeHitRolled)
    assert [t.faces for t in rolled.dice] == [(6, 6, 1), (6, 2), (5,)]
    assert (rolled.faces, rolled.hits, rolled.sixes) == ((6, 6, 1, 6, 2, 5), 4, 3)
    assert {"NME-14", "NME-15", "NME-16", "NME-17", "NME-18"} <= set(rolled.rules)


def test_nme_15_once_means_that_bonus_dice_earn_nothing() -> None:
    rolled = only(shot(duel(20, bonus_dice="once"), 6, 6, 1, 6, 2), e.NmeHitRolled)
    assert (rolled.faces, rolled.hits, rolled.sixes) == ((6, 6, 1, 6, 2), 3, 3)


def test_nme_15_the_documents_critical_from_two_dice() -> None:
    """Stub gun, {6,6,5,3}: two dice explode into four."""
    battle = table(a("red-1", 10, bs=2), a("blue-1", 20))
    rolled = only(shot(battle, 6, 6, 5, 3, 1, weapon="stub-gun"), e.NmeHitRolled)
    assert (rolled.hits, rolled.accuracy, rolled.critical) == (3, inches(11), True)


def test_nme_17_what_is_rolled_is_told() -> None:
    rolled = only(shot(duel(7), 2, 5, 5, 1), e.NmeHitRolled)
    assert rolled == e.NmeHitRolled(
        fig="red-1",
        weapon="gun",
        mode="snap",
        target="blue-1",
        point=None,
        dice=(Throw("to_hit", 6, (2, 5, 5)),),
        faces=(2, 5, 5),
        hits=2,
        sixes=0,
        effective_range=inches(15),
        accuracy=inches(10),
        distance=inches(7),
        measured=inches(7),
        outcome="hit",
        critical=False,
        point_blank=False,
        rules=("NME-14", "NME-16", "NME-17"),
    )


def test_nme_17_a_slanted_distance_is_never_rounded_before_it_is_compared() -> None:
    exactly = table(a("red-1", 10), a("blue-1", 16, 28))  # 6, 8, 10
    assert only(shot(exactly, 5, 5, 1, 1), e.NmeHitRolled).outcome == "hit"
    hair = only(shot(table(a("red-1", 10), a("blue-1", 16.001, 28)), 5, 5, 1), e.NmeHitRolled)
    assert (hair.outcome, hair.distance) == ("near_miss", 10_001)


def test_nme_18_the_stub_gun_at_twelve_inches() -> None:
    battle = table(a("red-1", 10, bs=4), a("blue-1", 22))
    rolled = only(shot(battle, 5, 5, 5, 5, 1, weapon="stub-gun"), e.NmeHitRolled)
    assert (rolled.accuracy, rolled.outcome, rolled.effective_range) == (inches(12), "hit", inches(10))


def test_nme_19_twice_the_dice_for_an_aimed_shot() -> None:
    rolled = only(shot(duel(20), 1, 2, 2, 3, 4, 4, mode="aimed"), e.NmeHitRolled)
    assert (len(rolled.faces), rolled.mode) == (6, "aimed")
    assert "NME-19" in rolled.rules


@pytest.mark.parametrize(("face", "saved"), [(1, False), (3, False), (4, True), (6, True)])
def test_nme_20_a_target_in_cover_saves_on_four_or_more(face: int, saved: bool) -> None:
    decision = shot(duel(7), 5, 5, 5, face, *([] if saved else [1]), cover="cover")
    rolled = only(decision, e.CoverSaveRolled)
    assert rolled == e.CoverSaveRolled("blue-1", (Throw("save", 6, (face,)),), face, 4, saved, "NME-20")
    if saved:
        assert kinds(decision) == [*SHOT, "CoverSaveRolled", "FigPinned"]
        assert only(decision, e.FigPinned) == e.FigPinned("blue-1", "cover_save", "NME-20", "red-1")
    else:
        assert kinds(decision) == [*SHOT, "CoverSaveRolled", "FigHit", "InjuryRolled", "FigPinned"]
        assert only(decision, e.FigPinned).cause == "hit"


def test_nme_20_also_against_criticals_and_only_in_cover() -> None:
    decision = shot(duel(5), 6, 1, 1, 1, 4, cover="cover")
    assert only(decision, e.NmeHitRolled).critical
    assert only(decision, e.CoverSaveRolled).saved
    assert not any(isinstance(ev, e.CoverSaveRolled) for ev in shot(duel(5), 5, 1, 1, 1, cover="open").events)


def test_nme_20_terrain_gives_cover_when_nobody_says_otherwise() -> None:
    wall = {"id": "w", "kind": "wall", "points": [{"x": 14, "y": 10}, {"x": 14, "y": 30}], "cover": "cover"}
    walled = table(a("red-1", 10), a("blue-1", 17), terrain=[wall])
    assert only(shot(walled, 5, 5, 5, 6), e.CoverSaveRolled).saved
    assert only(shot(walled, 5, 5, 5, 1, cover="open"), e.FigHit).strength == 3


def test_nme_20_a_save_pins_nobody_who_lies_already() -> None:
    down = put(duel(3), "blue-1", status="down")
    decision = shot(down, 5, 1, 1, 5, cover="cover")
    assert kinds(decision) == [*SHOT, "CoverSaveRolled"]


@pytest.mark.parametrize(
    ("distance", "faces", "weapon", "pinned"),
    [
        (15, (5, 5, 1), "gun", True),
        (14, (5, 5, 1), "gun", True),
        (14, (5, 5, 1), "stub-gun", False),
        (11, (5, 5, 1), "stub-gun", True),
        (7, (5, 2, 2), "gun", True),
        (7, (1, 2, 2), "gun", False),
        (5, (1, 2, 2), "gun", True),
        (5.001, (1, 2, 2), "gun", False),
    ],
)
def test_nme_21_a_near_miss_pins(distance: float, faces: tuple[int, ...], weapon: str, pinned: bool) -> None:
    decision = shot(duel(distance), *faces, weapon=weapon)
    assert kinds(decision) == [*SHOT, *(["FigPinned"] if pinned else [])]
    if pinned:
        assert only(decision, e.FigPinned) == e.FigPinned("blue-1", "near_miss", "NME-21", "red-1")
        fig = decision.battle.figs["blue-1"]
        assert (fig.status, fig.pinned_turn) == ("pinned", 1)


@pytest.mark.parametrize("status", ["pinned", "down"])
def test_nme_21_changes_nothing_for_who_is_pinned_or_down(status: str) -> None:
    lying = put(duel(4.5), "blue-1", status=status)
    decision = shot(lying, 1, 2, 2)
    assert kinds(decision) == SHOT
    assert decision.battle.figs["blue-1"].status == status


def test_nme_21_pins_nobody_in_combat_unless_the_policy_says_so() -> None:
    figs = (a("red-1", 10), a("blue-1", 25), a("green-1", 26))
    assert kinds(shot(table(*figs), 5, 5, 1)) == SHOT
    decision = shot(table(*figs, policy={"pin_in_combat": True}), 5, 5, 1)
    assert kinds(decision) == [*SHOT, "FigPinned", "MeleeLeft"]
    assert decision.battle.figs["green-1"].engaged == ()


@pytest.mark.parametrize("distance", [4.001, 4.5, 4.999])
def test_nme_22_below_five_inches_a_miss_pins(distance: float) -> None:
    decision = shot(duel(distance), 1, 1, 1)
    assert only(decision, e.FigPinned).rule == "NME-21"
    assert "NME-22" in only(decision, e.NmeHitRolled).rules


def test_nme_22_yields_to_point_blank() -> None:
    assert only(shot(duel(2), 2, 2, 3, 1), e.NmeHitRolled).outcome == "hit"
    assert only(shot(duel(3.5), 2, 2, 3), e.FigPinned).cause == "near_miss"
    assert only(shot(duel(2, point_blank=False), 2, 2, 3), e.FigPinned).cause == "near_miss"


def test_nme_28_the_documents_critical_doubles_the_strength() -> None:
    battle = table(a("red-1", 10, bs=2), a("blue-1", 20))
    decision = shot(battle, 6, 6, 5, 3, 1, weapon="stub-gun")
    assert only(decision, e.FigHit) == e.FigHit("blue-1", "red-1", "stub-gun", 6, True, inches(10), "NME-17")
    farther = shot(table(a("red-1", 10, bs=2), a("blue-1", 20.5)), 6, 6, 5, 3, 1, weapon="stub-gun")
    assert only(farther, e.FigHit).strength == 3
    without = shot(table(a("red-1", 10, bs=2), a("blue-1", 20), policy={"critical_hits": False}), 6, 6, 5, 3, 1)
    assert (only(without, e.FigHit).strength, only(without, e.FigHit).critical) == (3, False)


@pytest.mark.parametrize(
    ("base", "policy", "strength"),
    [
        (3, {}, 6),
        (4, {}, 6),
        (2, {}, 4),
        (4, {"strength_cap": 5}, 5),
        (4, {"injury": "reported_by_players"}, 8),
    ],
)
def test_nme_28_doubled_strength_ends_with_the_charts(base: int, policy: dict[str, object], strength: int) -> None:
    gun = {"id": "gun", "er": 15, "strength": base, "ammo_rating": 4}
    battle = table(a("red-1", 10, weapons=[gun]), a("blue-1", 15), policy=policy)
    decision = shot(battle, 6, 1, 1, 1, *([] if "injury" in policy else [1]))
    assert only(decision, e.FigHit).strength == strength


@pytest.mark.parametrize(
    ("distance", "faces", "outcome", "critical"),
    [(3, (2, 2, 3), "hit", False), (2, (2, 2, 3), "hit", True), (3.5, (2, 2, 3), "near_miss", False)],
)
def test_nme_29_point_blank(distance: float, faces: tuple[int, ...], outcome: str, critical: bool) -> None:
    decision = shot(duel(distance), *faces, *([1] if outcome == "hit" else []))
    rolled = only(decision, e.NmeHitRolled)
    assert (rolled.outcome, rolled.critical, rolled.point_blank) == (outcome, critical, True)
    assert rolled.accuracy == inches(3)
    if outcome == "hit":
        assert only(decision, e.FigHit).rule == "NME-29"


def test_nme_29_goes_by_the_declared_tape() -> None:
    assert only(shot(duel(4.4), 1, 1, 4, 1, distance=4), e.NmeHitRolled).point_blank


def test_nme_30_a_point_blank_critical_doubles_the_strength() -> None:
    decision = shot(duel(3), 4, 1, 1, 1)
    assert only(decision, e.FigHit).strength == 6
    assert "NME-30" in only(decision, e.NmeHitRolled).rules
    assert only(shot(duel(4), 4, 1, 1, 1), e.FigHit).strength == 3
    assert only(shot(duel(3, critical_hits=False), 4, 1, 1, 1), e.FigHit).strength == 3


def test_a_hidden_shooter_gives_itself_away() -> None:
    hiding = put(duel(20), "red-1", hidden=True)
    decision = shot(hiding, 1, 2, 2)
    assert kinds(decision) == [*SHOT[:3], "FigRevealed", *SHOT[3:]]
    assert only(decision, e.FigRevealed) == e.FigRevealed("red-1", "shot")
    jam = when(hiding, RED, dice=(1, 1), **SHOOT)
    assert not jam.battle.figs["red-1"].hidden


def test_the_dice_are_asked_for_one_roll_after_the_other() -> None:
    asked: list[Roll] = []
    thrown: list[int] = []
    for faces in ((1, 2), (6, 5, 1), (5,), (3,), (2,)):
        with pytest.raises(DiceWanted) as dry:
            when(duel(9), RED, dice=thrown, **SHOOT, cover="cover")
        asked.append(dry.value.wanted)
        assert [face for t in dry.value.so_far for face in t.faces] == thrown
        thrown += faces
    assert asked == [
        Roll("ammo", 2, 6),
        Roll("to_hit", 3, 6),
        Roll("to_hit", 1, 6),
        Roll("save", 1, 6),
        Roll("injury", 1, 6),
    ]
    assert only(when(duel(9), RED, dice=thrown, **SHOOT, cover="cover"), e.InjuryRolled).result == "clipped"


def test_where_a_casualty_was_hit_from_is_kept() -> None:
    gun = {"id": "gun", "er": 15, "strength": 6, "ammo_rating": 4}
    battle = table(a("red-1", 10, weapons=[gun]), a("blue-1", 17))
    decision = shot(battle, 5, 5, 1, 4)
    assert only(decision, e.FigRemoved) == e.FigRemoved(
        "blue-1", "injury", "INJURY-01", "red-1", "gun", Point(10_000, 20_000), inches(7)
    )


def test_a_spectator_does_not_shoot() -> None:
    with pytest.raises(Exception, match="SEAT-01"):
        shot(duel(7), 1, 1, 1, by=Seat("spectator"))
