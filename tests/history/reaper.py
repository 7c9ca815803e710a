"""The reaper. Law: it kills at moments that nobody knows, and does not wait until the dead one is missed."""

import signal
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from threading import Thread
from time import sleep
from typing import Final, NamedTuple

from tests.history.house import House

KINDS: Final = ("service", "server with -9", "service", "server at once", "service", "both")
"""In turn; which service is chance."""


class Death(NamedTuple):
    """Who is killed, after so many acknowledged writes."""

    after: int
    kind: str


def planned(kills: int, actions: int, chance: Random) -> list[Death]:
    """Kills, spread at random over the middle of the run."""
    moments = sorted(chance.randint(actions // 20, actions * 19 // 20) for _ in range(kills))
    return [Death(after, KINDS[n % len(KINDS)]) for n, after in enumerate(moments)]


class Reaper(Thread):
    """Carries a plan out; `done` says how many writes were acknowledged so far."""

    def __init__(self, house: House, plan: Sequence[Death], chance: Random, done: Callable[[], int]) -> None:
        super().__init__(name="reaper", daemon=True)
        self.killed = Counter[str]()
        self.failure: BaseException | None = None
        self._house = house
        self._plan = plan
        self._chance = chance
        self._done = done
        self.over = False

    def run(self) -> None:
        """Kill them all."""
        try:
            for death in self._plan:
                while self._done() < death.after and not self.over:
                    sleep(0.003)
                sleep(self._chance.uniform(0, 0.02))
                if self.over:
                    return
                self._kill(death.kind)
        except BaseException as error:  # noqa: BLE001 - told by who started it
            self.failure = error

    def _kill(self, kind: str) -> None:
        service = self._chance.choice(self._house.services)
        if kind in ("service", "both"):
            service.kill()
        if kind != "service":
            self._house.database.kill(signal.SIGQUIT if kind == "server at once" else signal.SIGKILL)
        self.killed[kind] += 1
        sleep(self._chance.uniform(0, 0.5))
        if kind != "service":
            self._house.database.start()
        if kind in ("service", "both"):
            service.start()
