"""The store under many hands: one winner, no reader that waits, no word about others' writes missed or made up."""

import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from threading import Barrier, Event
from time import monotonic, sleep
from typing import Final

import pytest

from replays.store import Beside, Conflict, KeyRow, KeyTaken, Sealed, SeatRow, Store, StoreUnavailable
from replays.store.turns import Turn, Turns
from tests.replays.holding import held

A: Final = "a" * 32
B: Final = "b" * 32
HOUSE: Final = Path(__file__).parents[2]


def batch(head: int, word: str = "x") -> list[Sealed]:
    return [Sealed(head + n, "HitRolled", 1, f"{word} {head + n}".encode()) for n in range(1, 4)]


def key(word: str) -> KeyRow:
    return KeyRow(A, "referee", word, bytes(32), A, 1)


def outcome(act: Callable[[], object]) -> str:
    try:
        act()
    except (Conflict, KeyTaken, StoreUnavailable) as error:
        return type(error).__name__
    return "stored"


def begin(store: Store, n: int) -> None:
    store.append(f"{n:032x}", batch(0))


def soon(told: Callable[[], bool]) -> bool:
    """Whether something holds within a second, which is what a server may take to pass the word on."""
    until = monotonic() + 1
    while not told() and monotonic() < until:
        sleep(0.005)
    return told()


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "battles.db")


@pytest.fixture
def stores(database: str) -> Iterator[tuple[Store, Store]]:
    with closing(Store.open(database)) as one, closing(Store.open(database)) as other:
        yield one, other


@pytest.fixture
def on_a_file(file: str) -> Iterator[tuple[Store, Store]]:
    # A slow machine may hold a writer up for long; only the tests that are about it give up early.
    with closing(Store.open(file, patience=60)) as one, closing(Store.open(file, patience=60)) as other:
        yield one, other


def test_of_ten_writers_who_saw_the_same_head_one_wins(stores: tuple[Store, Store]) -> None:
    start = Barrier(10)
    line: list[Sealed] = []
    for head in range(0, 60, 3):

        def write(hand: int, head: int = head) -> str:
            start.wait()
            store = stores[hand % 2]
            return outcome(lambda: store.append(A, batch(head, f"hand {hand}"), Beside(key=key(f"{head}/{hand}"))))

        with ThreadPoolExecutor(10) as hands:
            outcomes = list(hands.map(write, range(10)))
        assert sorted(outcomes) == ["Conflict"] * 9 + ["stored"]
        winner = outcomes.index("stored")
        line += batch(head, f"hand {winner}")
        assert stores[0].read(A) == stores[1].read(A) == line
        kept = [hand for hand in range(10) if stores[0].key(A, "referee", f"{head}/{hand}")]
        assert kept == [winner]


def test_of_ten_writers_with_the_same_key_one_wins(stores: tuple[Store, Store]) -> None:
    start = Barrier(10)

    def write(hand: int) -> str:
        start.wait()
        return outcome(lambda: stores[hand % 2].append(f"{hand:032x}", batch(0), Beside(key=key("once"))))

    with ThreadPoolExecutor(10) as hands:
        outcomes = list(hands.map(write, range(10)))
    assert sorted(outcomes) == ["KeyTaken"] * 9 + ["stored"]
    assert [stores[0].head(f"{hand:032x}") for hand in range(10)] == [3 * (word == "stored") for word in outcomes]


def test_writers_that_share_a_commit_fail_one_by_one(stores: tuple[Store, Store], database: str) -> None:
    store, _ = stores
    store.append(A, batch(0), Beside(key=key("taken")))
    with held(database) as release, ThreadPoolExecutor(12) as hands:
        # While another program holds the database, eleven queue up behind the first.
        good = [hands.submit(outcome, partial(begin, store, n)) for n in range(8)]
        bad = [hands.submit(outcome, lambda: store.append(A, batch(9)))]
        bad += [hands.submit(outcome, lambda: store.append(B, batch(0), Beside(key=key("taken"))))]
        wrong = hands.submit(store.append, B, [Sealed(1, "HitRolled", 1, object())])  # type: ignore[arg-type]
        sleep(0.3)
        release()
        assert [each.result() for each in good] == ["stored"] * 8
        assert [each.result() for each in bad] == ["Conflict", "KeyTaken"]
        with pytest.raises(Exception, match="object"):
            wrong.result()
    assert all(store.read(f"{n:032x}") == batch(0) for n in range(8))
    assert store.read(A) == batch(0)
    assert not store.exists(B)


