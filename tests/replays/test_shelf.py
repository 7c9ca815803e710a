"""The shelf: what is in memory is bounded, and what somebody holds is not read a second time."""

import gc
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from domain import events as e
from domain.commands import COMMAND
from domain.draft import REFEREE
from domain.entry import Entry
from domain.refusals import Refused
from replays.asking import Asked, Busy
from replays.audit.merkle import Frontier, leaf_hash
from replays.codec import START
from replays.examine import examine
from replays.shelf import Book, Shelf
from replays.store import Damaged
from tests.laws.fields import bricks
from tests.laws.game import Game
from tests.replays.rooms import Room


def played(room: Room) -> Game:
    game = Game(bricks(), room)
    for _ in range(10):
        game.does(do="end_turn")
    return game


def alive(*games: Game) -> list[Book]:
    """Every book of these battles that is still in memory."""
    gc.collect()
    names = {game.id for game in games}
    return [held for held in gc.get_objects() if type(held) is Book and held.battle in names]


def test_branches_of_one_battle_share_its_book_also_when_it_was_put_away() -> None:
    room = Room()
    game, other = played(room), played(room)
    branches = [game.branch() for _ in range(5)]
    shelf = room.referee.shelf = Shelf(room.store, room.referee.codec, most=1)
    held = []
    for branch in branches:
        held.append(shelf.book(branch.id))
        assert other.record.battle.turn == 11
    assert len({id(book.parent) for book in held}) == 1
    assert len(alive(game)) == 1


def test_what_branches_hold_of_their_parents_counts() -> None:
    room = Room()
    games = [played(room) for _ in range(8)]
    branches = [game.branch() for game in games]
    most = 2 * games[0].record.seq
    shelf = room.referee.shelf = Shelf(room.store, room.referee.codec, most)
    for branch in branches:
        shelf.book(branch.id)
    assert sum(book.own for book in alive(*games, *branches)) <= most


def test_a_book_that_somebody_holds_is_found_again() -> None:
    room = Room()
    game, other = played(room), played(room)
    room.referee.shelf = Shelf(room.store, room.referee.codec, most=1)
    held = game.book
    assert other.book.battle == other.id
    assert list(room.referee.shelf._books) == [other.id]
    assert game.book is held
    assert list(room.referee.shelf._books) == [game.id]


def altered(file: Path, statement: str, *values: object) -> None:
    """What somebody does to the file who may write to it."""
    with closing(sqlite3.connect(file)) as db:
        assert db.execute(statement, values).rowcount
        db.commit()


def taken_back(file: Path, battle: str, to: int) -> None:
    """What a restore does to a battle."""
    altered(file, "DELETE FROM stored_events WHERE originator_id = ? AND originator_version > ?", battle, to)
    altered(file, "DELETE FROM summaries WHERE battle = ?", battle)


@pytest.mark.parametrize("more", [1, 2])
def test_a_store_that_went_back_and_on_another_way_is_followed_and_never_written_over(
    tmp_path: Path, more: int
) -> None:
    file = tmp_path / "battles.db"
    room = Room(str(file))
    game = played(room)
    kept = game.record.seq
    copy = tmp_path / "copy.db"
    with closing(sqlite3.connect(file)) as db, closing(sqlite3.connect(copy)) as other:
        db.backup(other)
    game.does(do="end_turn")
    lost = room.book(game.id).data(kept)
    # Somebody else goes on from the copy, and as far or farther.
    elsewhere = Room(str(copy))
    for _ in range(more):
        elsewhere.act(game.id, do="end_turn")
    theirs = elsewhere.book(game.id).data()
    elsewhere.store.close()
    with closing(sqlite3.connect(copy)) as db, closing(sqlite3.connect(file)) as other:
        db.backup(other)
    assert room.book(game.id).data() == theirs
    assert lost[0] not in theirs
    room.act(game.id, do="end_turn")
    data = [sealed.data for sealed in room.store.read(game.id)]
    assert data[: len(theirs)] == theirs
    assert examine(data, rules=True).good
    room.store.close()


