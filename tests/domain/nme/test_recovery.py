"""Recovery: NME-25."""

from typing import Any

import pytest

from domain import events as e
from domain.battle import Battle
from domain.dice import Throw
from tests.domain.nme.scenes import BLUE, RED, a, put, shot, table
from tests.spec import kinds, only, played, refused, when

RECOVER: dict[str, Any] = {"do": "recover", "fig": "red-1"}
ALONE = ("red-1 gets up by itself at the end of this turn",)


def lying(*friends: dict[str, Any], policy: dict[str, Any] | None = None, **fig: Any) -> Battle:
    """Red's turn 3; red-1 was pinned in turn 2."""
    battle = table(a("red-1", 10, **fig), *friends, a("blue-1", 60), policy=policy)
    battle = played(battle, {"do": "end_turn"})
    return played(put(battle, "red-1", status="pinned", pinned_turn=2), {"do": "end_turn"})


@pytest.mark.parametrize(("face", "passed"), [(1, True), (3, True), (4, False), (6, False)])
def test_nme_25_a_friend_near_and_an_initiative_test(face: int, passed: bool) -> None:
    decision = when(lying(a("red-2", 12)), RED, dice=[face], **RECOVER)
    assert only(decision, e.RecoveryRolled) == e.RecoveryRolled(
        "red-1", "red-2", (Throw("recovery", 6, (face,)),), face, 3, passed, "NME-25"
    )
    assert kinds(decision) == ["RecoveryRolled", *(["FigRecovered"] if passed else [])]
    assert decision.battle.figs["red-1"].status == ("active" if passed else "pinned")
    if passed:
        assert only(decision, e.FigRecovered).how == "test"


def test_nme_25_who_passes_has_its_full_turn() -> None:
    up = when(lying(a("red-2", 12)), RED, dice=[1], **RECOVER).battle
    assert played(up, {"do": "move", "fig": "red-1", "to": {"x": 10, "y": 24}}).figs["red-1"].moved == 4000


def test_nme_25_one_test_a_turn() -> None:
    failed = when(lying(a("red-2", 12)), RED, dice=[6], **RECOVER).battle
    assert refused(failed, RED, **RECOVER).rule == "NME-25"
    assert refused(failed, RED, **RECOVER).legal == ALONE


def test_nme_25_initiative_is_the_figs_own() -> None:
    assert only(when(lying(a("red-2", 12), initiative=5), RED, dice=[5], **RECOVER), e.RecoveryRolled).passed
    assert not only(when(lying(a("red-2", 12), initiative=0), RED, dice=[1], **RECOVER), e.RecoveryRolled).passed


@pytest.mark.parametrize(
    ("friend", "changes", "policy", "counts"),
    [
        (a("red-2", 12), {}, {}, True),
        (a("red-2", 12.001), {}, {}, False),
        (a("red-2", 12.001), {}, {"recovery_friend_within": 3}, True),
        (a("red-2", 12), {"status": "pinned"}, {}, True),
        (a("red-2", 12), {"status": "down"}, {}, False),
        (a("red-2", 12), {"status": "down"}, {"recovery_friend_excludes": ["juve"]}, True),
        (a("red-2", 12), {"status": "out"}, {"recovery_friend_excludes": []}, False),
        (a("red-2", 12, juve=True), {}, {}, False),
        (a("red-2", 12, juve=True), {}, {"recovery_friend_excludes": ["down"]}, True),
        (a("blue-2", 12), {}, {}, False),
    ],
)
def test_nme_25_which_friend_is_near(
    friend: dict[str, Any], changes: dict[str, Any], policy: dict[str, Any], counts: bool
) -> None:
    battle = put(lying(friend, policy=policy), friend["id"], **changes)
    if counts:
        assert only(when(battle, RED, dice=[1], **RECOVER), e.RecoveryRolled).friend == "red-2"
    else:
        refusal = refused(battle, RED, **RECOVER)
        assert (refusal.rule, refusal.legal) == ("NME-25", ALONE)


