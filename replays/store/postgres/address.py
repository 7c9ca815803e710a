"""One PostgreSQL database. Law: it is reached the same careful way each time, or refused in words.

Nothing here is left to how the server was set up: isolation, encoding, how long a lock is waited for, and how soon a
line that was cut is noticed. How durable a commit is (`synchronous_commit`) is the server's word.
"""

import logging
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Final, TypeVar

import psycopg
from psycopg import Connection, ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import TupleRow
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper

from replays.store.places import shown
from replays.store.postgres.words import said
from replays.store.refusals import StoreUnavailable

_LINE: Final = {
    "client_encoding": "UTF8",
    "fallback_application_name": "battlelog",
    # A server that is cut off says nothing: after some ten seconds its silence counts as an end.
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
"""What holds unless the address says otherwise."""

_MAKING: Final = 600.0
"""Seconds that the tables may take to be made or raised."""

# It tells of every line that broke; whoever serves has another way of saying so.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


T = TypeVar("T")


class Line(Connection[TupleRow]):
    """A connection that knows when it was last used, and is closed when nothing comes over it for long.

    The system notices only where nobody is there; a server, or a proxy before it, may be there and stand still.
    """

    used: float = 0
    silence: float = 10

    def wait(self, gen: Generator[Any, Any, T], *more: Any, **named: Any) -> T:
        """What the driver calls to have something sent and answered."""
        return super().wait(self._listening(gen), *more, **named)

    def _listening(self, gen: Generator[Any, Any, T]) -> Generator[Any, Any, T]:
        heard = monotonic()
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if ready:
                    heard = monotonic()
                elif monotonic() - heard > self.silence:
                    self.close()
                    raise psycopg.OperationalError(f"the server has said nothing for {self.silence:g} seconds")
                wanted = gen.send(ready)
        except StopIteration as done:
            answer: T = done.value
            return answer


class Address:
    """Where the database is, and how a connection to it is made."""

    def __init__(self, database: str, patience: int) -> None:
        self.name = shown(database)
        self.patience = patience
        self.silence = 2.0 * max(patience, 1)
        try:
            told = conninfo_to_dict(database)
        except ProgrammingError:
            # What libpq says about an address quotes it, and there may be a password in it.
            why = "it is no address of the form postgresql://user@host:port/name, with what is special in it as %40"
            raise StoreUnavailable(f"{self.name}: {why}") from None
        self.settings: dict[str, Any] = {**_LINE, "connect_timeout": str(max(patience, 2)), **told}

    def connect(self) -> Line:
        """A line of one's own, outside of any pool."""
        try:
            line = Line.connect(**self.settings, autocommit=True)
        except psycopg.Error as error:
            raise said(self.name, error, lost=False) from None
        try:
            self.prepare(line)
        except psycopg.Error as error:
            line.close()
            raise said(self.name, error, lost=False) from None
        return line

    @contextmanager
    def line(self) -> Iterator[Line]:
        """The same for a while; what goes wrong on it is said in words."""
        with self.connect() as line:
            line.silence = _MAKING
            try:
                yield line
            except psycopg.Error as error:
                raise said(self.name, error, lost=False) from None

    def prepare(self, line: Line) -> None:
        """Make a new line one of ours."""
        line.silence = self.silence
        # Whatever its size, a number is sent in one form, or each size would have a plan of its own.
        line.adapters.register_dumper(int, Int8Dumper)
        line.adapters.register_dumper(int, Int8BinaryDumper)
        # Who has waited for the lock is to see what was written meanwhile.
        line.execute(
            "SELECT set_config('default_transaction_isolation', 'read committed', false),"
            " set_config('lock_timeout', %s, false)",
            [f"{max(self.patience * 1000, 1)}ms"],
        )
