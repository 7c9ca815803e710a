"""Hearing of others' writes. Law: what others wrote is news, and so is every moment in which nobody listened.

One line of the process listens, and everybody here is told. When it was lost it is opened anew, and as nobody knows
what was missed, that counts as news. While there is none (a standby does not let anybody listen), each look is news.
"""

import socket
from collections.abc import Callable
from contextlib import suppress
from selectors import EVENT_READ, DefaultSelector
from threading import Event, Lock, Thread
from typing import Final

import psycopg

from replays.store.postgres.address import Line
from replays.store.postgres.appending import CHANNEL
from replays.store.refusals import StoreUnavailable

_SILENCE: Final = 5.0
"""Seconds without a word after which the line is tried."""

_AGAIN: Final = 1.0
"""Seconds between two tries to open it."""


class Hearing:
    """The line that listens, and who is told. `mark` is what this store says of its own writes."""

    def __init__(self, connect: Callable[[], Line], mark: str) -> None:
        self.news = 0
        self.listens = Event()
        self._connect = connect
        self._mark = mark
        self._bells: set[Callable[[], None]] = set()
        self._lock = Lock()
        self._closed = Event()
        self._thread: Thread | None = None
        self._stop, self._stopped = socket.socketpair()

    def begin(self) -> None:
        """Begin to listen, and wait for a moment until that works."""
        with self._lock:
            if self._thread is not None or self._closed.is_set():
                return
            self._thread = Thread(target=self._run, name="battlelog-hearing", daemon=True)
            self._thread.start()
        self.listens.wait(_AGAIN)

    def tell(self, bell: Callable[[], None]) -> None:
        """Ring `bell` whenever something may have been written, by this store too."""
        with self._lock:
            self._bells.add(bell)
        self.begin()
        bell()

    def forget(self, bell: Callable[[], None]) -> None:
        """Ring it no more."""
        with self._lock:
            self._bells.discard(bell)

    def count(self) -> None:
        """Something may have been written by somebody else."""
        with self._lock:
            self.news += 1

    def close(self) -> None:
        """Stop listening."""
        with self._lock:
            self._closed.set()
            thread = self._thread
        with suppress(OSError):
            self._stop.send(b".")
        if thread is not None:
            thread.join(_SILENCE)
        self._stop.close()
        self._stopped.close()

    def _run(self) -> None:
        while not self._closed.is_set():
            with suppress(psycopg.Error, StoreUnavailable, OSError), self._connect() as line:
                self._listen(line)
            self.listens.clear()
            self._ring()
            self._closed.wait(_AGAIN)

    def _listen(self, line: Line) -> None:
        line.execute(f"LISTEN {CHANNEL}")
        # What came before that was not heard.
        self.count()
        self._ring()
        self.listens.set()
        with DefaultSelector() as watched:
            for end in (line, self._stopped):
                watched.register(end, EVENT_READ)
            while not self._closed.is_set():
                if not watched.select(_SILENCE):
                    line.execute("SELECT 1")
                heard = [word.payload for word in line.notifies(timeout=0)]
                if any(word != self._mark for word in heard):
                    self.count()
                if heard:
                    self._ring()

    def _ring(self) -> None:
        with self._lock:
            bells = list(self._bells)
        for bell in bells:
            bell()
