"""Movement: pace and inches (NME-02, NME-03), turning (NME-08), hiding (NME-09), lying low (NME-23), contact."""

from typing import Any

import pytest

from domain import events as e
from domain.battle import Battle, Status
from domain.measures import Point, Vector
from domain.refusals import Refusal
from tests.domain.nme.scenes import RED, a, put, table
from tests.spec import inches, kinds, only, played, refused, when

WOOD = {
    "id": "wood",
    "kind": "area",
    "points": [{"x": 8, "y": 18}, {"x": 14, "y": 18}, {"x": 14, "y": 22}, {"x": 8, "y": 22}],
    "cover": "cover",
}


def move(x: float, y: float = 20, **more: Any) -> dict[str, Any]:
    return {"do": "move", "fig": "red-1", "to": {"x": x, "y": y}} | more


def field(*more: dict[str, Any], **rest: Any) -> Battle:
    return table(a("red-1", 10), *(more or (a("blue-1", 60),)), **rest)


def no(battle: Battle, command: dict[str, Any]) -> Refusal:
    return refused(battle, RED, **command)


def test_nme_02_a_walk_is_what_is_meant_when_nothing_is_said() -> None:
    decision = when(field(), RED, **move(14))
    assert only(decision, e.FigMoved) == e.FigMoved(
        fig="red-1",
        start=Point(10_000, 20_000),
        to=Point(14_000, 20_000),
        inches=4000,
        measured=4000,
        total=4000,
        pace="walk",
        advanced=False,
    )
    assert (decision.battle.figs["red-1"].pace, decision.battle.figs["red-1"].moved) == ("walk", 4000)


@pytest.mark.parametrize(
    ("pace", "cap", "rule"), [("walk", 4, "NME-02"), ("run", 8, "NME-03"), ("charge", 8, "NME-03")]
)
def test_nme_03_how_far_each_pace_goes(pace: str, cap: float, rule: str) -> None:
    assert played(field(), move(10 + cap, pace=pace)).figs["red-1"].pace == pace
    refusal = no(field(), move(round(10.001 + cap, 3), pace=pace))
    assert (refusal.rule, refusal.legal) == (rule, (f'{pace} up to {cap}"',))


def test_nme_03_each_fig_has_its_own_caps() -> None:
    swift = table(a("red-1", 10, move=5, run=9.5, charge=11), a("blue-1", 60))
    for pace, cap in (("walk", 5), ("run", 9.5), ("charge", 11)):
        assert played(swift, move(10 + cap, pace=pace)).figs["red-1"].moved == inches(cap)
        assert no(swift, move(10.5 + cap, pace=pace)).kind == "rule-refused"


def test_nme_02_moves_of_a_turn_add_up() -> None:
    after = played(field(), move(12.5), move(14))
    assert after.figs["red-1"].moved == 4000
    assert no(after, move(14.001)).legal == ('walk up to 0"',)
    there_and_back = played(field(), move(12), move(10))
    assert there_and_back.figs["red-1"].moved == 4000


def test_nme_03_a_walk_may_become_a_run_but_a_run_no_walk() -> None:
    ran = played(field(), move(13), move(18, pace="run"))
    assert (ran.figs["red-1"].pace, ran.figs["red-1"].moved) == ("run", 8000)
    short = played(field(), move(11, pace="run"))
    for pace in ("walk", "charge"):
        assert (no(short, move(12, pace=pace)).rule, no(short, move(12, pace=pace)).legal) == ("NME-03", ("run",))
    assert played(short, move(18)).figs["red-1"].pace == "run"
    charged = played(field(), move(11, pace="charge"))
    assert no(charged, move(12, pace="run")).legal == ("charge",)
    assert played(charged, move(12)).figs["red-1"].pace == "charge"


def test_inches_that_terrain_costs() -> None:
    moved = only(when(field(), RED, **move(12, inches=3.5)), e.FigMoved)
    assert (moved.inches, moved.measured, moved.total) == (3500, 2000, 3500)
    assert no(field(), move(12, inches=4.5)).rule == "NME-02"
    below = no(field(), move(12, inches=1.999))
    assert (below.kind, below.pointer, below.legal) == ("invalid", "/inches", ("2 or more",))


def test_a_slanted_move_counts_rounded_up() -> None:
    assert only(when(field(), RED, **move(11, 21)), e.FigMoved).inches == 1415


def test_a_move_goes_somewhere() -> None:
    refusal = no(field(), move(10))
    assert (refusal.kind, refusal.pointer) == ("invalid", "/to")


