"""Many write at once, through one referee or two on one file: all of it is there once, in one order, and good."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from domain import events as e
from domain.commands import COMMAND
from domain.draft import REFEREE
from domain.procedure import Ruling
from domain.refusals import Refused
from replays.examine import examine
from replays.referee import Asked, Busy, KeyMisused, Receipt, Referee
from replays.shelf import digest
from replays.store import Store
from tests.laws.fields import bricks, shooting_range, shot_by
from tests.laws.game import Game, no
from tests.replays.rooms import Room, receipt

WRITERS = 10
EACH = 5


@pytest.fixture(
    params=["one referee in memory", "one referee on a file", "two referees on a file", "two referees on PostgreSQL"]
)
def rooms(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Sequence[Room]]:
    """Where the writers sit: each takes one of these."""
    if request.param == "one referee in memory":
        yield [Room()]
        return
    count = 2 if request.param.startswith("two") else 1
    on_postgres = request.param.endswith("PostgreSQL")
    database = request.getfixturevalue("postgres") if on_postgres else str(tmp_path / "battles.db")
    found = [Room(database) for _ in range(count)]
    yield found
    for room in found:
        room.store.close()


def at_once(rooms: Sequence[Room], write: Callable[[Room, int], object]) -> list[object]:
    """All writers begin together; what each got, an exception too."""
    barrier = Barrier(WRITERS)

    def run(n: int) -> object:
        barrier.wait()
        try:
            return write(rooms[n % len(rooms)], n)
        except (Refused, KeyMisused) as no:
            return no

    with ThreadPoolExecutor(WRITERS) as pool:
        return list(pool.map(run, range(WRITERS)))


def receipts(answers: list[object]) -> list[Receipt]:
    return [receipt(answer) for answer in answers]


def checked(rooms: Sequence[Room], battle: str) -> Game:
    """The battle; every reader sees the same good log, and decides it the same again."""
    logs = {Game.of(room, battle).log for room in rooms} | {
        b"".join(line + b"\n" for line in room.book(battle).data()) for room in rooms
    }
    assert len(logs) == 1
    assert examine(logs.pop().splitlines()).findings == ()
    return Game.of(rooms[0], battle)


def test_ten_writers_lose_nothing_double_nothing_and_agree_on_the_order(rooms: Sequence[Room]) -> None:
    battle = rooms[0].open(bricks())
    first = rooms[0].book(battle).head

    def write(room: Room, n: int) -> list[Receipt]:
        notes = [Ruling(rule="NOTE", reason=f"{n}-{k}") for k in range(EACH)]
        return [receipt(room.referee.rule(battle, note, Asked(REFEREE))) for note in notes]

    answers = at_once(rooms, write)
    game = checked(rooms, battle)
    told = [entry.body.reason for entry in game.entries[first:] if isinstance(entry.body, e.RulingMade)]
    assert sorted(told) == sorted(f"{n}-{k}" for n in range(WRITERS) for k in range(EACH))
    for n, mine in enumerate(answers):
        assert isinstance(mine, list)
        assert [told.index(f"{n}-{k}") for k in range(EACH)] == [answer.action - first - 1 for answer in mine]
        assert [answer.action for answer in mine] == sorted(answer.action for answer in mine)


def test_a_lost_race_is_decided_again_on_the_new_table(rooms: Sequence[Room]) -> None:
    battle = rooms[0].open(bricks())
    end = COMMAND.validate_python({"do": "end_turn"})

    def write(room: Room, _: int) -> None:
        for _ in range(EACH):
            room.referee.act(battle, end, Asked(REFEREE))

    at_once(rooms, write)
    game = checked(rooms, battle)
    ended = [entry.body for entry in game.entries if isinstance(entry.body, e.TurnEnded)]
    assert [turn.turn for turn in ended] == list(range(1, WRITERS * EACH + 1))
    assert [turn.side for turn in ended[:4]] == ["red", "blue", "red", "blue"]


def test_links_of_the_dice_chain_are_used_once_and_none_is_skipped(rooms: Sequence[Room]) -> None:
    battle = rooms[0].open(shooting_range(WRITERS))

    def write(room: Room, n: int) -> None:
        room.referee.act(battle, COMMAND.validate_python(shot_by(f"r{n}")), Asked(REFEREE))

    at_once(rooms, write)
    drawn = [entry.body.index for entry in checked(rooms, battle).entries if isinstance(entry.body, e.DiceDrawn)]
    assert drawn == list(range(1, WRITERS + 1))


def test_of_many_with_the_same_key_one_writes_and_all_hear_the_same(rooms: Sequence[Room]) -> None:
    battle = rooms[0].open(bricks())
    end = COMMAND.validate_python({"do": "end_turn"})
    asked = Asked(REFEREE, key="k", digest=digest(b"body"))
    answers = receipts(at_once(rooms, lambda room, _: room.referee.act(battle, end, asked)))
    assert len({answer.data for answer in answers}) == 1
    assert [answer.replayed for answer in answers].count(False) == 1
    assert checked(rooms, battle).record.battle.turn == 2


def test_of_many_with_the_same_key_and_other_bodies_one_writes(rooms: Sequence[Room]) -> None:
    battle = rooms[0].open(bricks())
    end = COMMAND.validate_python({"do": "end_turn"})

    def write(room: Room, n: int) -> object:
        return room.referee.act(battle, end, Asked(REFEREE, key="k", digest=digest(b"%d" % n)))

    answers = at_once(rooms, write)
    assert sum(isinstance(answer, KeyMisused) for answer in answers) == WRITERS - 1
    assert checked(rooms, battle).record.battle.turn == 2


def test_of_many_for_the_same_head_one_writes(rooms: Sequence[Room]) -> None:
    battle = rooms[0].open(bricks())
    end = COMMAND.validate_python({"do": "end_turn"})
    asked = Asked(REFEREE, if_match=rooms[0].book(battle).head)
    answers = at_once(rooms, lambda room, _: room.referee.act(battle, end, asked))
    refused = [answer.refusal.kind for answer in answers if isinstance(answer, Refused)]
    assert refused == ["stale"] * (WRITERS - 1)
    assert checked(rooms, battle).record.battle.turn == 2


class Interloper:
    """A clock that is late: whenever it is asked for the time, somebody else writes first."""

    def __init__(self, path: str) -> None:
        self.room = Room(path)
        self.writes: Callable[[], object] = lambda: None

    def __call__(self) -> int:
        self.writes()
        return 1


@pytest.fixture
def late(tmp_path: Path) -> Iterator[tuple[Interloper, Referee]]:
    path = str(tmp_path / "battles.db")
    other = Interloper(path)
    slow = Referee(Store.open(path), clock=other, new_id=lambda: "0" * 32, new_secret=lambda: "s")
    yield other, slow
    slow.store.close()
    other.room.store.close()


def test_who_comes_second_is_decided_on_what_the_first_left(late: tuple[Interloper, Referee]) -> None:
    other, slow = late
    game = Game(bricks(), other.room)

    def once() -> None:
        other.writes = lambda: None
        game.does("red", do="end_turn")

    other.writes = once
    answer = receipt(slow.act(game.id, COMMAND.validate_python({"do": "end_turn"}), Asked(REFEREE)))
    assert game.record.battle.turn == 3
    assert game.entries[answer.action - 1].body == e.ActionDeclared(
        "end_turn", "blue", {"do": "end_turn", "waive": None}
    )
    assert checked([game.room], game.id).record.seq == answer.seq


def test_who_comes_second_may_be_refused_by_what_the_first_left(late: tuple[Interloper, Referee]) -> None:
    other, slow = late
    game = Game(bricks(), other.room)
    other.writes = lambda: game.does("red", do="end_turn")
    command = COMMAND.validate_python({"do": "move", "fig": "r1", "to": {"x": 10, "y": 9}})
    assert no(lambda: slow.act(game.id, command, Asked(REFEREE))).rule == "TURN-01"
    assert game.record.battle.turn == 2


def test_who_comes_second_with_the_same_key_hears_the_answer_of_the_first(late: tuple[Interloper, Referee]) -> None:
    other, slow = late
    game = Game(bricks(), other.room)
    end, asked = COMMAND.validate_python({"do": "end_turn"}), Asked(REFEREE, key="k", digest=digest(b"body"))

    def once() -> None:
        other.writes = lambda: None
        game.room.referee.act(game.id, end, asked)

    other.writes = once
    answer = receipt(slow.act(game.id, end, asked))
    assert answer.replayed
    assert game.record.battle.turn == 2


def test_who_always_comes_second_is_told_to_try_later(late: tuple[Interloper, Referee]) -> None:
    other, slow = late
    game = Game(bricks(), other.room)
    other.writes = game.rules
    with pytest.raises(Busy):
        slow.act(game.id, COMMAND.validate_python({"do": "end_turn"}), Asked(REFEREE))
    assert game.record.battle.turn == 1


def test_branches_opened_at_once_all_have_the_same_past(rooms: Sequence[Room]) -> None:
    battle = rooms[0].open(bricks())
    opened = at_once(rooms[:1], lambda room, _: room.branch(battle))
    game = checked(rooms, battle)
    assert sorted(row.battle for row in game.room.store.branches(battle)) == sorted(map(str, opened))
    assert all(Game.of(game.room, str(branch)).log.startswith(game.log) for branch in opened)
