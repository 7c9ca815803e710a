"""The `state` of an entry: the digest of the table after it, and of nothing but the table."""

from collections.abc import Callable

import pytest
from hypothesis import given
from msgspec.structs import replace

from domain.battle import Aim, Battle, Fig, Wound
from domain.document import fig_document
from domain.measures import Point, Vector
from replays.codec import Fingerprint
from tests.laws.fields import bricks
from tests.laws.game import Game, effort
from tests.laws.play import attempt, next_idea, seeds, table_after, tables


def state(battle: Battle) -> str:
    return Fingerprint().of(battle)


@given(tables, seeds)
@effort(40)
def test_what_is_kept_from_the_last_table_changes_no_digest(battle: Battle, seed: int) -> None:
    fingerprint = Fingerprint()
    fingerprint.of(battle)
    found = attempt(battle, next_idea(battle, seed), seed)
    assert found is not None
    after = found[0].battle
    assert fingerprint.of(after) == state(after)
    assert fingerprint.of(battle) == state(battle)


def with_fig(**changes: object) -> Callable[[Battle], Battle]:
    def changed(battle: Battle) -> Battle:
        fig: Fig = replace(battle.figs["red-0"], **changes)
        return replace(battle, figs={**battle.figs, "red-0": fig})

    return changed


CHANGES: dict[str, Callable[[Battle], Battle]] = {
    **{
        name: with_fig(**{name: value})
        for name, value in {
            "name": "Ann",
            "x": 1,
            "y": 1,
            "facing": Vector(1, 1),
            "base": 999,
            "vehicle": True,
            "status": "down",
            "pinned_turn": 1,
            "wounds": 1,
            "useless": ("pistol",),
            "hidden": True,
            "engaged": ("blue-0",),
            "aim": Aim("blue-0", 1),
            "injuries": (Wound("blue-0", "gun", 3, critical=False, origin=Point(1, 1), distance=1),),
            "pace": "walk",
            "moved": 1,
            "advanced": True,
            "shots": 1,
            "shot_mode": "snap",
            "shot_with": "pistol",
            "shot_at": ("blue-0",),
            "aimed": True,
            "fought": True,
            "tested": True,
        }.items()
    },
    "title": lambda battle: replace(battle, title="Final"),
    "dice": lambda battle: replace(battle, dice="server"),
    "tags": lambda battle: replace(battle, tags={"event": "cup"}),
    "policy": lambda battle: replace(battle, policy=type(battle.policy)(undo_requests=7)),
    "terrain": lambda battle: replace(battle, terrain=()),
    "size": lambda battle: replace(battle, width=1),
    "turn": lambda battle: replace(battle, turn=7),
    "side": lambda battle: replace(battle, side="blue"),
    "phase": lambda battle: replace(battle, phase="shooting"),
    "status of the battle": lambda battle: replace(battle, status="ended"),
    "winner": lambda battle: replace(battle, winner="red"),
    "a concession": lambda battle: replace(
        battle, sides={**battle.sides, "red": replace(battle.sides["red"], conceded=True)}
    ),
    "the order of figs": lambda battle: replace(battle, figs=dict(reversed(battle.figs.items()))),
}


@pytest.mark.parametrize("what", CHANGES)
def test_whatever_changes_on_the_table_changes_the_digest(what: str) -> None:
    battle = table_after("mfd", 2, [])
    changed, fingerprint = CHANGES[what](battle), Fingerprint()
    assert state(changed) != fingerprint.of(battle)
    if what != "size":  # no event ever changes it, so what is kept of the last table need not know
        assert fingerprint.of(changed) == state(changed)
    assert fingerprint.of(battle) == state(battle)


def test_a_fig_shows_what_has_no_default_and_what_differs_from_it() -> None:
    battle = table_after("mfd", 2, [])
    always = {"id", "name", "side", "x", "y", "facing", "base", "vehicle", "profile", "weapons"}
    assert set(fig_document(battle.figs["red-0"])) == always
    aiming = with_fig(aim=Aim("blue-0", 2), shots=1)(battle).figs["red-0"]
    shown = fig_document(aiming)
    assert set(shown) == always | {"aim", "shots"}
    assert (shown["aim"], shown["shots"], shown["facing"]) == (
        Aim("blue-0", 2),
        1,
        Vector(1_000_000, 0),
    )


def test_every_member_of_a_fig_and_of_a_battle_is_looked_at() -> None:
    fixed = {"id", "side", "profile", "weapons"}
    assert set(Fig.__struct_fields__) - fixed <= set(CHANGES)


def test_procedure_is_no_part_of_the_table() -> None:
    game = Game(bricks())
    shot = game.does("red", do="shoot", fig="r1", weapon="gun", target="b1", dice=[1])
    before = game.entries[-1].state
    game.dispute(shot)
    game.rules()
    game.undo(shot, by="red")
    game.answer("blue", agree=False)
    assert {entry.state for entry in game.entries[-4:]} == {before}


def test_after_an_undo_it_is_again_what_it_was() -> None:
    game = Game(bricks())
    before = game.entries[-1].state
    shot = game.does("red", do="shoot", fig="r1", weapon="gun", target="b1", dice=[1])
    after = game.entries[-1].state
    game.undo(shot)
    assert game.entries[-1].state == before
    game.redo()
    assert game.entries[-1].state == after