def test_a_move_stays_on_the_table_and_off_other_feet() -> None:
    edge = table(a("red-1", 1), a("red-2", 4), a("blue-1", 60))
    assert no(edge, move(-0.5)).rule == "TABLE-01"
    assert no(edge, move(3.5)).rule == "TABLE-02"
    assert played(edge, move(3)).figs["red-1"].x == 3000


def test_a_cover_word_of_the_other_system_is_invalid() -> None:
    assert no(field(), move(11, cover="partial")).pointer == "/cover"


def test_nme_02_moves_are_of_the_movement_phase() -> None:
    later = played(field(), {"do": "end_phase"}, {"do": "end_phase"})
    assert no(later, move(11)).rule == "TURN-02"
    assert kinds(when(field(), RED, **move(11))) == ["PhaseStarted", "FigMoved"]


@pytest.mark.parametrize("status", ["pinned", "down"])
@pytest.mark.parametrize(
    "command", [move(11), {"do": "turn", "fig": "red-1", "facing": 9}, {"do": "hide", "fig": "red-1"}]
)
def test_nme_23_an_inactive_fig_does_nothing_at_all(status: Status, command: dict[str, Any]) -> None:
    battle = put(table(a("red-1", 10), a("red-2", 10, 30), a("blue-1", 60)), "red-1", status=status)
    assert (no(battle, command).rule, no(battle, command).legal) == ("NME-23", ("red-2",))


# Turning


def test_nme_08_turning_is_no_movement() -> None:
    decision = when(field(), RED, do="turn", fig="red-1", facing=90)
    assert only(decision, e.FigTurned) == e.FigTurned("red-1", Vector(0, 1_000_000), "turn")
    assert (decision.battle.figs["red-1"].pace, decision.battle.figs["red-1"].moved) == ("still", 0)


def test_nme_08_toward_a_fig_or_a_place_is_the_raw_difference() -> None:
    battle = field(a("blue-1", 13, 24))
    assert only(when(battle, RED, do="turn", fig="red-1", toward="blue-1"), e.FigTurned).facing == Vector(3000, 4000)
    at = {"x": 9.5, "y": 0}
    assert only(when(battle, RED, do="turn", fig="red-1", toward=at), e.FigTurned).facing == Vector(-500, -20_000)


@pytest.mark.parametrize(
    ("more", "pointer"),
    [
        ({}, "/facing"),
        ({"facing": 1, "toward": "blue-1"}, "/facing"),
        ({"toward": "red-1"}, "/toward"),
        ({"toward": {"x": 10, "y": 20}}, "/toward"),
        ({"toward": "blue-7"}, "/toward"),
    ],
)
def test_nme_08_turns_that_make_no_sense(more: dict[str, Any], pointer: str) -> None:
    refusal = no(field(), {"do": "turn", "fig": "red-1"} | more)
    assert (refusal.kind, refusal.pointer) == ("invalid", pointer)


def test_nme_08_not_toward_a_fig_that_is_gone() -> None:
    assert no(put(field(), "blue-1", status="out"), {"do": "turn", "fig": "red-1", "toward": "blue-1"}).legal == (
        "red-1",
    )


# Hiding

HIDE: dict[str, Any] = {"do": "hide", "fig": "red-1"}


@pytest.mark.parametrize(
    ("terrain", "word", "hides"),
    [
        (True, None, True),
        (False, None, False),
        (False, "cover", True),
        (False, "unseen", True),
        (False, "open", False),
        (True, "open", False),
    ],
)
def test_nme_09_hiding_takes_cover(terrain: bool, word: str | None, hides: bool) -> None:
    battle = field(terrain=[WOOD] if terrain else [])
    command = HIDE | ({"cover": word} if word else {})
    if hides:
        decision = when(battle, RED, **command)
        assert only(decision, e.FigHid).fig == "red-1"
        assert decision.battle.figs["red-1"].hidden
    else:
        assert (no(battle, command).rule, len(no(battle, command).legal)) == ("NME-09", 2)


def test_nme_09_not_after_a_run_or_charge_but_after_a_walk() -> None:
    battle = field(terrain=[WOOD])
    assert played(battle, move(12), HIDE).figs["red-1"].hidden
    for pace in ("run", "charge"):
        assert no(played(battle, move(12, pace=pace)), HIDE).rule == "NME-09"


