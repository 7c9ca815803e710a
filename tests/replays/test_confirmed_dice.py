"""Dice thrown at the table and confirmed: typed by one seat, seen by another, or settled by the referee."""

import pytest

from domain import events as e
from domain.dice import DiceWanted
from replays.examine import examine
from tests.laws.fields import gangs
from tests.replays.seated import SHOT, Seats

JAM = SHOT | {"dice": [1, 1]}
"""A double one: the gun fails, and no more dice are wanted."""


def confirmed(**lengths: int) -> Seats:
    return Seats(gangs(policy={"table_dice": "confirmed"}), None, **lengths)


@pytest.mark.parametrize("who", ["blue", "referee"])
@pytest.mark.parametrize("keys", [{}, {"red": 0, "blue": 0}], ids=["without keys", "signed"])
def test_typed_by_one_and_confirmed_by_another(keys: dict[str, int], who: str) -> None:
    game = confirmed(**keys)
    game.act("red", **JAM)
    assert game.waits.faces == (1, 1)
    assert "r1" in game.record.battle.figs
    assert not game.found(e.WeaponFailed)
    game.confirm(who, 1, 1)
    assert game.record.pending is None
    assert game.found(e.AmmoRolled)[0].faces == (1, 1)
    assert [entry.actor for entry in game.entries if isinstance(entry.body, e.ActionDeclared)] == ["side:red"]
    assert game.findings == ()


def test_who_saw_other_dice_contests_them_and_the_referee_says_what_lay_there() -> None:
    game = confirmed()
    game.act("red", **JAM)
    game.confirm("blue", 1, 2)
    assert game.waits.contested
    assert game.refused(lambda: game.confirm("blue", 1, 1)).rule == "DICE-06"
    game.confirm("referee", 2, 2)
    assert game.found(e.AmmoRolled)[0].faces == (2, 2)
    assert game.findings == ()


def test_dice_that_the_referee_types_need_no_one_else() -> None:
    game = confirmed()
    game.act("referee", **JAM)
    assert game.record.pending is None
    assert game.found(e.AmmoRolled)
    assert game.findings == ()


@pytest.mark.parametrize("who", ["red", "spectator"])
def test_dice_are_not_confirmed_by_who_typed_them_or_by_nobody(who: str) -> None:
    game = confirmed()
    game.act("red", **JAM)
    assert game.refused(lambda: game.confirm(who, 1, 1)).rule == "SEAT-01"


@pytest.mark.parametrize("faces", [(), (1,), (1, 1, 1), (1, 7)])
def test_faces_that_the_rules_do_not_ask_for_are_not_confirmed_even_by_the_referee(faces: tuple[int, ...]) -> None:
    game = confirmed()
    game.act("red", **JAM)
    assert game.refused(lambda: game.confirm("referee", *faces)).kind == "invalid"
    game.confirm("referee", 1, 1)
    assert game.findings == ()


def test_nothing_is_typed_before_all_faces_are_there() -> None:
    game = confirmed()
    before = game.log
    with pytest.raises(DiceWanted):
        game.act("red", **SHOT, dice=[1, 2])
    assert game.log == before


def test_what_needs_no_dice_needs_no_confirmation() -> None:
    game = confirmed(red=0, blue=0)
    game.act("red", do="move", fig="r1", to={"x": 10, "y": 11})
    assert game.record.pending is None


def test_a_roll_of_the_chain_is_not_confirmed_and_one_of_the_table_not_released() -> None:
    game = confirmed(red=0, blue=0)
    game.act("red", **JAM)
    assert game.refused(lambda: game.forfeit("blue")).rule == "DICE-03"


def test_a_log_in_which_typed_dice_were_changed_afterwards_is_found() -> None:
    game = confirmed()
    game.act("red", **JAM)
    game.confirm("blue", 1, 1)
    data = game.room.book(game.id).data()
    roll = next(n for n, line in enumerate(data) if b'"AmmoRolled"' in line)
    data[roll] = data[roll].replace(b'"faces":[1,1]', b'"faces":[2,2]')
    assert not examine(data).good
