"""The store as the other rooms see it. Law: which database keeps the log is said once, in `Store.open`.

A branch keeps only its own entries. Its past is read from its parent, up to the entry it started at, and so on down to
the first battle; nothing is copied. What is written here is plain SQL, with `?` for a value.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, Final, Self, cast

import msgspec
from msgspec.structs import astuple

from replays.audit.merkle import Frontier
from replays.store.ledger import Ledger
from replays.store.places import MEMORY, on_postgres, shown
from replays.store.ports import Recorder
from replays.store.refusals import Damaged, StoreUnavailable
from replays.store.rows import NOTHING, Beside, BranchRow, KeyRow, Sealed, SeatRow, SecretKind, Summary
from replays.store.totals import Totals

PATIENCE: Final = 5
"""Seconds that a writer waits for another program that holds the database."""

_MOST: Final = 2**63 - 1
"""More than any seq or limit."""

_HEAD: Final = "SELECT max(originator_version) FROM stored_events WHERE originator_id = ?"
_ENTRIES: Final = """SELECT originator_version, topic, state FROM stored_events
    WHERE originator_id = ? AND originator_version > ? AND originator_version <= ?
    ORDER BY originator_version LIMIT ?"""
_REPLACE_SEAT: Final = """INSERT INTO seats (battle, seat, digest) VALUES (?, ?, ?)
    ON CONFLICT (battle, seat) DO UPDATE SET digest = excluded.digest"""

_SUMMARY: Final = Summary.__struct_fields__
_MEND: Final = f"""INSERT INTO summaries ({", ".join(f'"{name}"' for name in _SUMMARY)})
    VALUES ({", ".join("?" * len(_SUMMARY))}) ON CONFLICT (battle) DO UPDATE SET
    {", ".join(f'"{name}" = excluded."{name}"' for name in _SUMMARY)} WHERE summaries.head <= excluded.head"""  # noqa: S608 - constants


class Store:
    """The log of every battle, and the rows beside it. Any thread may call anything at any time."""

    def __init__(self, recorder: Recorder, close: Callable[[], None]) -> None:
        self._recorder = recorder
        self._close = close
        self.ledger = Ledger(recorder)
        self.totals = Totals(recorder)

    @classmethod
    def open(cls, database: str, *, patience: int = PATIENCE) -> Self:
        """Open the store in a file, which is made where there is none, in memory (`:memory:`), or on PostgreSQL.

        That is `postgresql://user@host/name`. A writer waits `patience` seconds for another program that holds the
        database, and whoever asks as long for a server that is away. Raises `StoreUnavailable`.
        """
        # Importing the library costs 30 ms and changes `dataclasses`; whoever opens no store is spared both.
        from eventsourcing.persistence import InfrastructureFactory  # noqa: PLC0415

        factory: InfrastructureFactory = InfrastructureFactory.construct(_settings(database, patience))
        try:
            return cls(cast("Recorder", factory.application_recorder()), factory.close)
        except BaseException:
            factory.close()
            raise

    @staticmethod
    def older(database: str) -> int:
        """The version of the tables of a file that `open` would raise to this program's; 0 if it would not."""
        from replays.store.database import older  # noqa: PLC0415 - as in `open`

        return 0 if on_postgres(database) or database == MEMORY else older(database)

    def close(self) -> None:
        """Close the store; whatever is asked of it afterwards raises `StoreUnavailable`."""
        self._close()

    def append(
        self,
        battle: str,
        entries: Sequence[Sealed],
        beside: Beside = NOTHING,
        tree: Callable[[], Frontier] | None = None,
    ) -> Frontier | None:
        """Store `entries` at the end of `battle`, and what stands `beside` them: one transaction, durable on return.

        The seqs of `entries` follow on the head without a gap; those of a new branch, which `beside.branch` declares,
        follow on the entry of the parent that it starts at. `tree` tells the tree that whoever appends has them follow
        on: where another one is kept, it is another past. Gives the tree after them, if it is hashed here. Raises
        `KeyTaken`, `Conflict`, `Damaged` or `StoreUnavailable`, and has then written nothing.
        """
        if beside.branch is not None and (not entries or beside.branch.battle != battle):
            raise ValueError("a branch begins with an entry of its own, and under its own id")
        return self._recorder.append(battle, entries, beside, tree)

    def head(self, battle: str) -> int:
        """Seq of the last entry, 0 for a battle that nobody knows."""
        found = self._recorder.few(_HEAD, (battle,))[0][0] or 0
        if not isinstance(found, int):
            raise Damaged(battle, 0, "an entry has a number that is none")
        return found

    def tip(self, battle: str) -> tuple[int, bytes]:
        """Seq and leaf hash of the last entry of its own, 0 and nothing for a battle that nobody knows."""
        return self._recorder.tip(battle)

    def exists(self, battle: str) -> bool:
        """Whether the battle has any entry."""
        return self.head(battle) > 0

    def read(self, battle: str, after: int = 0, upto: int | None = None, limit: int | None = None) -> list[Sealed]:
        """Entries with `after` < seq <= `upto`, in order, at most `limit`: the bytes that were stored.

        Those that a branch inherits are among them.
        """
        most = _MOST if limit is None else limit
        entries: list[Sealed] = []
        for stream, low, high in self._spans(battle, after, _MOST if upto is None else upto):
            if len(entries) >= most:
                break
            found = self._recorder.rows(_ENTRIES, (stream, low, high, most - len(entries)))
            entries += [Sealed(seq, name, v, data) for seq, topic, data in found for name, v in (_wire_name(topic),)]
        return entries

    def frontier(self, battle: str) -> Frontier:
        """The Merkle tree of the battle's entries as of now: size and root; the empty one if nobody knows it."""
        return self._recorder.tree(battle)

    def leaf_hashes(self, battle: str, upto: int | None = None, after: int = 0) -> list[bytes]:
        """The leaf hashes of entries `after`+1 to `upto` (the head), those that a branch inherits among them."""
        spans = self._spans(battle, after, _MOST if upto is None else upto)
        return [leaf for span in spans for leaf in self._recorder.leaves(*span)]

    def branch_of(self, battle: str) -> BranchRow | None:
        """Where `battle` branched off, None for one that began at its first entry."""
        found = self._recorder.few("SELECT * FROM branches WHERE battle = ?", (battle,))
        return BranchRow(*found[0]) if found else None

    def branches(self, battle: str) -> list[BranchRow]:
        """The branches that start in `battle` itself, by where they start."""
        found = self._recorder.rows('SELECT * FROM branches WHERE parent = ? ORDER BY "at", battle', (battle,))
        return [BranchRow(*row) for row in found]

    def key(self, scope: str, seat: str, key: str) -> KeyRow | None:
        """The answer that an idempotency key stands for."""
        found = self._recorder.few('SELECT * FROM keys WHERE scope = ? AND seat = ? AND "key" = ?', (scope, seat, key))
        return KeyRow(*found[0]) if found else None

    def seat_digests(self, battle: str) -> dict[str, bytes]:
        """The hash of each seat's secret."""
        return dict(self._recorder.few("SELECT seat, digest FROM seats WHERE battle = ?", (battle,)))

    def replace_seat(self, row: SeatRow) -> None:
        """Give a seat a new secret; the old one opens nothing from now on."""
        self._recorder.execute(_REPLACE_SEAT, (row.battle, row.seat, row.digest))

    def secret(self, battle: str, kind: SecretKind, epoch: int) -> bytes | None:
        """A dice seed."""
        statement = "SELECT secret FROM secrets WHERE battle = ? AND kind = ? AND epoch = ?"
        found = self._recorder.few(statement, (battle, kind, epoch))
        return bytes(found[0][0]) if found else None

    def forget_secrets(self) -> list[str]:
        """Throw all dice seeds away, and tell whose: no die that they would have given ever falls."""
        found = self._recorder.rows("SELECT DISTINCT battle FROM secrets ORDER BY battle", ())
        self._recorder.execute("DELETE FROM secrets", ())
        return [battle for (battle,) in found]

    def summaries(
        self,
        after: int,
        limit: int,
        event: str | None = None,
        round: str | None = None,  # noqa: A002 - the word of the contract
        status: str | None = None,
    ) -> list[tuple[int, Summary]]:
        """Battles in the order in which they began, each with its place: ask again `after` the last one for more."""
        filters = {"event": event, '"round"': round, "status": status}
        wanted = {name: value for name, value in filters.items() if value is not None}
        where = "".join(f" AND {name} = ?" for name in wanted)
        statement = "SELECT * FROM summaries WHERE id > ?" + where + " ORDER BY id LIMIT ?"  # noqa: S608 - only our own words
        found = self._recorder.rows(statement, (after, *wanted.values(), max(limit, 0)))
        return [(place, _summary(row)) for place, *row in found]

    def summary(self, battle: str) -> Summary | None:
        """One battle as the desk lists it."""
        found = self._recorder.rows("SELECT * FROM summaries WHERE battle = ?", (battle,))
        return _summary(found[0][1:]) if found else None

    def mend_summary(self, row: Summary) -> None:
        """Put what the log says in the place of a battle's row, unless that tells of a later entry."""
        self._recorder.execute(_MEND, astuple(row))

    def changes(self) -> int:
        """A number that moves when another process, or another store, wrote to the database; own writes do not move it.

        On PostgreSQL it may take a moment, and moves without a write when a line to the server was lost.
        """
        return self._recorder.changes()

    def ready(self) -> bool:
        """Whether the database is still there and can be read and written; cheap."""
        return not self.trouble()

    def trouble(self) -> str:
        """Why it cannot be read and written, in words that tell nobody where it is; empty if it can. Cheap, too."""
        return self._recorder.trouble()

    def _spans(self, battle: str, after: int, upto: int) -> list[tuple[str, int, int]]:
        # From the battle down to its first ancestor that is asked for; then turned round, oldest first.
        spans: list[tuple[str, int, int]] = []
        seen: set[str] = set()
        while battle not in seen:
            seen.add(battle)
            branch = self.branch_of(battle)
            start = branch.at if branch else 0
            spans.append((battle, after, upto))
            if branch is None or after >= start:
                return spans[::-1]
            battle, upto = branch.parent, min(upto, start)
        raise Damaged(battle, 0, "it parts from itself")


