"""The tables on PostgreSQL, and their version. Law: a database that is newer, or not ours, is left exactly as it is.

They are those of SQLite, column for column, but for the trees: here leaves and frontiers have tables of their own, so
that processes of the version before go on beside this one. Text is compared byte by byte, whatever language the
database was made for. The tables are made in one transaction under the lock that writers take, so that any number of
processes may start at once.
"""

from typing import Final

from replays.store import schema
from replays.store.postgres import appending
from replays.store.postgres.address import Line
from replays.store.refusals import StoreUnavailable

_TEXT: Final = 'text COLLATE "C" NOT NULL'

TABLES: Final = {
    "meta": f"(name {_TEXT} PRIMARY KEY, value bigint NOT NULL)",
    "stored_events": f"""(
        originator_id {_TEXT}, originator_version bigint NOT NULL, topic {_TEXT}, state bytea NOT NULL,
        notification_id bigint NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
        PRIMARY KEY (originator_id, originator_version))""",
    "keys": f"""(
        scope {_TEXT}, seat {_TEXT}, "key" {_TEXT}, digest bytea NOT NULL, battle {_TEXT}, "first" bigint NOT NULL,
        PRIMARY KEY (scope, seat, "key"))""",
    "seats": f"(battle {_TEXT}, seat {_TEXT}, digest bytea NOT NULL, PRIMARY KEY (battle, seat))",
    "secrets": f"""(
        battle {_TEXT}, kind {_TEXT}, epoch bigint NOT NULL, secret bytea NOT NULL,
        PRIMARY KEY (battle, kind, epoch))""",
    "branches": f'(battle {_TEXT} PRIMARY KEY, parent {_TEXT}, "at" bigint NOT NULL)',
    # Two tables in which every append changes a row: with room on its page that touches no index.
    "summaries": f"""(
        id bigint NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        battle {_TEXT} UNIQUE, system {_TEXT}, title {_TEXT}, status {_TEXT},
        turn bigint NOT NULL, phase {_TEXT}, side {_TEXT}, event {_TEXT}, "round" {_TEXT}, "table" {_TEXT},
        head bigint NOT NULL, disputes bigint NOT NULL, undo_pending boolean NOT NULL,
        parent {_TEXT}, private boolean NOT NULL, "time" bigint NOT NULL) WITH (fillfactor = 60)""",
    "heads": f"(battle {_TEXT} PRIMARY KEY, size bigint NOT NULL, frontier bytea NOT NULL) WITH (fillfactor = 60)",
    "leaves": f"(battle {_TEXT}, seq bigint NOT NULL, hash bytea NOT NULL, PRIMARY KEY (battle, seq))",
    "cosignatures": f"""(
        battle {_TEXT}, size bigint NOT NULL, name {_TEXT}, root bytea NOT NULL, line {_TEXT}, vkey {_TEXT},
        PRIMARY KEY (battle, size, name))""",
    "published": f"""(
        place bigint NOT NULL PRIMARY KEY, battle {_TEXT}, size bigint NOT NULL,
        data bytea NOT NULL, hash bytea NOT NULL UNIQUE)""",
    "names": f"(battle {_TEXT}, seat {_TEXT}, salt bytea NOT NULL, name {_TEXT}, PRIMARY KEY (battle, seat))",
    "tracking": f"""(
        name {_TEXT} PRIMARY KEY, version bigint NOT NULL, generation bigint NOT NULL, position bigint NOT NULL)""",
    "side_totals": f"""(
        battle {_TEXT}, side {_TEXT}, generation bigint NOT NULL, seq bigint NOT NULL, name {_TEXT}, result {_TEXT},
        figs bigint NOT NULL, figs_lost bigint NOT NULL, wounds bigint NOT NULL, shots bigint NOT NULL,
        blows bigint NOT NULL, hits bigint NOT NULL, criticals bigint NOT NULL, jams bigint NOT NULL,
        pins bigint NOT NULL, downs bigint NOT NULL, kills bigint NOT NULL, objects bigint NOT NULL,
        friendly_fire bigint NOT NULL, PRIMARY KEY (battle, side))""",
    "weapon_totals": f"""(
        battle {_TEXT}, weapon {_TEXT}, generation bigint NOT NULL, seq bigint NOT NULL, shots bigint NOT NULL,
        blows bigint NOT NULL, hits bigint NOT NULL, criticals bigint NOT NULL, jams bigint NOT NULL,
        downs bigint NOT NULL, kills bigint NOT NULL, objects bigint NOT NULL, friendly_fire bigint NOT NULL,
        PRIMARY KEY (battle, weapon))""",
    "set_aside": f"""(
        battle {_TEXT} PRIMARY KEY, place bigint NOT NULL, seq bigint NOT NULL, reason {_TEXT})""",
}

STATEMENTS: Final = (
    *(f"CREATE TABLE IF NOT EXISTS {name} {columns}" for name, columns in TABLES.items()),
    *(f"CREATE INDEX IF NOT EXISTS {name} ON {columns}" for name, columns in schema.INDEXES.items()),
    *appending.FUNCTIONS,
    f"INSERT INTO meta VALUES ('schema', {appending.VERSION}) ON CONFLICT (name) DO UPDATE SET value = excluded.value",  # noqa: S608 - a constant
)
"""Run in one transaction, these make whatever a database has not."""

_PRESENT: Final = """SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace
    AND relkind IN ('r', 'p', 'i')
    UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace"""
_FOREIGN: Final = """SELECT 1 FROM pg_class AS c WHERE relnamespace = current_schema()::regnamespace
    AND relkind IN ('r', 'p') AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = c.oid AND deptype = 'e') LIMIT 1"""
"""A table that no extension brought along."""


def complete(line: Line, name: str) -> None:
    """Make what is missing. Refuses a database of something else, and one that is newer than this code."""
    if _complete(line, name):
        return
    with line.transaction():
        line.execute(appending.LOCKED)
        if not _complete(line, name):  # else another process was first
            for statement in STATEMENTS:
                line.execute(statement)


def _complete(line: Line, name: str) -> bool:
    encoding, home = line.execute("SELECT current_setting('server_encoding'), current_schema()").fetchall()[0]
    if encoding != "UTF8":
        raise StoreUnavailable(f"{name} is a database in {encoding}: make one in UTF8")
    if home is None:
        raise StoreUnavailable(f"{name}: the schema that it should use is missing")
    present = {found for (found,) in line.execute(_PRESENT).fetchall()}
    if "meta" not in present:
        if line.execute(_FOREIGN).fetchall():
            raise StoreUnavailable(f"{name} is a database of something else: it has no table 'meta'")
        return False
    version = line.execute("SELECT max(value) FROM meta WHERE name = 'schema'").fetchall()[0][0]
    if version is None or version > appending.VERSION:
        raise StoreUnavailable(
            f"{name} has version {version} of the tables, this program knows version {appending.VERSION}: "
            "use a newer battlelog"
        )
    return version == appending.VERSION and present.issuperset(TABLES.keys() | schema.INDEXES.keys() | appending.NAMES)
