"""The trees in the store: hashed with the entries, inherited by branches, made for files of the version before."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replays.audit.merkle import Frontier
from replays.store import Beside, BranchRow, Conflict, KeyRow, KeyTaken, Sealed, Store, StoreUnavailable, schema
from tests.replays.audit import trees

A, B, C = ("a" * 32, "b" * 32, "c" * 32)

VERSION_1: Final = """
CREATE TABLE meta (name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE stored_events (
    rowid INTEGER PRIMARY KEY AUTOINCREMENT,
    originator_id TEXT NOT NULL, originator_version INTEGER NOT NULL, topic TEXT NOT NULL, state BLOB NOT NULL,
    UNIQUE (originator_id, originator_version));
CREATE TABLE keys (
    scope TEXT NOT NULL, seat TEXT NOT NULL, "key" TEXT NOT NULL,
    digest BLOB NOT NULL, battle TEXT NOT NULL, "first" INTEGER NOT NULL,
    PRIMARY KEY (scope, seat, "key")) WITHOUT ROWID;
CREATE TABLE seats (
    battle TEXT NOT NULL, seat TEXT NOT NULL, digest BLOB NOT NULL,
    PRIMARY KEY (battle, seat)) WITHOUT ROWID;
CREATE TABLE secrets (
    battle TEXT NOT NULL, kind TEXT NOT NULL, epoch INTEGER NOT NULL, secret BLOB NOT NULL,
    PRIMARY KEY (battle, kind, epoch)) WITHOUT ROWID;
CREATE TABLE branches (battle TEXT NOT NULL PRIMARY KEY, parent TEXT NOT NULL, "at" INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE summaries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    battle TEXT NOT NULL UNIQUE, system TEXT NOT NULL, title TEXT NOT NULL, status TEXT NOT NULL,
    turn INTEGER NOT NULL, phase TEXT NOT NULL, side TEXT NOT NULL,
    event TEXT NOT NULL, "round" TEXT NOT NULL, "table" TEXT NOT NULL,
    head INTEGER NOT NULL, disputes INTEGER NOT NULL, undo_pending INTEGER NOT NULL,
    parent TEXT NOT NULL, private INTEGER NOT NULL, "time" INTEGER NOT NULL);
CREATE INDEX branches_parent ON branches (parent, "at");
CREATE INDEX summaries_event ON summaries (event, "round");
CREATE INDEX summaries_round ON summaries ("round");
CREATE INDEX summaries_status ON summaries (status);
REPLACE INTO meta VALUES ('schema', 1);
"""
"""The tables as version 1 of the schema made them."""


def entries(first: int, last: int, word: str = "") -> list[Sealed]:
    return [Sealed(seq, "HitRolled", 1, f"{word} {seq}".encode()) for seq in range(first, last + 1)]


def hashed(line: Sequence[Sealed]) -> list[bytes]:
    return [sha256(b"\0" + entry.data).digest() for entry in line]


def check(store: Store, battle: str) -> None:
    """The store's tree is that over the bytes that it gives out."""
    leaves = hashed(store.read(battle))
    assert store.leaf_hashes(battle) == leaves
    assert store.frontier(battle) == Frontier().extended(leaves)
    assert store.frontier(battle).root == trees.root(leaves)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "battles.db"


@pytest.fixture
def store(file: Path) -> Iterator[Store]:
    with closing(Store.open(str(file))) as opened:
        yield opened


def version_1(file: Path, *lines: tuple[str, list[Sealed]], branches: Sequence[BranchRow] = ()) -> None:
    """A file as version 1 left it."""
    with closing(sqlite3.connect(file)) as db:
        db.executescript("PRAGMA journal_mode = WAL;" + VERSION_1)
        for battle, line in lines:
            rows = [(battle, entry.seq, f"{entry.type}/{entry.v}", entry.data) for entry in line]
            columns = "originator_id, originator_version, topic, state"
            db.executemany(f"INSERT INTO stored_events ({columns}) VALUES (?, ?, ?, ?)", rows)  # noqa: S608 - ours
        db.executemany("INSERT INTO branches VALUES (?, ?, ?)", [(b.battle, b.parent, b.at) for b in branches])
        db.commit()


# --- appending ---


def test_a_battle_that_nobody_knows_has_the_empty_tree(store: Store) -> None:
    assert store.frontier(A) == Frontier()
    assert store.leaf_hashes(A) == []


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 40), min_size=1, max_size=8), st.data())
def test_any_tree_of_branches_has_the_tree_of_its_bytes(batches: list[int], data: st.DataObject) -> None:
    with closing(Store.open(":memory:")) as store:
        battles = [A]
        for n, count in enumerate(batches):
            battle = data.draw(st.sampled_from(battles))
            head = store.head(battle)
            if head and data.draw(st.booleans()):
                at, branch = data.draw(st.integers(1, head)), f"{n:032x}"
                beside = Beside(branch=BranchRow(branch, battle, at))
                store.append(branch, entries(at + 1, at + count, branch), beside)
                battles.append(branch)
            else:
                store.append(battle, entries(head + 1, head + count, battle))
        for battle in battles:
            check(store, battle)


