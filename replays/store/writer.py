"""The connection that writes. Law: one transaction at a time, whole and durable at its end, or undone.

`with writer as cursor:` is such a transaction. It holds the write lock from its first statement on, or the head that is
read could be another program's by the time it is followed.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from types import TracebackType

from replays.store.database import Database
from replays.store.refusals import StoreUnavailable


class Writer:
    """The only connection of a store that writes; a database in memory is read through it as well."""

    def __init__(self, database: Database) -> None:
        self._name = database.name
        self._db = database.open_writer()
        self._cursor = self._db.cursor()
        self._lock = Lock()
        self._open = True
        self._seen = 0

    def __enter__(self) -> sqlite3.Cursor:
        self._lock.acquire()
        try:
            self._need_open()
            return self._cursor.execute("BEGIN IMMEDIATE")
        except BaseException:
            self._lock.release()
            raise

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        try:
            if error is None:
                self._cursor.execute("COMMIT")
        finally:
            try:
                # A full disk may have rolled it back already.
                if self._db.in_transaction:
                    self._cursor.execute("ROLLBACK")
            finally:
                self._lock.release()

    def others(self) -> int:
        """SQLite's count of commits by other connections: its own do not move it."""
        # While a thread here writes, the number stands until the next look.
        if self._lock.acquire(timeout=0.1):
            try:
                self._need_open()
                self._seen = self._cursor.execute("PRAGMA data_version").fetchone()[0]
            finally:
                self._lock.release()
        return self._seen

    @contextmanager
    def between(self) -> Iterator[sqlite3.Connection]:
        """The connection, while no transaction is open."""
        with self._lock:
            self._need_open()
            yield self._db

    def close(self) -> None:
        """Close the connection, after the transaction that is under way."""
        with self._lock:
            self._open = False
            self._db.close()

    def _need_open(self) -> None:
        if not self._open:
            raise StoreUnavailable(f"{self._name}: the store is closed")
