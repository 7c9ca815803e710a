"""The recorder. Law: an append looks at the head, writes entries, tree and side rows, and is seen whole or not.

It is an eventsourcing recorder like any other, chosen by configuration. What it adds: versions run on without a gap,
topics are wire names (`HitRolled/1`), and the state is the entry's bytes as they came.
"""

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Final

from eventsourcing.persistence import IntegrityError, StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteFactory
from eventsourcing.utils import Environment, EnvType

from replays.audit.merkle import Frontier
from replays.store import beside as side
from replays.store import schema, trees
from replays.store.connections import Connections
from replays.store.database import Database
from replays.store.ports import Statement, Tree
from replays.store.raising import Raising
from replays.store.refusals import Conflict, Damaged, StoreUnavailable
from replays.store.rows import Beside, BranchRow, Sealed

Row = tuple[str, int, str, bytes, bytes | None]
"""A row of `stored_events`: battle, seq, wire name, bytes, and the frontier beside the last one of an append."""

_AT_ONCE: Final = 150
"""Entries to a statement: older SQLites take 999 values in one."""


@lru_cache
def _insert(count: int) -> str:
    columns = "originator_id, originator_version, topic, state, frontier"
    return f"INSERT INTO stored_events ({columns}) VALUES {', '.join(['(?, ?, ?, ?, ?)'] * count)}"  # noqa: S608 - constants


