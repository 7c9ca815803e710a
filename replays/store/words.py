"""What goes wrong with SQLite, in words. Law: they say what to do; what a caller did wrong stays what it is."""

import sqlite3
from types import TracebackType
from typing import Final

from eventsourcing.persistence import IntegrityError

from replays.store.refusals import StoreUnavailable

READ_ONLY: Final = "it, its folder, or what belongs to it (-wal, -shm), is read-only"
DAMAGED: Final = "it is damaged: put back a good copy"

_WORDS: Final = {
    sqlite3.SQLITE_BUSY: "another program holds it locked",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened: look at its folder, and at who may write there",
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_ERROR: "it is not as this program left it",
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk reports an error, or is full: look whether there is room",
    sqlite3.SQLITE_LOCKED: "another program holds it locked",
    sqlite3.SQLITE_NOTADB: "it is no SQLite database",
    sqlite3.SQLITE_PERM: "it may not be opened by this user",
    sqlite3.SQLITE_READONLY: READ_ONLY,
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
            raise StoreUnavailable(f"{self._name}: {_words(error)} ({error})") from error


def said_of(error: sqlite3.Error) -> str:
    """What went wrong, for whoever need not know where the database is."""
    return said(_words(error))


def said(words: str) -> str:
    """The same in words that are known."""
    return f"the database: {words}"


def _words(error: sqlite3.Error) -> str:
    return _WORDS.get(kind_of(error), "it cannot be used")


def no_room(error: Exception | None) -> bool:
    """Whether something could not be written for want of room, or because the disk failed."""
    return error is not None and kind_of(error.__cause__) in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}


def kind_of(error: BaseException | None) -> int:
    """SQLite's code for what went wrong, 0 where it has none."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
