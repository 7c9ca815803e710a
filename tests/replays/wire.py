"""A wire to a PostgreSQL server that can be cut. Law: what it lets through is what was sent."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

SOCKET = ".s.PGSQL.5432"
ROWS = b"HitRolled"
"""What only an append sends."""
Cut = Literal["", "request", "answer"]


class Wire:
    """A relay between two sockets. `cut` says what of the next append is lost: nothing, its request, its answer.

    If it is `down` as well, every line breaks with that one, and no other is let in.
    """

    def __init__(self, folder: Path, server: str) -> None:
        self.cut: Cut = ""
        self.cuts = 0
        self.down = False
        self._server = server
        self._ends: list[socket.socket] = []
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(folder / SOCKET))
        self._door.listen()
        threading.Thread(target=self._let_in, daemon=True).start()

    def _let_in(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._door.accept()
                if self.down:
                    client.close()
                    continue
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._server)
                self._ends += [client, server]
                losing = threading.Event()
                threading.Thread(target=self._ask, args=(client, server, losing), daemon=True).start()
                threading.Thread(target=self._answer, args=(server, client, losing), daemon=True).start()

    def _ask(self, client: socket.socket, server: socket.socket, losing: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(65_536):
                if self.cut and ROWS in data:
                    cut, self.cut = self.cut, ""
                    self.cuts += 1
                    if cut == "request":
                        break
                    losing.set()
                server.sendall(data)
        self._hang_up(client, server)

    def _answer(self, server: socket.socket, client: socket.socket, losing: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65_536):
                if losing.is_set():
                    self.hang_up() if self.down else None
                    break
                client.sendall(data)
        self._hang_up(client, server)

    @staticmethod
    def _hang_up(*ends: socket.socket) -> None:
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def hang_up(self) -> None:
        """Cut every line."""
        self._hang_up(*self._ends)

    def close(self) -> None:
        """Cut every line and let nobody in any more."""
        self._hang_up(self._door)
        self._door.close()
        self.hang_up()
        for end in self._ends:
            end.close()


@contextmanager
def wired(folder: Path, address: str) -> Iterator[tuple[Wire, str]]:
    """A wire to the server at `address`, and the address at its other end."""
    before, _, host = address.partition("?host=")
    wire = Wire(folder, f"{host}/{SOCKET}")
    try:
        yield wire, f"{before}?host={folder}"
    finally:
        wire.close()