def _settings(database: str, patience: int) -> dict[str, str]:
    # Everything the library is to know: it reads `os.environ` by itself where it is not told.
    if on_postgres(database):
        if find_spec("psycopg") is None or find_spec("psycopg_pool") is None:
            raise StoreUnavailable(
                f"{shown(database)}: PostgreSQL needs the extra `postgres` (pip install '.[postgres]')"
            )
        return {
            "PERSISTENCE_MODULE": "replays.store.postgres.factory:BattleFactory",
            "POSTGRES_DBNAME": database,
            "POSTGRES_LOCK_TIMEOUT": str(patience),
            "ORIGINATOR_ID_TYPE": "text",
        }
    if "://" in database:
        raise StoreUnavailable(f"{shown(database)}: only a file, :memory: or postgresql://... can hold the store")
    return {
        "PERSISTENCE_MODULE": "replays.store.recorder:BattleFactory",
        "SQLITE_DBNAME": database,
        "SQLITE_LOCK_TIMEOUT": str(patience),
        "ORIGINATOR_ID_TYPE": "text",
    }


@lru_cache(maxsize=1024)
def _wire_name(topic: str) -> tuple[str, int]:
    name, _, version = str(topic).rpartition("/")
    return name, int(version) if version.isdecimal() else 0


def _summary(row: Sequence[Any]) -> Summary:
    # Not strict: the database has 0 and 1 for no and yes.
    return msgspec.convert(dict(zip(Summary.__struct_fields__, row, strict=True)), Summary, strict=False)
