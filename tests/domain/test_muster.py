"""How a battle begins, and what is no beginning."""

from typing import Any

import pytest
from pydantic import ValidationError

from domain import events as e
from domain.evolve import evolved
from domain.measures import Vector
from domain.muster import NEW_BATTLE, arrayed, muster
from domain.refusals import Refusal
from tests.laws.fields import bricks, gangs
from tests.laws.game import Body, no

EVENTS = tuple[e.Event, ...]


def mustered(body: Body) -> EVENTS:
    return muster(NEW_BATTLE.validate_python(body))


def refusal(body: Body) -> Refusal:
    new = NEW_BATTLE.validate_python(body)
    return no(lambda: muster(new))


def bad(body: Body) -> list[str]:
    """Where the body itself is wrong, as pointers."""
    with pytest.raises(ValidationError) as caught:
        NEW_BATTLE.validate_python(body)
    return ["/" + "/".join(map(str, error["loc"][1:])) for error in caught.value.errors()]


def fig(name: str, side: str, x: Any, y: float = 10, **more: Any) -> Body:
    return {"id": name, "side": side, "x": x, "y": y} | more


def duel(*figs: Body, **more: Any) -> Body:
    """A battle of MiniFig Death with these figs."""
    return {"system": "mfd", "sides": [{"id": "red"}, {"id": "blue"}], "figs": list(figs)} | more


RED, BLUE = fig("r1", "red", 10), fig("b1", "blue", 20)


# --- the first batch ---


def test_the_first_batch_in_its_order() -> None:
    wall = {"id": "w", "kind": "wall", "cover": "full", "points": [{"x": 1, "y": 1}, {"x": 2, "y": 1}]}
    events = mustered(duel(RED, BLUE, terrain=[wall]))
    assert [type(event).__name__ for event in events] == [
        "BattleStarted",
        "TerrainPlaced",
        "FigMustered",
        "FigMustered",
        "TurnStarted",
        "PhaseStarted",
    ]
    assert events[-2:] == (e.TurnStarted(1, "red"), e.PhaseStarted("movement"))


def test_the_dice_anchor_goes_right_behind_the_start() -> None:
    anchor = e.DiceAnchored(0, 0, 4096, "ff")
    new = NEW_BATTLE.validate_python(duel(RED, BLUE))
    assert muster(new, [anchor])[1] == anchor


def test_what_follows_from_the_places_is_worked_out_again_from_the_events() -> None:
    events = mustered(bricks(3))
    places = [event for event in events if isinstance(event, e.BattleStarted | e.TerrainPlaced | e.FigMustered)]
    assert (*places, *arrayed(places)) == events


def test_sides_take_turns_as_listed_and_have_their_dice_numbers() -> None:
    started = mustered(duel(RED, BLUE, sides=[{"id": "blue", "name": "The Blues"}, {"id": "red"}]))
    first = started[0]
    assert isinstance(first, e.BattleStarted)
    assert first.sides == (e.PartyOf("blue", "The Blues", 1), e.PartyOf("red", "red", 2))
    assert e.TurnStarted(1, "blue") in started


def test_what_nobody_says_is_filled_in() -> None:
    battle = evolved(None, mustered(duel(RED, BLUE)))
    one = battle.figs["r1"]
    assert (battle.width, battle.height, battle.dice, battle.title, battle.rules) == (
        48_000,
        48_000,
        "server",
        "",
        "mfd.1",
    )
    assert (one.name, one.base, one.facing, one.vehicle, one.status) == (
        "r1",
        1000,
        Vector(1_000_000, 0),
        False,
        "active",
    )
    assert (one.mfd.to_hit, one.mfd.armour, one.mfd.move, one.mfd.height, one.mfd.kind) == (3, 5, 5000, 4, "fig")


def test_the_whole_policy_stands_in_the_first_entry() -> None:
    first = mustered(duel(RED, BLUE, policy={"tape_tolerance": 0.5, "aim_lost_on": ["move"]}))[0]
    assert isinstance(first, e.BattleStarted)
    assert first.policy["tape_tolerance"] == 500
    assert first.policy["aim_lost_on"] == ["move"]
    assert first.policy["undo_dice"] == "consent"
    battle = evolved(None, [first])
    assert (battle.policy.tape_tolerance, battle.mfd.aim_lost_on) == (500, ("move",))


def test_figs_that_stand_in_contact_begin_in_a_melee() -> None:
    events = mustered(duel(RED, fig("b1", "blue", 11), fig("b2", "blue", 20)))
    assert e.MeleeJoined("r1", ("b1",)) in events
    battle = evolved(None, events)
    assert [battle.figs[name].engaged for name in ("r1", "b1", "b2")] == [("b1",), ("r1",), ()]


