"""An undo that others have to agree to: it is asked, answered, refused, withdrawn, and overtaken by play."""

import pytest

from domain import events as e
from domain.record import line_of
from domain.timeline import struck_out
from tests.laws.fields import bricks
from tests.laws.game import Body, Game, no

NAMES = ("red", "blue", "green")


def asked(count: int = 3, **policy: object) -> tuple[Game, int]:
    """Red shot and missed, and asks to take that back."""
    game = Game(bricks(count, policy=policy))
    shot = miss(game)
    game.undo(shot, by="red")
    return game, shot


def miss(game: Game) -> int:
    return game.does("red", do="shoot", fig="r1", weapon="gun", target="b1", dice=[1])


def bodies(game: Game, after: int) -> list[e.Event]:
    return [entry.body for entry in game.entries[after:]]


def open_request(game: Game) -> tuple[str, ...] | None:
    """Who has agreed to the open request; None where none is open."""
    request = game.record.docket.request
    return None if request is None else request.agreed


# --- agreed ---


def test_it_falls_when_the_last_side_agrees_and_says_who_agreed() -> None:
    game, shot = asked()
    before, head = game.record.seq, game.record.head
    game.answer("green")
    assert open_request(game) == ("green",)
    game.answer("blue")
    assert bodies(game, before) == [
        e.UndoAgreed(1, "green", head),
        e.UndoAgreed(1, "blue", head),
        e.ActionsUndone(shot, (shot,), 1, 1, ("green", "blue"), "in error"),
    ]
    assert open_request(game) is None
    assert line_of(game.record) == []


def test_agreement_and_undo_are_one_batch() -> None:
    game, _ = asked(2)
    receipt = game.answer("blue")
    assert [entry.action for entry in game.entries[-2:]] == [receipt.action] * 2


@pytest.mark.parametrize("who", ["red", "referee", "spectator", "green"])
def test_nobody_answers_who_is_not_asked(who: str) -> None:
    game, _ = asked()
    game.answer("green")
    assert no(lambda: game.answer(who)).rule == "not-asked"


def test_a_side_that_conceded_is_not_asked() -> None:
    game = Game(bricks(3))
    game.does("green", do="concede", side="green")
    game.undo(miss(game), by="red")
    assert no(lambda: game.answer("green")).rule == "not-asked"
    game.answer("blue")
    assert open_request(game) is None


def test_a_side_that_concedes_meanwhile_is_not_asked_any_longer() -> None:
    game, _ = asked()
    game.does("green", do="concede", side="green")
    game.answer("blue")
    assert open_request(game) is None
    assert line_of(game.record) == []


def test_the_last_dice_that_were_seen_are_counted_until_they_are_restored() -> None:
    game, _ = asked(2)
    game.answer("blue")
    assert (game.record.docket.dice_undone, game.record.docket.undos) == (1, 1)
    game.redo()
    assert (game.record.docket.dice_undone, game.record.docket.undos) == (0, 1)


# --- refused, withdrawn, one at a time ---


def test_a_refusal_closes_it_and_the_same_is_not_asked_again() -> None:
    game, shot = asked()
    game.answer("blue", agree=False)
    assert open_request(game) is None
    assert no(lambda: game.undo(shot, by="red")).rule == "refused-before"


def test_a_refusal_leaves_other_actions_and_other_sides_alone() -> None:
    game, shot = asked()
    game.answer("blue", agree=False)
    again = miss(game)
    game.undo(again, by="red")
    game.withdraw("red")
    game.undo(shot, by="green")
    assert open_request(game) == ()


def test_the_referee_may_still_take_back_what_was_refused() -> None:
    game, shot = asked()
    game.answer("blue", agree=False)
    game.undo(shot)
    assert line_of(game.record) == []


@pytest.mark.parametrize("who", ["red", "referee"])
def test_who_asked_and_the_referee_withdraw(who: str) -> None:
    game, shot = asked()
    game.withdraw(who)
    assert bodies(game, game.record.seq - 1) == [e.UndoWithdrawn(1, "red")]
    game.undo(shot, by="red")
    assert game.record.docket.requests == 2


@pytest.mark.parametrize("who", ["blue", "green", "spectator"])
def test_nobody_else_withdraws(who: str) -> None:
    game, _ = asked()
    assert no(lambda: game.withdraw(who)).kind == "forbidden"


@pytest.mark.parametrize("who", NAMES)
def test_one_request_is_open_at_a_time(who: str) -> None:
    game, shot = asked()
    refusal = no(lambda: game.undo(shot, by=who))
    assert refusal.rule == "request-open"


@pytest.mark.parametrize("number", [0, 2, 99])
def test_only_the_open_request_is_answered(number: int) -> None:
    game, _ = asked()
    refusal = no(lambda: game.answer("blue", request=number))
    assert (refusal.rule, refusal.legal) == ("no-such-request", ("1",))
    assert no(lambda: game.withdraw("red", request=number)).rule == "no-such-request"


def test_no_request_is_answered_where_none_is_open() -> None:
    game, _ = asked()
    game.withdraw("red")
    assert no(lambda: game.answer("blue", request=1)).legal == ()


# --- how often ---


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_a_side_asks_so_many_times_a_turn(limit: int) -> None:
    game = Game(bricks(policy={"undo_requests": limit}))
    shot = miss(game)
    for _ in range(limit):
        game.undo(shot, by="red")
        game.withdraw("red")
    assert no(lambda: game.undo(shot, by="red")).rule == "too-many-requests"


def test_each_side_and_each_turn_counts_by_itself() -> None:
    game, shot = asked(2, undo_requests=1)
    game.withdraw("red")
    game.undo(shot, by="blue")
    game.withdraw("blue")
    assert no(lambda: game.undo(shot, by="red")).rule == "too-many-requests"
    game.does("red", do="end_turn")
    game.undo(shot, by="red")
    assert open_request(game) == ()


