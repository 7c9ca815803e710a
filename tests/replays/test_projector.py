"""The projector: totals are the fold of the log, whoever is killed, whoever races, and whatever cannot be read."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any, Final

import msgspec
import pytest

from api.totals import VERSION, fold
from domain.draft import REFEREE
from replays.codec import Codec
from replays.projector import Projector
from replays.referee import Asked
from replays.store import Filter, Sealed, Store
from tests.replays.rooms import Room, gangs, receipt, skirmish, volley

NOBODY: Final = "f" * 32


@pytest.fixture
def room(database: str) -> Iterator[Room]:
    room = Room(database)
    yield room
    room.store.close()


def keeper(room: Room, version: int = VERSION, **more: Any) -> Projector:
    return Projector(room.store, fold, version, **more)


def caught_up(keeps: Projector) -> int:
    """Step until nothing is left; how many steps it took."""
    steps = 1
    while not keeps.step().there:
        steps += 1
        assert steps < 10_000
    return steps


def rows(store: Store) -> list[dict[str, Any]]:
    """All rows, but for the generation that they are of."""
    sides, weapons = store.totals.all_rows()
    return [
        {name: value for name, value in msgspec.structs.asdict(row).items() if name != "generation"}
        for row in (*sides, *weapons)
    ]


def folded(room: Room, *battles: str) -> list[dict[str, Any]]:
    """The rows of these battles by a plain fold of their logs."""
    both = []
    for battle in sorted(battles):
        record = room.book(battle).record
        both.append(fold(battle, record, room.book(battle).entries(), 0))
    told = [row for sides, _ in both for row in sides] + [row for _, weapons in both for row in weapons]
    return [{n: v for n, v in msgspec.structs.asdict(row).items() if n != "generation"} for row in told]


def test_rows_are_the_fold_of_every_battle_but_what_ifs(room: Room) -> None:
    first, second = skirmish(room, 2), skirmish(room, 1)
    what_if = room.branch(first)
    volley(room, what_if)
    keeps = keeper(room, at_once=7)
    assert caught_up(keeps) > 10
    assert rows(room.store) == folded(room, first, second)
    assert keeps.differs() == []
    position = room.store.totals.tracked()
    assert position is not None
    assert position.position == room.store.totals.newest()


def test_what_is_new_is_taken_in_and_what_is_undone_goes_out_again(room: Room) -> None:
    battle = skirmish(room, 1)
    keeps = keeper(room, shelf=room.referee.shelf)
    caught_up(keeps)
    before = rows(room.store)
    room.act(battle, do="end_battle", winner="red")
    caught_up(keeps)
    assert rows(room.store) == folded(room, battle) != before
    tip = room.book(battle).record.tip
    assert tip is not None
    receipt(room.referee.undo(battle, tip.seq, "typed wrong", Asked(REFEREE)))
    caught_up(keeps)
    assert rows(room.store) == folded(room, battle)


def test_a_step_that_finds_nothing_new_folds_nothing(room: Room) -> None:
    skirmish(room, 1)
    keeps = keeper(room)
    caught_up(keeps)
    assert keeps.step().battles == 0


@pytest.mark.parametrize("steps", [0, 1, 3, 8])
def test_whoever_goes_on_after_a_kill_loses_nothing_and_doubles_nothing(room: Room, steps: int) -> None:
    battles = [skirmish(room, 1) for _ in range(3)]
    killed = keeper(room, at_once=5)
    for _ in range(steps):
        killed.step()
    caught_up(keeper(room, at_once=5))
    assert rows(room.store) == folded(room, *battles)


def test_several_that_race_come_to_the_same_rows(database: str, room: Room) -> None:
    battles = [skirmish(room, 1) for _ in range(4)]
    with closing(Store.open(database)) as other, ThreadPoolExecutor(4) as pool:
        keepers = [Projector(store, fold, VERSION, at_once=3) for store in (room.store, other, room.store, other)]
        racing = [pool.submit(caught_up, keeps) for keeps in keepers]
        volley(room, battles[0])
        for done in racing:
            done.result(60)
        caught_up(keepers[0])
    assert rows(room.store) == folded(room, *battles)


def test_a_battle_that_cannot_be_read_is_set_aside_and_holds_up_no_other(room: Room) -> None:
    good, bad = skirmish(room, 1), skirmish(room, 1)
    keeps = keeper(room)
    caught_up(keeps)
    head = room.store.head(bad)
    room.store.append(bad, [Sealed(head + 1, "Teleported", 7, b'{"type":"Teleported","v":7,"seq":1}')])
    volley(room, good)
    came = keeps.step()
    (aside,) = came.aside
    assert (aside.battle, aside.seq) == (bad, head + 1)
    assert "Teleported version 7" in aside.reason
    assert room.store.totals.set_aside() == [aside]
    assert came.there
    assert rows(room.store) == folded(room, good)
    assert keeps.differs() == []


def test_what_was_set_aside_is_tried_again_by_a_program_that_can_read_it(room: Room) -> None:
    battle = skirmish(room, 1)
    head = room.book(battle).head
    ended = room.act(battle, do="end_battle", winner="red")
    caught_up(keeper(room, codec=_without(Codec(), "BattleEnded")))
    (aside,) = room.store.totals.set_aside()
    assert head < aside.seq <= ended.seq
    assert rows(room.store) == []
    caught_up(keeper(room))
    assert room.store.totals.set_aside() == []
    assert rows(room.store) == folded(room, battle)


def _without(codec: Codec, name: str) -> Codec:
    """A codec that does not know an event yet."""
    codec._readers = {known: reader for known, reader in codec._readers.items() if known[0] != name}
    return codec


def test_a_rebuild_replaces_battle_by_battle_and_drops_what_belongs_to_none(room: Room) -> None:
    battles = [skirmish(room, 1) for _ in range(3)]
    keeps = keeper(room, at_once=20)
    caught_up(keeps)
    right = rows(room.store)
    room.store._recorder.execute("UPDATE side_totals SET kills = 99 WHERE battle = ?", (battles[1],))
    room.store._recorder.execute("UPDATE side_totals SET battle = ? WHERE battle = ?", (NOBODY, battles[2]))
    assert keeps.differs() == sorted([battles[1], battles[2], NOBODY])
    keeps.begin_anew()
    while not keeps.step().there:
        assert len({row["battle"] for row in rows(room.store)}) >= 3  # never empty on the way
    assert rows(room.store) == right
    assert keeps.differs() == []


def test_a_new_shape_of_the_rows_makes_them_anew_and_older_programs_leave_them_alone(room: Room) -> None:
    battle = skirmish(room, 1)
    caught_up(keeper(room))
    newer = keeper(room, VERSION + 1)
    caught_up(newer)
    was = room.store.totals.tracked()
    assert was is not None
    assert (was.version, was.generation) == (VERSION + 1, 2)
    volley(room, battle)
    assert keeper(room).step().there
    assert room.store.totals.tracked() == was
    caught_up(newer)
    assert rows(room.store) == folded(room, battle)


def test_the_desk_is_made_anew_out_of_the_log(room: Room) -> None:
    battles = [skirmish(room, 1) for _ in range(3)]
    battles.append(room.branch(battles[0]))
    right = room.store.summaries(0, 100)
    first = right[0][1]
    room.store._recorder.execute("UPDATE summaries SET turn = 9, title = 'x' WHERE battle = ?", (battles[0],))
    room.store._recorder.execute("DELETE FROM summaries WHERE battle = ?", (battles[3],))
    keeps = keeper(room)
    assert [battle for battle, wrong in keeps.desk(mend=False) if wrong] == [battles[0], battles[3]]
    assert [battle for battle, wrong in keeps.desk(mend=True) if wrong] == [battles[0], battles[3]]
    assert [one for _, one in room.store.summaries(0, 100)] == [one for _, one in right]
    later = msgspec.structs.replace(first, head=first.head + 5, title="told by a later entry")
    room.store.mend_summary(later)
    room.store.mend_summary(first)
    assert room.store.summary(battles[0]) == later


def test_sums_are_of_the_battles_that_are_asked_for_and_never_of_private_ones(room: Room) -> None:
    cup = [room.open(gangs(tags={"event": "cup", "round": str(n)})) for n in (1, 2)]
    room.open(gangs(tags={"event": "cup"}, policy={"private": True}))
    other = room.open(gangs(sides=[{"id": "red", "name": "Reds"}, {"id": "blue"}]))
    room.act(cup[0], do="end_battle", winner="red")
    room.act(cup[1], do="end_battle")
    room.act(other, do="end_battle", winner="blue")
    caught_up(keeper(room))
    totals = room.store.totals

    def told(**wanted: str) -> list[tuple[str, int, int, int, int]]:
        found = totals.players(Filter(**wanted), 10, 0)
        return [(one["name"], one["battles"], one["won"], one["drawn"], one["lost"]) for one in found]

    assert told(event="cup") == [("red", 2, 1, 1, 0), ("blue", 2, 0, 1, 1)]
    assert told(event="cup", round="2") == [("blue", 1, 0, 1, 0), ("red", 1, 0, 1, 0)]
    assert told() == [("red", 2, 1, 1, 0), ("blue", 3, 1, 1, 1), ("Reds", 1, 0, 0, 1)]
    assert told(system="mfd") == []
    assert [one["name"] for one in totals.players(Filter(), 1, 1)] == ["blue"]


def test_weapons_are_told_by_system_what_was_used_most_first(room: Room) -> None:
    battles = [skirmish(room, 2), skirmish(room, 1)]
    caught_up(keeper(room))
    (autogun,) = room.store.totals.weapons(Filter(), 10, 0)
    shots = sum(row["shots"] for row in folded(room, *battles) if "weapon" in row)
    assert (autogun["system"], autogun["weapon"], autogun["battles"], autogun["shots"]) == ("nme", "autogun", 2, shots)
    assert all(isinstance(value, int) for name, value in autogun.items() if name not in ("system", "weapon"))
    assert shots > 2


def test_a_move_by_somebody_else_is_seen(room: Room) -> None:
    skirmish(room, 1)
    totals = room.store.totals
    keeper(room, at_once=4).step()
    was = totals.tracked()
    assert was is not None
    assert totals.move(was, replace_position(was, 6), ())
    assert not totals.move(was, replace_position(was, 5), ())
    assert totals.tracked() == replace_position(was, 6)


def replace_position(tracked: Any, position: int) -> Any:
    return msgspec.structs.replace(tracked, position=position)
