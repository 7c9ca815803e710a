"""Channels: who follows which battle, and the frames held ready for them. Law: an entry is framed once, for all."""

import asyncio
import hmac
from typing import Final, NamedTuple

from api.seats import Visit

AT_ONCE: Final = 500
"""Entries to a chunk."""

KEPT: Final = 64
"""Chunks that a channel holds ready for those who lag behind a little."""


class Chunk(NamedTuple):
    """Frames of the entries `first` to `last`."""

    first: int
    last: int
    data: bytes


class Look(NamedTuple):
    """What a look into the store found: frames after some entry, if there are any, the head, and the seats' hashes."""

    chunk: Chunk | None
    head: int
    seats: dict[str, bytes]


class Channel:
    """Those who follow one battle. Up to `tail` its entries were framed, or were there before anybody followed."""

    def __init__(self, battle: str) -> None:
        self.battle = battle
        self.followers: set[Follower] = set()
        self.tail: int | None = None
        self.looking = False
        self.again = False
        self._chunks: dict[int, Chunk] = {}

    def hold(self, chunk: Chunk) -> None:
        """Hold a chunk ready; the oldest goes where there are too many."""
        self._chunks[chunk.first] = chunk
        if len(self._chunks) > KEPT:
            del self._chunks[next(iter(self._chunks))]

    def ready(self, last: int) -> Chunk | None:
        """The chunk that follows on entry `last`, if it is at hand."""
        return self._chunks.get(last + 1)

    def ring(self) -> None:
        """Wake everybody."""
        for follower in self.followers:
            follower.ring()


class Follower:
    """Somebody who follows a battle from entry `last` on; `sending` since when it is taking in what it was sent."""

    __slots__ = ("_bell", "_rung", "beat", "gone", "last", "sending", "task", "visit")

    def __init__(self, visit: Visit, last: int) -> None:
        self.visit = visit
        self.last = last
        self.beat = False
        self.gone = False
        self.sending: float | None = None
        self.task: asyncio.Task[None] | None = None
        self._bell: asyncio.Future[None] | None = None
        self._rung = False

    def may(self, seats: dict[str, bytes]) -> bool:
        """Whether the secret still opens the seat."""
        proof = self.visit.proof
        return proof is None or hmac.compare_digest(seats.get(self.visit.seat.actor, b""), proof)

    def ring(self) -> None:
        """Say that there is news, to whoever waits for it or will look next."""
        self._rung = True
        bell = self._bell
        if bell is not None and not bell.done():
            bell.set_result(None)

    async def rung(self) -> None:
        """Wait for news since the last call."""
        # One bare future: an `asyncio.Event` costs three times as much, and there are thousands of followers.
        if not self._rung:
            self._bell = asyncio.get_running_loop().create_future()
            await self._bell
            self._bell = None
        self._rung = False

    def leave(self) -> None:
        """Go home."""
        self.gone = True
        self.ring()

    def drop(self) -> None:
        """Be sent home in the middle of a chunk that takes too long."""
        if self.task is not None:
            self.task.cancel()


def frame(seq: int, kind: str, data: bytes) -> bytes:
    """An entry as a server-sent event; its bytes hold no line break."""
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (seq, kind.encode(), data)