def test_nothing_is_written_behind_another_past_by_who_still_holds_the_old_one(tmp_path: Path) -> None:
    file, copy = tmp_path / "battles.db", tmp_path / "copy.db"
    room = Room(str(file))
    game = played(room)
    with closing(sqlite3.connect(file)) as db, closing(sqlite3.connect(copy)) as other:
        db.backup(other)
    game.does(do="end_turn")
    elsewhere = Room(str(copy))
    elsewhere.act(game.id, do="end_turn")
    elsewhere.store.close()
    held = room.book(game.id)
    with closing(sqlite3.connect(copy)) as db, closing(sqlite3.connect(file)) as other:
        db.backup(other)
    theirs = [sealed.data for sealed in room.store.read(game.id)]
    assert len(theirs) == held.head
    assert theirs[-1] != held.data()[-1]
    with pytest.raises(Busy):
        room.referee.act(game.id, COMMAND.validate_python({"do": "end_turn"}), Asked(REFEREE, book=held))
    assert [sealed.data for sealed in room.store.read(game.id)] == theirs
    room.act(game.id, do="end_turn")
    assert examine([sealed.data for sealed in room.store.read(game.id)], rules=True).good
    room.store.close()


def with_three_peaks(file: Path) -> tuple[Room, Game]:
    """A battle whose tree has three complete parts or more."""
    room = Room(str(file))
    game = played(room)
    while room.book(game.id).head.bit_count() < 3:
        room.act(game.id, do="end_turn")
    return room, game


def flipped(file: Path, battle: str, seq: int, at: int) -> None:
    """What a bad disk does to the tree that is kept beside an entry."""
    where = "WHERE originator_id = ? AND originator_version = ?"
    with closing(sqlite3.connect(file)) as db:
        (kept,) = db.execute(f"SELECT frontier FROM stored_events {where}", (battle, seq)).fetchone()  # noqa: S608 - ours
    other = bytearray(kept)
    other[at] ^= 1
    altered(file, f"UPDATE stored_events SET frontier = ? {where}", bytes(other), battle, seq)  # noqa: S608 - ours


@pytest.mark.parametrize("at", [8, 20, -1])
def test_nothing_is_written_behind_a_tree_that_is_not_that_of_the_log(tmp_path: Path, at: int) -> None:
    file = tmp_path / "battles.db"
    room, game = with_three_peaks(file)
    log = room.book(game.id).data()
    flipped(file, game.id, len(log), at)
    other = Room(str(file))
    for one in (room, other):
        with pytest.raises(Damaged, match="differ"):
            one.act(game.id, do="end_turn")
    other.store.close()
    assert [sealed.data for sealed in room.store.read(game.id)] == log
    room.store.close()


@pytest.mark.parametrize("at", [8, 20, -1])
def test_no_branch_begins_with_a_tree_that_is_not_that_of_the_log(tmp_path: Path, at: int) -> None:
    file = tmp_path / "battles.db"
    room, game = with_three_peaks(file)
    middle = room.book(game.id).head
    for _ in range(3):
        room.act(game.id, do="end_turn")
    flipped(file, game.id, middle, at)
    with pytest.raises(Damaged):
        room.branch(game.id, at=middle)
    assert room.store.branches(game.id) == []
    room.act(game.id, do="end_turn")
    assert room.store.frontier(game.id) == room.book(game.id).tree
    room.store.close()


def test_the_tree_at_an_entry_is_that_of_the_entries_up_to_it_in_a_branch_too(tmp_path: Path) -> None:
    room = Room(str(tmp_path / "battles.db"))
    game = played(room)
    while room.book(game.id).head < 600:
        room.act(game.id, do="end_turn")
    branch = room.branch(game.id, at=room.book(game.id).nearest_end(300))
    while room.book(branch).head < 900:
        room.act(branch, do="end_turn")
    for book in (room.book(game.id), room.book(branch)):
        leaves = [leaf_hash(data) for data in book.data()]
        for seq in (1, 2, 255, 256, 257, 300, 511, 512, 513, 600, book.at + 255, book.at + 256, book.head, 1):
            assert book.tree_at(seq) == Frontier().extended(leaves[:seq]), seq
        assert book.tree == book.tree_at(book.head) == room.store.frontier(book.battle)
    room.store.close()


