"""A client. Law: it sends again, under the same key, until it has an answer; it trusts nothing but answers.

Which of the services is asked is chance. Some requests go to both at once, on purpose; some are given up after their
answer was lost, so that nobody ever hears what became of them.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from threading import Thread
from time import monotonic, monotonic_ns, sleep
from typing import Any, Final

import httpx2

from replays.codec import canonical
from tests.history.diary import Diary, digest
from tests.history.scene import Club, Scene
from tests.history.whims import Whim, opening, whim

PATIENCE: Final = 120.0
"""Seconds after which an answer is not waited for any longer."""

_TWICE: Final = 0.06
_GIVEN_UP: Final = 0.12
_READ: Final = 0.12


class Client(Thread):
    """Plays until it is told that it is enough; `acknowledged` is called after each write that was."""

    def __init__(self, name: str, seed: int, urls: Sequence[str], club: Club, folder: Path) -> None:
        super().__init__(name=name, daemon=True)
        self.chance = Random(f"{seed}/{name}")
        self.over: Callable[[], bool] = lambda: False
        self.acknowledged: Callable[[], None] = lambda: None
        self.failure: BaseException | None = None
        self._urls = urls
        self._club = club
        self._diary = Diary(folder, name)
        self._http = httpx2.Client(timeout=PATIENCE)
        self._hands = ThreadPoolExecutor(2, thread_name_prefix=name)

    def run(self) -> None:
        """Play."""
        try:
            while not self.over():
                self.step()
        except BaseException as error:  # noqa: BLE001 - told by who started it
            self.failure = error
        finally:
            self.close()

    def close(self) -> None:
        """Go home."""
        self._hands.shutdown()
        self._http.close()
        self._diary.close()

    def step(self) -> None:
        """Look at a battle, or ask for something there."""
        scene = self._club.one(self.chance)
        if self.chance.random() < _READ:
            self._look(scene)
        elif scene.record is None or self.chance.random() < 0.3:
            self._catch_up(scene)
        if scene.record is not None:
            self._write(scene, whim(scene, self.chance, self._key()))

    def open(self, n: int) -> None:
        """Open the n-th battle; it is played once the answer with its secrets was not lost."""
        key = self._key()
        self._write(None, opening(n, self.chance, key), key)

    def _key(self) -> str:
        self._last = f"{self.name}-{self.chance.getrandbits(64):016x}"
        return self._last

    # --- writes ----------------------------------------------------------------------------------------------------

    def _write(self, scene: Scene | None, asked: Whim, key: str = "") -> None:
        told = self._settled(scene, asked, key or self._last)
        if told is None:
            return
        if scene is not None and "id" not in told:
            scene.grow(told["entries"])
            self.acknowledged()
            return
        if told["seats"]:
            new = Scene(told["id"], told["seats"])
            new.grow(told["entries"])
            self._club.add(new)
        if scene is not None:
            scene.branches += 1
            self.acknowledged()

    def _settled(self, scene: Scene | None, asked: Whim, key: str) -> dict[str, Any] | None:
        """What was answered in the end; None if it was refused, or given up."""
        until = monotonic() + PATIENCE
        twice = len(self._urls) > 1 and self.chance.random() < _TWICE
        while True:
            first = self.chance.randrange(len(self._urls))
            if twice:
                sent = [self._hands.submit(self._send, which, scene, asked, key) for which in range(len(self._urls))]
                answers = [each.result() for each in sent]
            else:
                answers = [self._send(first, scene, asked, key)]
            written = next((a for a in answers if a is not None and a.status_code == 201), None)
            if written is not None:
                told: dict[str, Any] = written.json()
                return told
            if all(answer is not None and answer.status_code < 500 for answer in answers):
                return None
            if monotonic() > until or (scene is not None and self.chance.random() < _GIVEN_UP):
                self._diary.note("gave up", key=key)
                return None
            twice = False
            sleep(self.chance.uniform(0.02, 0.4))

    def _send(self, which: int, scene: Scene | None, asked: Whim, key: str) -> httpx2.Response | None:
        """One try; None where no answer came."""
        battle = scene.id if scene is not None else ""
        headers = {"Idempotency-Key": key}
        if scene is not None and asked.seat in scene.secrets:
            headers["Authorization"] = f"Bearer {scene.secrets[asked.seat]}"
        if asked.if_match is not None:
            headers["If-Match"] = f'"{asked.if_match}"'
        about = {"battle": battle, "path": asked.path, "seat": asked.seat, "key": key, "body": asked.body}
        self._diary.note("asks", at=which, if_match=asked.if_match, **about)
        place = f"/v1/battles/{battle}/{asked.path}" if battle else f"/v1/{asked.path}"
        try:
            answer = self._http.post(self._urls[which] + place, json=asked.body, headers=headers)
        except httpx2.HTTPError as error:
            self._diary.note("lost", key=key, at=which, why=type(error).__name__)
            return None
        self._diary.note("told", key=key, at=which, status=answer.status_code, **_shown(answer, battle))
        return answer

    # --- reads -----------------------------------------------------------------------------------------------------

    def _look(self, scene: Scene) -> None:
        since = monotonic_ns()
        answer = self._get(f"/v1/battles/{scene.id}")
        if answer is not None:
            seen = {"seq": answer.json()["seq"], "digest": digest([answer.content])}
            self._diary.note("saw", battle=scene.id, since=since, **seen)

    def _catch_up(self, scene: Scene) -> None:
        entries: list[dict[str, Any]] = []
        after, head = scene.seq, scene.seq + 1
        while after < head:
            since = monotonic_ns()
            answer = self._get(f"/v1/battles/{scene.id}/entries", after=after, limit=500)
            if answer is None:
                return
            page = answer.json()
            entries += page["entries"]
            after, head = after + len(page["entries"]), page["head"]
            self._diary.note("saw", battle=scene.id, since=since, seq=head)
        scene.grow(entries)

    def _get(self, place: str, **query: int) -> httpx2.Response | None:
        try:
            answer = self._http.get(self.chance.choice(self._urls) + place, params=query)
        except httpx2.HTTPError:
            sleep(0.02)
            return None
        return answer if answer.status_code == 200 else None


def _shown(answer: httpx2.Response, battle: str) -> dict[str, Any]:
    """What an answer says of what was written; or of why it was not."""
    body = answer.json()
    if answer.status_code != 201:
        return {"problem": body.get("type", ""), "said": body.get("detail", "")[:200]}
    lines = [canonical(entry) for entry in body["entries"]]
    return {
        "battle": body.get("id", battle),
        "action": body["action"],
        "seq": body["seq"],
        "digest": digest(lines),
        "replayed": answer.headers.get("Idempotent-Replayed") == "true",
    }
