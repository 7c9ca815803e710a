"""The tables and their version. Law: a file that is newer than this code, or not ours, is left exactly as it is.

`stored_events` has the columns of eventsourcing 9.5, and one more for the tree. Its `rowid` is declared, so that no
number is given out twice or changed by a dump, and keeps that name, so that the library's own statements find it.
"""

import sqlite3
from typing import Final

from replays.store.refusals import StoreUnavailable

VERSION: Final = 4
"""Goes up with every change that older code could not live with.

2: each entry's leaf hash and each battle's frontier are stored with it.
3: totals across battles, and how far they have come (`replays.projector` works them out of the log).
4: the frontier stands beside the last entry of each append, and leaves are hashed from the entries (`raising` takes
   over the frontiers that a file of an earlier version has, and makes those that it has not).
"""

TABLES: Final = {
    "meta": """(name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID""",
    "stored_events": """(
        rowid INTEGER PRIMARY KEY AUTOINCREMENT,
        originator_id TEXT NOT NULL, originator_version INTEGER NOT NULL, topic TEXT NOT NULL, state BLOB NOT NULL,
        frontier BLOB,
        UNIQUE (originator_id, originator_version))""",
    "keys": """(
        scope TEXT NOT NULL, seat TEXT NOT NULL, "key" TEXT NOT NULL,
        digest BLOB NOT NULL, battle TEXT NOT NULL, "first" INTEGER NOT NULL,
        PRIMARY KEY (scope, seat, "key")) WITHOUT ROWID""",
    "seats": """(
        battle TEXT NOT NULL, seat TEXT NOT NULL, digest BLOB NOT NULL,
        PRIMARY KEY (battle, seat)) WITHOUT ROWID""",
    "secrets": """(
        battle TEXT NOT NULL, kind TEXT NOT NULL, epoch INTEGER NOT NULL, secret BLOB NOT NULL,
        PRIMARY KEY (battle, kind, epoch)) WITHOUT ROWID""",
    "branches": """(battle TEXT NOT NULL PRIMARY KEY, parent TEXT NOT NULL, "at" INTEGER NOT NULL) WITHOUT ROWID""",
    "summaries": """(
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        battle TEXT NOT NULL UNIQUE, system TEXT NOT NULL, title TEXT NOT NULL, status TEXT NOT NULL,
        turn INTEGER NOT NULL, phase TEXT NOT NULL, side TEXT NOT NULL,
        event TEXT NOT NULL, "round" TEXT NOT NULL, "table" TEXT NOT NULL,
        head INTEGER NOT NULL, disputes INTEGER NOT NULL, undo_pending INTEGER NOT NULL,
        parent TEXT NOT NULL, private INTEGER NOT NULL, "time" INTEGER NOT NULL)""",
    "cosignatures": """(
        battle TEXT NOT NULL, size INTEGER NOT NULL, name TEXT NOT NULL, root BLOB NOT NULL, line TEXT NOT NULL,
        vkey TEXT NOT NULL,
        PRIMARY KEY (battle, size, name)) WITHOUT ROWID""",
    "published": """(
        place INTEGER NOT NULL PRIMARY KEY, battle TEXT NOT NULL, size INTEGER NOT NULL,
        data BLOB NOT NULL, hash BLOB NOT NULL UNIQUE)""",
    "names": """(
        battle TEXT NOT NULL, seat TEXT NOT NULL, salt BLOB NOT NULL, name TEXT NOT NULL,
        PRIMARY KEY (battle, seat)) WITHOUT ROWID""",
    "tracking": """(
        name TEXT NOT NULL PRIMARY KEY, version INTEGER NOT NULL, generation INTEGER NOT NULL,
        position INTEGER NOT NULL) WITHOUT ROWID""",
    "side_totals": """(
        battle TEXT NOT NULL, side TEXT NOT NULL, generation INTEGER NOT NULL, seq INTEGER NOT NULL,
        name TEXT NOT NULL, result TEXT NOT NULL, figs INTEGER NOT NULL, figs_lost INTEGER NOT NULL,
        wounds INTEGER NOT NULL, shots INTEGER NOT NULL, blows INTEGER NOT NULL, hits INTEGER NOT NULL,
        criticals INTEGER NOT NULL, jams INTEGER NOT NULL, pins INTEGER NOT NULL, downs INTEGER NOT NULL,
        kills INTEGER NOT NULL, objects INTEGER NOT NULL, friendly_fire INTEGER NOT NULL,
        PRIMARY KEY (battle, side)) WITHOUT ROWID""",
    "weapon_totals": """(
        battle TEXT NOT NULL, weapon TEXT NOT NULL, generation INTEGER NOT NULL, seq INTEGER NOT NULL,
        shots INTEGER NOT NULL, blows INTEGER NOT NULL, hits INTEGER NOT NULL, criticals INTEGER NOT NULL,
        jams INTEGER NOT NULL, downs INTEGER NOT NULL, kills INTEGER NOT NULL, objects INTEGER NOT NULL,
        friendly_fire INTEGER NOT NULL,
        PRIMARY KEY (battle, weapon)) WITHOUT ROWID""",
    "set_aside": """(
        battle TEXT NOT NULL PRIMARY KEY, place INTEGER NOT NULL, seq INTEGER NOT NULL,
        reason TEXT NOT NULL) WITHOUT ROWID""",
}
INDEXES: Final = {
    "published_battle": "published (battle, size)",
    "branches_parent": 'branches (parent, "at")',
    "summaries_event": 'summaries (event, "round")',
    "summaries_round": 'summaries ("round")',
    "summaries_status": "summaries (status)",
}

STATEMENTS: Final = (
    *(f"CREATE TABLE IF NOT EXISTS {name} {columns}" for name, columns in TABLES.items()),
    *(f"CREATE INDEX IF NOT EXISTS {name} ON {columns}" for name, columns in INDEXES.items()),
    f"REPLACE INTO meta VALUES ('schema', {VERSION})",  # noqa: S608 - a constant
)
"""Run in one transaction, these make whatever tables a file has not."""


def complete(db: sqlite3.Connection, name: str) -> bool:
    """Whether nothing is missing. Refuses a database of something else, and one that is newer than this code."""
    present = {found for (found,) in db.execute("SELECT name FROM sqlite_master")}
    if not present:
        return False
    if "meta" not in present:
        raise StoreUnavailable(f"{name} is a database of something else: it has no table 'meta'")
    found = version(db)
    if not 0 < found <= VERSION:
        raise StoreUnavailable(
            f"{name} has version {found or 'none'} of the tables, this program knows version {VERSION}: "
            "use a newer battlelog"
        )
    return found == VERSION and present.issuperset(TABLES.keys() | INDEXES.keys())


def version(db: sqlite3.Connection) -> int:
    """The version of the tables, 0 where there are none or it is no number."""
    if not db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'meta'").fetchone()[0]:
        return 0
    found = db.execute("SELECT max(value) FROM meta WHERE name = 'schema'").fetchone()[0]
    return int(found) if isinstance(found, int | float) else 0
