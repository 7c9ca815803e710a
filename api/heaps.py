"""Heaps. Law: memory that one thread gave back is there for the next, whichever thread that is.

glibc makes heaps of their own for threads, up to eight for each core, and what is free in one is of no use to the
others: a service whose threads take turns grows until each heap has seen the worst. Two are enough where
one thread at a time runs Python. What is free between what is held goes back to the system only when somebody asks.
"""

import asyncio
import ctypes
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from api.beside import beside

_ARENA_MAX: Final = -8
"""`M_ARENA_MAX` of glibc's `mallopt`."""


def few_heaps(most: int = 2) -> None:
    """Have the C library make no more heaps than these; where it knows no such thing, nothing happens."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(_ARENA_MAX, most)


def give_back() -> None:
    """Have the C library return to the system what is free in its heaps; where it cannot, nothing happens."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


@asynccontextmanager
async def giving_back(seconds: float = 60) -> AsyncIterator[None]:
    """Give memory back now and then until the block ends: what many short requests leave is full of holes."""

    async def now_and_then() -> None:
        while True:
            await asyncio.sleep(seconds)
            await asyncio.to_thread(give_back)

    async with beside(now_and_then()):
        yield
