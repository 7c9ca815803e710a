"""The store's file: kept over restarts and kills, and refused in words that help where it cannot be used."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from shutil import copyfile, which
from threading import Timer
from time import monotonic, sleep
from typing import Final

import pytest

from replays.store import (
    Beside,
    BranchRow,
    CosignatureRow,
    KeyRow,
    NameRow,
    PublishedRow,
    Sealed,
    SeatRow,
    SecretRow,
    SetAside,
    SideTotal,
    Store,
    StoreUnavailable,
    Summary,
    WeaponTotal,
    schema,
)
from replays.store.files import Watch

A: Final = "a" * 32
HOUSE: Final = Path(__file__).parents[2]


def batch(head: int) -> list[Sealed]:
    return [Sealed(head + n, "HitRolled", 1, b"%d " % (head + n) * 100) for n in range(1, 6)]


def key(head: int) -> KeyRow:
    return KeyRow(A, "referee", f"after {head}", bytes(32), A, head + 1)


@contextmanager
def opened(file: Path | str, **settings: int) -> Iterator[Store]:
    with closing(Store.open(str(file), **settings)) as store:
        yield store


def program(text: str, file: Path | str, *before: str) -> list[str]:
    head = "import sys\nfrom tests.replays.test_store_files import *\nfile = sys.argv[1]\n"
    return [*before, sys.executable, "-c", head + text, str(file)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "battles.db"


# --- what is kept ---


def test_a_reopened_file_holds_what_was_stored(file: Path) -> None:
    with opened(file) as store:
        store.append(A, batch(0), Beside(key=key(0), seats=(SeatRow(A, "referee", b"r"),)))
    with opened(file) as store:
        assert store.read(A) == batch(0)
        assert store.key(A, "referee", "after 0") == key(0)
        store.append(A, batch(5))
        assert store.head(A) == 10


def test_a_name_is_a_name_whatever_is_in_it(tmp_path: Path) -> None:
    file = tmp_path / "100% sure?mode=memory#file: '.db"
    with opened(file) as store:
        store.append(A, batch(0))
    assert file.is_file()
    with opened(file) as store:
        assert store.head(A) == 5


def test_a_relative_name_stays_where_it_was_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with opened(Path("battles.db")) as store:
        monkeypatch.chdir("/")
        store.append(A, batch(0))
        assert store.head(A) == 5
    assert (tmp_path / "battles.db").is_file()


def test_the_file_is_written_ahead_and_synced_in_full(file: Path) -> None:
    with opened(file) as store:
        with closing(sqlite3.connect(file)) as db:
            assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        writer = store._recorder.datastore._writer._db  # type: ignore[attr-defined]
        assert writer.execute("PRAGMA synchronous").fetchone() == (2,)


def test_every_row_has_the_fields_of_its_table_in_order(file: Path) -> None:
    with opened(file), closing(sqlite3.connect(file)) as db:
        tables = {
            "keys": KeyRow, "seats": SeatRow, "secrets": SecretRow, "branches": BranchRow, "summaries": Summary,
            "cosignatures": CosignatureRow, "published": PublishedRow, "names": NameRow,
            "side_totals": SideTotal, "weapon_totals": WeaponTotal, "set_aside": SetAside,
        }  # fmt: skip
        for table, row in tables.items():
            columns = [name for _, name, *_ in db.execute(f"PRAGMA table_info({table})")]
            assert [name for name in columns if name != "id"] == list(row.__struct_fields__)


def test_a_writer_killed_at_any_moment_leaves_whole_batches_and_all_that_it_acknowledged(database: str) -> None:
    text = """
with opened(file) as store:
    while True:
        head = store.head(A)
        store.append(A, batch(head), Beside(key=key(head)))
        print(head + 5, flush=True)