def test_a_look_goes_past_a_writer_and_holds_up_none(on_a_file: tuple[Store, Store]) -> None:
    store, other = on_a_file
    store.append(A, batch(0), Beside(key=key("once")))
    with suppress(InterruptedError), store._recorder.datastore._writer as cursor:  # type: ignore[attr-defined]
        cursor.execute("DELETE FROM stored_events")
        assert store.head(A) == store.tip(A)[0] == 3
        assert store.key(A, "referee", "once") == key("once")
        raise InterruptedError  # which takes it back
    with pytest.raises(Exception, match="binding"):
        store.head(object())  # type: ignore[arg-type]
    store.append(A, batch(3))
    assert store.head(A) == other.head(A) == 6
    other.append(A, batch(6))
    assert store.tip(A) == other.tip(A)
    assert store.head(A) == 9


def test_writers_that_share_a_commit_that_fails_all_hear_of_it(database: str) -> None:
    with closing(Store.open(database, patience=1)) as store:
        with held(database), ThreadPoolExecutor(6) as hands:
            asked = [hands.submit(begin, store, n) for n in range(6)]
            for each in asked:
                with pytest.raises(StoreUnavailable, match="another program"):
                    each.result()
        assert not any(store.exists(f"{n:032x}") for n in range(6))
        store.append(A, batch(0))


def test_many_threads_write_many_battles(stores: tuple[Store, Store]) -> None:
    def play(n: int) -> None:
        for head in range(0, 90, 3):
            stores[n % 2].append(f"{n:032x}", batch(head, str(n)), Beside(key=key(f"{n}/{head}")))
            assert stores[(n + 1) % 2].head(f"{n:032x}") == head + 3

    with ThreadPoolExecutor(8) as hands:
        list(hands.map(play, range(8)))
    for n in range(8):
        assert stores[0].read(f"{n:032x}") == [entry for head in range(0, 90, 3) for entry in batch(head, str(n))]


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals go to threads on POSIX only")
def test_a_writer_interrupted_in_the_queue_holds_up_nobody(on_a_file: tuple[Store, Store], file: str) -> None:
    store, _ = on_a_file
    turns = store._recorder.datastore._turns  # type: ignore[attr-defined]
    # Where the tests run in the background of a shell, Ctrl-C was ignored from the start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main = threading.main_thread().ident
    assert main is not None
    with held(file) as release, ThreadPoolExecutor(4) as hands:
        first = hands.submit(begin, store, 1)
        while not turns._led or turns._waiting:  # until the first one waits for the file
            sleep(0.01)
        later = [hands.submit(begin, store, n) for n in (2, 3)]

        def interrupt() -> None:
            while len(turns._waiting) < 3:
                sleep(0.01)
            signal.pthread_kill(main, signal.SIGINT)

        hands.submit(interrupt)
        with pytest.raises(KeyboardInterrupt):
            store.append(A, batch(0))
        release()
        first.result(60)
        for each in later:
            each.result(60)
    assert [store.head(f"{n:032x}") for n in (1, 2, 3)] == [3, 3, 3]
    assert not store.exists(A)


class Interrupted(Turn[None]):
    def wait(self) -> None:
        super().wait()
        raise KeyboardInterrupt


def test_a_writer_interrupted_when_it_was_to_write_for_the_others_still_does() -> None:
    begun, go = Event(), Event()
    done: list[Turn[None]] = []

    def commit_all(some: Sequence[Turn[None]]) -> None:
        begun.set()
        assert go.wait(5)
        done.extend(some)

    turns = Turns(commit_all)
    interrupted, other = Interrupted(lambda _: None), Turn[None](lambda _: None)
    with ThreadPoolExecutor(3) as hands:
        hands.submit(turns.do, lambda _: None)
        assert begun.wait(5)
        turns._waiting += [interrupted, other]
        second = hands.submit(turns._wait, interrupted)
        go.set()
        with pytest.raises(KeyboardInterrupt):
            second.result(5)
    assert done[1:] == [other]
    assert other.kept
    assert not turns._led


