"""The dice of a battle: each action has a link, used up by its commit and nothing else; real dice are read as sent."""

import sqlite3
from itertools import count
from pathlib import Path

import pytest

from domain import events as e
from domain.commands import COMMAND
from domain.decider import decide
from domain.dice import DiceWanted, Roll, Throw
from domain.draft import REFEREE
from domain.entry import Entry
from replays.audit.dicechain import LENGTH, Chain, ChainId, DiceStream, leads_back, roll_key
from replays.examine import examine
from replays.imports import import_log
from replays.referee import Asked, Referee
from replays.roller import StreamTape
from replays.sealing import Batch, seal
from replays.store import Store, StoreUnavailable
from tests.laws.fields import bricks, gangs, shooting_range, shot_by
from tests.laws.game import Body, Game, no
from tests.replays.rooms import Room

SHOT: Body = {"do": "shoot", "fig": "r1", "weapon": "stub-gun", "target": "b1", "mode": "snap"}
FIRST, SECOND = shot_by("r0"), shot_by("r1")


def serving(room: Room | None = None) -> Game:
    return Game(shooting_range(), room)


def draws(game: Game) -> list[e.DiceDrawn]:
    return [entry.body for entry in game.entries if isinstance(entry.body, e.DiceDrawn)]


def faces(game: Game, action: int) -> list[int]:
    """The dice of an action, in order."""
    mine = [entry for entry in game.entries if entry.action == action]
    return [face for entry in mine for throw in e.dice_of(entry.body) for face in throw.faces]


def indexes(game: Game) -> list[tuple[int, int]]:
    return [(drawn.epoch, drawn.index) for drawn in draws(game)]


def seed_of(game: Game, epoch: int = 0) -> bytes:
    seed = game.room.store.secret(game.id, "chain", epoch)
    assert seed is not None
    return seed


# --- the chain of the service ---


def test_the_commitment_stands_in_the_log_before_the_first_link() -> None:
    game = serving()
    anchored = game.entries[1].body
    assert anchored == e.DiceAnchored(0, 0, LENGTH, Chain(ChainId(bytes.fromhex(game.id)), seed_of(game)).anchor.hex())


def test_a_battle_with_table_dice_commits_to_nothing() -> None:
    assert not any(isinstance(entry.body, e.DiceAnchored) for entry in Game(gangs()).entries)


def test_each_link_leads_back_to_the_one_before_and_gives_the_dice_that_were_thrown() -> None:
    game = serving()
    actions = [game.does("red", **FIRST), game.does("red", **SECOND), game.does("red", do="end_turn")]
    of, known, at = ChainId(bytes.fromhex(game.id)), bytes.fromhex(game.record.anchor.link), game.record.anchor.used
    assert (at, known.hex()) == (2, draws(game)[1].link)
    anchored = game.entries[1].body
    assert isinstance(anchored, e.DiceAnchored)
    for action, drawn in zip(actions, draws(game), strict=False):
        link = bytes.fromhex(drawn.link)
        assert leads_back(of, drawn.index, link, bytes.fromhex(anchored.anchor))
        thrown = faces(game, action)
        assert DiceStream(roll_key(of, drawn.index, link)).dice(len(thrown), 6) == tuple(thrown)


def test_the_link_stands_right_behind_the_request_and_only_where_a_die_fell() -> None:
    game = serving()
    shot, end = game.does("red", **FIRST), game.does("red", do="end_turn")
    assert isinstance(game.entries[shot].body, e.DiceDrawn)
    assert indexes(game) == [(0, 1)]
    assert end > shot


def test_an_undo_neither_rewinds_nor_skips_and_the_dice_are_new() -> None:
    game = serving()
    thrown = []
    for _ in range(12):
        shot = game.does("red", **FIRST)
        thrown.append(tuple(faces(game, shot)[:4]))
        game.undo(shot)
        game.redo()
        game.undo(shot)
    assert indexes(game) == [(0, n) for n in range(1, 13)]
    assert len(set(thrown)) > 6


def test_a_refused_request_leaves_the_link_to_the_next() -> None:
    game = serving()
    for _ in range(3):
        no(lambda: game.act("blue", **FIRST))
        no(lambda: game.act("red", **FIRST | {"target": "b1"}))
        game.preview("red", **FIRST)
    game.does("red", **FIRST)
    assert indexes(game) == [(0, 1)]


