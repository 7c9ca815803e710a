"""Sweeping: how often Python searches for cycles of objects that nobody holds. Law: seldom, for it stops everybody.

A search of everything takes half a second where thousands of followers are held, and each news of a battle, told to
them all, would bring the next one nearer; reading a long log took a third of its time. What is in no cycle is freed at
once, without any search.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

NEW_OBJECTS: Final = 50_000
"""More than what one news makes for ten thousand followers; the garbage of as many is some ten megabytes."""


@contextmanager
def swept_seldom() -> Iterator[None]:
    """Search as seldom as that until the block ends."""
    before = gc.get_threshold()
    gc.set_threshold(NEW_OBJECTS, 10, 10)
    try:
        yield
    finally:
        gc.set_threshold(*before)


@contextmanager
def made_to_stay() -> Iterator[None]:
    """What is made in the block, modules above all, stays as long as the process: it is not searched, then or later."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
