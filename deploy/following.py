"""Followers of the live feed. Law: each comes again with the id of the last frame that it saw, and notes all it gets.

A gap, a double or a frame out of order is noted as it comes; what the frames said is hashed, to be held against the
log in the end.
"""

import http.client
from collections.abc import Callable
from hashlib import sha256
from threading import Thread
from time import monotonic, sleep
from typing import Final

from deploy.playing import FAILED, Place

AGAIN: Final = 1.0
"""Seconds before it comes again, as the feed's own `retry:` says."""
SILENCE: Final = 20.0
"""Seconds without a word (heartbeats count) after which the line counts as broken."""
_HUNG_UP: Final = "hung up"


class Follower(Thread):
    """Follows one battle at one place until it has seen the entry that `until` names; None says that play goes on.

    With `stays` it hangs up after so many frames and comes again at once, as people do who walk from page to page.
    """

    def __init__(self, battle: str, place: Place, until: Callable[[], int | None], stays: int = 0) -> None:
        super().__init__(name=f"follower of {battle[:6]} at {place[1]}", daemon=True)
        self.battle = battle
        self.last = 0
        self.seen: list[float] = []
        """When each entry came: the first is that of seq 1."""
        self.faults: list[str] = []
        self.broke: list[tuple[float, str]] = []
        """When the line broke, and how."""
        self.hung_up = 0
        self._told = sha256()
        self._place = place
        self._until = until
        self._stays = stays

    @property
    def digest(self) -> str:
        """What it was told, in one hash: each entry and a line feed."""
        return self._told.hexdigest()

    def run(self) -> None:
        """Follow."""
        while not self._done():
            try:
                why = self._once()
            except FAILED as error:
                why = type(error).__name__
            if why == _HUNG_UP:
                self.hung_up += 1
            elif not self._done():
                self.broke.append((monotonic(), why))
                sleep(AGAIN)

    def _done(self) -> bool:
        until = self._until()
        return until is not None and self.last >= until

    def _once(self) -> str:
        line = http.client.HTTPConnection(*self._place, timeout=SILENCE)
        try:
            headers = {"Accept": "text/event-stream", "Last-Event-ID": str(self.last)}
            line.request("GET", f"/v1/battles/{self.battle}/entries", headers=headers)
            answer = line.getresponse()
            if answer.status != 200:
                return str(answer.status)
            come = self.last
            while not self._done() and (frame := _frame(answer)) is not None:
                self._take(frame)
                if self._stays and self.last - come >= self._stays:
                    return _HUNG_UP
            return "end"
        finally:
            line.close()

    def _take(self, frame: dict[bytes, bytes]) -> None:
        if b"id" not in frame:
            return  # a heartbeat
        seq = int(frame[b"id"])
        if seq != self.last + 1:
            self.faults.append(f"{self.name}: entry {seq} came after {self.last}")
        self.last = seq
        self.seen.append(monotonic())
        self._told.update(frame[b"data"] + b"\n")


def _frame(answer: http.client.HTTPResponse) -> dict[bytes, bytes] | None:
    """The next whole frame; None at the end, where half a frame counts as none."""
    found: dict[bytes, bytes] = {}
    while line := answer.readline():
        if line == b"\n":
            return found
        name, _, value = line.rstrip(b"\n").partition(b": ")
        found[name] = value
    return None
