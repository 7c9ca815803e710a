"""A follower. Law: it goes on from the last frame that it has whole, at whichever service, and leaves nothing out."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from threading import Event, Thread
from time import monotonic
from typing import Final

import httpx2

from tests.history.diary import Diary, digest

STAY: Final = 3.0
"""Seconds, on the average, after which it hangs up and comes again."""


class Follower(Thread):
    """Follows one battle until it is told to stop."""

    def __init__(self, name: str, seed: int, urls: Sequence[str], battle: str, folder: Path) -> None:
        super().__init__(name=name, daemon=True)
        self.battle = battle
        self.last = 0
        self._chance = Random(f"{seed}/{name}")
        self._urls = urls
        self._diary = Diary(folder, name)
        self._over = Event()

    def run(self) -> None:
        """Follow, over as many connections as it takes."""
        with httpx2.Client(timeout=httpx2.Timeout(10, read=30)) as http:
            while not self._over.is_set():
                with suppress(httpx2.HTTPError):
                    self._follow(http)
                self._over.wait(0.05)
        self._diary.close()

    def stop(self) -> None:
        """Hang up for good, at the next frame or heartbeat."""
        self._over.set()

    def _follow(self, http: httpx2.Client) -> None:
        url = f"{self._chance.choice(self._urls)}/v1/battles/{self.battle}/entries"
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(self.last)}
        leave = monotonic() + self._chance.expovariate(1 / STAY)
        with http.stream("GET", url, headers=headers) as answer:
            self._diary.note("follows", battle=self.battle, after=self.last, status=answer.status_code)
            seq, data = 0, b""
            for line in answer.iter_lines():
                if line.startswith("id: "):
                    seq = int(line[4:])
                elif line.startswith("data: "):
                    data = line[6:].encode()
                elif not line and data:  # only now is the frame whole
                    self._diary.note("frame", seq=seq, digest=digest([data]))
                    self.last, data = seq, b""
                if self._over.is_set() or monotonic() > leave:
                    return
