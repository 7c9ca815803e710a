"""Limits. Law: nobody can crowd out the others; who sends too much is told when to come again."""

from collections.abc import Callable
from time import monotonic
from typing import Final

from limits import RateLimitItemPerSecond
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter

from api.problems import Problem
from replays.shelf import digest

_SHARE: Final = 4
"""Behind one address there may be this many brisk clients: a whole tournament, say."""


class Limiter:
    """Counts requests by secret, or by address without one, and by address in all. Used on the event loop only."""

    def __init__(self, rate: int, window: int, steady: Callable[[], float] = monotonic) -> None:
        self._window = window
        self._steady = steady
        self._begun = steady()
        self._each = RateLimitItemPerSecond(rate, window, "each")
        self._all = RateLimitItemPerSecond(rate * _SHARE, window, "all")
        self._storage = MemoryStorage()
        self._counts = FixedWindowRateLimiter(self._storage) if rate else None

    def check(self, address: str, authorization: str | None) -> Problem | None:
        """Count a request; the answer to one that is too many."""
        if self._counts is None:
            return None
        if self._steady() - self._begun >= self._window:
            # By themselves they end by the system's clock: one that was set back would hold them for as long.
            self._storage.reset()
            self._begun = self._steady()
        who = digest(authorization.encode()).hex() if authorization else f"@{address}"
        if self._counts.hit(self._each, who) and self._counts.hit(self._all, address):
            return None
        said = f"at most {self._each.amount} requests in {self._window} seconds"
        return Problem("too-many-requests", said, headers={"Retry-After": str(self._window)})