def test_a_part_of_the_leaves_is_told(store: Store) -> None:
    store.append(A, entries(1, 9))
    store.append(B, entries(5, 9, "b"), Beside(branch=BranchRow(B, A, 4)))
    store.append(C, entries(8, 9, "c"), Beside(branch=BranchRow(C, B, 7)))
    whole = hashed(store.read(C))
    for after, upto in ((0, 9), (3, 9), (4, 7), (5, 8), (2, 3), (8, 9), (9, 9)):
        assert store.leaf_hashes(C, upto, after) == whole[after:upto]


def test_what_is_refused_leaves_no_leaf(store: Store) -> None:
    row = KeyRow(A, "referee", "once", bytes(32), A, 1)
    store.append(A, entries(1, 3), Beside(key=row))
    before = store.frontier(A)
    with pytest.raises(Conflict):
        store.append(A, entries(3, 4))
    with pytest.raises(KeyTaken):
        store.append(A, entries(4, 5), Beside(key=row))
    with pytest.raises(Exception, match="not supported"):
        store.append(A, [*entries(4, 4), Sealed(5, "HitRolled", 1, object())])  # type: ignore[arg-type]
    assert store.frontier(A) == before
    check(store, A)


def test_two_stores_on_one_file_grow_one_tree(file: Path) -> None:
    with closing(Store.open(str(file))) as one, closing(Store.open(str(file))) as other:
        for n in range(1, 21):
            (one if n % 2 else other).append(A, entries(n, n))
        check(one, A)
        assert other.frontier(A) == one.frontier(A)


# --- files of the version before ---


def test_a_file_of_version_1_gets_its_trees(file: Path) -> None:
    branches = [BranchRow(B, A, 4), BranchRow(C, B, 6)]
    line = entries(1, 2500)
    version_1(file, (A, line), (B, entries(5, 9, "b")), (C, entries(7, 8, "c")), branches=branches)
    with closing(Store.open(str(file))) as store:
        for battle in (A, B, C):
            check(store, battle)
        assert store.read(C) == [*line[:4], *entries(5, 6, "b"), *entries(7, 8, "c")]
        store.append(C, entries(9, 12, "c"))
        check(store, C)
    with closing(sqlite3.connect(file)) as db:
        assert schema.complete(db, str(file))
        assert db.execute("SELECT value FROM meta").fetchall() == [(schema.VERSION,)]


def test_a_new_file_and_one_of_version_1_have_the_same_tables(tmp_path: Path) -> None:
    version_1(tmp_path / "old.db", (A, entries(1, 3)))
    told = []
    for name in ("old.db", "new.db"):
        Store.open(str(tmp_path / name)).close()
        with closing(sqlite3.connect(tmp_path / name)) as db:
            rows = db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
            told.append({name: " ".join(sql.split()) for name, sql in rows})
    assert told[0] == told[1]


def test_two_programs_may_raise_a_file_at_once(file: Path) -> None:
    version_1(file, (A, entries(1, 500)))
    with closing(Store.open(str(file))) as one, closing(Store.open(str(file))) as other:
        check(one, A)
        check(other, A)


def test_a_file_of_version_1_that_cannot_be_written_is_left_alone(file: Path) -> None:
    version_1(file, (A, entries(1, 3)))
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="another program"):
            Store.open(str(file), patience=0)
        other.execute("ROLLBACK")
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("SELECT value FROM meta").fetchall() == [(1,)]


@pytest.mark.parametrize("branched", [False, True])
def test_what_older_code_still_wrote_is_taken_in_by_the_next_append(file: Path, branched: bool) -> None:
    with closing(Store.open(str(file))) as store:
        store.append(A, entries(1, 3))
        with closing(
            sqlite3.connect(file)
        ) as db:  # a program of the version before, started before the file was raised
            columns = "originator_id, originator_version, topic, state"
            row = (A, 4, "HitRolled/1", b"late")
            db.execute(f"INSERT INTO stored_events ({columns}) VALUES (?, ?, ?, ?)", row)  # noqa: S608 - ours
            db.commit()
        if branched:
            store.append(B, entries(5, 6), Beside(branch=BranchRow(B, A, 4)))
            check(store, B)
        store.append(A, entries(5, 6))
        check(store, A)


# --- the global log ---


def test_leaves_of_the_global_log_stand_in_the_order_in_which_they_came(file: Path) -> None:
    with closing(Store.open(str(file))) as one, closing(Store.open(str(file))) as other:
        places = [(one if n % 2 else other).ledger.publish(A, n, b"head %d" % n) for n in range(10)]
        assert places == list(range(10))
        assert one.ledger.publish(A, 3, b"head 3") == 3
        assert [row.data for row in other.ledger.published(2, 4)] == [b"head 2", b"head 3"]
        assert one.ledger.published_hashes(8) == [sha256(b"\0head %d" % n).digest() for n in (8, 9)]
        assert one.ledger.place(sha256(b"\0head 7").digest()) == 7
        assert one.ledger.place(bytes(32)) is None
