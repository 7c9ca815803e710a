"""Who stands base to base with whom, and who is linked by it into one melee."""

from typing import Any

import pytest

from domain import events as e
from domain.battle import Battle
from domain.contact import melee_of, touched_enemies
from tests.laws.game import Game
from tests.spec import given, kinds, only, opening, when

THREE = [{"id": "red"}, {"id": "blue"}, {"id": "green"}]


def row(*figs: tuple[str, float], system: str = "mfd", **more: Any) -> Battle:
    """Figs in a row; the first letter says whose they are."""
    names = {"r": "red", "b": "blue", "g": "green"}
    extra = {"bs": 3} if system == "nme" else {}
    bodies = [{"id": name, "side": names[name[0]], "x": x, "y": 20} | extra for name, x in figs]
    sides = [side for side in THREE if any(body["side"] == side["id"] for body in bodies)]
    return given(opening(system, bodies, sides=sides, **more))


def step(battle: Battle, fig: str, x: float, y: float = 20) -> Battle:
    return when(battle, do="move", fig=fig, to={"x": x, "y": y}).battle


def test_contact_is_between_enemies_only() -> None:
    battle = row(("r1", 10), ("r2", 11), ("b1", 20))
    assert touched_enemies(battle, battle.figs["r1"]) == []
    assert melee_of(battle, "r1") == ()


def test_contact_is_found_at_the_muster() -> None:
    battle = row(("r1", 10), ("b1", 11), ("b2", 12))
    assert [f.id for f in touched_enemies(battle, battle.figs["r1"])] == ["b1"]
    assert melee_of(battle, "r1") == ("b1", "r1")
    assert melee_of(battle, "b2") == ()


def test_a_melee_is_all_who_are_linked() -> None:
    battle = row(("r1", 10), ("b1", 11), ("r2", 12), ("b2", 13), ("r3", 20))
    assert melee_of(battle, "b2") == melee_of(battle, "r1") == ("b1", "b2", "r1", "r2")
    assert melee_of(battle, "r3") == ()


def test_three_sides_may_be_in_one_melee() -> None:
    battle = row(("r1", 10), ("b1", 11), ("g1", 12))
    assert melee_of(battle, "g1") == ("b1", "g1", "r1")


def test_a_move_joins_and_another_leaves() -> None:
    battle = row(("r1", 10), ("b1", 12))
    joined = when(battle, do="move", fig="r1", to={"x": 11, "y": 20})
    assert only(joined, e.MeleeJoined) == e.MeleeJoined("r1", ("b1",))
    assert melee_of(joined.battle, "b1") == ("b1", "r1")
    left = when(joined.battle, do="move", fig="r1", to={"x": 10, "y": 20})
    assert only(left, e.MeleeLeft) == e.MeleeLeft("r1", ("b1",))
    assert [left.battle.figs[name].engaged for name in ("r1", "b1")] == [(), ()]


def test_a_move_from_one_enemy_to_another_leaves_first_and_then_joins() -> None:
    battle = row(("r1", 11), ("b1", 10), ("b2", 14))
    moved = when(battle, do="move", fig="r1", to={"x": 13, "y": 20})
    assert kinds(moved)[-2:] == ["MeleeLeft", "MeleeJoined"]
    assert moved.battle.figs["r1"].engaged == ("b2",)
    assert moved.battle.figs["b1"].engaged == ()


def test_sliding_along_an_enemy_changes_nothing() -> None:
    battle = row(("r1", 11), ("b1", 10))
    moved = when(battle, do="move", fig="r1", to={"x": 10, "y": 21})
    assert kinds(moved) == ["FigMoved"]
    assert moved.battle.figs["r1"].engaged == ("b1",)


def test_who_touches_several_joins_all_in_the_order_of_ids() -> None:
    battle = row(("r1", 18), ("b2", 10), ("b1", 12))
    joined = when(battle, do="move", fig="r1", to={"x": 11, "y": 20}, pace="run")
    assert only(joined, e.MeleeJoined) == e.MeleeJoined("r1", ("b1", "b2"))


def test_a_melee_falls_apart_where_its_link_leaves() -> None:
    battle = row(("r1", 10), ("b1", 11), ("r2", 12), ("b2", 13))
    after = step(battle, "r2", 12, 23)
    assert (melee_of(after, "r1"), melee_of(after, "b2")) == (("b1", "r1"), ())


def test_an_object_fights_nobody() -> None:
    figs = [
        {"id": "r1", "side": "red", "x": 10, "y": 20},
        {"id": "hut", "side": "blue", "x": 11, "y": 20, "kind": "object"},
        {"id": "b1", "side": "blue", "x": 30, "y": 20},
    ]
    battle = given(opening("mfd", figs))
    assert [f.id for f in touched_enemies(battle, battle.figs["r1"])] == ["hut"]
    assert melee_of(battle, "r1") == ()


def test_who_is_drawn_into_a_combat_hides_no_longer() -> None:
    battle = when(row(("r1", 10), ("b1", 14), system="nme"), do="hide", fig="r1", cover="cover").battle
    assert battle.figs["r1"].hidden
    battle = when(battle, do="end_turn").battle
    charged = when(battle, do="move", fig="b1", to={"x": 11, "y": 20}, pace="charge")
    assert only(charged, e.FigRevealed) == e.FigRevealed("r1", "contact")
    assert not charged.battle.figs["r1"].hidden


def test_who_fights_nobody_leaves_no_melee() -> None:
    figs = [{"id": name, "side": side, "x": x, "y": 20} for name, side, x in (("r1", "red", 10), ("b1", "blue", 20))]
    game = Game(opening("mfd", figs))
    game.rules({"fig": "b1", "field": "status", "value": "out"})
    assert game.entries[-1].type == "RulingMade"


@pytest.mark.parametrize("status", ["pinned", "down"])
def test_in_nme_who_lies_on_the_ground_fights_nobody(status: str) -> None:
    figs = [
        {"id": "r1", "side": "red", "x": 10, "y": 20, "bs": 3},
        {"id": "b1", "side": "blue", "x": 11, "y": 20, "bs": 3},
    ]
    assert melee_of(given(opening("nme", figs)), "r1") == ("b1", "r1")
    game = Game(opening("nme", figs))
    game.rules({"fig": "b1", "field": "status", "value": status})
    assert melee_of(game.record.battle, "r1") == ()
    game.rules({"fig": "b1", "field": "status", "value": "active"})
    assert melee_of(game.record.battle, "r1") == ("b1", "r1")