class BattleRecorder(SQLiteApplicationRecorder):
    """Entries and the rows beside them, in one SQLite database."""

    datastore: Connections
    place = "rowid"

    def construct_create_table_statements(self) -> list[str]:
        """All tables, those beside the log too."""
        return list(schema.STATEMENTS)

    def create_table(self) -> None:
        """Create what is missing, and take over what older code has stored; a complete file is only read."""
        with self.datastore.reading() as db:
            if schema.complete(db, self.datastore.database.name):
                return
        steps = Raising()
        while True:
            try:
                self.datastore.write(lambda db: self._complete(db, steps))
            except StoreUnavailable as no:
                if not steps.leaves_out(no):
                    raise
            else:
                return

    def _complete(self, db: sqlite3.Cursor, steps: Raising) -> None:
        if schema.complete(db.connection, self.datastore.database.name):  # another program was first
            return
        older = 0 < schema.version(db.connection) < schema.VERSION
        for statement in self.create_table_statements:
            db.execute(statement)
        if older:
            with self.datastore.reading() as before:
                steps.run(db, before)

    def append(self, battle: str, entries: Sequence[Sealed], beside: Beside, tree: Tree | None = None) -> Frontier:
        """Store `entries` and what stands `beside` them, durably, in one transaction; or raise and store nothing.

        Gives the tree after them. Raises `Conflict` where they were to follow on another `tree` than is kept.
        """
        follows = tree() if tree is not None else None
        try:
            return self.datastore.write(lambda db: _append(db, battle, entries, beside, follows))
        except IntegrityError as error:
            if getattr(error.__cause__, "sqlite_errorcode", None) in side.TAKEN:
                raise Conflict(f"battle {battle}: a row beside the log is stored already ({error})") from error
            raise ValueError(f"battle {battle}: a row cannot be stored ({error})") from error

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """The library's way in; versions may have gaps, and there is no tree over them."""
        rows = [(str(e.originator_id), e.originator_version, e.topic, e.state, None) for e in stored_events]
        return self.datastore.write(lambda db: _write_log(db, rows))

    def tip(self, battle: str) -> tuple[int, bytes]:
        """Seq and leaf hash of the last entry of its own."""
        return self.datastore.glance(lambda db: trees.tip(db, battle))

    def leaves(self, battle: str, after: int, upto: int) -> list[bytes]:
        """The leaf hashes of its own entries with `after` < seq <= `upto`."""
        with self.datastore.reading() as db:
            return trees.leaves(db, battle, after, upto)

    def tree(self, battle: str) -> Frontier:
        """The tree of all its entries."""
        with self.datastore.reading() as db:
            return trees.tree_of(db, battle, *trees.last(db, battle))

    def few(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """What a SELECT finds that finds a row or two by their key."""
        return self.datastore.glance(lambda db: db.execute(statement, values).fetchall())

    def rows(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """What a SELECT finds."""
        with self.datastore.reading() as db:
            return db.execute(statement, values).fetchall()

    def execute(self, statement: str, values: Sequence[object]) -> None:
        """One statement that writes, in a transaction of its own."""
        self.datastore.write(lambda db: db.execute(statement, values))

    def together(self, first: Statement, rest: Sequence[Statement]) -> bool:
        """All of these in one transaction if `first` changes just one row, which is told; otherwise nothing."""

        def work(db: sqlite3.Cursor) -> bool:
            if db.execute(*first).rowcount != 1:
                return False
            for statement in rest:
                db.execute(*statement)
            return True

        return self.datastore.write(work)

    def settle(self) -> None:
        """Empty the write-ahead log into the file, as far as nobody reads from it."""
        self.datastore.settle()

    def changes(self) -> int:
        """A number that moves when somebody else wrote to the database."""
        return self.datastore.changes()

    def trouble(self) -> str:
        """Why the database cannot be read and written; empty if it can."""
        return self.datastore.trouble()


def _append(
    db: sqlite3.Cursor, battle: str, entries: Sequence[Sealed], beside: Beside, follows: Frontier | None
) -> Frontier:
    # The key first: whoever asks again after a lost answer is to hear of it, not of a head that moved.
    if beside.key is not None:
        side.write_key(db, beside.key)
    before = _followed(db, battle, entries, beside.branch)
    if follows is not None and follows != before:
        if beside.branch is not None:
            raise Damaged(beside.branch.parent, before.size, "a tree that is kept beside it or before is not the log's")
        raise Conflict(f"battle {battle}: what is stored is another past than the one that these entries follow on")
    after = trees.grown(before, [entry.data for entry in entries])
    rows: list[Row] = [(battle, entry.seq, f"{entry.type}/{entry.v}", entry.data, None) for entry in entries]
    if rows:
        rows[-1] = (*rows[-1][:4], after.to_bytes())
    _write_log(db, rows)
    side.write_rows(db, beside)
    return after


def _followed(db: sqlite3.Cursor, battle: str, entries: Sequence[Sealed], branch: BranchRow | None) -> Frontier:
    """The tree that these entries follow on; raises `Conflict` where they do not follow."""
    head, kept = trees.last(db, battle)
    if branch is not None:
        if head:
            raise Conflict(f"battle {battle} is stored already, and cannot begin as a branch")
        if not 1 <= branch.at <= trees.last(db, branch.parent)[0]:
            raise Conflict(f"battle {branch.parent} has no entry {branch.at} to branch from")
        head = branch.at
    for place, entry in enumerate(entries, head + 1):
        if entry.seq != place:
            raise Conflict(f"battle {battle} ends at {head}: entry {entry.seq} cannot be its {place}")
    return trees.tree_of(db, battle, head, kept) if branch is None else trees.tree_at(db, branch.parent, head)


def _write_log(db: sqlite3.Cursor, rows: Sequence[Row]) -> list[int]:
    ids: list[int] = []
    for start in range(0, len(rows), _AT_ONCE):
        some = rows[start : start + _AT_ONCE]
        db.execute(_insert(len(some)), [*chain.from_iterable(some)])
        last = db.lastrowid or 0
        ids += range(last - len(some) + 1, last + 1)
    return ids


class BattleFactory(SQLiteFactory):
    """What `PERSISTENCE_MODULE` names: the library's factory for SQLite, with these connections and this recorder."""

    application_recorder_class = BattleRecorder

    def __init__(self, env: Environment | EnvType | None) -> None:
        super().__init__(env)
        pool = self.datastore.pool
        self.datastore: Connections = Connections(Database(pool.db_name, pool.lock_timeout or 0))
