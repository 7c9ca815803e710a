"""A request that was sent twice and loses a race to itself hears what came of it, not that it cannot be done any more.

The history runs found it: one service decided anew after a lost race, on a table that the other had changed for the
very same request, and refused what stood in the log.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from domain.commands import COMMAND
from domain.draft import Seat
from replays.referee import Asked, Referee
from replays.shelf import Book, Shelf, digest
from replays.store import Store
from tests.laws.fields import bricks
from tests.laws.game import Game
from tests.replays.rooms import Room, receipt

RED = Seat("side", "red")
END = COMMAND.validate_python({"do": "end_turn"})


class Late(Shelf):
    """Before it takes in what others wrote, somebody writes more."""

    writes: Callable[[], object] = staticmethod(lambda: None)

    def catch_up(self, book: Book) -> bool:
        """Be late, once."""
        write, self.writes = self.writes, lambda: None
        write()
        return super().catch_up(book)


@pytest.fixture
def here(tmp_path: Path) -> Iterator[tuple[Room, Game]]:
    room = Room(str(tmp_path / "battles.db"))
    yield room, Game(bricks(), room)
    room.store.close()


@pytest.mark.parametrize("if_match", [None, 8])
def test_who_loses_a_race_to_the_same_request_hears_its_answer(
    here: tuple[Room, Game], tmp_path: Path, if_match: int | None
) -> None:
    room, game = here
    asked = Asked(RED, key="once", digest=digest(b"body"), if_match=if_match and game.record.seq)
    store = Store.open(str(tmp_path / "battles.db"))
    shelf: list[Late] = []

    def clock() -> int:
        # The table is decided on; now another wins the race, and before that is noticed, the first try gets through.
        game.dispute(1)
        shelf[0].writes = lambda: room.referee.act(game.id, END, Asked(RED, key="once", digest=digest(b"body")))
        return 1

    slow = Referee(store, clock=clock, new_id=lambda: "0" * 32, new_secret=lambda: "s")
    shelf.append(Late(store, slow.codec))
    slow.shelf = shelf[0]
    answer = receipt(slow.act(game.id, END, asked))
    assert answer.replayed
    assert answer.action == store.key(game.id, RED.actor, "once").first  # type: ignore[union-attr]
    assert game.record.battle.turn == 2
    store.close()
