"""The trees in the store: hashed with the entries, inherited by branches, made for files of the version before."""

import sqlite3
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replays.audit.merkle import Frontier
from replays.store import (
    Beside,
    BranchRow,
    Conflict,
    CosignatureRow,
    Damaged,
    KeyRow,
    KeyTaken,
    NameRow,
    Sealed,
    Store,
    StoreUnavailable,
    schema,
)
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


OLD_TREES: Final = """
CREATE TABLE leaves (
    battle TEXT NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (battle, seq)) WITHOUT ROWID;
CREATE TABLE heads (battle TEXT NOT NULL PRIMARY KEY, size INTEGER NOT NULL, frontier BLOB NOT NULL) WITHOUT ROWID;
REPLACE INTO meta VALUES ('schema', 2);
"""
"""The tables that versions 2 and 3 had beside those."""


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
def store(database: str) -> Iterator[Store]:
    with closing(Store.open(database)) as opened:
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


def version_2(file: Path, *lines: tuple[str, list[Sealed]], branches: Sequence[BranchRow] = ()) -> None:
    """A file as version 2 left it, and version 3 too, but for the totals."""
    version_1(file, *lines, branches=branches)
    past: dict[str, list[bytes]] = {}
    parts = {branch.battle: branch for branch in branches}
    with closing(sqlite3.connect(file)) as db:
        db.executescript(OLD_TREES)
        for battle, line in lines:
            part = parts.get(battle)
            past[battle] = [*(past[part.parent][: part.at] if part else ()), *hashed(line)]
            tree = Frontier().extended(past[battle])
            own = [(battle, entry.seq, leaf) for entry, leaf in zip(line, hashed(line), strict=True)]
            db.executemany("INSERT INTO leaves VALUES (?, ?, ?)", own)
            db.execute("INSERT INTO heads VALUES (?, ?, ?)", (battle, tree.size, tree.to_bytes()))
        db.commit()


def by_hand(file: Path, *statements: tuple[str, Sequence[object]]) -> None:
    """Change rows of a file behind everybody's back."""
    with closing(sqlite3.connect(file)) as db:
        for statement, values in statements:
            assert db.execute(statement, values).rowcount > 0
        db.commit()


# --- appending ---


def test_a_battle_that_nobody_knows_has_the_empty_tree(store: Store) -> None:
    assert store.frontier(A) == Frontier()
    assert store.leaf_hashes(A) == []


@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_any_tree_of_branches_has_the_tree_of_its_bytes(database: str, request: pytest.FixtureRequest) -> None:
    where = request.getfixturevalue("postgres") if database == "postgres" else ":memory:"
    ids = (f"{n:032x}" for n in count())  # none is used by two examples
    store = Store.open(where)
    request.addfinalizer(store.close)

    @settings(max_examples=25, deadline=None)
    @given(st.lists(st.integers(1, 40), min_size=1, max_size=8), st.data())
    def any_tree(batches: list[int], data: st.DataObject) -> None:
        battles = [next(ids)]
        for more in batches:
            battle = data.draw(st.integers(0, len(battles) - 1).map(battles.__getitem__))
            head = store.head(battle)
            if head and data.draw(st.booleans()):
                at, branch = data.draw(st.integers(1, head)), next(ids)
                beside = Beside(branch=BranchRow(branch, battle, at))
                store.append(branch, entries(at + 1, at + more, branch), beside)
                battles.append(branch)
            else:
                store.append(battle, entries(head + 1, head + more, battle))
        for battle in battles:
            check(store, battle)

    any_tree()


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
    with pytest.raises(Exception, match="object"):
        store.append(A, [*entries(4, 4), Sealed(5, "HitRolled", 1, object())])  # type: ignore[arg-type]
    assert store.frontier(A) == before
    check(store, A)


def test_two_stores_on_one_database_grow_one_tree(database: str) -> None:
    with closing(Store.open(database)) as one, closing(Store.open(database)) as other:
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


def test_a_battle_of_version_1_that_is_damaged_holds_up_no_other(file: Path) -> None:
    version_1(file, (A, entries(1, 3)), (B, entries(1, 3, "b")))
    with closing(sqlite3.connect(file)) as db:
        db.execute("UPDATE stored_events SET state = 7 WHERE originator_id = ? AND originator_version = 2", (A,))
        db.commit()
    with closing(Store.open(str(file))) as store:
        check(store, B)
        with pytest.raises(Damaged, match="entry 2"):
            store.frontier(A)


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


