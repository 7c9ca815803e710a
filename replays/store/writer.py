"""The connection that writes. Law: one transaction at a time, whole and durable at its end, or undone.

`with writer as cursor:` is such a transaction. It holds the write lock from its first statement on, or the head that is
read could be another program's by the time it is followed. What is written goes to the files that bear the database's
name, or is refused: into one that was taken away it would be acknowledged and lost.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from types import TracebackType
from typing import Final

from replays.store.database import Database
from replays.store.files import Identity, Watch
from replays.store.refusals import StoreUnavailable

_MOMENT: Final = 0.1
"""Seconds that a look waits for a thread that writes."""

_OTHERS: Final = (
    "the file of the database, or what belongs to it (-wal, -shm), was taken away or replaced: "
    "put it back, or start the service again"
)
_READ_ONLY: Final = "the file of the database, its folder, or what belongs to it (-wal, -shm), is read-only"


class Writer:
    """The only connection of a store that writes; a database in memory is read through it as well."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._open = True
        self._opened = 0
        self._seen = 0
        self._connect()

    def __enter__(self) -> sqlite3.Cursor:
        self._lock.acquire()
        try:
            self._need_usable()
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
        """A number that moves with commits by other connections: its own do not move it."""
        # While a thread here writes, the number stands until the next look.
        if self._lock.acquire(timeout=_MOMENT):
            try:
                self._need_connection()
                seen: int = self._cursor.execute("PRAGMA data_version").fetchone()[0]
                self._seen = self._opened << 32 | seen  # each connection has a count of its own
            finally:
                self._lock.release()
        return self._seen

    def trouble(self) -> str:
        """Why it could not write, as far as its own connection and files go; empty if it could."""
        if self._lock.acquire(timeout=_MOMENT):
            try:
                self._need_usable()
            except StoreUnavailable:
                return _OTHERS
            finally:
                self._lock.release()
        return _READ_ONLY if self.read_only else ""

    @contextmanager
    def between(self) -> Iterator[sqlite3.Connection]:
        """The connection, while no transaction is open."""
        with self._lock:
            self._need_connection()
            yield self._db

    @contextmanager
    def free(self) -> Iterator[sqlite3.Connection | None]:
        """The connection, if nobody writes and it can be used."""
        if self._lock.locked():
            yield None
            return
        # Whoever took it since is waited for: a lock that is not taken by `with` is left behind by a Ctrl-C.
        with self._lock:
            yield self._db if self._open and self._connected else None

    def close(self) -> None:
        """Close the connection, after the transaction that is under way."""
        with self._lock:
            self._open = False
            self._db.close()

    def _connect(self) -> None:
        self._connected = False
        self._db = self._database.open_writer()
        self._cursor = self._db.cursor()
        # What SQLite may not write it opens to be read, and stays with that.
        self.read_only = self._database.only_reads(self._db)
        self._files = self._there()
        self._watch = Watch(self._database.name)
        self._opened += 1
        self._connected = True

    def _there(self) -> tuple[Identity | None, ...]:
        return () if self._database.in_memory else self._database.files.identities()

    def _need_connection(self) -> None:
        if not self._open:
            raise StoreUnavailable(f"{self._database.name}: the store is closed")
        if not self._connected:
            self._connect()

    def _need_usable(self) -> None:
        self._need_connection()
        if self.read_only:
            # Closed first: while a connection lives, the next one gets the log and its index as that has opened them.
            self._db.close()
            self._connect()
        if not self._database.in_memory:
            self._watch.need(self.need_same_files)

    def need_same_files(self) -> None:
        """Raise `StoreUnavailable` where the files under the name are not those that it has opened."""
        there, opened = self._there(), self._files
        # One that only reads keeps neither log nor index in their place.
        if there[:1] != opened[:1] or (there != opened and not self.read_only):
            raise StoreUnavailable(
                f"{self._database.name}, or what belongs to it (-wal, -shm), was taken away or replaced: "
                "put it back, or stop the program and start it again"
            )
