"""Following a battle. Law: the live feed only rings; what counts is read and checked, and silence is waited out."""

from collections.abc import Callable
from time import monotonic, sleep
from typing import Final, TypeVar

from api.seatclient.client import SeatClient
from api.seatclient.service import Unreachable

SHORTEST: Final = 0.2
"""Seconds before the first new try; each further one waits twice as long."""

LONGEST: Final = 5.0
"""Seconds between two tries at most."""

LOOK: Final = 1.0
"""Seconds between two looks where there is no live feed, or it has ended."""

T = TypeVar("T")


class Pauses:
    """How long to wait before the next try."""

    def __init__(self) -> None:
        self._next = SHORTEST

    def reset(self) -> None:
        """It went well."""
        self._next = SHORTEST

    def wait(self) -> None:
        """It did not."""
        sleep(self._next)
        self._next = min(LONGEST, 2 * self._next)


def follow(client: SeatClient, silent: Callable[[str], None]) -> None:
    """Do what the seat has to do until the battle is closed; `silent` hears when the service cannot be reached."""
    pauses = Pauses()
    while True:
        try:
            client.step()
            pauses.reset()
            if client.over:
                return
            for seq in client.service.feed(client.sight.size):
                if seq > client.sight.size:
                    client.step()
                if client.over:
                    return
        except Unreachable as no:
            silent(str(no))
            pauses.wait()
        else:
            sleep(LOOK)


def within(seconds: float, once: Callable[[], T]) -> T:
    """Do something that may be done again, for as long as the service cannot be reached. Raises `Unreachable`."""
    until, pauses = monotonic() + seconds, Pauses()
    while True:
        try:
            return once()
        except Unreachable:
            if monotonic() > until:
                raise
        pauses.wait()