def tables(file: Path) -> set[str]:
    with closing(sqlite3.connect(file)) as db:
        return {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def kept(file: Path) -> dict[tuple[str, int], bytes]:
    """The trees that stand beside entries."""
    with closing(sqlite3.connect(file)) as db:
        found = db.execute(
            "SELECT originator_id, originator_version, frontier FROM stored_events WHERE frontier NOT NULL"
        )
        return {(battle, seq): frontier for battle, seq, frontier in found}


def head_of(file: Path) -> bytes:
    """The tree of the battle in the old table."""
    with closing(sqlite3.connect(file)) as db:
        return bytes(db.execute("SELECT frontier FROM heads WHERE battle = ?", (A,)).fetchone()[0])


def three(file: Path) -> None:
    """A battle of 11 entries, a branch of it, and one beside them."""
    lines = (A, entries(1, 11)), (B, entries(5, 9, "b")), (C, entries(1, 7, "c"))
    version_2(file, *lines, branches=[BranchRow(B, A, 4)])


LOST: Final = "DELETE FROM heads WHERE battle = ?"
ALTERED: Final = "UPDATE stored_events SET state = ? WHERE originator_id = ? AND originator_version = ?"
CUT: Final = "DELETE FROM stored_events WHERE originator_id = ? AND originator_version > ?"


def test_the_trees_of_version_2_are_taken_over_and_its_tables_go(file: Path) -> None:
    three(file)
    with closing(sqlite3.connect(file)) as db:
        heads = {(battle, size): tree for battle, size, tree in db.execute("SELECT * FROM heads")}
    with closing(Store.open(str(file))) as store:
        for battle in (A, B, C):
            check(store, battle)
    assert kept(file) == heads
    assert not tables(file) & {"leaves", "heads"}


@pytest.mark.parametrize(
    ("seq", "head"),
    [(seq, head) for seq in (9, 11) for head in ("kept", "lost", "no text", "made anew in part")] + [(11, "made anew")],
)
def test_an_entry_that_was_altered_before_a_file_is_raised_is_not_believed(file: Path, seq: int, head: str) -> None:
    three(file)
    old = head_of(file)
    by_hand(file, (ALTERED, (b"altered", A, seq)))
    if head == "lost":
        by_hand(file, (LOST, (A,)))
    elif head == "no text":
        by_hand(file, ("UPDATE heads SET frontier = CAST(x'ff' AS TEXT) WHERE battle = ?", (A,)))
    elif head != "kept":
        line = [*entries(1, seq - 1), Sealed(seq, "HitRolled", 1, b"altered"), *entries(seq + 1, 11)]
        tree = Frontier().extended(hashed(line if head == "made anew" else line[: seq - 1]))
        by_hand(file, ("UPDATE heads SET frontier = ? WHERE battle = ?", (tree.to_bytes(), A)))
    with closing(Store.open(str(file))) as store:
        assert not believed(store, A)
        check(store, C)
    assert (kept(file)[A, 11] == old) == (head == "kept" or seq == 9)


@pytest.mark.parametrize("head", ["kept", "lost"])
@pytest.mark.parametrize("left", [4, 8, 10])
def test_a_battle_that_was_cut_before_a_file_is_raised_is_not_believed(file: Path, left: int, head: str) -> None:
    three(file)
    old = head_of(file)
    by_hand(file, (CUT, (A, left)))
    if head == "lost":
        by_hand(file, (LOST, (A,)))
    with closing(Store.open(str(file))) as store:
        assert not believed(store, A)
        with pytest.raises(Damaged):
            store.append(A, entries(left + 1, left + 2))
        check(store, C)
    assert (kept(file)[A, left] == old) == (head == "kept")


def test_an_old_tree_that_ends_where_no_entry_is_is_kept_and_told(file: Path) -> None:
    three(file)
    tree = Frontier().extended(hashed(entries(1, 3))).to_bytes()
    by_hand(file, ("UPDATE heads SET frontier = ? WHERE battle = ?", (tree, B)))
    by_hand(file, ("DELETE FROM leaves WHERE battle = ?", (B,)))
    with closing(Store.open(str(file))) as store:
        assert not believed(store, B)
        check(store, A)
    assert kept(file)[B, 9] == tree


def believed(store: Store, battle: str) -> bool:
    try:
        return store.frontier(battle) == Frontier().extended(hashed(store.read(battle)))
    except Damaged:
        return False


def test_a_battle_without_its_old_tree_gets_it_from_its_old_leaves(file: Path) -> None:
    three(file)
    with closing(sqlite3.connect(file)) as db:
        heads = {(battle, size): tree for battle, size, tree in db.execute("SELECT * FROM heads")}
    by_hand(file, (LOST, (A,)), (LOST, (B,)))
    Store.open(str(file)).close()
    assert kept(file) == heads


def test_entries_that_version_1_wrote_beside_version_2_are_taken_in(file: Path) -> None:
    three(file)
    late = "INSERT INTO stored_events (originator_id, originator_version, topic, state) VALUES (?, 12, 'X/1', ?)"
    by_hand(file, (late, (A, b"late")))
    with closing(Store.open(str(file))) as store:
        check(store, A)
        store.append(A, entries(13, 14))
        check(store, A)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE heads SET frontier = CAST(x'ff' AS TEXT) WHERE battle = ?",
        "UPDATE heads SET frontier = 'abc' WHERE battle = ?",
        "UPDATE heads SET size = 'abc' WHERE battle = ?",
        "UPDATE heads SET battle = CAST(x'ff' AS TEXT) WHERE battle = ?",
        "UPDATE leaves SET hash = CAST(x'ff' AS TEXT) WHERE battle = ?",
        "UPDATE leaves SET seq = 'abc' || seq WHERE battle = ?",
        "UPDATE stored_events SET originator_id = CAST(x'ff' AS TEXT) WHERE originator_id = ?",
        "UPDATE stored_events SET originator_id = x'00ff' WHERE originator_id = ?",
        "UPDATE stored_events SET originator_version = 'abc' || originator_version WHERE originator_id = ?",
        "UPDATE stored_events SET state = CAST(x'ff' AS TEXT) WHERE originator_id = ?",
        """UPDATE branches SET "at" = 'abc' WHERE parent = ?""",
        'UPDATE branches SET "at" = 2.5 WHERE parent = ?',
        "UPDATE branches SET parent = battle WHERE parent = ?",
    ],
)
@pytest.mark.parametrize("heads", ["kept", "lost"])
def test_rows_that_somebody_spoiled_by_hand_hold_up_no_other_battle(file: Path, statement: str, heads: str) -> None:
    three(file)
    by_hand(file, (statement, (A,)))
    if heads == "lost":
        by_hand(file, ("DELETE FROM heads WHERE battle != ?", ("",)))
    with closing(Store.open(str(file))) as store:
        check(store, C)
        for battle in (A, B):  # told as what it is, or whole
            with suppress(Damaged, StoreUnavailable):
                store.frontier(battle)
        store.append(C, entries(8, 9, "c"))
        check(store, C)


