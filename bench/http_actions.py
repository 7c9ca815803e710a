"""HTTP actions: decided, appended and answered, beside the same app where it only validates and commits.

A real server on a real socket with a file database; the client keeps its connections and sends ready-made bytes.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter

from bench.acting_server import BARE, to_file
from bench.battles import Acted, acted, opening
from bench.processes import free_port, ready, started
from bench.rows import Row, at_least, in_turn, row
from bench.sizes import Run
from bench.wire import Line, request

TOGETHER = 8
"""Clients at once in the second row."""


class Client:
    """Sends a script of actions over a connection of its own: to a battle that it has opened, or to the bare route."""

    def __init__(self, line: Line, script: Sequence[Acted]) -> None:
        status, answer = line.ask(request("POST", "/v1/battles", json.dumps(opening()).encode()))
        assert status == 201, answer
        opened = json.loads(answer)
        seat = f"Authorization: Bearer {opened['seats']['referee']}\r\n"
        bodies = [json.dumps(one.asked).encode() for one in script]
        path = f"/v1/battles/{opened['id']}/actions"
        self.line = line
        self._acts = iter([request("POST", path, body, seat) for body in bodies])
        self._bare = iter([request("POST", BARE, body, seat) for body in bodies])

    def next(self, *, bare: bool) -> bytes:
        """The next request."""
        return next(self._bare if bare else self._acts)


def rate(clients: Sequence[Client], times: int, *, bare: bool) -> float:
    """Actions a second that were written; other dice may have taken a weapon away, and then one is refused."""
    written = 0
    began = perf_counter()
    for _ in range(times):
        for client in clients:
            client.line.send(client.next(bare=bare))
        for client in clients:
            status, answer = client.line.read()
            assert status in (201, 422, 409), answer
            written += status == 201
    return written / (perf_counter() - began)


def rows(run: Run) -> Iterator[Row]:
    """Requests a second."""
    sizes, port = run.sizes, free_port()
    script = acted(sizes.appends * (sizes.rounds + 1))
    kept = Path(run.file("script.json"))
    to_file(script, kept)
    with ExitStack() as stack:
        process = stack.enter_context(started("-m", "bench.acting_server", run.file("http.db"), str(kept), str(port)))
        ready(process, port)
        clients = [Client(stack.enter_context(Line(port)), script) for _ in range(TOGETHER + 1)]
        for name, some, times in (
            ("HTTP action, one client", clients[:1], sizes.appends),
            (f"HTTP action, {TOGETHER} clients at once", clients[1:], max(1, sizes.appends // 4)),
        ):
            pairs = in_turn(
                lambda s=some, n=times: rate(s, n, bare=False),  # type: ignore[misc]
                lambda s=some, n=times: rate(s, n, bare=True),  # type: ignore[misc]
                sizes.rounds,
            )
            yield row(name, "actions/s", pairs, at_least(0.6), "the same app validates the body and commits the bytes")