def test_nme_25_the_nearest_friend_is_named() -> None:
    battle = lying(a("red-2", 12), a("red-3", 10, 21.5), a("red-4", 10, 18.5))
    assert only(when(battle, RED, dice=[1], **RECOVER), e.RecoveryRolled).friend == "red-3"


def test_nme_25_a_leader_is_its_own_friend() -> None:
    alone = lying(leader=True, initiative=4)
    assert only(when(alone, RED, dice=[4], **RECOVER), e.RecoveryRolled).friend == "red-1"
    without = lying(leader=True, policy={"recovery_leader_self": False})
    assert refused(without, RED, **RECOVER).rule == "NME-25"
    with_friend = lying(a("red-2", 12), leader=True)
    assert only(when(with_friend, RED, dice=[4], **RECOVER), e.RecoveryRolled).friend == "red-2"


def test_nme_25_only_a_pinned_fig_tests() -> None:
    battle = lying(a("red-2", 12))
    refusal = refused(battle, RED, do="recover", fig="red-2")
    assert (refusal.rule, refusal.legal) == ("NME-25", ("red-1",))
    assert refused(put(battle, "red-1", status="down"), RED, **RECOVER).rule == "NME-25"


def test_nme_25_only_in_the_recovery_phase() -> None:
    assert refused(played(lying(a("red-2", 12)), {"do": "end_phase"}), RED, **RECOVER).rule == "TURN-02"


def test_nme_25_otherwise_it_misses_the_turn_and_gets_up_at_its_end() -> None:
    decision = when(lying(), RED, do="end_turn")
    assert only(decision, e.FigRecovered) == e.FigRecovered("red-1", "turn_missed")
    names = kinds(decision)
    assert names.index("FigRecovered") < names.index("TurnEnded")
    assert decision.battle.figs["red-1"].status == "active"


def test_nme_25_pinned_in_the_enemys_turn() -> None:
    battle = table(a("red-1", 10), a("blue-1", 22))
    pinned = shot(battle, 5, 5, 1).battle
    assert pinned.figs["blue-1"].pinned_turn == 1
    still = played(pinned, {"do": "end_turn"})
    assert still.figs["blue-1"].status == "pinned"
    assert played(still, {"do": "end_turn"}).figs["blue-1"].status == "active"


def test_nme_25_pinned_in_its_own_turn_it_misses_the_following_one() -> None:
    battle = put(table(a("red-1", 10), a("red-2", 12), a("blue-1", 60)), "red-1", status="pinned", pinned_turn=1)
    assert refused(battle, RED, **RECOVER).rule == "NME-25"
    ends = when(battle, RED, do="end_turn")
    assert "FigRecovered" not in kinds(ends)
    again = played(ends.battle, {"do": "end_turn"})
    assert only(when(again, RED, dice=[1], **RECOVER), e.FigRecovered).how == "test"
    assert only(when(again, RED, do="end_turn"), e.FigRecovered).how == "turn_missed"


def test_nme_25_down_figs_do_not_get_up() -> None:
    assert "FigRecovered" not in kinds(when(put(lying(), "red-1", status="down"), RED, do="end_turn"))


def test_nme_25_who_gets_up_next_to_an_enemy_is_in_combat() -> None:
    near = lying(a("red-2", 10, 22), a("blue-2", 11, 20))
    by_test = when(near, RED, dice=[1], **RECOVER)
    assert kinds(by_test) == ["RecoveryRolled", "FigRecovered", "MeleeJoined"]
    at_end = when(near, RED, do="end_turn")
    assert only(at_end, e.MeleeJoined) == e.MeleeJoined("red-1", ("blue-2",))
    assert at_end.battle.figs["blue-2"].engaged == ("red-1",)


def test_nme_25_recovery_is_for_the_side_in_turn() -> None:
    assert refused(lying(a("red-2", 12)), BLUE, **RECOVER).kind == "not-your-fig"
