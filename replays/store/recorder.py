"""The recorder. Law: an append looks at the head, writes entries, leaves and side rows, and is seen whole or not.

It is an eventsourcing recorder like any other, chosen by configuration. What it adds: versions run on without a gap,
topics are wire names (`HitRolled/1`), and the state is the entry's bytes as they came.
"""

import sqlite3
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from eventsourcing.persistence import IntegrityError, StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteCursor, SQLiteFactory
from eventsourcing.utils import Environment, EnvType

from replays.store import beside as side
from replays.store import schema, trees
from replays.store.connections import Connections
from replays.store.database import Database
from replays.store.ports import Statement
from replays.store.refusals import Conflict
from replays.store.rows import NOTHING, Beside, BranchRow, Sealed

_HEAD: Final = "SELECT max(originator_version) FROM stored_events WHERE originator_id = ?"

_AT_ONCE: Final = 200
"""Entries to a statement: older SQLites take 999 values in one."""


@lru_cache
def _insert(count: int) -> str:
    columns = "originator_id, originator_version, topic, state"
    return f"INSERT INTO stored_events ({columns}) VALUES {', '.join(['(?, ?, ?, ?)'] * count)}"  # noqa: S608 - constants


class BattleRecorder(SQLiteApplicationRecorder):
    """Entries and the rows beside them, in one SQLite database."""

    datastore: Connections
    place = "rowid"

    def construct_create_table_statements(self) -> list[str]:
        """All tables, those beside the log too."""
        return list(schema.STATEMENTS)

    def create_table(self) -> None:
        """Create what is missing, and hash what older code has stored; a complete file is only read."""
        with self.datastore.reading() as db:
            if schema.complete(db, self.datastore.database.name):
                return
        self.datastore.write(self._complete)

    def _complete(self, db: sqlite3.Cursor) -> None:
        if schema.complete(db.connection, self.datastore.database.name):  # another program was first
            return
        for statement in self.create_table_statements:
            db.execute(statement)
        trees.fill(db)

    def append(self, battle: str, entries: Sequence[Sealed], beside: Beside) -> None:
        """Store `entries` and what stands `beside` them, durably, in one transaction; or raise and store nothing."""
        events = [StoredEvent(battle, entry.seq, f"{entry.type}/{entry.v}", entry.data) for entry in entries]
        try:
            self.insert_events(events, battle=battle, beside=beside)
        except IntegrityError as error:
            if getattr(error.__cause__, "sqlite_errorcode", None) in side.TAKEN:
                raise Conflict(f"battle {battle}: a row beside the log is stored already ({error})") from error
            raise ValueError(f"battle {battle}: a row cannot be stored ({error})") from error

    def insert_events(self, stored_events: Sequence[StoredEvent], **kwargs: Any) -> Sequence[int] | None:
        """The library's way in; without a battle named, versions may have gaps."""
        return self.datastore.write(lambda db: self._insert_events(SQLiteCursor(db), stored_events, **kwargs))

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

    def _insert_events(
        self,
        c: SQLiteCursor,
        stored_events: Sequence[StoredEvent],
        *,
        battle: str | None = None,
        beside: Beside = NOTHING,
        **_: Any,
    ) -> Sequence[int] | None:
        db = c.sqlite_cursor
        # The key first: whoever asks again after a lost answer is to hear of it, not of a head that moved.
        if beside.key is not None:
            side.write_key(db, beside.key)
        if battle is not None:
            _need_place(db, battle, stored_events, beside.branch)
        ids = _write_log(db, stored_events)
        side.write_rows(db, beside)
        if battle is not None:
            trees.grow(db, battle, [(event.originator_version, event.state) for event in stored_events])
        return ids


def _need_place(db: sqlite3.Cursor, battle: str, events: Sequence[StoredEvent], branch: BranchRow | None) -> None:
    head = _head(db, battle)
    if branch is not None:
        if head:
            raise Conflict(f"battle {battle} is stored already, and cannot begin as a branch")
        if not 1 <= branch.at <= _head(db, branch.parent):
            raise Conflict(f"battle {branch.parent} has no entry {branch.at} to branch from")
        head = branch.at
    for place, event in enumerate(events, head + 1):
        if event.originator_version != place:
            raise Conflict(f"battle {battle} ends at {head}: entry {event.originator_version} cannot be its {place}")


def _head(db: sqlite3.Cursor, battle: str) -> int:
    return db.execute(_HEAD, (battle,)).fetchone()[0] or 0


def _write_log(db: sqlite3.Cursor, events: Sequence[StoredEvent]) -> list[int]:
    ids: list[int] = []
    for start in range(0, len(events), _AT_ONCE):
        some = events[start : start + _AT_ONCE]
        values: list[object] = []
        for event in some:
            values += (event.originator_id, event.originator_version, event.topic, event.state)
        db.execute(_insert(len(some)), values)
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