def test_no_reader_waits_for_a_writer(stores: tuple[Store, Store], database: str) -> None:
    store, _ = stores
    store.append(A, batch(0))
    store.changes()
    with held(database, "DELETE FROM stored_events") as release, ThreadPoolExecutor(8) as hands:
        waiting = [hands.submit(store.append, f"{n:032x}", batch(0)) for n in range(4)]
        sleep(0.1)
        readers = [hands.submit(store.read, A) for _ in range(40)]
        assert all(reader.result() == batch(0) for reader in readers)
        assert store.changes() == store.changes()
        assert not any(writer.done() for writer in waiting)
        release()
        for writer in waiting:
            writer.result()


def test_changes_move_for_others_only(stores: tuple[Store, Store]) -> None:
    one, other = stores
    quiet = one.changes()
    one.append(A, batch(0))
    assert outcome(lambda: one.append(A, batch(0))) == "Conflict"
    one.read(A)
    other.read(A)
    assert one.changes() == quiet
    other.append(A, batch(3))
    assert soon(lambda: one.changes() != quiet)
    moved = one.changes()
    assert one.changes() == moved
    one.append(A, batch(6))
    assert one.changes() == moved


def test_changes_move_for_what_stands_beside_the_log_too(stores: tuple[Store, Store]) -> None:
    one, other = stores
    changes: list[Callable[[Store], object]] = [
        lambda store: store.replace_seat(SeatRow(A, "referee", b"%d" % id(store))),
        lambda store: store.ledger.publish(A, 1, b"head of %d" % id(store)),
    ]
    for change in changes:
        quiet = one.changes()
        change(one)
        sleep(0.05)
        assert one.changes() == quiet
        change(other)
        assert soon(lambda: one.changes() != quiet)  # noqa: B023 - called at once


def test_changes_move_for_another_process(stores: tuple[Store, Store], database: str) -> None:
    before = stores[0].changes()
    text = "import sys; from tests.replays.test_store_races import *; Store.open(sys.argv[1]).append(A, batch(0))"
    subprocess.run([sys.executable, "-c", text, database], cwd=HOUSE, check=True)
    assert soon(lambda: stores[0].changes() != before)
    assert stores[0].read(A) == batch(0)


def test_looking_for_changes_never_holds_up_a_checkpoint(on_a_file: tuple[Store, Store], file: str) -> None:
    on_a_file[0].append(A, batch(0))
    on_a_file[0].changes()
    on_a_file[0].read(A)
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0


def test_many_may_open_a_new_database_at_once(nothing_yet: str) -> None:
    start = Barrier(8)

    def open_and_begin(n: int) -> None:
        start.wait()
        with closing(Store.open(nothing_yet)) as store:
            store.append(f"{n:032x}", batch(0))

    with ThreadPoolExecutor(8) as hands:
        list(hands.map(open_and_begin, range(8)))
    with closing(Store.open(nothing_yet)) as store:
        assert all(store.read(f"{n:032x}") == batch(0) for n in range(8))


def test_a_store_closed_in_the_middle_stores_whole_batches(database: str) -> None:
    store = Store.open(database)

    def play(n: int) -> int:
        head = 0
        while outcome(lambda: store.append(f"{n:032x}", batch(head))) == "stored":  # noqa: B023 - called at once
            head += 3
        return head

    with ThreadPoolExecutor(4) as hands:
        played = [hands.submit(play, n) for n in range(4)]
        sleep(0.2)
        store.close()
        heads = [each.result() for each in played]
    with closing(Store.open(database)) as again:
        assert [again.head(f"{n:032x}") for n in range(4)] == heads


class _Interrupted(BaseException):
    pass


def _interrupt(*_: object) -> None:
    raise _Interrupted


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are such timers on POSIX only")
def test_a_look_that_is_interrupted_anywhere_leaves_nobody_waiting(file: str) -> None:
    with closing(Store.open(file)) as store:
        store.append(A, batch(0))
        was = signal.signal(signal.SIGALRM, _interrupt)
        try:
            until, done = monotonic() + 1.5, 0
            while monotonic() < until:
                with suppress(_Interrupted):
                    signal.setitimer(signal.ITIMER_REAL, 0.0001 + 0.000_013 * (done % 100))
                    while True:
                        store.tip(A)
                done += 1
                assert not store._recorder.datastore._writer._lock.locked()  # type: ignore[attr-defined]
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, was)
        assert done > 100
        store.append(A, batch(store.head(A)))
