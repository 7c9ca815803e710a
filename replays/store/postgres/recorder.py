"""The recorder on PostgreSQL. Law: an answer says what is stored, also when the line broke while it was written.

It is an eventsourcing recorder like any other, chosen by configuration, and writes what the one on SQLite writes. Where
a line breaks, the same append is sent again: the key or the head tells whether the first one had landed.
"""

from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import Any, Final

import psycopg
from eventsourcing.persistence import IntegrityError, StoredEvent

from replays.audit.merkle import Frontier
from replays.store.ports import Statement, Tree
from replays.store.postgres import schema
from replays.store.postgres.address import Address, Line
from replays.store.postgres.appending import APPEND
from replays.store.postgres.calls import Value, columns_of, need_stored, translated, values_of, written
from replays.store.postgres.hearing import Hearing
from replays.store.postgres.library import LibraryRecorder
from replays.store.postgres.server import Found, Server
from replays.store.postgres.words import Lost, first_line
from replays.store.refusals import Conflict, Damaged, OutcomeUnknown, StoreUnavailable
from replays.store.rows import NOTHING, Beside, KeyRow, Sealed

_MARK: Final = """SELECT pid || '.' || extract(epoch FROM backend_start) FROM pg_stat_activity
    WHERE pid = pg_backend_pid()"""
_WRITABLE: Final = "SELECT NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off'"
_GLANCE: Final = 1.0
"""Seconds that a look may take at whether the server is there."""
_REWRITING: Final = 600.0
"""Seconds that it may take to write the table of names anew."""
_ENTRIES: Final = """SELECT originator_version, topic, state FROM stored_events
    WHERE originator_id = %s AND originator_version >= %s ORDER BY originator_version LIMIT %s"""
_KEY: Final = 'SELECT * FROM keys WHERE scope = %s AND seat = %s AND "key" = %s'
_TIP: Final = "SELECT seq, hash FROM leaves WHERE battle = ? ORDER BY seq DESC LIMIT 1"
_LEAVES: Final = "SELECT hash FROM leaves WHERE battle = ? AND seq > ? AND seq <= ? ORDER BY seq"
_TREE: Final = "SELECT frontier FROM heads WHERE battle = ?"
_UNKNOWN: Final = "whether it was stored is not known: ask again, with the same key"


