"""The shelf: what is in memory is bounded, and what somebody holds is not read a second time."""

import gc

from replays.shelf import Book, Shelf
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
