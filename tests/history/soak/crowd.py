"""The crowd: players, readers and followers of one service. Law: all that it ever asks for it asks for all along.

Battles are played, ended, closed and followed by new ones, so that what is asked for costs the same at the end as at
the beginning.
"""

from collections.abc import Callable
from contextlib import suppress
from random import Random
from threading import Event, Thread
from time import monotonic, perf_counter
from typing import Any, Final

import httpx2

from tests.history.scene import Club, Scene
from tests.history.soak.gauge import Waits
from tests.history.whims import Whim, opening, whim

LONGEST: Final = 500
"""Entries after which a battle is ended and closed."""

OLD: Final = 0.04
"""The part of all requests that are for a battle of long ago: there are more than a service keeps at hand."""

READS: Final[dict[str, int]] = {
    "/v1/battles/{id}": 24,
    "/v1/battles/{id}?at={seq}": 6,
    "/v1/battles/{id}/turns": 10,
    "/v1/battles/{id}/casualties": 10,
    "/v1/battles/{id}/figs/{fig}": 6,
    "/v1/battles/{id}/entries/{seq}/why": 6,
    "/v1/battles/{id}/entries?after={seq}": 8,
    "/v1/battles/{id}/branches": 3,
    "/v1/battles/{id}/log/checkpoint": 4,
    "/v1/battles/{id}/log/proof/inclusion?index=0": 2,
    "/v1/battles/{id}/bundle": 2,
    "/v1/battles?limit=50": 4,
    "/": 2,
    "/battles/{id}": 4,
    "/metrics": 1,
}
"""What is read, and how often."""


class Visitor(Thread):
    """Asks for something `pace` seconds after it asked last, until it is told to stop."""

    def __init__(self, name: str, url: str, club: Club, waits: Waits, pace: float) -> None:
        super().__init__(name=name, daemon=True)
        self.failure: BaseException | None = None
        self.over = Event()
        self.most = 1
        self.old: list[str] = []
        self._club = club
        self._waits = waits
        self._pace = pace
        self._chance = Random(name)
        self._count = 0
        self._http = httpx2.Client(base_url=url, timeout=60)

    def run(self) -> None:
        """Ask."""
        try:
            while not self.over.wait(self._chance.expovariate(1 / self._pace)):
                self._step()
        except BaseException as error:  # noqa: BLE001 - told by who started it
            self.failure = error
        finally:
            self._http.close()

    def _step(self) -> None:
        if self.old and self._chance.random() < OLD:
            self._get(f"/v1/battles/{self._chance.choice(self.old)}")
            return
        scene = self._club.one(self._chance)
        if self._chance.random() < 0.55:
            self._read(scene)
        elif scene.record is None:
            self._catch_up(scene)
        elif scene.seq > LONGEST:
            self._finish(scene)
        else:
            self._play(scene)

    # --- writes ----------------------------------------------------------------------------------------------------

    def open(self, n: int) -> None:
        """Open the n-th battle."""
        told = self._post("/v1/battles", opening(n, self._chance, self._key()), "")
        if told is not None:
            self._seat(told)

    def _seat(self, told: dict[str, Any]) -> None:
        scene = Scene(told["id"], told["seats"])
        scene.grow(told["entries"])
        self._club.add(scene)

    def _play(self, scene: Scene) -> None:
        asked = whim(scene, self._chance, self._key())
        told = self._post(f"/v1/battles/{scene.id}/{asked.path}", asked, scene.secrets.get(asked.seat, ""))
        if told is None or "id" not in told:
            if told is not None:
                scene.grow(told["entries"])
            if self._chance.random() < 0.2:
                self._catch_up(scene)
            return
        scene.branches += 1
        self._seat(told)

    def _finish(self, scene: Scene) -> None:
        if not self._club.remove(scene):
            return
        for path, body in (("actions", {"do": "end_battle"}), ("close", {"reason": "enough"})):
            self._post(f"/v1/battles/{scene.id}/{path}", Whim(path, "referee", body), scene.secrets["referee"])
        self._get(f"/v1/battles/{scene.id}/bundle")
        self._count += 1
        if len(self._club.scenes) < self.most:
            self.open(self._count)

    def _key(self) -> str:
        return f"{self.name}-{self._chance.getrandbits(64):016x}"

    def _post(self, place: str, asked: Whim, secret: str) -> dict[str, Any] | None:
        headers = {"Idempotency-Key": self._key()} | ({"Authorization": f"Bearer {secret}"} if secret else {})
        answer = self._timed("write", lambda: self._http.post(place, json=asked.body, headers=headers))
        told: dict[str, Any] | None = answer.json() if answer is not None and answer.status_code == 201 else None
        return told

    # --- reads -----------------------------------------------------------------------------------------------------

    def _read(self, scene: Scene) -> None:
        place = self._chance.choices(list(READS), weights=list(READS.values()))[0]
        fig = self._chance.choice(list(scene.table.figs)) if scene.record is not None else "nobody"
        self._get(place.format(id=scene.id, seq=max(1, scene.seq - self._chance.randrange(20)), fig=fig))

    def _catch_up(self, scene: Scene) -> None:
        entries: list[dict[str, Any]] = []
        after, head = scene.seq, scene.seq + 1
        while after < head:
            answer = self._get(f"/v1/battles/{scene.id}/entries?after={after}&limit=500")
            if answer is None or answer.status_code != 200:
                return
            page = answer.json()
            entries += page["entries"]
            after, head = after + len(page["entries"]), page["head"]
        scene.grow(entries)

    def _get(self, place: str) -> httpx2.Response | None:
        return self._timed("read", lambda: self._http.get(place))

    def _timed(self, what: str, ask: Callable[[], httpx2.Response]) -> httpx2.Response | None:
        began = perf_counter()
        try:
            answer = ask()
        except httpx2.HTTPError:
            self._waits.failed()
            return None
        self._waits.took(what, began, answer.status_code)
        return answer


class Spectator(Thread):
    """Follows one battle for some seconds, then another, until it is told to stop."""

    def __init__(self, name: str, url: str, club: Club, waits: Waits) -> None:
        super().__init__(name=name, daemon=True)
        self.over = Event()
        self._url = url
        self._club = club
        self._waits = waits
        self._chance = Random(name)

    def run(self) -> None:
        """Follow."""
        accept = {"Accept": "text/event-stream"}
        with httpx2.Client(base_url=self._url, timeout=60) as http:
            while not self.over.is_set():
                scene, leave = self._club.one(self._chance), monotonic() + self._chance.uniform(0.5, 8)
                place = f"/v1/battles/{scene.id}/entries?after={max(0, scene.seq - 20)}"
                with suppress(httpx2.HTTPError), http.stream("GET", place, headers=accept) as answer:
                    self._waits.follow(1)
                    try:
                        for _ in answer.iter_lines():
                            if self.over.is_set() or monotonic() > leave:
                                break
                    finally:
                        self._waits.follow(-1)
