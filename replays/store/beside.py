"""The rows beside the log. Law: each is written in the transaction of the entries it belongs to.

A key, a seat, a seed and a branch are written once; a summary or a name takes the place of the one before it.
"""

import sqlite3
from operator import attrgetter
from typing import Final

from msgspec.structs import astuple

from replays.store.refusals import KeyTaken
from replays.store.rows import Beside, KeyRow, Summary

TAKEN: Final = {sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_UNIQUE}
"""SQLite's codes for a row that stands already."""

_KEY: Final = "INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?)"
_SEAT: Final = "INSERT INTO seats VALUES (?, ?, ?)"
_SECRET: Final = "INSERT INTO secrets VALUES (?, ?, ?, ?)"  # noqa: S105 - a statement
_BRANCH: Final = "INSERT INTO branches VALUES (?, ?, ?)"
_NAME: Final = "REPLACE INTO names VALUES (?, ?, ?, ?)"

_FIELDS: Final = Summary.__struct_fields__
_INDEXED: Final = ("event", "round", "status")
_REST: Final = tuple(name for name in _FIELDS if name not in ("battle", *_INDEXED))
_SET: Final = ", ".join(f'"{name}" = ?' for name in _REST)
_STANDS: Final = " AND ".join(f'"{name}" = ?' for name in ("battle", *_INDEXED))
_NEWS: Final = ", ".join(f'"{name}" = excluded."{name}"' for name in _FIELDS if name != "battle")
_SUMMARY_STANDS: Final = f"UPDATE summaries SET {_SET} WHERE {_STANDS}"  # noqa: S608 - constants
_standing: Final = attrgetter(*_REST, "battle", *_INDEXED)
_SUMMARY: Final = (
    f"INSERT INTO summaries VALUES (NULL, {', '.join('?' * len(_FIELDS))}) ON CONFLICT (battle) DO UPDATE SET {_NEWS}"  # noqa: S608 - constants
)


def write_key(db: sqlite3.Cursor, row: KeyRow) -> None:
    """Store an idempotency key, or raise `KeyTaken`."""
    try:
        db.execute(_KEY, astuple(row))
    except sqlite3.IntegrityError as error:
        if error.sqlite_errorcode in TAKEN:
            raise KeyTaken(row.scope, row.seat, row.key) from error
        raise


def write_rows(db: sqlite3.Cursor, beside: Beside) -> None:
    """Store everything but the key."""
    for seat in beside.seats:
        db.execute(_SEAT, astuple(seat))
    for secret in beside.secrets:
        db.execute(_SECRET, astuple(secret))
    for name in beside.names:
        db.execute(_NAME, astuple(name))
    if beside.branch is not None:
        db.execute(_BRANCH, astuple(beside.branch))
    if beside.summary is not None:
        _write_summary(db, beside.summary)


def _write_summary(db: sqlite3.Cursor, summary: Summary) -> None:
    # Status and tags seldom change; as long as they stand, the indexes over them need not be written.
    if db.execute(_SUMMARY_STANDS, _standing(summary)).rowcount == 0:
        db.execute(_SUMMARY, astuple(summary))