def test_an_undo_gives_no_request_back() -> None:
    game, _ = asked(2, undo_requests=1)
    game.answer("blue")
    again = miss(game)
    assert no(lambda: game.undo(again, by="red")).rule == "too-many-requests"


def test_what_needs_no_asking_has_no_limit() -> None:
    game = Game(bricks(policy={"undo_requests": 0}))
    for _ in range(5):
        game.undo(game.does("red", do="move", fig="r1", to={"x": 10, "y": 9}), by="red")
    assert line_of(game.record) == []


# --- play goes on ---


def test_newer_play_voids_earlier_agreement() -> None:
    game, shot = asked()
    game.answer("blue")
    again = miss(game)
    assert open_request(game) == ()
    game.answer("green")
    assert open_request(game) == ("green",)
    game.answer("blue")
    assert struck_out(game.entries) == {shot, again}


@pytest.mark.parametrize("agree", [True, False])
def test_nobody_answers_to_more_than_was_shown(agree: bool) -> None:
    game, _ = asked(2)
    seen = game.record.head
    miss(game)
    refusal = no(lambda: game.answer("blue", agree=agree, head=seen))
    assert (refusal.kind, refusal.legal, refusal.pointer) == ("stale", (str(game.record.head),), "/head")


def test_an_answer_may_name_the_last_action_its_last_entry_or_the_head_of_the_log() -> None:
    for name in ("action", "entry", "log"):
        game, shot = asked(2)
        game.dispute(shot)
        seen = {"action": shot, "entry": game.record.head, "log": game.record.seq}[name]
        game.answer("blue", head=seen)
        assert open_request(game) is None


@pytest.mark.parametrize("off", [-1, 1])
def test_an_answer_to_entries_that_are_not_there_is_stale(off: int) -> None:
    game, shot = asked(2)
    head = game.record.seq + 1 if off > 0 else shot - 1
    assert no(lambda: game.answer("blue", head=head)).kind == "stale"


def test_disputes_and_notes_are_no_newer_play() -> None:
    game, shot = asked()
    seen = game.record.head
    game.answer("blue")
    game.dispute(shot, by="green")
    game.rules()
    assert open_request(game) == ("blue",)
    game.answer("green", head=seen)
    assert line_of(game.record) == []


LATER: dict[str, Body] = {
    "last-ditch": {"do": "last_ditch", "side": "red"},
    "battle-over": {"do": "end_battle", "winner": "blue"},
}


@pytest.mark.parametrize("why", LATER)
def test_agreement_does_not_take_back_what_nobody_may_take_back(why: str) -> None:
    game = Game(bricks())
    turn = game.does("red", do="end_phase")
    game.undo(turn)
    game.undo(game.does("red", do="move", fig="r1", to={"x": 10, "y": 9}), by="blue")
    game.does("referee", **LATER[why])
    assert no(lambda: game.answer("red")).rule == why
    game.answer("red", agree=False)
    assert open_request(game) is None


def test_agreement_does_not_take_back_a_ruling() -> None:
    game, _ = asked(2)
    game.rules({"fig": "r1", "field": "x", "value": 11})
    assert no(lambda: game.answer("blue")).rule == "referee-only"


def test_it_lives_on_while_newer_quiet_acts_come_and_go() -> None:
    game = Game(bricks(3))
    game.does("red", do="end_turn")
    turn = line_of(game.record)[-1].seq
    game.undo(turn, by="red")
    move = game.does("blue", do="move", fig="b2", to={"x": 14, "y": 17})
    game.answer("green")
    game.undo(move, by="blue")
    assert open_request(game) == ("green",)
    game.redo(by="blue")
    assert open_request(game) == ()
    # The line is longer again: who saw it short has not seen what would fall.
    assert no(lambda: game.answer("green")).rule == "UNDO-HEAD"
    game.answer("green", head=game.record.seen)
    game.answer("blue", head=game.record.seen)
    assert line_of(game.record) == []


def test_it_falls_with_what_it_asks_for() -> None:
    game, shot = asked()
    game.undo(shot)
    assert open_request(game) is None


# --- asking to redo ---


def test_a_redo_is_asked_and_agreed_as_an_undo_is() -> None:
    game, shot = asked(2)
    game.answer("blue")
    game.redo(by="red")
    asking = game.record.docket.request
    assert asking is not None
    assert (asking.what, asking.to_before, asking.ask) == ("redo", shot, ("blue",))
    game.answer("blue")
    assert game.entries[-1].body == e.ActionsRestored(shot, (shot,), 2, ("blue",), "after all")
    assert [act.seq for act in line_of(game.record)] == [shot]


def test_newer_play_closes_a_request_to_redo() -> None:
    game, _ = asked(2)
    game.answer("blue")
    game.redo(by="red")
    miss(game)
    assert open_request(game) is None
    assert no(lambda: game.redo(by="red")).rule == "nothing-to-redo"


def test_a_request_to_redo_falls_when_something_else_is_the_latest_undo() -> None:
    game = Game(bricks())
    move = game.does("red", do="move", fig="r1", to={"x": 10, "y": 9})
    game.undo(miss(game))
    game.redo(by="blue")
    game.undo(move, by="red")
    assert open_request(game) is None


def test_a_refused_redo_is_not_asked_again_but_an_undo_of_the_same_is() -> None:
    game, shot = asked(2)
    game.answer("blue")
    game.redo(by="red")
    game.answer("blue", agree=False)
    assert no(lambda: game.redo(by="red")).rule == "refused-before"
    game.redo()
    game.undo(shot, by="red")
    assert open_request(game) == ()