"""
    head = 0
    for wait in (0.02, 0.05, 0.11, 0.03, 0.07):
        with subprocess.Popen(program(text, database), stdout=subprocess.PIPE, cwd=HOUSE) as writer:
            assert writer.stdout is not None
            lines = [writer.stdout.readline()]
            sleep(wait)
            writer.send_signal(signal.SIGKILL)
            lines += writer.stdout.readlines()
        acknowledged = int(lines[-1])
        with opened(database) as store:
            before, head = head, store.head(A)
            assert head % 5 == 0
            assert before < head
            assert acknowledged <= head <= acknowledged + 5
            assert store.read(A) == [entry for start in range(0, head, 5) for entry in batch(start)]
            assert all(store.key(A, "referee", f"after {start}") for start in range(0, head, 5))
            assert store.key(A, "referee", f"after {head}") is None


# --- versions ---


def test_a_newer_file_is_refused_and_left_alone(file: Path) -> None:
    with opened(file) as store:
        store.append(A, batch(0))
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("UPDATE meta SET value = 99 WHERE name = 'schema'")
        db.execute("PRAGMA journal_mode = DELETE")
    before = file.read_bytes()
    with pytest.raises(StoreUnavailable, match=rf"version 99.*knows version {schema.VERSION}.*newer battlelog"):
        Store.open(str(file))
    assert file.read_bytes() == before


def test_a_database_of_something_else_is_refused_and_left_alone(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db:
        db.execute("CREATE TABLE recipes (name TEXT)")
    before = file.read_bytes()
    with pytest.raises(StoreUnavailable, match="something else"):
        Store.open(str(file))
    assert file.read_bytes() == before


def test_missing_tables_are_created(file: Path) -> None:
    with opened(file) as store:
        store.append(A, batch(0))
    with closing(sqlite3.connect(file)) as db:
        db.execute("DROP TABLE seats")
        db.execute("DROP INDEX summaries_status")
    with opened(file) as store:
        store.replace_seat(SeatRow(A, "referee", b"r"))
        assert store.seat_digests(A) == {"referee": b"r"}
        assert store.head(A) == 5
    with closing(sqlite3.connect(file)) as db:
        assert schema.complete(db, str(file))


def test_an_empty_file_becomes_a_store(file: Path) -> None:
    file.touch()
    with opened(file) as store:
        store.append(A, batch(0))


def test_the_desk_looks_up_its_filters_in_an_index(file: Path) -> None:
    with opened(file), closing(sqlite3.connect(file)) as db:
        for column in ("event", '"round"', "status"):
            query = "SELECT * FROM summaries WHERE id > 0 AND " + column + " = 'x' ORDER BY id LIMIT 9"  # noqa: S608 - ours
            assert "USING INDEX" in str(db.execute("EXPLAIN QUERY PLAN " + query).fetchall())


# --- where it cannot be used ---


def test_a_file_that_is_no_database_is_refused(file: Path) -> None:
    file.write_bytes(b"no database, but long enough to be read as one. " * 100)
    with pytest.raises(StoreUnavailable, match="no SQLite database"):
        Store.open(str(file))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nowhere/battles.db", "there is no folder .*nowhere"),
        ("x" * 300 + "/battles.db", "too long"),
        ("", "is a folder"),
        ("mysql://me:hush@db/x", "^mysql://me@db/x: only a file"),
    ],
)
def test_a_place_that_is_none_is_refused(tmp_path: Path, name: str, words: str) -> None:
    with pytest.raises(StoreUnavailable, match=words):
        Store.open(name if "://" in name else str(tmp_path / name))


def test_a_locked_file_is_refused_after_a_while_and_taken_later(file: Path) -> None:
    with opened(file, patience=1) as store, closing(sqlite3.connect(file, isolation_level=None)) as other:
        store.append(A, batch(0))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="another program"):
            store.append(A, batch(5), Beside(key=key(5)))
        assert store.ready()  # somebody writes, so it can be written
        assert store.read(A) == batch(0)
        other.execute("ROLLBACK")
        store.append(A, batch(5), Beside(key=key(5)))


def test_a_new_file_is_opened_once_its_other_maker_is_done(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")  # to which SQLite answers at once, whatever the patience
        done = Timer(0.2, other.execute, ("ROLLBACK",))
        done.start()
        with opened(file, patience=5) as store:
            store.append(A, batch(0))
        done.join()


def test_a_full_disk_stops_the_append_and_leaves_whole_batches(file: Path) -> None:
    resource = pytest.importorskip("resource")
    assert resource
    text = """
