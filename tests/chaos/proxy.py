"""A proxy before a PostgreSQL server, on TCP. Law: what it lets through is what was sent, in order; the rest it loses.

It can be slow, stand still, or hang up: at once, in the middle of an answer, or after an append was sent and before
its answer came back.
"""

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import parse_qs, urlsplit

import pytest

ROWS = b"HitRolled"
"""What only an append of the store's tests sends."""

DECLARED = b"ActionDeclared"
"""What only an action sends."""


class Proxy:
    """Passes bytes on between programs and the server."""

    def __init__(self, server: str) -> None:
        self.delay = 0.0
        self.flowing = threading.Event()
        self.flowing.set()
        self.cuts = 0
        self._server = server
        self._lose_answer = False
        self._cut_within: int | None = None
        self._ends: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self._begin(self._let_in)

    def lose_answer(self) -> None:
        """Pass the next append on, and hang up before its answer."""
        self._lose_answer = True

    def cut_within(self, length: int) -> None:
        """Hang up within the next answer that is longer than so many bytes, after just these."""
        self._cut_within = length

    def hang_up(self) -> None:
        """Cut every line."""
        with self._lock:
            self.cuts += 1
            for end in self._ends:
                _hang_up(end)

    def close(self) -> None:
        """Let nobody in any more, and cut every line."""
        self.flowing.set()
        _hang_up(self._door)
        self.hang_up()
        for thread in self._threads:
            thread.join(5)
        for end in (self._door, *self._ends):
            end.close()

    def _begin(self, work: Callable[..., None], *told: object) -> None:
        self._threads.append(threading.Thread(target=work, args=told, daemon=True))
        self._threads[-1].start()

    def _let_in(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._door.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._server)
                with self._lock:
                    self._ends |= {client, server}
                losing = threading.Event()
                for source, target, asks in ((client, server, True), (server, client, False)):
                    self._begin(self._pass_on, source, target, losing, asks)

    def _pass_on(self, source: socket.socket, target: socket.socket, losing: threading.Event, asks: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65_536):
                self.flowing.wait()
                time.sleep(self.delay)
                if asks and self._lose_answer and (ROWS in data or DECLARED in data):
                    self._lose_answer = False
                    losing.set()
                if not asks and losing.is_set():
                    self.cuts += 1
                    break
                within = self._cut_within
                if not asks and within is not None and len(data) > within:
                    self._cut_within = None
                    self.cuts += 1
                    target.sendall(data[:within])
                    break
                target.sendall(data)
        _hang_up(source)
        _hang_up(target)


def _hang_up(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


@contextmanager
def proxied(address: str) -> Iterator[tuple[Proxy, str]]:
    """A proxy before the server of a database, and the address of the database through it."""
    parts = urlsplit(address)
    (folder,) = parse_qs(parts.query).get("host", [""])
    if not folder.startswith("/"):
        pytest.skip("PostgreSQL: the proxy leads to a Unix socket only")
    proxy = Proxy(f"{folder}/.s.PGSQL.5432")
    try:
        yield proxy, f"postgresql://{parts.username}@127.0.0.1:{proxy.port}{parts.path}"
    finally:
        proxy.close()
