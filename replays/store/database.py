"""One SQLite database, in a file or in memory. Law: it is opened the same careful way each time, or refused in words.

Nothing here is left to how SQLite was built: write-ahead log, `synchronous` FULL, a busy timeout.
"""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from replays.store import schema
from replays.store.files import NO_ROOM, Files
from replays.store.places import MEMORY
from replays.store.refusals import StoreUnavailable
from replays.store.words import READ_ONLY, InWords, kind_of, said, said_of

_MOST_AHEAD: Final = 16 << 20
"""Bytes that a write-ahead log keeps on the disk once it is emptied; somebody's long look may make it grow."""

_PRIVATE: Final = 0o600
"""Mode of a new file: its owner alone reads and writes it."""


def _probe(db: sqlite3.Connection) -> None:
    # A transaction alone proves nothing: on a read-only file SQLite makes it one that reads.
    db.execute("BEGIN IMMEDIATE")
    db.execute("UPDATE meta SET value = value")
    db.execute("ROLLBACK")


def _probe_as_ours(db: sqlite3.Connection) -> None:
    # First, since whoever raises the file may hold it.
    if schema.version(db) > schema.VERSION:
        raise StoreUnavailable("a newer version of this program has raised it: stop this one and start that")
    _probe(db)


def older(name: str) -> int:
    """The version of the tables in a file that `open_writer` would have raised; 0 if it would not. Writes nothing."""
    file = Path(name).absolute()
    # Without a log nobody has it open, and SQLite is to make none; with one, that belongs to what is read.
    alone = not Path(f"{file}-wal").exists()
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro{'&immutable=1' * alone}", uri=True)) as db:
            found = schema.version(db)
    except sqlite3.Error:
        return 0  # whoever opens it says what is wrong with it
    return found if found < schema.VERSION else 0


class Database:
    """Where the database is, and how a connection to it is made."""

    def __init__(self, name: str, patience: int) -> None:
        self.in_memory = name == MEMORY
        self.name = name if self.in_memory else str(Path(name).absolute())
        self.in_words = InWords(self.name)
        self.files = Files(self.name)
        self._patience = patience

    def open_writer(self) -> sqlite3.Connection:
        """The connection that writes. A file is made where there is none, and left alone where it is not ours."""
        if self.in_memory:
            return sqlite3.connect(MEMORY, isolation_level=None, check_same_thread=False)
        file = Path(self.name)
        if not file.parent.is_dir():
            raise StoreUnavailable(f"{self.name}: there is no folder {file.parent}")
        if file.is_dir():
            raise StoreUnavailable(f"{self.name} is a folder, not a file")
        self._make_private()
        self.files.make_alike()
        return self._connect("rwc", self._patience, self._make_ours)

    def open_reader(self) -> sqlite3.Connection:
        """A connection to a file, to read from."""
        return self._connect("rw", self._patience, lambda db: db.execute("PRAGMA query_only = ON"))

    def only_reads(self, db: sqlite3.Connection) -> bool:
        """Whether a connection may not write; one that somebody else holds up may."""
        if self.in_memory:
            return False
        db.execute("PRAGMA busy_timeout = 0")
        try:
            _probe(db)
        except sqlite3.DatabaseError as error:
            return kind_of(error) == sqlite3.SQLITE_READONLY
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")
            db.execute(f"PRAGMA busy_timeout = {self._patience * 1000}")
        return False

    def trouble(self) -> str:
        """Why the file cannot be read and written at this moment, without saying where it is; empty if it can."""
        try:
            self._connect("rw", 0, _probe_as_ours).close()
        except StoreUnavailable as no:
            return said(str(no))
        except sqlite3.OperationalError as error:
            # Somebody is writing, so it can be written.
            return "" if kind_of(error) == sqlite3.SQLITE_BUSY else said_of(error)
        # SQLite may have taken up again what it had opened before.
        if not self.files.may_be_written():
            return said(READ_ONLY)
        return "" if self.files.room() else NO_ROOM

    def _make_private(self) -> None:
        # Dice seeds lie in it. SQLite would make it as the umask says, and its log and index with the file's own mode.
        with suppress(OSError):  # it is there, or SQLite says better why it cannot be made
            os.close(os.open(self.name, os.O_RDWR | os.O_CREAT | os.O_EXCL, _PRIVATE))

    def _connect(self, mode: str, patience: int, prepare: Callable[[sqlite3.Connection], object]) -> sqlite3.Connection:
        # As a URI, since only "rw" does not make a new file where the old one was taken away.
        uri = f"{Path(self.name).as_uri()}?mode={mode}"
        db = sqlite3.connect(uri, uri=True, timeout=patience, isolation_level=None, check_same_thread=False)
        try:
            db.execute("PRAGMA cache_size = -8000")
            prepare(db)
        except BaseException:
            db.close()
            raise
        return db

    def _make_ours(self, db: sqlite3.Connection) -> None:
        db.execute("PRAGMA schema_version")  # reads what the file says of itself
        self.files.need_whole(db.execute("PRAGMA page_size").fetchone()[0])
        schema.complete(db, self.name)
        self._use_wal(db)
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA fullfsync = ON")
        db.execute(f"PRAGMA journal_size_limit = {_MOST_AHEAD}")
        db.execute("PRAGMA secure_delete = ON")  # an erased name leaves no trace in the file

    def _use_wal(self, db: sqlite3.Connection) -> None:
        # SQLite does not wait here when several programs open a new file at once, so this does.
        until = monotonic() + self._patience
        mode = ""
        while not mode:
            try:
                (mode,) = db.execute("PRAGMA journal_mode = WAL").fetchone()
            except sqlite3.OperationalError as error:
                if kind_of(error) != sqlite3.SQLITE_BUSY or monotonic() > until:
                    raise
                sleep(0.01)
        if mode != "wal":
            raise StoreUnavailable(f"{self.name}: its file system cannot hold a write-ahead log")
