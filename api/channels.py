"""Channels: who follows which battle, and the frames held ready for them. Law: an entry is framed once, for all."""

import asyncio
import hmac
from collections import deque
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
        self.chunks: deque[Chunk] = deque(maxlen=KEPT)
        self.tail: int | None = None
        self.looking = False
        self.again = False

    def ready(self, last: int) -> Chunk | None:
        """The chunk that follows on entry `last`, if it is at hand."""
        return next((chunk for chunk in self.chunks if chunk.first == last + 1), None)

    def ring(self) -> None:
        """Wake everybody."""
        for follower in self.followers:
            follower.bell.set()


class Follower:
    """Somebody who follows a battle from entry `last` on."""

    def __init__(self, visit: Visit, last: int) -> None:
        self.visit = visit
        self.last = last
        self.bell = asyncio.Event()
        self.beat = False
        self.gone = False

    def may(self, seats: dict[str, bytes]) -> bool:
        """Whether the secret still opens the seat."""
        proof = self.visit.proof
        return proof is None or hmac.compare_digest(seats.get(self.visit.seat.actor, b""), proof)

    def leave(self) -> None:
        """Go home."""
        self.gone = True
        self.bell.set()


def frame(seq: int, kind: str, data: bytes) -> bytes:
    """An entry as a server-sent event; its bytes hold no line break."""
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (seq, kind.encode(), data)
