"""Heaps. Law: memory that one thread gave back is there for the next, whichever thread that is.

glibc makes heaps of their own for threads, up to eight for each core, and what is free in one is of no use to the
others: a service whose threads take turns grows until each heap has seen the worst. One is enough where one thread at a
time runs Python. A heap that was made stays, so this is said before there is any other thread.
A large answer that lies in a heap leaves a hole that small things settle in, and the next one makes the heap longer.
What is free between what is held goes back to the system only when somebody asks.
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

_MMAP_THRESHOLD: Final = -3
"""`M_MMAP_THRESHOLD` of the same: 128 kB, which glibc raises with each larger block that is freed, unless it is set."""


def one_heap() -> None:
    """Have the C library make no heaps for threads; where it knows no such thing, nothing happens."""
    _told(_ARENA_MAX, 1)


def large_apart(least: int = 128 << 10) -> None:
    """Have blocks of so many bytes lie in no heap, and go back to the system as soon as they are free."""
    _told(_MMAP_THRESHOLD, least)


def give_back() -> None:
    """Have the C library return to the system what is free in its heaps; where it cannot, nothing happens."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)


def _told(option: int, value: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(option, value)


@asynccontextmanager
async def giving_back(seconds: float = 60) -> AsyncIterator[None]:
    """Give memory back now and then until the block ends: what many short requests leave is full of holes."""

    async def now_and_then() -> None:
        while True:
            await asyncio.sleep(seconds)
            await asyncio.to_thread(give_back)

    async with beside(now_and_then()):
        yield
