"""A door in front of services, small enough to read: each connection goes to one that said that it is ready.

It tries nothing again: whoever is led to a service that is not there any more has lost a request.
"""

import contextlib
import select
import socket
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Event, Thread

from deploy.playing import FAILED, Place, asked

LOOK = 0.1
"""Seconds between two looks at who is ready."""


class Door(ThreadingTCPServer):
    request_queue_size = 100
    daemon_threads = True

    def __init__(self, places: list[Place]) -> None:
        super().__init__(("127.0.0.1", 0), Led)
        self.places = places
        self.ready: list[Place] = []
        self.turn = count()
        self.over = Event()

    def watch(self) -> None:
        while not self.over.wait(LOOK):
            self.ready = [place for place in self.places if says_yes(place)]


class Led(BaseRequestHandler):
    """One connection, led to a service until either end hangs up."""

    server: Door
    request: socket.socket

    def handle(self) -> None:
        ready = self.server.ready
        if not ready:
            return
        with (
            contextlib.suppress(OSError),
            socket.create_connection(ready[next(self.server.turn) % len(ready)]) as there,
        ):
            other = {self.request: there, there: self.request}
            while not self.server.over.is_set():
                for end in select.select(list(other), [], [], 1)[0]:
                    piece = end.recv(65_536)
                    if not piece:
                        return
                    other[end].sendall(piece)


def says_yes(place: Place) -> bool:
    try:
        return asked(place, "GET", "/readyz")[0] == 200
    except FAILED:
        return False


@contextlib.contextmanager
def small_door(places: list[Place], _folder: Path) -> Iterator[Place]:
    with Door(places) as door:
        door.ready = list(places)
        threads = [Thread(target=door.watch), Thread(target=door.serve_forever, args=(LOOK,))]
        for thread in threads:
            thread.start()
        try:
            yield "127.0.0.1", door.server_address[1]
        finally:
            door.over.set()
            door.shutdown()
            for thread in threads:
                thread.join(10)
