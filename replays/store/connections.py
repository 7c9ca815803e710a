"""Who writes and who reads. Law: one connection writes, and no reader of a file ever waits for it.

The library's pool would do neither: a writer that queues there holds up every reader, and its transactions begin
without the write lock.
"""

import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any, Final, TypeVar

from eventsourcing.sqlite import SQLiteCursor, SQLiteDatastore

from replays.store.database import Database
from replays.store.refusals import StoreUnavailable
from replays.store.turns import Turn, Turns

T = TypeVar("T")

_IDLE: Final = 8
"""As many readers stay open between two reads; a burst opens more and closes them again."""


class Connections(SQLiteDatastore):
    """One connection that writes, others that read; a database in memory has a single one for both."""

    def __init__(self, database: Database) -> None:
        super().__init__(database.name, originator_id_type="text")
        self.database = database
        self._writing = Lock()
        self._turns = Turns(self._commit_all)
        self._idle: deque[sqlite3.Connection] = deque()
        with database.in_words():
            self._writer = database.open_writer()
        self._open = True
        self._file = None if database.in_memory else database.identity()
        self._version = 0

    def write(self, work: Callable[[SQLiteCursor], T]) -> T:
        """Run `work` in a transaction that is durable on return; if it raises, nothing was written."""
        return self._turns.do(work)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection to read from; each statement sees whole commits, all of those before it."""
        if self.database.in_memory:
            with self._writing, self.database.in_words():
                self._need_open()
                yield self._writer
            return
        self._need_open()
        with self.database.in_words():
            db = self._take_reader()
            try:
                yield db
            finally:
                self._give_back(db)

    @contextmanager
    def transaction(self, *, commit: bool) -> Iterator[SQLiteCursor]:
        """What the library's recorders ask for."""
        with self._begun() if commit else self.reading() as db:
            cursor = db.cursor()
            cursor.row_factory = sqlite3.Row
            yield SQLiteCursor(cursor)

    def changes(self) -> int:
        """SQLite's count of commits by others, asked on the writing connection, which does not count its own."""
        # While somebody here writes, the number stands until the next look.
        if self._writing.acquire(timeout=0.1):
            try:
                self._need_open()
                with self.database.in_words():
                    self._version = self._writer.execute("PRAGMA data_version").fetchone()[0]
            finally:
                self._writing.release()
        return self._version

    def ready(self) -> bool:
        """Whether the file is still the one that was opened, and can be read and written."""
        if self._file is None:
            return self._open
        try:
            return self._open and self.database.identity() == self._file and self.database.writable()
        except (OSError, sqlite3.Error):
            return False

    def close(self) -> None:
        """Close every connection; one that is being read from closes when its reader is done."""
        # The library calls this on what was never opened, too.
        if not getattr(self, "_open", False):
            return
        with self._writing:
            self._open = False
            with suppress(IndexError):
                while True:
                    self._idle.pop().close()
            self._writer.close()

    def _commit_all(self, turns: Sequence[Turn[Any]]) -> None:
        with self._begun() as db:
            if len(turns) == 1:
                turns[0].take(SQLiteCursor(db.cursor()))
            else:
                for turn in turns:
                    self._take_apart(turn, db)

    def _take_apart(self, turn: Turn[Any], db: sqlite3.Connection) -> None:
        # So that one that fails undoes nobody else's.
        db.execute("SAVEPOINT turn")
        try:
            with self.database.in_words():
                turn.take(SQLiteCursor(db.cursor()))
        except Exception as error:
            if not db.in_transaction:
                raise
            db.execute("ROLLBACK TO turn")
            turn.error = error
        db.execute("RELEASE turn")

    @contextmanager
    def _begun(self) -> Iterator[sqlite3.Connection]:
        with self._writing, self.database.in_words():
            self._need_open()
            db = self._writer
            # IMMEDIATE, or the head that is read could be another program's by the time it is followed.
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                # A full disk may have rolled it back already.
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    def _take_reader(self) -> sqlite3.Connection:
        try:
            return self._idle.pop()
        except IndexError:
            return self.database.open_reader()

    def _give_back(self, db: sqlite3.Connection) -> None:
        if self._open and len(self._idle) < _IDLE:
            self._idle.append(db)
        else:
            db.close()

    def _need_open(self) -> None:
        if not self._open:
            raise StoreUnavailable(f"{self.database.name}: the store is closed")
