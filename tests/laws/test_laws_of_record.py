"""The laws of the record: all or nothing, shared structure, and a refusal that leaves no trace. On a real store."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.commands import COMMAND
from domain.dice import DiceWanted
from domain.timeline import recorded
from replays.codec import Fingerprint
from replays.referee import Asked
from replays.store import Beside, BranchRow, Conflict, KeyRow, KeyTaken, Sealed, SeatRow, SecretRow, Store, Summary
from tests.laws.fields import bricks
from tests.laws.game import Game, effort, no, seat
from tests.laws.play import attempt, ideas, next_idea, seeds, skirmish
from tests.replays.rooms import Room

# --- law 3: all entries of an action are stored in one transaction, or none ---


def row(game: Game) -> Summary:
    found = game.room.store.summary(game.id)
    assert found is not None
    return found


def entry(seq: int) -> Sealed:
    return Sealed(seq=seq, type="TurnEnded", v=1, data=b"{}")


def beside_of(game: Game) -> dict[str, Beside]:
    """Rows of which one stands already, so that the append fails when its entries are on their way."""
    new_key = KeyRow(game.id, "referee", "fresh", b"", game.id, 1)
    new_secret = SecretRow(game.id, "chain", 9, bytes(32))
    return {
        "key": Beside(key=KeyRow(game.id, "referee", "taken", b"", game.id, 1), secrets=(new_secret,)),
        "seat": Beside(key=new_key, secrets=(new_secret,), seats=(SeatRow(game.id, "referee", b"other"),)),
        "secret": Beside(key=new_key, seats=(SeatRow(game.id, "new", b""),), secrets=(new_secret, new_secret)),
    }


@pytest.mark.parametrize("what", ["key", "seat", "secret"])
def test_law_3_an_append_that_fails_half_way_leaves_nothing(what: str) -> None:
    game = Game(bricks())
    store = game.room.store
    taken = Asked(seat("referee"), key="taken", digest=b"1")
    game.room.referee.act(game.id, COMMAND.validate_python({"do": "end_phase"}), taken)
    log, seats, summary, head = game.log, store.seat_digests(game.id), row(game), store.head(game.id)
    with pytest.raises((KeyTaken, Conflict)):
        store.append(game.id, [entry(head + 1), entry(head + 2)], beside_of(game)[what])
    assert (game.log, store.head(game.id), store.seat_digests(game.id), row(game)) == (log, head, seats, summary)
    assert store.key(game.id, "referee", "fresh") is None
    assert store.secret(game.id, "chain", 9) is None


GAPS: dict[str, Callable[[int], list[Sealed]]] = {
    "a gap": lambda head: [entry(head + 1), entry(head + 3)],
    "an entry that is there": lambda head: [entry(head)],
    "one too far": lambda head: [entry(head + 2)],
    "twice the same": lambda head: [entry(head + 1), entry(head + 1)],
}


@pytest.mark.parametrize("gap", GAPS)
def test_law_3_entries_that_do_not_follow_are_not_stored_at_all(gap: str) -> None:
    game = Game(bricks())
    log, head = game.log, game.record.seq
    with pytest.raises(Conflict):
        game.room.store.append(game.id, GAPS[gap](head))
    assert game.log == log


def test_law_3_a_branch_that_fails_is_no_branch() -> None:
    game = Game(bricks())
    new, head = "f" * 32, game.record.seq
    with pytest.raises(Conflict):
        game.room.store.append(new, [entry(head + 2)], Beside(branch=BranchRow(new, game.id, head + 1)))
    assert not game.room.store.exists(new)
    assert game.room.store.branches(game.id) == []


# --- law 5: the log is the truth: whoever reads it again, from any place, has the same table ---


@given(st.sampled_from(["nme", "mfd"]), st.lists(seeds, min_size=1, max_size=15), st.data())
@effort(20)
def test_law_5_action_and_undo_leave_the_table_as_it_was(system: str, some: list[int], data: st.DataObject) -> None:
    game = Game(skirmish(system, 2))
    tables = []
    for seed in some:
        tables.append((game.record.seq + 1, game.record.battle))
        play(game, seed)
    action, before = data.draw(st.sampled_from(tables))
    game.undo(action)
    assert game.record.battle is before
    assert Fingerprint().of(recorded(None, game.entries).battle) == Fingerprint().of(before)
    assert game.entries[-1].state == Fingerprint().of(before)


def play(game: Game, seed: int) -> None:
    table = game.record.battle
    idea = next_idea(table, seed)
    found = attempt(table, idea, seed)
    assert found is not None
    game.act(**idea, **({"dice": list(found[1])} if found[1] else {}))


# --- law 6: state is a persistent value ---


def test_law_6_undo_redo_and_a_look_back_hand_out_tables_that_are_there() -> None:
    game = Game(skirmish("mfd", 2))
    tables, seqs = [], []
    for seed in range(40):
        tables.append(game.record.battle)
        seqs.append(game.record.seq)
        play(game, seed)
    last = game.record.battle
    for n in (39, 20, 0):
        assert game.book.record_at(seqs[n]).battle is tables[n]
        game.undo(seqs[n] + 1)
        assert game.record.battle is tables[n]
        game.redo()
        assert game.record.battle is last


def test_law_6_an_action_leaves_whom_it_does_not_touch() -> None:
    game = Game(bricks())
    before = game.record.battle
    game.act("red", do="move", fig="r1", to={"x": 10, "y": 9})
    after = game.record.battle
    assert [name for name in before.figs if after.figs[name] is not before.figs[name]] == ["r1"]
    assert (after.policy, after.terrain) == (before.policy, before.terrain)
    assert after.policy is before.policy


def test_law_6_a_branch_begins_with_its_parents_table() -> None:
    game = Game(bricks())
    game.act("red", do="move", fig="r1", to={"x": 10, "y": 9})
    before = game.record.battle
    assert game.branch().record.battle.figs is before.figs


# --- law 7: a refused request leaves the log byte for byte as it was ---


def everything(path: Path) -> list[bytes]:
    """All rows of all tables, read by another store than the one that plays."""
    store = Store.open(str(path))
    try:
        every = [summary.battle for _, summary in store.summaries(0, 100)]
        return [
            *(sealed.data for battle in every for sealed in store.read(battle)),
            *(repr(store.summary(battle)).encode() for battle in every),
            *(repr(store.key(battle, "referee", "k")).encode() for battle in every),
        ]
    finally:
        store.close()


@pytest.mark.parametrize("system", ["nme", "mfd"])
@pytest.mark.parametrize("dice", ["table", "server"])
def test_law_7_what_is_refused_leaves_no_trace(tmp_path: Path, system: str, dice: str) -> None:
    path = tmp_path / "battles.db"
    game = Game(skirmish(system, 2) | {"dice": dice}, Room(str(path)))
    before, kinds = everything(path), set()
    wrong = [
        *(idea for some in ideas(game.record.battle).values() for idea in some),
        {"do": "end_battle", "winner": "nobody"},
        {"do": "end_turn", "dice": [1]},
        {"do": "concede", "side": "nobody"},
    ]
    for by in ("referee", "red", "blue", "spectator"):
        for idea in wrong:
            if attempt(game.record.battle, idea, 0, seat(by)) is not None and "dice" not in idea:
                continue
            asked = Asked(seat(by), key="k", digest=b"1")
            command = COMMAND.validate_python(idea)
            kinds.add(no(partial(game.room.referee.act, game.id, command, asked)).kind)
    assert kinds == {"rule-refused", "invalid", "forbidden", "not-your-fig"}
    assert everything(path) == before


def test_law_7_a_wanted_die_leaves_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "battles.db"
    game = Game(bricks(), Room(str(path)))
    before = everything(path)
    shot = COMMAND.validate_python({"do": "shoot", "fig": "r1", "weapon": "gun", "target": "b1", "dice": [6]})
    with pytest.raises(DiceWanted):
        game.room.referee.act(game.id, shot, Asked(seat("red"), key="k", digest=b"1"))
    assert everything(path) == before
