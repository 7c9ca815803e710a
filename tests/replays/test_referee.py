"""The referee: one request is carried out once, on the table it was meant for, or leaves nothing."""

from pathlib import Path
from typing import Any

import pytest

from domain import events as e
from domain.commands import COMMAND, Action
from domain.dice import DiceWanted, Roll, Throw
from domain.draft import REFEREE, Seat
from domain.muster import NEW_BATTLE
from domain.procedure import DisputeAsked, Ruling
from replays.referee import Asked, BranchAsked, KeyMisused, Preview, Receipt
from replays.shelf import digest
from tests.laws.fields import bricks, gangs
from tests.laws.game import Body, Game, no
from tests.replays.rooms import Room, receipt

RED, BLUE = Seat("side", "red"), Seat("side", "blue")
END: Body = {"do": "end_phase"}
MISS: Body = {"do": "shoot", "fig": "r1", "weapon": "gun", "target": "b1", "dice": [1]}


def command(body: Body) -> Action:
    return COMMAND.validate_python(body)


def keyed(key: str = "k", body: bytes = b"one", by: Seat = REFEREE, **more: Any) -> Asked:
    """A request with an idempotency key."""
    return Asked(by, key=key, digest=digest(body), **more)


def act(game: Game, asked: Asked, body: Body = END) -> Receipt:
    return receipt(game.room.referee.act(game.id, command(body), asked))


# --- what is written ---


def test_a_receipt_holds_the_batch_as_it_was_stored() -> None:
    game = Game(bricks())
    before = game.record.seq
    answer = game.act("red", **MISS)
    stored = game.room.store.read(game.id, after=before)
    assert answer.data == tuple(sealed.data for sealed in stored)
    assert (answer.action, answer.seq) == (before + 1, before + len(stored))


def test_a_batch_has_one_time_one_actor_and_one_action() -> None:
    game = Game(bricks())
    answer = game.act("red", **MISS)
    batch = game.entries[answer.action - 1 :]
    assert {(entry.time, entry.actor, entry.action) for entry in batch} == {
        (batch[0].time, "side:red", answer.action),
    }


def test_secrets_are_handed_out_once_and_kept_as_hashes() -> None:
    room = Room()
    opened = receipt(room.referee.open(NEW_BATTLE.validate_python(bricks()), Asked(REFEREE)))
    assert set(opened.seats) == {"referee", "side:red", "side:blue"}
    kept = room.store.seat_digests(opened.battle)
    assert kept == {seat: digest(secret.encode()) for seat, secret in opened.seats.items()}


def test_a_private_battle_has_a_secret_for_spectators_too() -> None:
    room = Room()
    opened = receipt(room.referee.open(NEW_BATTLE.validate_python(bricks(policy={"private": True})), Asked(REFEREE)))
    assert "spectator" in opened.seats


def test_whoever_listens_hears_of_each_commit_and_of_nothing_else() -> None:
    heard: list[tuple[str, int]] = []
    game = Game(bricks(), Room(heard=lambda battle, seq: heard.append((battle, seq))))
    opened = game.record.seq
    no(lambda: game.act("blue", **END))
    game.preview("red", **END)
    last = game.act("red", **END).seq
    assert heard == [(game.id, opened), (game.id, last)]


def test_the_desk_hears_of_it_in_the_same_transaction() -> None:
    game = Game(bricks(tags={"event": "cup"}))
    shot = game.act("red", **MISS)
    game.undo(shot.action, by="red")
    game.dispute(1)
    row = game.room.store.summary(game.id)
    assert row is not None
    assert (row.head, row.phase, row.disputes, row.undo_pending, row.event) == (
        game.record.seq,
        "shooting",
        1,
        True,
        "cup",
    )


def test_a_battle_that_is_not_there_is_not_found() -> None:
    assert no(lambda: Game.of(Room(), "0" * 32).act(**END)).kind == "not-found"


# --- the same request again ---


