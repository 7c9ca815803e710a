"""One SQLite database, in a file or in memory. Law: it is opened the same careful way each time, or refused in words.

Nothing here is left to how SQLite was built: write-ahead log, `synchronous` FULL, a busy timeout.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from shutil import disk_usage
from time import monotonic, sleep
from types import TracebackType
from typing import Final

from eventsourcing.persistence import IntegrityError

from replays.store import schema
from replays.store.places import MEMORY
from replays.store.refusals import StoreUnavailable

_ROOM: Final = 1 << 20
"""Bytes that have to be free on the disk: some hundred appends."""

_WORDS: Final = {
    sqlite3.SQLITE_BUSY: "another program holds it locked",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened: look at its folder, and at who may write there",
    sqlite3.SQLITE_CORRUPT: "it is damaged: put back a good copy",
    sqlite3.SQLITE_ERROR: "it is not as this program left it",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
    sqlite3.SQLITE_LOCKED: "another program holds it locked",
    sqlite3.SQLITE_NOTADB: "it is no SQLite database",
    sqlite3.SQLITE_PERM: "it may not be opened by this user",
    sqlite3.SQLITE_READONLY: "it, or its folder, is read-only",
}


class InWords:
    """`with` this, what goes wrong with the database is said in words; what a caller did wrong stays as it is."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if isinstance(error, OSError):
            raise StoreUnavailable(f"{self._name}: {error.strerror}") from error
        if not isinstance(error, sqlite3.Error):
            return
        if isinstance(error, sqlite3.IntegrityError):
            raise IntegrityError(error) from error
        if not isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError | sqlite3.DataError):
            words = _WORDS.get(_kind(error), "it cannot be used")
            raise StoreUnavailable(f"{self._name}: {words} ({error})") from error


def _kind(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _probe(db: sqlite3.Connection) -> None:
    # A transaction alone proves nothing: on a read-only file SQLite makes it one that reads.
    db.execute("BEGIN IMMEDIATE")
    db.execute("UPDATE meta SET value = value")
    db.execute("ROLLBACK")


class Database:
    """Where the database is, and how a connection to it is made."""

    def __init__(self, name: str, patience: int) -> None:
        self.in_memory = name == MEMORY
        self.name = name if self.in_memory else str(Path(name).absolute())
        self.in_words = InWords(self.name)
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
        return self._connect("rwc", self._patience, self._make_ours)

    def open_reader(self) -> sqlite3.Connection:
        """A connection to a file, to read from."""
        return self._connect("rw", self._patience, lambda db: db.execute("PRAGMA query_only = ON"))

    def identity(self) -> tuple[int, int]:
        """Which file stands under the name: not the same one once it was taken away or replaced."""
        found = Path(self.name).stat()
        return found.st_dev, found.st_ino

    def writable(self) -> bool:
        """Whether the file can be read and written at this moment, and its disk has room."""
        try:
            self._connect("rw", 0, _probe).close()
        except sqlite3.OperationalError as error:
            # Somebody is writing, so it can be written.
            return _kind(error) == sqlite3.SQLITE_BUSY
        return disk_usage(Path(self.name).parent).free >= _ROOM

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
        schema.complete(db, self.name)
        self._use_wal(db)
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA fullfsync = ON")
        db.execute("PRAGMA secure_delete = ON")  # an erased name leaves no trace in the file

    def _use_wal(self, db: sqlite3.Connection) -> None:
        # SQLite does not wait here when several programs open a new file at once, so this does.
        until = monotonic() + self._patience
        mode = ""
        while not mode:
            try:
                (mode,) = db.execute("PRAGMA journal_mode = WAL").fetchone()
            except sqlite3.OperationalError as error:
                if _kind(error) != sqlite3.SQLITE_BUSY or monotonic() > until:
                    raise
                sleep(0.01)
        if mode != "wal":
            raise StoreUnavailable(f"{self.name}: its file system cannot hold a write-ahead log")