class BattleRecorder(LibraryRecorder):
    """Entries and the rows beside them, in one PostgreSQL database."""

    place = "notification_id"

    def __init__(self, address: Address) -> None:
        # A line of its own, since a pool does not say why it gets none.
        with address.line() as line:
            schema.complete(line, address.name)
            self._mark = str(line.execute(_MARK).fetchall()[0][0])
        self.server = Server(address)
        self.server.open()
        self.hearing = Hearing(address.connect, self._mark)
        self._polled = 0.0
        self._open = True

    def append(self, battle: str, entries: Sequence[Sealed], beside: Beside, tree: Tree | None = None) -> None:  # noqa: ARG002 - the server hashes
        """Store `entries` and what stands `beside` them, durably, in one transaction; or raise and store nothing."""
        values = values_of(battle, entries)
        try:
            try:
                outcome, last, _ = self._append(battle, values, beside)
            except Lost:
                outcome, last = self._settled(battle, values, beside)
        except psycopg.errors.UniqueViolation as error:
            raise Conflict(f"battle {battle}: a row beside the log is stored already ({first_line(error)})") from None
        except (psycopg.IntegrityError, psycopg.DataError) as error:
            raise ValueError(f"battle {battle}: a row cannot be stored ({first_line(error)})") from None
        need_stored(outcome, last or 0, battle, entries, beside)

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """The library's way in; versions may have gaps."""
        values = [(str(e.originator_id), e.originator_version, e.topic, e.state) for e in stored_events]
        try:
            return self._append(None, values, NOTHING)[2] or []
        except psycopg.IntegrityError as error:
            raise IntegrityError(first_line(error)) from None

    def tip(self, battle: str) -> tuple[int, bytes]:
        """Seq and leaf hash of the last entry of its own."""
        found = self.rows(_TIP, (battle,))
        return (int(found[0][0]), bytes(found[0][1])) if found else (0, b"")

    def leaves(self, battle: str, after: int, upto: int) -> list[bytes]:
        """The leaf hashes of its own entries with `after` < seq <= `upto`."""
        return [leaf for (leaf,) in self.rows(_LEAVES, (battle, after, upto))]

    def tree(self, battle: str) -> Frontier:
        """The tree of all its entries."""
        found = self.rows(_TREE, (battle,))
        try:
            return Frontier.from_bytes(found[0][0]) if found else Frontier()
        except ValueError as fault:
            raise Damaged(battle, 0, f"its tree is none ({fault})") from fault

    def rows(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """What a SELECT finds."""
        # No text in here holds a NUL, so that nothing is found under one.
        if any(isinstance(value, str) and "\0" in value for value in values):
            return []
        return self.server.read(translated(statement), values)

    def few(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """The same: here no line knows more than another."""
        return self.rows(statement, values)

    def execute(self, statement: str, values: Sequence[object]) -> None:
        """One statement that writes, in a transaction of its own; each of them may be said twice."""
        try:
            self.server.again(lambda: self.server.write_alone(self._mark, translated(statement), values))
        except psycopg.IntegrityError as error:
            raise IntegrityError(first_line(error)) from None
        except Lost as error:
            raise OutcomeUnknown(str(error)) from None

    def together(self, first: Statement, rest: Sequence[Statement]) -> bool:
        """All of these in one transaction if `first` changes just one row, which is told; otherwise nothing."""
        return self.server.together(
            (translated(first.text), first.values), [(translated(more.text), more.values) for more in rest]
        )

    def settle(self) -> None:
        """Write the table of names anew, without what was erased."""
        with self.server.line() as line, suppress(psycopg.errors.LockNotAvailable):
            line.silence = _REWRITING
            line.execute("VACUUM (FULL) names")

    def changes(self) -> int:
        """A number that moves when somebody else wrote to the database."""
        self._need_open()
        self.hearing.begin()
        if not self.hearing.listens.is_set() and monotonic() - self._polled > 1:
            self.max_notification_id()  # which raises where there is nobody to ask
            self._polled = monotonic()
            self.hearing.count()
        return self.hearing.news

    def trouble(self) -> str:
        """Why the database cannot be read and written; empty if it can."""
        try:
            if not self._open:
                return "the store is closed"
            return "" if self.server.read(_WRITABLE, (), _GLANCE)[0][0] else "the database only lets itself be read"
        except StoreUnavailable:
            return "the database cannot be reached"

    def close(self) -> None:
        """Close every line."""
        if self._open:
            self._open = False
            self.hearing.close()
            self.server.close()

    def _append(
        self, battle: str | None, values: Sequence[Value], beside: Beside
    ) -> tuple[str, int | None, list[int] | None]:
        sent = (battle, *columns_of(values), written(beside), self._mark)

        def work(line: Line) -> Found:
            return line.execute(APPEND, sent, prepare=True)

        outcome, last, numbers = self.server.write(work).fetchall()[0]
        return outcome, last, numbers

    def _settled(self, battle: str, values: Sequence[Value], beside: Beside) -> tuple[str, int | None]:
        """What came of an append whose answer was lost: it is sent again, which finds the first one if it landed."""
        try:
            outcome, last, _ = self.server.again(lambda: self._append(battle, values, beside))
            # With a key, only the key tells: another request may have had the very same entries in mind.
            told = outcome == "taken" or (outcome != "stored" and beside.key is None)
            if told and self._stands(battle, values, beside.key):
                outcome = "stored"
        except StoreUnavailable as error:
            raise OutcomeUnknown(f"{error}; {_UNKNOWN}") from None
        return outcome, last

    def _stands(self, battle: str, values: Sequence[Value], key: KeyRow | None) -> bool:
        """Whether just these entries are stored, under this key."""
        if not values:
            return False
        found = self.server.read(_ENTRIES, (battle, values[0][1], len(values)))
        keys = self.server.read(_KEY, (key.scope, key.seat, key.key)) if key is not None else []
        return found == [row[1:] for row in values] and [KeyRow(*row) for row in keys] == [*filter(None, [key])]

    def _need_open(self) -> None:
        if not self._open:
            raise StoreUnavailable(f"{self.server.name}: the store is closed")