def test_the_same_key_and_body_give_the_first_answer_again() -> None:
    game = Game(bricks())
    first = act(game, keyed())
    log = game.log
    again = act(game, keyed())
    assert again.replayed
    assert (again.action, again.seq, again.data) == (first.action, first.seq, first.data)
    assert game.log == log


def test_the_first_answer_is_given_again_however_far_play_has_gone() -> None:
    game = Game(bricks())
    first = act(game, keyed(), MISS)
    game.does("red", do="end_turn")
    game.undo(first.action)
    game.does("referee", do="end_battle")
    game.close()
    assert act(game, keyed(if_match=1), MISS).data == first.data


def test_the_same_key_with_another_body_is_misused() -> None:
    game = Game(bricks())
    act(game, keyed())
    with pytest.raises(KeyMisused):
        act(game, keyed(body=b"another"))


def test_a_key_belongs_to_a_seat_and_a_battle() -> None:
    room = Room()
    here, there = Game(bricks(), room), Game(bricks(), room)
    answers = [act(here, keyed()), act(here, keyed(by=RED), MISS), act(there, keyed())]
    assert not any(answer.replayed for answer in answers)


def test_a_key_is_remembered_when_the_store_is_opened_again(tmp_path: Path) -> None:
    path = str(tmp_path / "battles.db")
    game = Game(bricks(), Room(path))
    first = act(game, keyed())
    game.room.store.close()
    again = act(Game.of(Room(path), game.id), keyed())
    assert (again.replayed, again.data) == (True, first.data)


def test_a_refusal_and_a_wanted_die_use_up_no_key() -> None:
    game = Game(bricks())
    no(lambda: act(game, keyed(by=BLUE)))
    with pytest.raises(DiceWanted):
        act(game, keyed(by=RED), MISS | {"dice": []})
    assert not act(game, keyed(by=RED), MISS).replayed


def test_a_battle_is_opened_once_and_its_secrets_are_not_told_again() -> None:
    room = Room()
    new = NEW_BATTLE.validate_python(bricks())
    first = receipt(room.referee.open(new, keyed()))
    again = receipt(room.referee.open(new, keyed()))
    assert (again.replayed, again.battle, again.data, again.seats) == (True, first.battle, first.data, {})
    assert len(room.store.summaries(0, 100)) == 1


def test_a_branch_is_opened_once_and_its_secrets_are_not_told_again() -> None:
    game = Game(bricks())
    first = receipt(game.room.referee.branch(game.id, BranchAsked(), keyed()))
    again = receipt(game.room.referee.branch(game.id, BranchAsked(), keyed()))
    assert (again.replayed, again.battle, again.data, again.seats) == (True, first.battle, first.data, {})
    assert len(game.room.store.branches(game.id)) == 1


def test_procedure_is_done_once_too() -> None:
    game = Game(bricks())
    shot = game.does("red", **MISS)
    first = receipt(game.room.referee.undo(game.id, shot, "in error", keyed()))
    again = receipt(game.room.referee.undo(game.id, shot, "in error", keyed()))
    assert (again.replayed, again.data) == (True, first.data)


# --- on the table it was meant for ---


@pytest.mark.parametrize("off", [-1, 1])
def test_a_stale_head_is_refused_with_the_present_one(off: int) -> None:
    game = Game(bricks())
    head, log = game.record.seq, game.log
    refusal = no(lambda: act(game, Asked(REFEREE, if_match=head + off)))
    assert (refusal.kind, refusal.legal) == ("stale", (str(head),))
    assert game.log == log


def test_the_present_head_is_taken() -> None:
    game = Game(bricks())
    act(game, Asked(REFEREE, if_match=game.record.seq))
    assert game.record.battle.phase == "shooting"


