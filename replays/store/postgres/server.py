"""Who writes and who reads on PostgreSQL. Law: a line that broke is never used again, and each loss is told as one.

A pool keeps some lines open; one that has lain idle is tried before it is used. Writers in this process queue up as
they do on SQLite: whoever finds nobody writing writes for all who wait, in one transaction and one round trip.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic, sleep
from typing import Any, Final, TypeVar

import psycopg
from psycopg import Cursor
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool

from replays.store.postgres import appending
from replays.store.postgres.address import Address, Line
from replays.store.postgres.words import GONE, Lost, said, theirs
from replays.store.refusals import StoreUnavailable
from replays.store.turns import Turn, Turns

T = TypeVar("T")
Found = Cursor[TupleRow]
"""What a statement found; in a pipeline it is there once the pipeline is over."""

_MOST: Final = 12
"""Lines that a process opens, beside the one that listens."""

_FRESH: Final = 1.0
"""Seconds for which a line that worked is believed to work."""

_RECONNECT: Final = 2.0
"""Seconds for which a lost line is tried again before the next who needs one tries; longer, and the pauses grow."""

_LOOK: Final = 2.0
"""Seconds within which a line that has lain idle has to answer."""

_LEAST: Final = 0.25
"""Of a writer's patience, what is left for a line however long it has waited for its turn."""

_PAUSE: Final = 0.05
"""Seconds before what broke is tried again."""


def _try(line: Line) -> None:
    if line.closed or monotonic() - line.used > _FRESH:
        line.silence = _LOOK
        ConnectionPool.check_connection(line)


class Server:
    """The lines of one process to one database."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self.name = address.name
        self.patience = address.patience
        self._turns = Turns(self._commit_all)
        self._pool = ConnectionPool(
            connection_class=Line,
            kwargs={**address.settings, "autocommit": True},
            min_size=1,
            max_size=_MOST,
            open=False,
            configure=address.prepare,
            check=_try,
            timeout=max(address.patience, 1),
            reconnect_timeout=_RECONNECT,
            num_workers=1,
        )

    def open(self) -> None:
        """Begin to keep lines open."""
        self._pool.open()

    def close(self) -> None:
        """Close every line; one in use closes when it is given back."""
        self._pool.close()

    @contextmanager
    def line(self, patience: float | None = None, *, turn: float | None = None) -> Iterator[Line]:
        """A line to the server; what goes wrong on it is said in words, and as `Lost` where it broke.

        `patience` is how long it is waited for, and how silent it may be; `turn` how long it is waited for alone.
        """
        used: Line | None = None
        try:
            with self._pool.connection(timeout=patience if turn is None else turn) as used:
                used.silence = self.address.silence if patience is None else patience
                try:
                    yield used
                except psycopg.Error as error:
                    raise self._said(error, used) from None
                used.used = monotonic()
        except psycopg.Error as error:
            raise self._said(error, used) from None

    def read(self, statement: str, values: Sequence[object], patience: float | None = None) -> list[TupleRow]:
        """What a SELECT finds; it is asked again where the line broke."""

        def work() -> list[TupleRow]:
            with self.line(patience) as line:
                return line.execute(statement, values, prepare=True, binary=True).fetchall()

        return self.again(work, patience)

    def write(self, work: Callable[[Line], T]) -> T:
        """Have one statement carried out, alone or in a transaction with others; durable on return."""
        return self._turns.do(work)

    def write_alone(self, mark: str, statement: str, values: Sequence[object]) -> None:
        """One statement under the writers' lock."""
        with self.line() as line:
            self._pipelined(line, [lambda: self._said_and_done(line, mark, statement, values)])

    def together(self, first: tuple[str, Sequence[object]], rest: Sequence[tuple[str, Sequence[object]]]) -> bool:
        """All of these in one transaction if `first` changes just one row, which is told; otherwise nothing."""
        with self.line() as line:
            try:
                # Under the writers' lock, or it could wait for them in a circle.
                with line.pipeline():
                    line.execute("BEGIN")
                    line.execute(appending.LOCKED)
                    changed = line.execute(*first)
                if changed.rowcount != 1:
                    line.rollback()
                    return False
                with line.pipeline():
                    for statement in rest:
                        line.execute(*statement)
                    line.execute("COMMIT")
            except BaseException:
                if not line.closed:
                    line.rollback()
                raise
        return True

    def again(self, work: Callable[[], T], patience: float | None = None) -> T:
        """Do `work` over as long as the line breaks, once at least, until patience ends."""
        until = monotonic() + (self.patience if patience is None else patience)
        try:
            return work()
        except Lost:
            pass
        while True:
            try:
                return work()
            except Lost:
                if monotonic() > until:
                    raise
                sleep(_PAUSE)
            except StoreUnavailable as error:
                # No line to be had: what came of the first try is still not known.
                raise Lost(str(error)) from None

    @staticmethod
    def _said_and_done(line: Line, mark: str, statement: str, values: Sequence[object]) -> None:
        line.execute(appending.LOCKED)
        line.execute(statement, values)
        line.execute(appending.NOTIFIED, [mark])

    def _commit_all(self, turns: Sequence[Turn[Any]]) -> None:
        with self.line(turn=self._left(turns)) as line:
            if len(turns) == 1:
                turns[0].take(line)
                return
            try:
                self._pipelined(line, [lambda turn=turn: turn.take(line) for turn in turns])  # type: ignore[misc]
            except psycopg.Error as error:
                if line.closed or not theirs(error):
                    raise
                self._take_apart(line, turns)

    def _left(self, turns: Sequence[Turn[Any]]) -> float:
        # Whoever leads now has waited already, for somebody else to get no line: together that is one patience.
        patience = max(self.patience, 1)
        return max(min(turn.since for turn in turns) + patience - monotonic(), patience * _LEAST)

    def _take_apart(self, line: Line, turns: Sequence[Turn[Any]]) -> None:
        # One of them cannot be stored: each alone, so that it harms nobody else's.
        for turn in turns:
            try:
                turn.take(line)
            except psycopg.Error as error:
                turn.error = self._said(error, line)

    @staticmethod
    def _pipelined(line: Line, works: Sequence[Callable[[], object]]) -> None:
        # Sent at once and answered at once: the lock is never held while a line is waited for.
        try:
            with line.pipeline():
                line.execute("BEGIN")
                for work in works:
                    work()
                line.execute("COMMIT")
        except BaseException:
            if not line.closed:
                line.rollback()
            raise

    def _said(self, error: psycopg.Error, line: Line | None) -> Exception:
        if line is not None and (error.sqlstate or "").startswith(GONE):
            line.close()
        return said(self.name, error, lost=line is not None and line.closed)
