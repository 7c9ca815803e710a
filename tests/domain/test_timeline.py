"""What a record remembers of each act, and how it reads a log that is cut anywhere."""

from typing import get_args

import pytest
from msgspec.structs import replace

from domain.events import Event
from domain.record import Act, line_of, span_from
from domain.timeline import batches, effective, recorded
from tests.laws.fields import bricks, gangs
from tests.laws.game import Game


def last_act(game: Game) -> Act:
    return line_of(game.record)[-1]


def test_an_act_belongs_to_the_side_of_the_acting_fig_whoever_typed() -> None:
    game = Game(bricks())
    game.does("referee", do="move", fig="r1", to={"x": 10, "y": 9})
    act = last_act(game)
    assert (act.do, act.side, act.actor) == ("move", "red", "referee")


def test_an_injury_belongs_to_the_side_of_the_fig_that_was_hit() -> None:
    game = Game(gangs(policy={"injury": "reported_by_players"}))
    game.does("red", do="shoot", fig="r1", weapon="stub-gun", target="b1", dice=[1, 2, 5, 5])
    game.does("red", do="injure", fig="b1", result="close")
    assert (last_act(game).side, last_act(game).actor) == ("blue", "side:red")


def test_rulings_and_the_end_of_the_battle_are_nobodys() -> None:
    game = Game(bricks())
    game.rules({"fig": "r1", "field": "x", "value": 9})
    assert (last_act(game).do, last_act(game).side) == ("ruling", "")
    game.does("referee", do="end_battle")
    assert (last_act(game).side, last_act(game).ends_battle) == ("", True)


@pytest.mark.parametrize(
    ("command", "dice", "ends_turn", "last_ditch", "phase"),
    [
        ({"do": "move", "fig": "r1", "to": {"x": 10, "y": 9}}, 0, False, False, "movement"),
        ({"do": "shoot", "fig": "r1", "weapon": "gun", "target": "b1", "dice": [6, 1]}, 2, False, False, "shooting"),
        ({"do": "end_phase"}, 0, False, False, "shooting"),
        ({"do": "end_turn"}, 0, True, False, "movement"),
        ({"do": "last_ditch", "side": "red"}, 0, False, True, "movement"),
    ],
    ids=str,
)
def test_what_an_act_remembers(
    command: dict[str, object], dice: int, ends_turn: bool, last_ditch: bool, phase: str
) -> None:
    game = Game(bricks())
    before = game.record.battle
    receipt = game.act("red", **command)
    act = last_act(game)
    assert (act.seq, act.last) == (receipt.action, receipt.seq)
    assert (act.dice, act.ends_turn, act.last_ditch, act.turn, act.phase) == (dice, ends_turn, last_ditch, 1, phase)
    assert act.before is before


def test_procedure_and_notes_are_no_acts() -> None:
    game = Game(bricks())
    game.rules()
    game.dispute(1)
    assert line_of(game.record) == []
    assert game.record.head == game.record.floor == 1


def test_the_head_is_the_last_entry_that_could_be_struck() -> None:
    game = Game(bricks())
    end = game.act("red", do="end_turn")
    game.dispute(1)
    assert (game.record.head, game.record.seq) == (end.seq, end.seq + 1)
    game.undo(end.action)
    assert game.record.head == 1


def test_a_span_reaches_from_the_tip_back_to_an_act_on_the_line() -> None:
    game = Game(bricks())
    seqs = [game.does("referee", do="end_turn") for _ in range(3)]
    assert [act.seq for act in span_from(game.record.tip, seqs[1])] == [seqs[2], seqs[1]]
    assert span_from(game.record.tip, seqs[1] + 1) == []
    assert span_from(game.record.tip, seqs[2] + 9) == []


def test_batches_are_the_actions_in_order() -> None:
    game = Game(bricks())
    game.does("red", do="end_turn")
    game.dispute(1)
    found = list(batches(game.entries))
    assert [entry.seq for batch in found for entry in batch] == list(range(1, game.record.seq + 1))
    assert all({entry.action for entry in batch} == {batch[0].seq} for batch in found)


def test_a_log_may_be_cut_anywhere_and_goes_on_from_there_by_whole_batches() -> None:
    game = Game(bricks(3))
    shot = game.does("red", do="shoot", fig="r1", weapon="gun", target="b1", dice=[6, 6])
    game.undo(shot, by="red")
    game.answer("blue")
    game.answer("green")
    game.redo()
    for batch in batches(game.entries):
        begun = recorded(None, game.entries[: batch[-1].seq])
        assert recorded(begun, game.entries[batch[-1].seq :]).battle == game.record.battle
        for entry in batch:
            assert recorded(None, game.entries[: entry.seq]).seq == entry.seq


def test_effective_keeps_procedure_and_the_order_of_the_log() -> None:
    game = Game(bricks())
    end = game.does("red", do="end_turn")
    game.dispute(end)
    game.undo(end)
    kept = [entry.seq for entry in effective(game.entries)]
    assert kept == sorted(kept)
    assert [entry.type for entry in effective(game.entries)][-2:] == ["DisputeOpened", "ActionsUndone"]


def test_a_line_of_very_many_acts_is_let_go_without_a_stack_for_each() -> None:
    game = Game(gangs())
    game.does("referee", do="end_turn")
    act = line_of(game.record)[-1]
    for _ in range(300_000):
        act = replace(act, previous=act)
    del act


def test_no_event_is_searched_for_garbage() -> None:
    assert [kind.__name__ for kind in get_args(Event) if kind.__struct_config__.gc] == []