def test_a_request_whose_commit_failed_leaves_its_link_and_dice_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "battles.db"
    game = serving(Room(str(path)))
    ticks = count(1)
    hasty = Referee(
        Store.open(str(path), patience=0),
        clock=lambda: next(ticks),
        new_id=lambda: "0" * 32,
        new_secret=lambda: "s",
    )
    command, log = COMMAND.validate_python(FIRST), game.log
    locked = sqlite3.connect(path, isolation_level=None)
    locked.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable):
        hasty.act(game.id, command, Asked(REFEREE))
    locked.execute("ROLLBACK")
    locked.close()
    assert game.log == log
    hasty.act(game.id, command, Asked(REFEREE))
    of, link = ChainId(bytes.fromhex(game.id)), Chain(ChainId(bytes.fromhex(game.id)), seed_of(game)).link(1)
    thrown = faces(game, game.record.head if game.record.tip is None else game.record.tip.seq)
    assert indexes(game) == [(0, 1)]
    assert DiceStream(roll_key(of, 1, link)).dice(len(thrown), 6) == tuple(thrown)
    hasty.store.close()


def use_links(game: Game, upto: int) -> None:
    """Go on as if the links before `upto` had been used: a real shot with that link, right behind the muster."""
    of, command, record = ChainId(bytes.fromhex(game.id)), COMMAND.validate_python(FIRST), game.record
    link = Chain(of, seed_of(game)).link(upto)
    head, *rest = decide(record.battle, command, REFEREE, StreamTape(roll_key(of, upto, link))).events
    events = (head, e.DiceDrawn("chain", 0, upto, link.hex()), *rest)
    written = seal(game.room.referee.codec, lambda: 0, game.book, record, [Batch(events, "referee")])
    game.room.store.append(game.id, written.sealed)


def test_when_the_last_link_is_used_a_new_commitment_is_logged_before_the_next_roll() -> None:
    game = serving()
    use_links(game, LENGTH - 1)
    game.undo(game.record.tip.seq if game.record.tip else 0)
    last = game.does("red", **FIRST)
    batch = [entry.body for entry in game.entries if entry.action == last]
    of = ChainId(bytes.fromhex(game.id), epoch=1)
    assert batch[-1] == e.DiceAnchored(0, 1, LENGTH, Chain(of, seed_of(game, 1)).anchor.hex())
    game.undo(last)
    shot = game.does("red", **SECOND)
    assert indexes(game) == [(0, LENGTH - 1), (0, LENGTH), (1, 1)]
    link = bytes.fromhex(draws(game)[-1].link)
    thrown = faces(game, shot)
    assert leads_back(of, 1, link, bytes.fromhex(batch[-1].anchor))
    assert DiceStream(roll_key(of, 1, link)).dice(len(thrown), 6) == tuple(thrown)


def test_the_last_link_waits_for_an_action_that_throws() -> None:
    game = serving()
    use_links(game, LENGTH - 1)
    end = game.does("red", do="end_turn")
    assert not any(isinstance(entry.body, e.DiceAnchored) for entry in game.entries[end:])
    game.undo(end)
    game.does("red", **SECOND)
    assert indexes(game)[-1] == (0, LENGTH)


def test_a_chain_is_found_again_when_the_store_is_opened_again(tmp_path: Path) -> None:
    path = str(tmp_path / "battles.db")
    game = serving(Room(path))
    use_links(game, LENGTH - 1)
    game.does("red", **SECOND)
    game.room.store.close()
    again = Game.of(Room(path), game.id)
    again.does("red", **shot_by("r2"))
    assert indexes(again) == [(0, LENGTH - 1), (0, LENGTH), (1, 1)]
    assert leads_back(
        ChainId(bytes.fromhex(game.id), epoch=1),
        1,
        bytes.fromhex(draws(again)[-1].link),
        Chain(ChainId(bytes.fromhex(game.id), epoch=1), seed_of(again, 1)).anchor,
    )


# --- dice from the table ---


def test_real_dice_are_recorded_as_they_were_read() -> None:
    game = Game(gangs())
    shot = game.does("red", **SHOT, dice=[1, 2, 5, 5, 6])
    thrown = [throw for entry in game.entries[shot:] for throw in e.dice_of(entry.body)]
    assert thrown == [Throw("ammo", 6, (1, 2)), Throw("to_hit", 6, (5, 5)), Throw("injury", 6, (6,))]
    assert draws(game) == []