import resource
with opened(file) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
    try:
        while True:
            store.append(A, batch(store.head(A)))
    except StoreUnavailable as error:
        print(error, file=sys.stderr)
    full = store.head(A)
    assert store.read(A) == [entry for start in range(0, full, 5) for entry in batch(start)]
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    store.append(A, batch(full), Beside(key=key(full)))
"""
    done = subprocess.run(program(text, file), cwd=HOUSE, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert str(file) in done.stderr
    with opened(file) as store:
        head = store.head(A)
        assert head > 5
        assert store.read(A) == [entry for start in range(0, head, 5) for entry in batch(start)]


@pytest.mark.parametrize("folder_too", [True, False])
def test_a_read_only_file_is_never_half_written(file: Path, folder_too: bool) -> None:
    unprivileged = ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"] if os.getuid() == 0 else []
    if unprivileged and which("setpriv") is None:
        pytest.skip("root may write anything, and nothing here can give that up")
    with opened(file) as store:
        store.append(A, batch(0))
    file.chmod(0o444)
    if folder_too:
        file.parent.chmod(0o555)
    text = """
try:
    with opened(file) as store:
        assert store.read(A) == batch(0)
        assert not store.ready()
        store.append(A, batch(5))
except StoreUnavailable as error:
    print(error, file=sys.stderr)
