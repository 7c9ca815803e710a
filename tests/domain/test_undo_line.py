"""What an undo strikes and what it leaves: the line, the stack of redo, procedure, branches."""

import pytest

from domain import events as e
from domain.record import line_of
from domain.timeline import effective, struck_out
from tests.laws.fields import bricks
from tests.laws.game import Game, no


def step(game: Game, y: float) -> int:
    return game.does("red", do="move", fig="r1", to={"x": 10, "y": y})


def miss(game: Game) -> int:
    return game.does("red", do="shoot", fig="r1", weapon="gun", target="b1", dice=[1])


def line(game: Game) -> list[int]:
    return [act.seq for act in line_of(game.record)]


def test_it_strikes_that_action_and_all_after_it() -> None:
    game = Game(bricks())
    one, two, three = step(game, 9), step(game, 9.5), step(game, 10)
    game.undo(two, by="red")
    assert line(game) == [one]
    assert struck_out(game.entries) == {two, three}
    assert [entry.seq for entry in effective(game.entries)][-3:] == [one, one + 1, game.record.seq]


def test_an_undo_at_once_names_what_falls_and_no_request() -> None:
    game = Game(bricks())
    one, two = step(game, 9), miss(game)
    game.undo(one)
    game.redo()
    assert [entry.body for entry in game.entries[-2:]] == [
        e.ActionsUndone(one, (one, two), 1, 0, (), "in error"),
        e.ActionsRestored(one, (one, two), 0, (), "after all"),
    ]


def test_nothing_leaves_the_log() -> None:
    game = Game(bricks())
    one = step(game, 9)
    log = game.log
    game.undo(one, by="red")
    assert game.log.startswith(log)


def test_undo_undo_redo_redo_is_a_stack() -> None:
    game = Game(bricks())
    one, two, three = step(game, 9), step(game, 9.5), step(game, 10)
    table = game.record.battle
    game.undo(three, by="red")
    game.undo(one, by="red")
    assert line(game) == []
    game.redo(by="red")
    assert line(game) == [one, two]
    game.redo(by="red")
    assert line(game) == [one, two, three]
    assert game.record.battle is table
    assert no(lambda: game.redo(by="red")).rule == "nothing-to-redo"


def test_what_was_restored_is_undone_again_and_restored_again() -> None:
    game = Game(bricks())
    one = step(game, 9)
    for _ in range(3):
        game.undo(one, by="red")
        assert (line(game), struck_out(game.entries)) == ([], {one})
        game.redo(by="red")
        assert (line(game), struck_out(game.entries)) == ([one], set())


def test_new_play_leaves_nothing_to_redo() -> None:
    game = Game(bricks())
    one = step(game, 9)
    game.undo(one, by="red")
    two = step(game, 9.5)
    assert no(lambda: game.redo(by="red")).rule == "nothing-to-redo"
    assert line(game) == [two]
    game.undo(two, by="red")
    game.redo(by="red")
    assert line(game) == [two]


def test_a_ruling_with_changes_is_new_play() -> None:
    game = Game(bricks())
    game.undo(step(game, 9), by="red")
    game.rules({"fig": "r1", "field": "x", "value": 12})
    assert no(lambda: game.redo(by="red")).rule == "nothing-to-redo"


def test_procedure_is_never_struck_and_never_in_the_way_of_redo() -> None:
    game = Game(bricks())
    one = step(game, 9)
    note = game.rules()
    game.dispute(one, by="blue")
    game.undo(one, by="red")
    game.rules()
    game.dispute(one, by="blue")
    game.resolve(1, by="blue", withdrawn=True)
    assert struck_out(game.entries) == {one}
    assert [d.status for d in game.record.docket.disputes.values()] == ["withdrawn", "open"]
    game.redo(by="red")
    assert line(game) == [one]
    assert note not in line(game)


def test_a_ruling_with_changes_is_struck_and_restored_by_the_referee() -> None:
    game = Game(bricks())
    ruled = game.rules({"fig": "r1", "field": "x", "value": 12})
    moved = game.record.battle
    game.undo(ruled)
    assert game.record.battle.figs["r1"].x == 10_000
    game.redo()
    assert game.record.battle is moved


@pytest.mark.parametrize("kind", ["inside", "muster", "struck", "note", "dispute", "undo"])
def test_only_the_beginning_of_an_action_on_the_line_is_taken_back(kind: str) -> None:
    game = Game(bricks())
    shot = miss(game)
    note = game.rules()
    game.dispute(shot)
    move = game.does("red", do="end_turn")
    game.undo(move)
    where = {
        "inside": shot + 1,
        "muster": 1,
        "struck": move,
        "note": note,
        "dispute": note + 1,
        "undo": game.record.seq,
    }
    refusal = no(lambda: game.undo(where[kind]))
    assert (refusal.rule, refusal.legal) == ("not-strikable", (str(shot),))


def test_the_newest_actions_are_named_instead() -> None:
    game = Game(bricks())
    seqs = [game.does("referee", do="end_turn") for _ in range(7)]
    assert no(lambda: game.undo(seqs[6] + 1)).legal == tuple(str(seq) for seq in reversed(seqs[2:]))


def test_an_action_that_is_not_there_yet_is_not_taken_back() -> None:
    game = Game(bricks())
    assert no(lambda: game.undo(game.record.seq + 1)).rule == "unknown-action"


def test_undoing_the_end_reopens_the_battle() -> None:
    game = Game(bricks())
    end = game.does("referee", do="end_battle", winner="red")
    assert no(lambda: step(game, 9)).kind == "battle-over"
    game.undo(end)
    assert (game.record.status, game.record.battle.winner) == ("playing", "")
    step(game, 9)


# --- branches ---


def test_no_undo_reaches_across_the_opening_of_a_branch() -> None:
    game = Game(bricks())
    one = step(game, 9)
    branch = game.branch()
    opened = branch.record.seq
    two = step(branch, 9.5)
    assert no(lambda: branch.undo(one)).rule == "before-branch"
    assert no(lambda: branch.undo(opened)).rule == "before-branch"
    branch.undo(two, by="red")
    assert line(branch) == [one]
    assert no(lambda: branch.undo(one, by="red")).rule == "before-branch"


def test_in_a_branch_only_its_own_actions_are_named_instead() -> None:
    game = Game(bricks())
    step(game, 9)
    branch = game.branch()
    two = step(branch, 9.5)
    refusal = no(lambda: branch.undo(two + 1))
    assert (refusal.rule, refusal.legal) == ("not-strikable", (str(two),))


def test_a_branch_begins_with_a_clean_docket_and_nothing_to_redo() -> None:
    game = Game(bricks())
    shot = miss(game)
    game.dispute(shot)
    game.undo(shot, by="red")
    game.answer("blue", agree=False)
    game.undo(miss(game))
    branch = game.branch()
    assert branch.record.docket.disputes == {}
    assert branch.record.docket.dice_undone == 0
    assert no(branch.redo).rule == "nothing-to-redo"


def test_what_was_struck_before_the_branch_stays_struck() -> None:
    game = Game(bricks())
    one = step(game, 9)
    game.undo(one, by="red")
    branch = game.branch()
    game.redo(by="red")
    assert branch.record.battle.figs["r1"].y == 10_000
    assert one not in {entry.action for entry in effective(branch.entries)}
    assert isinstance(branch.entries[-1].body, e.BranchOpened)
