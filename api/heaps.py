"""Heaps. Law: memory that one thread gave back is there for the next, whichever thread that is.

glibc makes heaps of their own for threads, up to eight for each core, and what is free in one is of no use to the
others: a service whose threads take turns grows until each heap has seen the worst. Two are enough where
one thread at a time runs Python.
"""

import ctypes
import sys
from contextlib import suppress
from typing import Final

_ARENA_MAX: Final = -8
"""`M_ARENA_MAX` of glibc's `mallopt`."""


def few_heaps(most: int = 2) -> None:
    """Have the C library make no more heaps than these; where it knows no such thing, nothing happens."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(_ARENA_MAX, most)