def test_every_nme_fig_counts_for_the_strength_of_its_side() -> None:
    battle = evolved(None, mustered(gangs(3)))
    assert [side.start for side in battle.sides.values()] == [2, 2, 1]


def test_figs_and_sides_have_the_names_they_are_given() -> None:
    figs = [RED | {"name": "Sarge"}, BLUE]
    battle = evolved(None, mustered(duel(*figs, sides=[{"id": "red", "name": "The Reds"}, {"id": "blue"}])))
    assert [one.name for one in battle.figs.values()] == ["Sarge", "b1"]
    assert [side.name for side in battle.sides.values()] == ["The Reds", "blue"]


def test_an_area_has_three_points_or_more() -> None:
    points = [{"x": 1, "y": 1}, {"x": 2, "y": 1}, {"x": 2, "y": 2}]
    wood = {"id": "wood", "kind": "area", "cover": "full", "points": points}
    battle = evolved(None, mustered(duel(RED, BLUE, terrain=[wood])))
    assert [(piece.kind, len(piece.points)) for piece in battle.terrain] == [("area", 3)]


def test_objects_do_not_count_for_the_strength_of_a_side() -> None:
    battle = evolved(None, mustered(duel(RED, fig("hut", "red", 30, kind="object"), BLUE)))
    assert (battle.sides["red"].start, battle.sides["blue"].start) == (1, 1)


# --- refused, with the place of the fault ---


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (duel(RED, BLUE, sides=[{"id": "red"}, {"id": "blue"}, {"id": "red"}]), "/sides/2/id"),
        (duel(RED, BLUE, fig("r1", "blue", 30)), "/figs/2/id"),
        (duel(RED, fig("b1", "green", 20)), "/figs/1/side"),
        (duel(RED, fig("b1", "blue", 10.9)), "/figs/1"),
        (duel(RED, BLUE, fig("b2", "blue", 10)), "/figs/2"),
        (duel(RED, fig("b1", "blue", 48.001)), "/figs/1"),
        (duel(RED, fig("b1", "blue", -0.001)), "/figs/1"),
        (duel(RED, fig("b1", "blue", 20, 31), table={"width": 40, "height": 30}), "/figs/1"),
        (duel(RED, fig("r2", "red", 20)), "/figs"),
        (duel(RED, fig("b1", "blue", 20, weapons=[{"id": "a", "kind": "ccw"}] * 2)), "/figs/1/weapons/1/id"),
        (gangs(policy={}) | {"figs": [fig("r1", "red", 1, bs=3, weapons=["spoon"])]}, "/figs/0/weapons/0"),
        (gangs() | {"figs": [fig("r1", "red", 1, bs=3, weapons=["stub-gun", "stub-gun"])]}, "/figs/0/weapons/1/id"),
    ],
    ids=[
        "a side twice",
        "a fig twice",
        "an unknown side",
        "on top of another",
        "in the same place",
        "off the table to the right",
        "off the table to the left",
        "off a smaller table",
        "a side without a fig",
        "a weapon twice",
        "a weapon that is in no catalogue",
        "a catalogue weapon twice",
    ],
)
def test_what_is_refused_and_where(body: Body, pointer: str) -> None:
    found = refusal(body)
    assert (found.kind, found.pointer) == ("invalid", pointer)


def test_figs_may_stand_on_the_edge_and_base_to_base() -> None:
    mustered(duel(fig("r1", "red", 0, 0), fig("b1", "blue", 48, 48), fig("b2", "blue", 47.05, 48)))


WALL: Body = {"id": "w", "kind": "wall", "cover": "none", "points": [{"x": 1, "y": 1}, {"x": 2, "y": 1}]}


@pytest.mark.parametrize(
    ("terrain", "pointer"),
    [
        ([WALL, WALL], "/terrain/1/id"),
        ([WALL | {"cover": "cover"}], "/terrain/0/cover"),
        ([WALL | {"kind": "area"}], "/terrain/0/points"),
    ],
    ids=["twice the same id", "another system's cover", "an area of two points"],
)
def test_terrain_that_is_refused_and_where(terrain: list[Body], pointer: str) -> None:
    assert refusal(duel(RED, BLUE, terrain=terrain)).pointer == pointer


def guns(pistols: int, big: int) -> Body:
    mine = [
        fig(f"r{n}", "red", 1 + 2 * n, weapons=[{"id": "gun", "kind": "pistol" if n < pistols else "big_solid"}])
        for n in range(pistols + big)
    ]
    return duel(*mine, fig("b1", "blue", 1, 40))


