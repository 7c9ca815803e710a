"""The wire: a client that costs next to nothing. Law: one connection, kept alive; bytes out, status and body in."""

import socket
from typing import Self

_END = b"\r\n\r\n"


def request(method: str, path: str, body: bytes = b"", headers: str = "") -> bytes:
    """A request, ready to be sent as often as one likes."""
    length = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
    return f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{length}{headers}\r\n".encode() + body


class Line:
    """A connection to a server on this machine."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._rest = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def ask(self, sent: bytes) -> tuple[int, bytes]:
        """Send a request and read its answer: status and body."""
        self.send(sent)
        return self.read()

    def send(self, sent: bytes) -> None:
        """Send a request; its answer has to be read before the next."""
        self._socket.sendall(sent)

    def read(self) -> tuple[int, bytes]:
        """Read an answer."""
        data = self._rest
        while (end := data.find(_END)) < 0:
            data += self._more()
        head = data[:end]
        until = end + len(_END) + _length(head)
        while len(data) < until:
            data += self._more()
        self._rest = data[until:]
        return int(head[9:12]), data[end + len(_END) : until]

    def _more(self) -> bytes:
        data = self._socket.recv(1 << 16)
        if not data:
            raise ConnectionError("the server has hung up")
        return data


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0