def test_a_table_that_cannot_be_dropped_stays_and_is_ignored(file: Path) -> None:
    three(file)
    with closing(sqlite3.connect(file)) as db:
        db.executescript("ALTER TABLE heads RENAME TO elsewhere; CREATE VIEW heads AS SELECT * FROM elsewhere;")
    for _ in range(2):
        with closing(Store.open(str(file))) as store:
            check(store, A)
            check(store, B)


def test_a_raise_that_a_log_forbids_leaves_the_file_as_it_was(file: Path) -> None:
    three(file)
    with closing(sqlite3.connect(file)) as db:
        db.executescript("""CREATE TRIGGER never BEFORE UPDATE ON stored_events BEGIN
            SELECT RAISE(ABORT, 'a log is not changed'); END""")
    with pytest.raises(Exception, match="a log is not changed"):
        Store.open(str(file))
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("SELECT value FROM meta").fetchall() == [(2,)]
    assert tables(file) >= {"leaves", "heads"}


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


def test_leaves_of_the_global_log_stand_in_the_order_in_which_they_came(database: str) -> None:
    with closing(Store.open(database)) as one, closing(Store.open(database)) as other:
        places = [(one if n % 2 else other).ledger.publish(A, n, b"head %d" % n) for n in range(10)]
        assert places == list(range(10))
        assert one.ledger.publish(A, 3, b"head 3") == 3
        assert [row.data for row in other.ledger.published(2, 4)] == [b"head 2", b"head 3"]
        assert one.ledger.published_hashes(8) == [sha256(b"\0head %d" % n).digest() for n in (8, 9)]
        assert one.ledger.place(sha256(b"\0head 7").digest()) == 7
        assert one.ledger.place(bytes(32)) is None


def test_leaves_that_are_published_at_once_each_have_a_place(database: str) -> None:
    with closing(Store.open(database)) as one, closing(Store.open(database)) as other, ThreadPoolExecutor(8) as hands:
        # Each twice, through either store: the second time it keeps its place.
        asked = [(n // 2, one if n % 2 else other) for n in range(80)]
        places = list(hands.map(lambda each: each[1].ledger.publish(A, each[0], b"head %d" % each[0]), asked))
        assert places[::2] == places[1::2]
        assert sorted(places[::2]) == list(range(40))
        assert [row.data for row in one.ledger.published(0, 99)] == [
            b"head %d" % size for size in sorted(range(40), key=lambda size: places[2 * size])
        ]


def test_rows_are_in_the_order_of_their_bytes(store: Store) -> None:
    words = ["Zed", "a", "ab", "a-b", "a/b", "B", "\u00e9", "z"]
    rows = [CosignatureRow(A, 1, word, b"root", "line", "vkey") for word in words]
    store.ledger.cosign([*rows, CosignatureRow(A, 1, "a", b"root", "another line", "vkey")])
    assert [row.name for row in store.ledger.cosignatures(A, 1, b"root")] == sorted(words)
    assert {row.line for row in store.ledger.cosignatures(A, 1, b"root")} == {"line"}


def test_a_name_is_replaced_and_erased(store: Store) -> None:
    store.append(A, entries(1, 1), Beside(names=(NameRow(A, "side:red", b"salt", "Ann"), NameRow(A, "Z", b"s", "Zoe"))))
    store.append(A, entries(2, 2), Beside(names=(NameRow(A, "side:red", b"other", "Anne"),)))
    assert store.ledger.names(A) == [NameRow(A, "Z", b"s", "Zoe"), NameRow(A, "side:red", b"other", "Anne")]
    assert store.ledger.erase_name(A, "side:red")
    assert not store.ledger.erase_name(A, "side:red")
    assert store.ledger.names(A) == [NameRow(A, "Z", b"s", "Zoe")]
