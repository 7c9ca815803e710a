"""What goes wrong with PostgreSQL, in words. Law: no password and no row of a table is ever in a message.

What a caller did wrong (a row that stands, a value that no column takes) stays what it is, and `first_line` tells it:
the server's details may quote a whole row, and there are dice seeds in some.
"""

from typing import Final

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout

from replays.store.refusals import StoreUnavailable

_WORDS: Final = (
    ("25006", "the server only lets itself be read: it is a standby, or set so"),
    ("28", "the server does not let this user in"),
    ("3D000", "there is no such database: make it with createdb"),
    ("42501", "this user may not do that: give it a database of its own"),
    ("42", "it is not as this program left it"),
    ("3F000", "the schema that it should use is missing"),
    ("53100", "the server's disk is full"),
    ("53300", "the server has no connection left"),
    ("53", "the server is out of something"),
    ("55P03", "another program holds it locked"),
    ("57P", "the server is stopping or starting"),
    ("57", "the server broke it off"),
    ("58", "the server's disk reports an error"),
    ("XX", "it is damaged: put back a good copy"),
)
"""By the beginning of the server's code; the first that fits."""

GONE: Final = ("25006", "57P")
"""Codes after which the line leads nowhere any more: a leader that became a standby, a server that stops."""


class Lost(StoreUnavailable):
    """The line broke while something was under way: whether that was done, only the server knows."""


def said(name: str, error: Exception, *, lost: bool) -> Exception:
    """What to raise for `error`: `lost` says that the line is gone."""
    match error:
        case PoolClosed():
            return StoreUnavailable(f"{name}: the store is closed")
        case PoolTimeout():
            return StoreUnavailable(f"{name}: the server cannot be reached, or is too busy")
        case psycopg.Error() if lost:
            words = _words(error) if error.sqlstate else "the connection to the server was lost"
            return Lost(f"{name}: {words} ({first_line(error)})")
        case psycopg.Error() if not theirs(error):
            return StoreUnavailable(f"{name}: {_words(error)} ({first_line(error)})")
        case _:
            return error


def theirs(error: psycopg.Error) -> bool:
    """Whether it is the caller's fault: a row that stands already, or a value that cannot be stored."""
    said_here = isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None
    return said_here or isinstance(error, psycopg.IntegrityError | psycopg.DataError)


def first_line(error: psycopg.Error) -> str:
    """What the server says, without the details."""
    return " ".join((error.diag.message_primary or str(error)).split())


def _words(error: psycopg.Error) -> str:
    code = error.sqlstate or ""
    return next((words for start, words in _WORDS if code.startswith(start)), "the server cannot be reached")