"""
    done = subprocess.run(program(text, file, *unprivileged), cwd=HOUSE, stderr=subprocess.PIPE, text=True, check=False)
    file.parent.chmod(0o755)
    file.chmod(0o644)
    assert done.returncode == 0, done.stderr
    assert "read-only" in done.stderr
    with opened(file) as store:
        assert store.read(A) == batch(0)


def test_a_damaged_file_is_named_as_such(file: Path) -> None:
    with opened(file) as store:
        for head in range(0, 500, 5):
            store.append(A, batch(head))
    whole = file.read_bytes()
    file.write_bytes(whole[:8192] + b"\xff" * (len(whole) - 8192))
    with pytest.raises(StoreUnavailable, match="damaged"), opened(file) as store:
        store.read(A)


def test_ready_sees_a_file_that_was_taken_away_or_replaced(file: Path, tmp_path: Path) -> None:
    with opened(file) as store:
        store.append(A, batch(0))
        assert store.ready()
        file.rename(tmp_path / "away.db")
        assert not store.ready()
        assert not file.exists()  # nor did the look make a new one
        with opened(file):
            assert not store.ready()


@pytest.mark.parametrize("there_again", [False, True])
@pytest.mark.parametrize("ending", ["", "-wal", "-shm"])
def test_a_service_that_has_long_been_writing_sees_at_once_that_a_file_is_another(
    file: Path, ending: str, there_again: bool
) -> None:
    with opened(file) as store:
        written_on(store)
        head, mine, away = store.head(A), Path(f"{file}{ending}"), file.with_name(f"away{ending}")
        mine.rename(away)
        if there_again:
            copyfile(away, mine)
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match="taken away or replaced"):
                store.append(A, batch(head))
        assert not store.ready()
        mine.unlink(missing_ok=True)
        away.rename(mine)
        store.append(A, batch(head))
        written_on(store)
        assert store.ready()


def test_a_folder_that_was_taken_away_is_seen_at_once(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    with opened(tmp_path / "here" / "battles.db") as store:
        written_on(store)
        (tmp_path / "here").rename(tmp_path / "there")
        with pytest.raises(StoreUnavailable, match="taken away or replaced"):
            store.append(A, batch(store.head(A)))


def test_a_file_behind_a_link_that_was_replaced_is_seen_at_once(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    file, link = tmp_path / "elsewhere" / "battles.db", tmp_path / "battles.db"
    link.symlink_to(file)
    with opened(link) as store:
        written_on(store)
        head = store.head(A)
        file.rename(tmp_path / "away.db")
        with pytest.raises(StoreUnavailable, match="taken away or replaced"):
            store.append(A, batch(head))


def test_a_file_that_became_a_link_later_is_watched_where_it_lies(file: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with opened(file) as store:
        written_on(store)
        file.rename(elsewhere / "battles.db")
        file.symlink_to(elsewhere / "battles.db")
        written_on(store)
        head = store.head(A)
        (elsewhere / "battles.db").rename(elsewhere / "away.db")
        with pytest.raises(StoreUnavailable, match="taken away or replaced"):
            store.append(A, batch(head))


def test_files_are_looked_at_again_when_their_folder_has_changed_and_else_seldom(file: Path) -> None:
    file.touch()
    looks: list[float] = []
    watch = Watch(str(file))

    def needed(times: int) -> int:
        """How often, of so many times, the files were looked at."""
        before = len(looks)
        for _ in range(times):
            watch.need(lambda: looks.append(monotonic()))
        return len(looks) - before

    assert needed(3) == 3  # a change within the same tick would leave no trace
    sleep(0.15)
    assert needed(1) == 1
    assert needed(100) == 0
    file.with_name("other").touch()
    assert needed(3) == 3
    sleep(0.15)
    assert needed(1) == 1
    assert needed(100) == 0
    sleep(1)
    assert needed(100) == 1


def written_on(store: Store) -> None:
    """Write for as long as it takes until files are looked at seldom."""
    until = monotonic() + 0.2
    while monotonic() < until:
        store.append(A, batch(store.head(A)))


def test_a_file_that_was_taken_away_is_not_made_anew_by_reading(file: Path, tmp_path: Path) -> None:
    with opened(file) as store:
        store._recorder.datastore._keep_idle(0)  # type: ignore[attr-defined]
        file.rename(tmp_path / "away.db")
        with pytest.raises(StoreUnavailable, match="taken away or replaced"):
            store.read(A)
    assert not file.exists()


@pytest.mark.parametrize("beside", ["", "-wal", "-shm"])
def test_no_reader_is_opened_on_another_file_and_none_of_the_old_one_answers_on(file: Path, beside: str) -> None:
    other = file.with_name("other.db")
    with opened(other) as strange:
        strange.append(A, batch(0)[:1])
    with opened(file) as store, ExitStack() as burst:
        connections = store._recorder.datastore  # type: ignore[attr-defined]
        store.append(A, batch(0))
        assert store.read(A) == batch(0)
        mine, away = Path(f"{file}{beside}"), file.with_name(f"away{beside}")
        mine.rename(away)
        copyfile(other if not beside else away, mine)
        assert store.read(A) == batch(0)  # a reader that is open reads what it has opened
        burst.enter_context(connections.reading())
        for _ in range(3):  # more at once than are open
            with pytest.raises(StoreUnavailable, match="taken away or replaced"):
                store.read(A)
        burst.close()
        assert store.read(A) == batch(0)
        connections._keep_idle(0)
        with pytest.raises(StoreUnavailable, match="taken away or replaced"):
            store.read(A)
        mine.unlink()
        away.rename(mine)
        assert store.read(A) == batch(0)
        store.append(A, batch(5))
        assert store.read(A) == batch(0) + batch(5)


def test_readers_are_kept_up_to_a_number_and_closed_with_the_store(file: Path) -> None:
    with opened(file) as store, ExitStack() as burst:
        connections = store._recorder.datastore  # type: ignore[attr-defined]
        readers = [burst.enter_context(connections.reading()) for _ in range(20)]
        burst.pop_all().close()
        assert len(connections._idle) == 8
        with connections.reading() as reader:
            store.close()
            assert reader.execute("SELECT 1").fetchone() == (1,)
    for each in readers:
        with pytest.raises(sqlite3.ProgrammingError):
            each.execute("SELECT 1")


# --- the rooms of others ---


def test_the_library_is_imported_only_when_a_store_is_opened() -> None:
    text = "import sys, replays.store\nassert 'eventsourcing' not in sys.modules"
    subprocess.run([sys.executable, "-c", text], cwd=HOUSE, check=True)


def test_the_environment_says_nothing_to_the_store(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "PERSISTENCE_MODULE": "eventsourcing.popo", "SQLITE_DBNAME": ":memory:", "CREATE_TABLE": "n",
        "COMPRESSOR_TOPIC": "zlib", "ORIGINATOR_ID_TYPE": "uuid", "APPLICATION_RECORDER_TOPIC": "nowhere:Nothing",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    with opened(file) as store:
        store.append(A, batch(0))
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("SELECT state FROM stored_events").fetchone() == (batch(0)[0].data,)


def test_a_store_that_is_opened_takes_no_lock_off_another_of_this_process(file: Path) -> None:
    log = Path(f"{file}-wal")
    with opened(file) as store:
        store.append(A, batch(0))
        with opened(file) as second:
            assert second.ready()
        before = log.stat().st_ino
        # The last program that lets go of a file empties its log and takes it away; here it is not the last.
        program = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('SELECT * FROM meta'); db.close()"
        subprocess.run([sys.executable, "-c", program, str(file)], check=True)
        assert log.stat().st_ino == before
        store.append(A, batch(store.head(A)))
        assert store.ready()
