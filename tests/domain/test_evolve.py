"""What each event writes on the table, and that it writes nothing else."""

from typing import Any

import pytest
from msgspec.structs import replace

from domain import events as e
from domain.battle import Aim, Battle, Fig, NmeWeapon, Wound
from domain.dice import Throw
from domain.evolve import evolve, evolved
from domain.measures import Point, Vector
from domain.muster import NEW_BATTLE, muster
from tests.laws.fields import gangs

HERE = Point(1, 2)
WOUND = Wound("b1", "gun", 3, critical=True, origin=HERE, distance=8000)
DIE = (Throw("injury", 6, (3,)),)
BUSY: dict[str, Any] = {
    "pace": "run",
    "moved": 8000,
    "advanced": True,
    "shots": 2,
    "shot_mode": "snap",
    "shot_with": "gun",
    "shot_at": ("b1", "b2"),
    "aimed": True,
    "fought": True,
    "tested": True,
}


def table(**changes: Any) -> Battle:
    """A table on which r1 is as told; it is turn 7."""
    battle = evolved(None, muster(NEW_BATTLE.validate_python(gangs() | {"dice": "table"})))
    fig = replace(battle.figs["r1"], **changes)
    return replace(battle, turn=7, figs={**battle.figs, "r1": fig})


def changed(before: Fig, after: Fig) -> dict[str, Any]:
    """The members that differ."""
    names = Fig.__struct_fields__
    return {name: getattr(after, name) for name in names if getattr(before, name) != getattr(after, name)}


CASES: list[tuple[dict[str, Any], e.Event, dict[str, Any]]] = [
    (
        {},
        e.FigMoved("r1", HERE, Point(3, 4), 3, 2, 5, "run", advanced=True),
        {"x": 3, "y": 4, "moved": 5, "pace": "run", "advanced": True},
    ),
    ({}, e.FigTurned("r1", Vector(3, 4), "turn"), {"facing": Vector(3, 4)}),
    ({}, e.FigHid("r1"), {"hidden": True}),
    ({"hidden": True}, e.FigRevealed("r1", "shot"), {"hidden": False}),
    ({}, e.AimTaken("r1", "b1", 3), {"aim": Aim("b1", 3), "aimed": True}),
    ({"aim": Aim("b1", 3)}, e.AimLost("r1", "b1", "fire"), {"aim": None}),
    ({"useless": ("a",)}, e.WeaponFailed("r1", "b", "NME-13"), {"useless": ("a", "b")}),
    (
        {"shots": 1, "shot_at": ("b2",)},
        e.ShotFired("r1", "gun", "snap", "b1", 2),
        {"shots": 2, "shot_mode": "snap", "shot_with": "gun", "shot_at": ("b2", "b1")},
    ),
    ({}, e.ShotFired("r1", "gun", "aimed", None, 1), {"shots": 1, "shot_mode": "aimed", "shot_with": "gun"}),
    (
        {"injuries": (WOUND,)},
        e.InjuryAwaited("r1", "b1", "gun", 3, critical=True, origin=HERE, distance=8000),
        {"injuries": (WOUND, WOUND)},
    ),
    ({"wounds": 1}, e.InjuryRolled("r1", "b1", 3, DIE, 3, "clipped", 1), {"wounds": 2}),
    ({"wounds": 1}, e.InjuryRolled("r1", "b1", 3, DIE, 1, "close", 0), {}),
    (
        {"wounds": 1, "injuries": (WOUND, replace(WOUND, by="b2"))},
        e.InjuryReported("r1", "b1", "clipped", 1),
        {"wounds": 2, "injuries": (replace(WOUND, by="b2"),)},
    ),
    ({}, e.FigPinned("r1", "hit", "NME-21b", "b1"), {"status": "pinned", "pinned_turn": 7}),
    ({}, e.RecoveryRolled("r1", "r2", DIE, 3, 3, passed=True, rule="NME-25"), {"tested": True}),
    (
        {"status": "pinned", "pinned_turn": 6},
        e.FigRecovered("r1", "test"),
        {"status": "active", "pinned_turn": 0},
    ),
    (
        {"status": "pinned", "pinned_turn": 6, "hidden": True},
        e.FigDowned("r1", "injury", "INJURY-01", "b1", "gun", HERE, 8000),
        {"status": "down", "pinned_turn": 0, "hidden": False},
    ),
    (
        {"status": "pinned", "pinned_turn": 6, "hidden": True, "aim": Aim("b1", 1), "injuries": (WOUND,)},
        e.FigRemoved("r1", "injury", "INJURY-01", "b1", "gun", HERE, 8000),
        {"status": "out", "pinned_turn": 0, "hidden": False, "aim": None, "injuries": ()},
    ),
    ({}, e.MeleeFought(("r1",)), {"fought": True}),
    ({}, e.MeleeJoined("r1", ("b2", "b1")), {"engaged": ("b1", "b2")}),
    (
        {},
        e.RulingMade(None, "X", "y", (e.Change("r1", "status", "active", "pinned"),)),
        {"status": "pinned", "pinned_turn": 7},
    ),
    (
        {"status": "pinned", "pinned_turn": 6, "aim": Aim("b1", 1), "hidden": True},
        e.RulingMade(None, "X", "y", (e.Change("r1", "status", "pinned", "down"),)),
        {"status": "down", "pinned_turn": 0},
    ),
]