def test_a_shot_is_walked_through_roll_by_roll() -> None:
    game = Game(gangs())
    asked: list[Roll] = []
    dice: list[int] = []
    for more in ([1, 2], [6, 1], [5], [3]):
        with pytest.raises(DiceWanted) as dry:
            game.act("red", **SHOT, dice=dice)
        assert [face for throw in dry.value.so_far for face in throw.faces] == dice
        asked.append(dry.value.wanted)
        dice += more
    game.act("red", **SHOT, dice=dice)
    assert asked == [Roll("ammo", 2, 6), Roll("to_hit", 2, 6), Roll("to_hit", 1, 6), Roll("injury", 1, 6)]


def test_too_few_dice_write_nothing_and_say_what_is_wanted() -> None:
    game = Game(gangs())
    log = game.log
    with pytest.raises(DiceWanted) as dry:
        game.act("red", **SHOT, dice=[1, 2, 5])
    assert dry.value.wanted == Roll("to_hit", 1, 6)
    assert dry.value.so_far == (Throw("ammo", 6, (1, 2)), Throw("to_hit", 6, (5,)))
    assert game.log == log


@pytest.mark.parametrize("dice", [[1, 2, 1, 1, 1], [1, 2, 5, 5, 6, 6]])
def test_too_many_dice_are_refused(dice: list[int]) -> None:
    game = Game(gangs())
    log = game.log
    refusal = no(lambda: game.act("red", **SHOT, dice=dice))
    assert (refusal.kind, refusal.pointer) == ("invalid", "/dice")
    assert game.log == log


def test_dice_for_what_takes_none_are_refused() -> None:
    assert no(lambda: Game(gangs()).act("red", do="end_turn", dice=[1])).pointer == "/dice"


@pytest.mark.parametrize(("dice", "at"), [([7], 0), ([1, 7], 1), ([1, 2, 5, 100], 3)])
def test_a_face_that_the_die_has_not_is_refused_where_it_stands(dice: list[int], at: int) -> None:
    refusal = no(lambda: Game(gangs()).act("red", **SHOT, dice=dice))
    assert (refusal.kind, refusal.pointer, refusal.legal) == ("invalid", f"/dice/{at}", ("1 to 6",))


@pytest.mark.parametrize("dice", [[], [1, 2]])
def test_where_the_service_throws_nobody_sends_dice(dice: list[int]) -> None:
    game = serving()
    assert no(lambda: game.act("red", **FIRST, dice=dice)).pointer == "/dice"


# --- a battle from elsewhere has no seed here ---


def imported(game: Game) -> Game:
    room = Room()
    import_log(room.store, examine(game.log.splitlines()), lambda: "secret")
    return Game.of(room, game.id)


def kinds(entries: list[Entry]) -> list[str]:
    return [entry.type for entry in entries]


def test_an_imported_battle_commits_to_a_new_chain_before_its_next_roll() -> None:
    here = serving()
    here.does("red", **FIRST)
    there = imported(here)
    before = there.record.seq
    assert no(lambda: there.act("red", **SECOND)).rule == "DICE-07"
    there.room.referee.renew(there.id, "it moved here", Asked(REFEREE))
    there.does("red", **SECOND)
    assert kinds(there.book.entries(before))[:3] == ["DiceAnchored", "ActionDeclared", "DiceDrawn"]
    assert indexes(there) == [(0, 1), (1, 1)]
    assert examine(there.log.splitlines()).findings == ()


def test_law_7_an_imported_battle_is_not_touched_by_a_refused_request() -> None:
    there = imported(serving())
    log = there.log
    no(lambda: there.act("blue", **FIRST))
    no(lambda: there.act("spectator", **FIRST))
    no(lambda: there.act("red", **FIRST, dice=[1]))
    there.preview("red", **FIRST)
    assert there.log == log


def test_an_imported_battle_needs_no_chain_for_what_takes_no_dice() -> None:
    there = imported(serving())
    there.does("red", do="end_phase")
    assert not any(isinstance(entry.body, e.DiceAnchored) for entry in there.entries[2:])
    assert no(lambda: there.act("red", **FIRST)).rule == "DICE-07"


def test_an_imported_battle_with_table_dice_goes_on() -> None:
    here = Game(bricks())
    there = imported(here)
    there.does("red", do="shoot", fig="r1", weapon="gun", target="b1", dice=[1])
    assert there.log.startswith(here.log)