@pytest.mark.parametrize(("pistols", "big", "kept"), [(10, 1, True), (9, 1, False), (20, 2, True), (19, 2, False)])
def test_ten_guns_for_every_big_one(pistols: int, big: int, kept: bool) -> None:
    if kept:
        mustered(guns(pistols, big))
    else:
        assert refusal(guns(pistols, big)).rule == "MFD-07"


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"sides": [{"id": "red"}]}, "/sides"),
        ({"sides": [{"id": f"s{n}"} for n in range(9)]}, "/sides"),
        ({"sides": [{"id": "Red"}, {"id": "blue"}]}, "/sides/0/id"),
        ({"figs": []}, "/figs"),
        ({"figs": [fig(f"f{n}", "red", 1) for n in range(201)]}, "/figs"),
        ({"terrain": [WALL | {"id": f"w{n}"} for n in range(101)]}, "/terrain"),
        ({"terrain": [WALL | {"points": [{"x": 1, "y": 1}]}]}, "/terrain/0/points"),
        ({"title": "x" * 121}, "/title"),
        ({"dice": "cheat"}, "/dice"),
        ({"table": {"width": 0, "height": 48}}, "/table/width"),
        ({"table": {"width": 48, "height": 1001}}, "/table/height"),
        ({"policy": {"undo_dice": "never"}}, "/policy/undo_dice"),
        ({"policy": {"bonus_dice": "once"}}, "/policy/bonus_dice"),
        ({"policy": {"private": "yes"}}, "/policy/private"),
        ({"policy": {"private": 1}}, "/policy/private"),
        ({"policy": {"base_to_hit": True}}, "/policy/base_to_hit"),
        ({"policy": {"base_to_hit": "3"}}, "/policy/base_to_hit"),
        ({"policy": {"undo_requests": -1}}, "/policy/undo_requests"),
        ({"policy": {"tape_tolerance": -1}}, "/policy/tape_tolerance"),
        ({"tags": {"colour": "red"}}, "/tags/colour"),
        ({"players": ["Ann"]}, "/players"),
        ({"figs": [fig("r1", "red", 1, hp=3)]}, "/figs/0/hp"),
        ({"figs": [fig("r1", "red", "1")]}, "/figs/0/x"),
        ({"figs": [fig("r1", "red", 1.0005)]}, "/figs/0/x"),
        ({"figs": [fig("r1", "red", 1, base=0.05)]}, "/figs/0/base"),
        ({"figs": [fig("r1", "red", 1, facing=361)]}, "/figs/0/facing"),
        ({"figs": [fig("r1", "red", 1, to_hit=8)]}, "/figs/0/to_hit"),
        ({"figs": [fig("r1", "red", 1, bs=3)]}, "/figs/0/bs"),
        ({"figs": [fig("r1", "red", 1, weapons=[{"id": "g", "kind": "laser"}])]}, "/figs/0/weapons/0/kind"),
    ],
    ids=str,
)
def test_a_body_out_of_bounds_is_refused_where_it_is(change: Body, pointer: str) -> None:
    pointers = [found.replace("/mfd", "") for found in bad(duel(RED, BLUE) | change)]
    assert pointer in [found for found in pointers if found]


@pytest.mark.parametrize(
    ("weapon", "member"),
    [
        ({"er": 12}, "er"),
        ({"er": 0}, "er"),
        ({"er": 105}, "er"),
        ({"strength": 7}, "strength"),
        ({"strength": 0}, "strength"),
        ({"ammo_rating": 8}, "ammo_rating"),
        ({"template": "cone"}, "template"),
        ({"provenance": "rumour"}, "provenance"),
        ({"damage": 3}, "damage"),
    ],
    ids=str,
)
def test_a_weapon_out_of_bounds_is_refused(weapon: Body, member: str) -> None:
    whole = {"id": "gun", "er": 10, "strength": 3, "ammo_rating": 4} | weapon
    body = gangs() | {"figs": [fig("r1", "red", 1, bs=3, weapons=[whole]), fig("b1", "blue", 9, bs=3)]}
    assert any(pointer.endswith(f"/{member}") for pointer in bad(body))


def test_a_system_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValidationError):
        NEW_BATTLE.validate_python(duel(RED, BLUE) | {"system": "chess"})


def test_two_hundred_figs_and_eight_sides_may_play() -> None:
    sides = [{"id": f"s{n}"} for n in range(8)]
    figs = [fig(f"f{n}", f"s{n % 8}", 1 + 2 * (n % 20), 1 + 4 * (n // 20)) for n in range(200)]
    assert len(evolved(None, mustered(duel(*figs, sides=sides))).figs) == 200
