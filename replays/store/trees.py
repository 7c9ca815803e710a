"""The trees. Law: a leaf is hashed from the bytes that are stored, in the transaction that stores them.

Each entry has its leaf hash (RFC 6962, 2.1; the Merkle index is seq - 1) and each battle its frontier: an append
costs the same at entry 10 and at entry 10,000. A branch keeps the hashes of its own entries only; its tree begins with
its parent's leaves 1 to `at`.
"""

import sqlite3
from collections.abc import Sequence
from typing import Final

from replays.audit.merkle import Frontier, leaf_hash
from replays.store.refusals import Damaged

_LEAF: Final = "INSERT INTO leaves VALUES (?, ?, ?)"
_HEAD: Final = "REPLACE INTO heads VALUES (?, ?, ?)"
_FRONTIER: Final = "SELECT frontier FROM heads WHERE battle = ?"
_BRANCH: Final = 'SELECT battle, parent, "at" FROM branches WHERE battle = ?'
_HASHES: Final = "SELECT hash FROM leaves WHERE battle = ? AND seq <= ? ORDER BY seq"

_UNHASHED: Final = """SELECT originator_id, originator_version, state FROM stored_events AS e WHERE NOT EXISTS
    (SELECT 1 FROM leaves AS l WHERE l.battle = e.originator_id AND l.seq = e.originator_version)"""
_HEADLESS: Final = """SELECT battle, max(seq) AS size FROM leaves AS l GROUP BY battle
    HAVING size IS NOT (SELECT h.size FROM heads AS h WHERE h.battle = l.battle)"""


def grow(db: sqlite3.Cursor, battle: str, entries: Sequence[tuple[int, bytes]]) -> None:
    """Take entries (seq and bytes) that have just been stored into the battle's tree."""
    if not entries:
        return
    before = _frontier(db, battle) or _beginning(db, battle)
    if before.size >= entries[0][0]:
        raise Damaged(battle, entries[0][0], "the tree has leaves of entries that are gone")
    if before.size + 1 != entries[0][0]:
        # Older code, still running somewhere, has written to the file since it was filled.
        fill(db)
        return
    hashed = [(battle, seq, leaf_hash(data)) for seq, data in entries]
    db.executemany(_LEAF, hashed)
    _keep(db, battle, before.extended(leaf for _, _, leaf in hashed))


def fill(db: sqlite3.Cursor) -> None:
    """Make what is missing: every leaf, and every head, of entries that older code has stored."""
    # Written while it is read, so in portions: a file may hold more than memory does.
    reader = db.connection.cursor()
    reader.execute(_UNHASHED)
    while rows := reader.fetchmany(1000):
        db.executemany(_LEAF, [(battle, seq, leaf_hash(data)) for battle, seq, data in rows])
    for battle, size in db.execute(_HEADLESS).fetchall():
        _keep(db, battle, Frontier().extended(hashes(db, battle, size)))


def hashes(db: sqlite3.Cursor, battle: str, upto: int) -> list[bytes]:
    """The leaf hashes of entries 1 to `upto`, those that a branch inherits among them."""
    found: list[bytes] = []
    seen: set[str] = set()
    while battle not in seen:
        seen.add(battle)
        own = [leaf for (leaf,) in db.execute(_HASHES, (battle, upto))]
        found += reversed(own)
        row = db.execute(_BRANCH, (battle,)).fetchone()
        if row is None:
            return found[::-1]
        battle, upto = row[1], min(upto, row[2])
    raise Damaged(battle, 0, "it parts from itself")


def _frontier(db: sqlite3.Cursor, battle: str) -> Frontier | None:
    row = db.execute(_FRONTIER, (battle,)).fetchone()
    return Frontier.from_bytes(row[0]) if row else None


def _beginning(db: sqlite3.Cursor, battle: str) -> Frontier:
    row = db.execute(_BRANCH, (battle,)).fetchone()
    if row is None:
        return Frontier()
    _, parent, at = row
    known = _frontier(db, parent)
    return known if known is not None and known.size == at else Frontier().extended(hashes(db, parent, at))


def _keep(db: sqlite3.Cursor, battle: str, frontier: Frontier) -> None:
    db.execute(_HEAD, (battle, frontier.size, frontier.to_bytes()))