def test_nme_09_not_in_combat_and_not_twice() -> None:
    assert no(field(a("blue-1", 11), terrain=[WOOD]), HIDE).rule == "NME-09"
    assert no(played(field(terrain=[WOOD]), HIDE), HIDE).rule == "NME-09"


@pytest.mark.parametrize(
    ("command", "hidden"),
    [
        (move(13), True),
        (move(10, 23), False),
        (move(10, 23, cover="cover"), True),
        (move(10, 23, cover="unseen"), True),
        (move(13, cover="open"), False),
        (move(13, pace="run"), False),
        (move(13, pace="charge"), False),
    ],
)
def test_nme_09_who_hides_stays_hidden_from_cover_to_cover(command: dict[str, Any], hidden: bool) -> None:
    decision = when(played(field(terrain=[WOOD]), HIDE), RED, **command)
    assert decision.battle.figs["red-1"].hidden == hidden
    if not hidden:
        assert only(decision, e.FigRevealed) == e.FigRevealed("red-1", "moved")


def test_nme_09_turning_does_not_reveal() -> None:
    hidden = played(field(terrain=[WOOD]), HIDE, {"do": "turn", "fig": "red-1", "facing": 10})
    assert hidden.figs["red-1"].hidden


def test_nme_09_nobody_hides_in_combat() -> None:
    hiding = put(field(a("blue-1", 14)), "blue-1", hidden=True)
    decision = when(hiding, RED, **move(13, pace="charge"))
    assert kinds(decision)[-2:] == ["MeleeJoined", "FigRevealed"]
    assert only(decision, e.FigRevealed) == e.FigRevealed("blue-1", "contact")


# Contact


def test_nme_03_contact_with_an_active_enemy_is_combat() -> None:
    decision = when(field(a("blue-1", 15), a("blue-2", 14, 21)), RED, **move(14, pace="charge"))
    assert only(decision, e.MeleeJoined) == e.MeleeJoined("red-1", ("blue-1", "blue-2"))
    assert decision.battle.figs["blue-2"].engaged == ("red-1",)


def test_nme_03_moving_out_of_combat_is_allowed() -> None:
    decision = when(field(a("blue-1", 11)), RED, **move(8))
    assert only(decision, e.MeleeLeft) == e.MeleeLeft("red-1", ("blue-1",))
    assert decision.battle.figs["blue-1"].engaged == ()


@pytest.mark.parametrize("status", ["pinned", "down"])
def test_nme_03_contact_with_an_inactive_enemy_is_no_combat(status: Status) -> None:
    battle = put(field(a("blue-1", 14)), "blue-1", status=status)
    assert kinds(when(battle, RED, **move(13))) == ["PhaseStarted", "FigMoved"]


def test_nme_23_a_charge_drops_the_pin_of_whom_it_meets() -> None:
    battle = put(field(a("blue-1", 14), a("red-2", 15)), "blue-1", status="pinned", pinned_turn=0)
    decision = when(battle, RED, **move(13, pace="charge"))
    assert kinds(decision)[1:] == ["FigMoved", "FigRecovered", "MeleeJoined", "MeleeJoined"]
    assert only(decision, e.FigRecovered) == e.FigRecovered("blue-1", "charged")
    assert decision.battle.figs["blue-1"].engaged == ("red-1", "red-2")


@pytest.mark.parametrize("changes", [{"status": "down"}, {"status": "pinned", "hidden": True}])
def test_nme_23_a_charge_rouses_neither_the_down_nor_the_hidden(changes: dict[str, Any]) -> None:
    battle = put(field(a("blue-1", 14)), "blue-1", **changes)
    decision = when(battle, RED, **move(13, pace="charge"))
    assert kinds(decision)[1:] == ["FigMoved"]
    assert decision.battle.figs["blue-1"].status == changes["status"]


def test_nme_23_a_run_into_contact_drops_no_pin() -> None:
    battle = put(field(a("blue-1", 14)), "blue-1", status="pinned")
    assert when(battle, RED, **move(13, pace="run")).battle.figs["blue-1"].status == "pinned"


# What N:ME does not know


@pytest.mark.parametrize(
    "command",
    [
        {"do": "aim", "fig": "red-1", "target": "blue-1"},
        {"do": "last_ditch", "side": "red"},
        {"do": "fight", "bouts": [{"fig": "red-1", "target": "blue-1"}]},
    ],
)
def test_commands_of_the_other_system_are_refused(command: dict[str, Any]) -> None:
    refusal = no(field(), command)
    assert refusal.rule == "TURN-05"
    assert refusal.legal
