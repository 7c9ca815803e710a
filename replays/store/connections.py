"""Who writes and who reads. Law: one connection writes, and no reader of a file ever waits for it.

The library's pool would do neither: a writer that queues there holds up every reader, and its transactions begin
without the write lock.
"""

import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Final, TypeVar

from eventsourcing.sqlite import SQLiteCursor, SQLiteDatastore

from replays.store.database import Database
from replays.store.files import NO_ROOM
from replays.store.refusals import StoreUnavailable
from replays.store.turns import Turn, Turns
from replays.store.words import no_room, said_of
from replays.store.writer import Writer

T = TypeVar("T")

_UNUSABLE: Final = "the database cannot be written"

_IDLE: Final = 8
"""As many readers stay open between two reads; a burst opens more and closes them again."""


class Connections(SQLiteDatastore):
    """One connection that writes, others that read; a database in memory has a single one for both."""

    def __init__(self, database: Database) -> None:
        super().__init__(database.name, originator_id_type="text")
        self.database = database
        self._in_words = database.in_words
        with self._in_words:
            self._writer = Writer(database)
        self._turns = Turns(self._commit_all)
        self._idle: deque[sqlite3.Connection] = deque()
        self._in_doubt = False
        self._open = True

    def write(self, work: Callable[[sqlite3.Cursor], T]) -> T:
        """Run `work` in a transaction that is durable on return; if it raises, nothing was written."""
        return self._turns.do(work)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection to read from; each statement sees whole commits, all of those before it."""
        if self.database.in_memory:
            with self._in_words, self._writer.between() as db:
                yield db
            return
        if not self._open:
            raise StoreUnavailable(f"{self.database.name}: the store is closed")
        with self._in_words:
            db = self._take_reader()
            try:
                yield db
            finally:
                self._give_back(db)

    def glance(self, look: Callable[[sqlite3.Connection], T]) -> T:
        """What a look at a row or two finds; it sees what `reading` would.

        Through the connection that writes, where nobody writes: others have to fetch anew whatever lay on a page that
        was written since. A writer who comes meanwhile waits for it, so that it has to be short.
        """
        with self._in_words, self._writer.free() as free:
            if free is not None:
                return look(free)
        with self.reading() as db:
            return look(db)

    @contextmanager
    def transaction(self, *, commit: bool) -> Iterator[SQLiteCursor]:
        """What the library's recorders ask for."""
        with self._in_words, self._writer if commit else self.reading() as db:
            cursor = (db.connection if isinstance(db, sqlite3.Cursor) else db).cursor()
            cursor.row_factory = sqlite3.Row
            yield SQLiteCursor(cursor)

    def settle(self) -> None:
        """Empty the write-ahead log into the file, as far as nobody reads from it."""
        with self._in_words, self._writer.between() as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def changes(self) -> int:
        """A number that moves when somebody else commits."""
        with self._in_words:
            return self._writer.others()

    def trouble(self) -> str:
        """Why the files are not those that were opened, or cannot be read and written; empty if they are and can."""
        if self.database.in_memory or not self._open:
            return "" if self._open else "the store is closed"
        self._let_go()
        try:
            if self._in_doubt:
                self.database.files.need_room()
                self.write(lambda db: db.execute("UPDATE meta SET value = value"))
            return self._writer.trouble() or self.database.trouble()
        except OSError:
            return NO_ROOM
        except sqlite3.Error as error:
            return said_of(error)
        except StoreUnavailable as no:
            return NO_ROOM if no_room(no) else _UNUSABLE

    def close(self) -> None:
        """Close every connection; one that is being read from closes when its reader is done."""
        # The library calls this on what was never opened, too.
        if getattr(self, "_open", False):
            self._open = False
            self._keep_idle(0)
            self._writer.close()

    def _commit_all(self, turns: Sequence[Turn[Any]]) -> None:
        self._let_go()
        try:
            with self._in_words, self._writer as cursor:
                if len(turns) == 1:
                    turns[0].take(cursor)
                else:
                    for turn in turns:
                        self._take_apart(turn, cursor)
        except StoreUnavailable as error:
            self._in_doubt |= no_room(error)
            raise
        self._in_doubt = any(no_room(turn.error) for turn in turns)

    def _take_apart(self, turn: Turn[Any], cursor: sqlite3.Cursor) -> None:
        # So that one that fails undoes nobody else's.
        cursor.execute("SAVEPOINT turn")
        try:
            with self._in_words:
                turn.take(cursor)
        except Exception as error:
            if not cursor.connection.in_transaction:
                raise
            cursor.execute("ROLLBACK TO turn")
            turn.error = error
        cursor.execute("RELEASE turn")

    def _let_go(self) -> None:
        # Connections of a program share more than the file: as long as one lives, all may only read.
        if self._writer.read_only:
            self._keep_idle(0)

    def _take_reader(self) -> sqlite3.Connection:
        try:
            return self._idle.pop()
        except IndexError:
            return self._open_reader()

    def _open_reader(self) -> sqlite3.Connection:
        with ExitStack() as unless_well:
            unless_well.callback(self._keep_idle, 0)
            # Before, since to open another file with this log and index spoils both; after, since it takes a while.
            self._writer.need_same_files()
            db = self.database.open_reader()
            unless_well.callback(db.close)
            self._writer.need_same_files()
            unless_well.pop_all()
        return db

    def _give_back(self, db: sqlite3.Connection) -> None:
        self._idle.append(db)
        self._keep_idle(_IDLE if self._open else 0)

    def _keep_idle(self, most: int) -> None:
        while len(self._idle) > most:
            # Another thread may have taken it meanwhile.
            with suppress(IndexError):
                self._idle.pop().close()
