"""A follower of a live feed, without a socket: the ASGI application is called as a server would call it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI


@dataclass
class Listener:
    """One connection. `hold` stands for a client that has stopped reading."""

    app: FastAPI
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    method: str = "GET"
    status: int = 0
    answered: dict[str, str] = field(default_factory=dict)
    chunks: list[bytes] = field(default_factory=list)
    over: bool = False

    def __post_init__(self) -> None:
        self._asked = False
        self._gone = asyncio.Event()
        self._moved = asyncio.Event()
        self.flowing = asyncio.Event()
        self.flowing.set()
        self._task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        path, _, query = self.path.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": self.method,
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": query.encode(),
            "headers": [(k.lower().encode(), v.encode()) for k, v in self.headers.items()],
            "client": ("10.0.0.2", 1),
            "server": ("test", 80),
            "scheme": "http",
        }
        await self.app(scope, self._receive, self._send)

    async def _receive(self) -> dict[str, Any]:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        await self.flowing.wait()
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.answered = {k.decode(): v.decode() for k, v in message["headers"]}
        elif not self._gone.is_set():
            self.chunks.append(message.get("body", b""))
            self.over = not message.get("more_body", False)
        self._moved.set()

    @property
    def text(self) -> bytes:
        return b"".join(self.chunks)

    @property
    def frames(self) -> list[bytes]:
        """The frames with an id, whole ones only."""
        return [f for f in self.text.split(b"\n\n")[:-1] if f.startswith(b"id: ")]

    @property
    def seqs(self) -> list[int]:
        return [int(frame.split(b"\n")[0][4:]) for frame in self.frames]

    async def until(self, told: Callable[["Listener"], bool]) -> None:
        """Wait until something holds; gives up after ten seconds."""
        async with asyncio.timeout(10):
            while not told(self):
                if self._task.done():
                    self._task.result()
                    assert told(self), (self.status, self.text)
                    return
                self._moved.clear()
                waiting = asyncio.create_task(self._moved.wait())
                await asyncio.wait({waiting, self._task}, return_when=asyncio.FIRST_COMPLETED)
                waiting.cancel()

    async def until_seq(self, seq: int) -> None:
        await self.until(lambda me: bool(me.seqs) and me.seqs[-1] >= seq)

    async def hang_up(self) -> None:
        """Go away, as a client does whose network is gone."""
        self._gone.set()
        async with asyncio.timeout(10):
            await self._task

    async def ended(self) -> None:
        """Wait until the service ends it."""
        async with asyncio.timeout(10):
            await self._task


@contextlib.asynccontextmanager
async def running(app: FastAPI) -> AsyncIterator[FastAPI]:
    """The application between its start and its end."""
    async with app.router.lifespan_context(app):
        yield app
