"""`python -m bench.followers PORT PATH COUNT`: a crowd that follows a feed, and when each event reached whom.

It says `ready` when all are in, reads how many events there will be, and prints for each event when it came to each
follower, on the monotonic clock, which all processes of a machine share.
"""

import json
import selectors
import socket
import sys
import time

from bench.processes import many_files
from bench.wire import request

WAVE = 100
"""Connections that are opened at once."""
PATIENCE = 60
"""Seconds of silence after which nothing more is waited for."""
END = b"\n\n"


class Follower:
    """One connection, and how many events it has seen."""

    def __init__(self, port: int, asked: bytes) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.socket.sendall(asked)
        self.seen = 0
        self._half = b""

    def greet(self) -> None:
        """Read up to the end of the greeting."""
        data = b""
        while END not in data:
            data += self._read()

    def events(self) -> range:
        """The numbers of the events whose last byte has just come."""
        data = self._half + self._read()
        # The end of an event may come in two pieces.
        self._half = data[-1:] if data.endswith(b"\n") and not data.endswith(END) else b""
        before, self.seen = self.seen, self.seen + data.count(END)
        return range(before, self.seen)

    def _read(self) -> bytes:
        data = self.socket.recv(1 << 16)
        if not data:
            raise ConnectionError("the server sent a follower home")
        return data


def joined(port: int, path: str, many: int) -> list[Follower]:
    """Open the connections, some at a time, and see the greeting on each."""
    asked = request("GET", path, headers="Accept: text/event-stream\r\n")
    crowd: list[Follower] = []
    while len(crowd) < many:
        wave = [Follower(port, asked) for _ in range(min(WAVE, many - len(crowd)))]
        for follower in wave:
            follower.greet()
        crowd += wave
    return crowd


def watched(crowd: list[Follower], events: int) -> list[list[float]]:
    """When each event came to each follower."""
    came: list[list[float]] = [[] for _ in range(events)]
    missing = events * len(crowd)
    with selectors.DefaultSelector() as watch:
        for follower in crowd:
            watch.register(follower.socket, selectors.EVENT_READ, follower)
        while missing:
            some = watch.select(PATIENCE)
            if not some:
                raise TimeoutError(f"{missing} events did not come")
            for key, _ in some:
                seen = key.data.events()
                now = time.monotonic()
                for event in seen:
                    came[event].append(now)
                    missing -= 1
    return came


def main() -> None:
    """Follow, and tell."""
    port, path, many = sys.argv[1:]
    many_files()
    crowd = joined(int(port), path, int(many))
    print("ready", flush=True)
    print(json.dumps(watched(crowd, int(sys.stdin.readline()))), flush=True)


if __name__ == "__main__":
    main()