def test_every_write_looks_at_the_head() -> None:
    game = Game(bricks())
    shot = game.does("red", **MISS)
    stale, referee = Asked(REFEREE, if_match=1), game.room.referee
    ruling, asked = Ruling(rule="X", reason="so"), DisputeAsked(about=1, reason="what?")
    for asking in (
        lambda: referee.undo(game.id, shot, "in error", stale),
        lambda: referee.redo(game.id, "after all", stale),
        lambda: referee.answer(game.id, 1, 1, stale, agree=True),
        lambda: referee.withdraw(game.id, 1, stale),
        lambda: referee.rule(game.id, ruling, stale),
        lambda: referee.dispute(game.id, asked, stale),
        lambda: referee.close(game.id, "done", stale),
        lambda: referee.branch(game.id, BranchAsked(), stale),
    ):
        assert no(asking).kind == "stale"


# --- dry runs ---


def dry(by: Seat = REFEREE) -> Asked:
    return keyed(by=by, dry_run=True)


def preview(answer: Receipt | Preview) -> Preview:
    assert isinstance(answer, Preview)
    return answer


def test_a_dry_run_says_what_would_happen_and_writes_nothing() -> None:
    game = Game(bricks())
    shot = game.does("red", **MISS)
    log, referee = game.log, game.room.referee
    ruling, asked = Ruling(rule="X", reason="so"), DisputeAsked(about=1, reason="what?")
    told = [
        preview(referee.act(game.id, command(MISS), dry())).events[-1],
        preview(referee.undo(game.id, shot, "in error", dry())).events[-1],
        preview(referee.undo(game.id, shot, "sorry", dry(RED))).events[-1],
        preview(referee.rule(game.id, ruling, dry())).events[-1],
        preview(referee.dispute(game.id, asked, dry())).events[-1],
        preview(referee.branch(game.id, BranchAsked(), dry())).events[-1],
        preview(referee.open(NEW_BATTLE.validate_python(bricks()), dry())).events[-1],
    ]
    assert [type(event).__name__ for event in told] == [
        "MfdHitRolled",
        "ActionsUndone",
        "UndoAsked",
        "RulingMade",
        "DisputeOpened",
        "BranchOpened",
        "PhaseStarted",
    ]
    assert game.log == log
    assert game.room.store.branches(game.id) == []
    assert len(game.room.store.summaries(0, 100)) == 1
    assert game.room.store.key(game.id, "referee", "k") is None


def test_a_dry_run_is_what_then_happens() -> None:
    game = Game(bricks())
    told = game.preview("red", **MISS).events
    game.act("red", **MISS)
    assert tuple(entry.body for entry in game.entries[-len(told) :]) == told


def test_a_dry_run_looks_at_the_table_and_not_at_old_answers() -> None:
    game = Game(bricks())
    act(game, keyed())
    told = preview(game.room.referee.act(game.id, command(END), keyed(dry_run=True)))
    assert [type(event).__name__ for event in told.events] == ["ActionDeclared", "PhaseStarted"]


def test_a_dry_run_is_refused_as_the_request_would_be() -> None:
    game = Game(bricks())
    assert no(lambda: game.preview("blue", **END)).kind == "not-your-fig"
    assert no(lambda: act(game, Asked(REFEREE, if_match=1, dry_run=True))).kind == "stale"


def test_a_dry_run_on_table_dice_says_which_are_wanted_next() -> None:
    game = Game(gangs())
    shot: Body = {"do": "shoot", "fig": "r1", "weapon": "stub-gun", "target": "b1"}
    first = game.preview("red", **shot)
    assert (first.events, first.wanted, first.so_far) == ((), (Roll("ammo", 2, 6),), ())
    then = game.preview("red", **shot, dice=[1, 2])
    assert (then.wanted, then.so_far) == ((Roll("to_hit", 2, 6),), (Throw("ammo", 6, (1, 2)),))


def test_a_dry_run_on_server_dice_says_which_would_be_thrown_and_no_face() -> None:
    game = Game(gangs(dice="server"))
    told = game.preview("red", do="shoot", fig="r1", weapon="stub-gun", target="b1")
    assert (told.events, told.wanted, told.so_far) == ((), (Roll("ammo", 2, 6),), ())
    assert not any(isinstance(entry.body, e.DiceDrawn) for entry in game.entries)
