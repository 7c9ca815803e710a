"""Raw SQLite, beside which the store is measured. Law: the same bytes, a table of the same shape, and no more."""

import sqlite3
from collections.abc import Sequence

_TABLE = """CREATE TABLE IF NOT EXISTS stored_events (
    rowid INTEGER PRIMARY KEY AUTOINCREMENT,
    originator_id TEXT NOT NULL, originator_version INTEGER NOT NULL, topic TEXT NOT NULL, state BLOB NOT NULL,
    UNIQUE (originator_id, originator_version))"""
_INSERT = "INSERT INTO stored_events (originator_id, originator_version, topic, state) VALUES (?, ?, ?, ?)"
_SELECT = "SELECT topic, state FROM stored_events WHERE originator_id = ? ORDER BY originator_version"

Line = tuple[str, bytes]
"""A topic and the bytes of an entry."""


def connect(file: str) -> sqlite3.Connection:
    """A connection that is as durable as the store's: write-ahead log, synced at each commit."""
    db = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("PRAGMA fullfsync = ON")
    db.execute(_TABLE)
    return db


class Writer:
    """Inserts lines at the end of a battle, each batch in a transaction of its own."""

    def __init__(self, file: str, battle: str) -> None:
        self.db = connect(file)
        self._battle = battle
        self._seq = 0

    def write(self, batch: Sequence[Line]) -> None:
        """Insert and commit."""
        rows = [(self._battle, self._seq + n, topic, data) for n, (topic, data) in enumerate(batch, start=1)]
        self._seq += len(batch)
        self.db.execute("BEGIN IMMEDIATE")
        self.db.executemany(_INSERT, rows)
        self.db.execute("COMMIT")


def lines(db: sqlite3.Connection, battle: str) -> list[Line]:
    """Every line of a battle."""
    return db.execute(_SELECT, (battle,)).fetchall()
