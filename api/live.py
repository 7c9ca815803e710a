"""The live feed. Law: every entry once and in order, whoever wrote it; each is framed once and its bytes are shared.

A follower sends what its battle's channel holds ready, and reads from the store whatever is older; it has no buffer of
its own, so that a slow one costs nothing and is dropped in the end. It comes again with the id of the last frame seen.
Everything here runs on the event loop, but for `heard`, which any thread may call, and the looks into the store.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import Final

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.channels import AT_ONCE, Channel, Chunk, Follower, Look, frame
from api.metrics import Metrics
from api.problems import busy
from api.seats import Visit
from api.settings import Settings
from api.sweeping import swept_seldom
from replays.referee import Referee

HELLO: Final = b"retry: 1000\n\n"
HEARTBEAT: Final = b": still here\n\n"
_LOOKS: Final = 8
"""Looks for slow followers in the time that one may take."""


class Feed:
    """Everybody who follows a battle in this process."""

    def __init__(self, settings: Settings, metrics: Metrics, failed: Callable[[Exception], None]) -> None:
        self._settings = settings
        self._metrics = metrics
        self.failed = failed
        self._channels: dict[str, Channel] = {}
        self._threads = ThreadPoolExecutor(4, thread_name_prefix="feed")
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._referee: Referee | None = None
        self._empty = asyncio.Event()
        self.count = 0
        self.closed = False

    @asynccontextmanager
    async def running(self, referee: Referee) -> AsyncIterator[None]:
        """Follow the store until the block ends; then everybody goes home."""
        self._referee = referee
        self._loop = asyncio.get_running_loop()
        tasks = [asyncio.create_task(self._watch()), asyncio.create_task(self._hurry())]
        try:
            with swept_seldom():
                yield
        finally:
            self.close()
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            with suppress(TimeoutError):
                async with asyncio.timeout(1 if self.count else 0):
                    await self._empty.wait()
            self._loop = None
            self._threads.shutdown(wait=False)

    def close(self) -> None:
        """Send everybody home; nobody is let in any more."""
        self.closed = True
        for channel in self._channels.values():
            for follower in channel.followers:
                follower.leave()

    def heard(self, battle: str, _seq: int) -> None:
        """Somebody in this process wrote to `battle`; any thread may say so."""
        loop = self._loop
        if loop is not None and battle in self._channels:
            with suppress(RuntimeError):  # the loop has closed in the meantime
                loop.call_soon_threadsafe(self._news, battle)

    # --- following -------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def joined(self, follower: Follower) -> AsyncIterator[Channel]:
        """Follow a battle: first on the list, then the first look, so that nothing falls between."""
        battle = follower.visit.book.battle
        channel = self._channels.setdefault(battle, Channel(battle))
        channel.followers.add(follower)
        self.count += 1
        self._metrics.followers.inc()
        try:
            yield channel
        finally:
            self.count -= 1
            self._metrics.followers.dec()
            channel.followers.discard(follower)
            if not channel.followers and self._channels.get(battle) is channel:
                del self._channels[battle]
            if self.closed and not self.count:
                self._empty.set()

    async def next(self, channel: Channel, follower: Follower) -> bytes | None:
        """What to send next; None when it is over."""
        while not follower.gone:
            chunk = channel.ready(follower.last)
            if chunk is None and (channel.tail is None or follower.last < channel.tail):
                look = await self._look(channel.battle, follower.last)
                chunk = look.chunk
                if not follower.may(look.seats):
                    return None
                if chunk is None and channel.tail is None:
                    channel.tail = look.head
            if chunk is not None:
                follower.last = chunk.last
                return chunk.data
            if follower.beat:
                follower.beat = False
                return HEARTBEAT
            await follower.rung()
        return None

    # --- news ------------------------------------------------------------------------------------------------------

    def _news(self, battle: str) -> None:
        channel = self._channels.get(battle)
        if channel is None:
            return
        channel.again = True
        if not channel.looking:
            channel.looking = True
            task = asyncio.create_task(self._spread(channel))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _spread(self, channel: Channel) -> None:
        try:
            while channel.again:
                channel.again = False
                look = await self._look(channel.battle, channel.tail)
                if look.chunk is not None:
                    channel.hold(look.chunk)
                channel.tail = look.chunk.last if look.chunk is not None else max(channel.tail or 0, look.head)
                channel.again |= channel.tail < look.head
                for follower in [f for f in channel.followers if not f.may(look.seats)]:
                    follower.leave()
                channel.ring()
        except Exception as error:  # noqa: BLE001 - the next news, or the next look of the watch, tries again
            self.failed(error)
        finally:
            channel.looking = False

    async def _look(self, battle: str, after: int | None) -> Look:
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._looked, battle, after)

    def _looked(self, battle: str, after: int | None) -> Look:
        assert self._referee is not None
        book = self._referee.shelf.book(battle)
        head = book.head
        seats = self._referee.store.seat_digests(battle)
        if after is None or after >= head:
            return Look(None, head, seats)
        last = min(head, after + AT_ONCE)
        framed = zip(book.entries(after, last), book.data(after, last), strict=True)
        data = b"".join([frame(entry.seq, entry.type, raw) for entry, raw in framed])
        return Look(Chunk(after + 1, last, data), head, seats)

    async def _watch(self) -> None:
        """Look for what other processes write, and let the silent know that the line still stands."""
        assert self._referee is not None
        loop, store = asyncio.get_running_loop(), self._referee.store
        seen, beaten = -1, loop.time()
        while True:
            try:
                changes = await loop.run_in_executor(self._threads, store.changes)
                if changes != seen:
                    seen = changes
                    for battle in list(self._channels):
                        self._news(battle)
            except Exception as error:  # noqa: BLE001 - the store may come back
                self.failed(error)
            if loop.time() - beaten >= self._settings.heartbeat:
                beaten = loop.time()
                self._beat()
            await asyncio.sleep(self._settings.poll)

    async def _hurry(self) -> None:
        """Look for followers that are too slow: one look at all of them costs less than a timer for each chunk."""
        assert self._loop is not None
        while True:
            await asyncio.sleep(self._settings.patience / _LOOKS)
            since = self._loop.time() - self._settings.patience
            for channel in self._channels.values():
                for follower in channel.followers:
                    if follower.sending is not None and follower.sending < since:
                        follower.drop()

    def _beat(self) -> None:
        for channel in self._channels.values():
            for follower in channel.followers:
                follower.beat = True
            channel.ring()

    @property
    def full(self) -> bool:
        """Whether nobody more can follow."""
        return self.closed or self.count >= self._settings.followers

    def dropped(self) -> None:
        """Count a follower that was too slow."""
        self._metrics.dropped.inc()


class LiveResponse(Response):
    """The answer that never ends: plain ASGI, since every layer between costs with thousands of followers."""

    media_type = "text/event-stream"

    def __init__(self, feed: Feed, visit: Visit, after: int) -> None:
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Vary": "Accept"})
        del self.headers["content-length"]
        self._feed = feed
        self._follower = Follower(visit, after)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send frames until the follower leaves, is too slow, or the service stops."""
        if self._feed.full:
            await busy("too many follow battles at the moment", 5).response()(scope, receive, send)
            return
        async with self._feed.joined(self._follower) as channel:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            if scope.get("battlelog", {}).get("head_only"):
                await send({"type": "http.response.body", "body": b""})
                return
            # Frames go to the server itself, from a task of their own: each layer in between would cost at every frame.
            out: Send = scope.get("battlelog", {}).get("send", send)
            streaming = asyncio.create_task(self._stream(channel, out))
            self._follower.task = streaming
            try:
                await _listen(receive, streaming)
            finally:
                streaming.cancel()
                self._follower.task = None  # it holds this answer, which holds the follower
            if streaming.done():
                await self._end(streaming, out)

    async def _stream(self, channel: Channel, send: Send) -> None:
        follower, now = self._follower, asyncio.get_running_loop().time
        data: bytes | None = HELLO
        while data is not None:
            follower.sending = now()
            await send({"type": "http.response.body", "body": data, "more_body": True})
            follower.sending = None
            data = await self._feed.next(channel, follower)

    async def _end(self, streaming: asyncio.Task[None], send: Send) -> None:
        if streaming.cancelled():
            self._feed.dropped()
            return
        error = streaming.exception()
        if isinstance(error, ClientDisconnect | OSError):
            return
        if isinstance(error, Exception):
            # Half an answer stands: end it, and the follower comes again.
            self._feed.failed(error)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _listen(receive: Receive, streaming: asyncio.Task[None]) -> None:
    """Wait until the follower hangs up, or nothing more is sent to it."""
    mine, listening = asyncio.current_task(), True

    def over(_: asyncio.Task[None]) -> None:
        if listening and mine is not None:
            mine.cancel()

    streaming.add_done_callback(over)
    try:
        while (await receive())["type"] != "http.disconnect":
            pass
    except asyncio.CancelledError:
        if not streaming.done() or mine is None or mine.uncancel():
            raise
    finally:
        listening = False
