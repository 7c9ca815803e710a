"""A door. Law: few do at once what takes a processor, some wait a moment, and everybody else is told to come again."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Semaphore
from typing import Final

from api.problems import busy

_MOMENT: Final = 1.0
"""Seconds that somebody waits, on a thread that others want as well."""


class Door:
    """Lets `most` in at once, and lets `waiting` more wait."""

    def __init__(self, most: int, waiting: int, doing: str) -> None:
        self._inside = Semaphore(most)
        self._here = Semaphore(most + waiting)
        self._doing = doing

    @contextmanager
    def passed(self) -> Iterator[None]:
        """Be inside. Raises `Problem` for one who would wait too long."""
        if not self._here.acquire(blocking=False):
            raise self._full()
        try:
            if not self._inside.acquire(timeout=_MOMENT):
                raise self._full()
            try:
                yield
            finally:
                self._inside.release()
        finally:
            self._here.release()

    def _full(self) -> Exception:
        return busy(f"too many {self._doing} at the moment; ask again in a moment")