@pytest.mark.parametrize(("before", "event", "after"), CASES, ids=lambda case: type(case).__name__ + str(case)[:60])
def test_an_event_writes_this_and_nothing_else(before: dict[str, Any], event: e.Event, after: dict[str, Any]) -> None:
    battle = table(**before)
    then = evolve(battle, event)
    assert changed(battle.figs["r1"], then.figs["r1"]) == after
    assert replace(then, figs=battle.figs) == battle
    touched = {"r1", "b1", "b2"} if isinstance(event, e.MeleeJoined) else {"r1"}
    assert all(then.figs[name] is fig for name, fig in battle.figs.items() if name not in touched)


def test_who_begins_a_turn_is_rested_and_the_others_are_as_they_were() -> None:
    battle = table(**BUSY)
    battle = replace(battle, figs={**battle.figs, "b1": replace(battle.figs["b1"], **BUSY)})
    then = evolve(battle, e.TurnStarted(8, "red"))
    assert (then.turn, then.side, then.phase) == (8, "red", "")
    assert then.figs["r1"] == table().figs["r1"]
    assert then.figs["b1"] is battle.figs["b1"]


@pytest.mark.parametrize("name", [name for name in BUSY if name not in ("shot_mode", "shot_with", "shot_at")])
def test_whatever_a_fig_did_in_its_turn_is_forgotten_in_its_next(name: str) -> None:
    then = evolve(table(**{name: BUSY[name]}), e.TurnStarted(8, "red"))
    assert then.figs["r1"] == table().figs["r1"]


def test_a_fig_that_did_nothing_is_the_very_same_in_its_next_turn() -> None:
    battle = table()
    assert evolve(battle, e.TurnStarted(8, "red")).figs["r1"] is battle.figs["r1"]


def test_a_melee_is_written_down_for_both_and_left_by_both() -> None:
    battle = evolve(table(), e.MeleeJoined("r1", ("b2", "b1")))
    assert [battle.figs[name].engaged for name in ("r1", "b1", "b2")] == [("b1", "b2"), ("r1",), ("r1",)]
    battle = evolve(battle, e.MeleeLeft("r1", ("b1",)))
    assert [battle.figs[name].engaged for name in ("r1", "b1", "b2")] == [("b2",), (), ("r1",)]


def test_sides_and_the_battle() -> None:
    battle = table()
    assert evolve(battle, e.LastDitchCalled("red", 10, 1, "outnumbered", "MFD-25")).sides["red"].last_ditch
    assert evolve(battle, e.SideConceded("blue", "")).sides["blue"].conceded
    assert evolve(battle, e.PhaseStarted("shooting")).phase == "shooting"
    ended = evolve(battle, e.BattleEnded("red", "", "referee"))
    assert (ended.status, ended.winner) == ("ended", "red")
    opened = e.BranchOpened("0" * 32, 7, "", 9, "fresh", "server", "What if", "")
    branched = evolve(replace(battle, tags={"event": "cup"}), opened)
    assert branched.tags == {"event": ""}
    assert (branched.title, branched.dice, branched.figs is battle.figs) == ("What if", "server", True)


def test_weapons_that_a_ruling_mends_can_be_used_again() -> None:
    battle = table(useless=("a", "b"))
    change = e.Change("r1", "weapon", {"id": "a", "usable": False}, {"id": "a", "usable": True})
    assert evolve(battle, e.RulingMade(None, "X", "y", (change,))).figs["r1"].useless == ("b",)
    change = e.Change("r1", "weapon", {"id": "c", "usable": True}, {"id": "c", "usable": False})
    assert evolve(battle, e.RulingMade(None, "X", "y", (change,))).figs["r1"].useless == ("a", "b", "c")


def test_a_muster_counts_the_figs_that_count() -> None:
    battle = table()
    first = battle.figs["r1"]
    more = e.FigMustered(
        "r9",
        "r9",
        "red",
        1,
        2,
        Vector(1, 0),
        1000,
        False,
        first.profile,
        (NmeWeapon("gun", 10_000, 3, 4),),
        0,
    )
    assert evolve(battle, more).sides["red"].start == battle.sides["red"].start
    assert evolve(battle, replace(more, counts=1)).sides["red"].start == battle.sides["red"].start + 1