def test_a_store_that_went_back_takes_its_books_along(tmp_path: Path) -> None:
    file = tmp_path / "battles.db"
    room = Room(str(file))
    game, gone = played(room), played(room)
    kept = game.record.seq
    game.does(do="end_turn")
    assert gone.record.seq
    # As after a restore: what came after the copy is not there any more.
    taken_back(file, game.id, kept)
    taken_back(file, gone.id, 0)
    assert room.referee.shelf.glance(game.id).head == kept
    assert room.book(game.id).head == kept
    room.act(game.id, do="end_turn")
    assert room.book(game.id).head > kept
    with pytest.raises(Refused, match="no battle"):
        room.book(gone.id)
    room.store.close()


def test_a_log_that_lost_its_last_action_is_named_by_what_the_desk_tells(tmp_path: Path) -> None:
    file = tmp_path / "battles.db"
    room = Room(str(file))
    game = played(room)
    kept = game.record.seq
    game.does(do="end_turn")
    altered(file, "DELETE FROM stored_events WHERE originator_id = ? AND originator_version > ?", game.id, kept)
    for shelf in (room.referee.shelf, Shelf(room.store, room.referee.codec)):
        with pytest.raises(Damaged, match="the desk tells of it, and it is gone") as found:
            shelf.book(game.id)
        assert found.value.seq == kept + 1
    room.store.close()


@pytest.mark.parametrize("more", range(1, 9))
def test_a_last_entry_that_was_altered_is_found_by_the_tree_whatever_its_size(tmp_path: Path, more: int) -> None:
    file = tmp_path / "battles.db"
    room = Room(str(file))
    game = played(room)
    for _ in range(more):
        room.act(game.id, do="end_turn")
    last = room.book(game.id).head
    where = "WHERE originator_id = ? AND originator_version = ?"
    later = "CAST(replace(state, '1764', '1765') AS BLOB)"
    altered(file, f"UPDATE stored_events SET state = {later} {where}", game.id, last)  # noqa: S608 - ours
    with pytest.raises(Damaged, match="the log and its tree differ"):
        Shelf(room.store, room.referee.codec).book(game.id)
    with pytest.raises(Damaged, match="the log and its tree differ"):
        room.referee.shelf.book(game.id)
    room.store.close()


@pytest.mark.parametrize(("place", "named"), [(2, 3), (7, 8), (20, 21)])
@pytest.mark.parametrize("as_", ["CAST(replace(state, '1764', '1765') AS BLOB)"])
def test_an_entry_that_was_altered_in_the_file_is_named_by_the_next(
    tmp_path: Path, place: int, named: int, as_: str
) -> None:
    file = tmp_path / "battles.db"
    room = Room(str(file))
    game = played(room)
    where = "WHERE originator_id = ? AND originator_version = ?"
    altered(file, f"UPDATE stored_events SET state = {as_} {where}", game.id, place)  # noqa: S608 - ours
    shelf = Shelf(room.store, room.referee.codec)
    with pytest.raises(Damaged, match=f"entry {named} of battle {game.id}.*one of them was altered") as found:
        shelf.book(game.id)
    assert found.value.seq == named
    room.store.close()


@pytest.mark.parametrize("as_", ["'x'", "x'00'", "x''", "replace(state, '1764', '1764')", "x'7b7d'"])
def test_what_is_no_entry_is_named_itself(tmp_path: Path, as_: str) -> None:
    file = tmp_path / "battles.db"
    room = Room(str(file))
    game = played(room)
    where = "WHERE originator_id = ? AND originator_version = ?"
    altered(file, f"UPDATE stored_events SET state = {as_} {where}", game.id, 9)  # noqa: S608 - ours
    with pytest.raises(Damaged, match=f"entry 9 of battle {game.id}"):
        Shelf(room.store, room.referee.codec).book(game.id)
    room.store.close()


def test_an_entry_that_no_rules_could_have_written_is_named() -> None:
    room, battle = Room(), "b" * 32
    first = Entry(battle, 1, 1, 0, "referee", "TurnStarted", 1, START, "", e.TurnStarted(1, "red"))
    room.store.append(battle, [room.referee.codec.seal(first)])
    with pytest.raises(Damaged, match=f"entry 1 of battle {battle} cannot be read: it says what cannot be"):
        room.book(battle)
