"""Who may shoot, and with what: NME-01 to 04, 13 and 14."""

from typing import Any

import pytest

from domain.battle import Pace, Status
from domain.events import ShotFired
from tests.domain.nme.scenes import GUN, HEAVY, MISS, PASS, RED, SHOOT, a, duel, put, shot, table
from tests.spec import only, played, refused, when

WALK: dict[str, Any] = {"do": "move", "fig": "red-1", "to": {"x": 11, "y": 20}}
RUN = WALK | {"pace": "run"}
CHARGE = WALK | {"pace": "charge"}


def test_nme_01_standing_still_two_snap_shots() -> None:
    after = shot(duel(20), *MISS).battle
    second = shot(after, *MISS, weapon="stub-gun")
    assert only(second, ShotFired) == ShotFired("red-1", "stub-gun", "snap", "blue-1", 2)
    third = refused(second.battle, RED, **SHOOT)
    assert (third.kind, third.rule) == ("rule-refused", "NME-01")


def test_nme_01_or_one_aimed_shot() -> None:
    after = shot(duel(30), *MISS, *MISS, mode="aimed").battle
    assert refused(after, RED, **SHOOT).rule == "NME-01"
    assert refused(after, RED, **SHOOT, mode="aimed").rule == "NME-01"


def test_nme_01_a_first_snap_rules_out_aiming() -> None:
    refusal = refused(shot(duel(20), *MISS).battle, RED, **SHOOT, mode="aimed")
    assert (refusal.rule, refusal.legal) == ("NME-01", ("snap",))


def test_nme_01_a_jam_uses_up_the_shot() -> None:
    jammed = when(duel(20), RED, dice=(3, 3), **SHOOT).battle
    assert jammed.figs["red-1"].shots == 1
    with_another = shot(jammed, *MISS, weapon="stub-gun").battle
    assert refused(with_another, RED, **SHOOT | {"weapon": "heavy"}).rule == "NME-01"
    aimed = when(duel(20), RED, dice=(3, 3), **SHOOT, mode="aimed").battle
    assert refused(aimed, RED, **SHOOT | {"weapon": "stub-gun"}).rule == "NME-01"


def test_nme_01_the_shots_are_there_again_next_turn() -> None:
    after = shot(shot(duel(20), *MISS).battle, *MISS).battle
    again = played(after, {"do": "end_turn"}, {"do": "end_turn"})
    assert only(shot(again, *MISS), ShotFired).shot == 1


def test_nme_01_turning_is_not_moving() -> None:
    turned = played(duel(20), {"do": "turn", "fig": "red-1", "facing": 10})
    assert only(shot(turned, *MISS, *MISS, mode="aimed"), ShotFired).mode == "aimed"


def test_nme_02_after_a_walk_one_snap_shot() -> None:
    walked = played(duel(20), WALK)
    refusal = refused(walked, RED, **SHOOT, mode="aimed")
    assert (refusal.rule, refusal.legal) == ("NME-02", ("snap",))
    after = shot(walked, *MISS).battle
    assert refused(after, RED, **SHOOT).rule == "NME-02"


def test_nme_02_snap_is_what_is_meant_when_nothing_is_said() -> None:
    assert only(shot(duel(20), *MISS), ShotFired).mode == "snap"


@pytest.mark.parametrize("move", [RUN, CHARGE])
def test_nme_03_no_shot_after_a_run_or_charge(move: dict[str, Any]) -> None:
    assert refused(played(duel(20), move), RED, **SHOOT).rule == "NME-03"


def test_nme_03_no_shot_in_combat() -> None:
    fight = table(a("red-1", 10), a("blue-1", 11), a("blue-2", 30))
    assert refused(fight, RED, **SHOOT).rule == "NME-03"
    assert refused(fight, RED, **SHOOT | {"target": "blue-2"}).rule == "NME-03"


@pytest.mark.parametrize("status", ["pinned", "down"])
def test_nme_03_no_shot_by_an_inactive_fig(status: Status) -> None:
    assert refused(put(duel(20), "red-1", status=status), RED, **SHOOT).rule == "NME-03"


def test_nme_03_no_shot_without_a_missile_weapon() -> None:
    unarmed = table(a("red-1", 10, weapons=[]), a("blue-1", 30))
    assert refused(unarmed, RED, **SHOOT).rule == "NME-03"


def test_a_weapon_that_it_does_not_carry_is_unknown() -> None:
    refusal = refused(duel(20), RED, **SHOOT | {"weapon": "lasgun"})
    assert (refusal.kind, refusal.pointer) == ("invalid", "/weapon")
    assert refusal.legal == ("gun", "stub-gun", "heavy", "blast", "flamer")


@pytest.mark.parametrize("pace", ["walk", "run", "charge"])
def test_nme_04_move_or_fire(pace: Pace) -> None:
    moved = played(duel(20), WALK | {"pace": pace})
    refusal = refused(moved, RED, **SHOOT | {"weapon": "heavy"})
    assert refusal.rule == ("NME-04" if pace == "walk" else "NME-03")
    if pace == "walk":
        assert refusal.legal == ("gun", "stub-gun", "blast", "flamer")


def test_nme_04_turning_does_not_count_as_moving() -> None:
    turned = played(duel(20), {"do": "turn", "fig": "red-1", "facing": 45})
    assert only(shot(turned, *MISS, weapon="heavy"), ShotFired).weapon == "heavy"


def test_nme_13_a_failed_weapon_is_useless_for_the_rest_of_the_battle() -> None:
    jammed = when(duel(20), RED, dice=(1, 1), **SHOOT).battle
    assert jammed.figs["red-1"].useless == ("gun",)
    later = played(jammed, {"do": "end_turn"}, {"do": "end_turn"})
    refusal = refused(later, RED, **SHOOT)
    assert (refusal.rule, refusal.legal) == ("NME-13", ("stub-gun", "heavy", "blast", "flamer"))


def test_nme_13_comes_before_move_or_fire() -> None:
    battle = table(a("red-1", 10, weapons=[HEAVY, GUN]), a("blue-1", 30))
    jammed = when(battle, RED, dice=(5, 5), **SHOOT | {"weapon": "heavy"}).battle
    later = played(jammed, {"do": "end_turn"}, {"do": "end_turn"}, WALK)
    assert refused(later, RED, **SHOOT | {"weapon": "heavy"}).rule == "NME-13"


def test_nme_14_without_dice_there_is_no_shot() -> None:
    clumsy = table(a("red-1", 10, bs=0), a("blue-1", 30))
    assert refused(clumsy, RED, **SHOOT).rule == "NME-14"


def test_nme_14_bs_is_the_number_of_dice() -> None:
    sharp = table(a("red-1", 10, bs=5), a("blue-1", 40))
    assert when(sharp, RED, dice=(*PASS, 1, 1, 1, 1, 1), **SHOOT).thrown[1].faces == (1, 1, 1, 1, 1)
