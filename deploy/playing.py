"""Players who keep on. Law: a request without an answer is sent again under its own key, until there is one.

Each player writes to one battle over HTTP and asks the services in turn. What was answered with 201 is kept, with the
moment of the answer: these are the promises that a drill holds the log against.
"""

import http.client
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any, Final

OPENING: Final = {
    "system": "nme",
    "title": "Drill",
    "dice": "server",
    "sides": [{"id": "red"}, {"id": "blue"}],
    "figs": [
        {"id": f"{side}-{n}", "side": side, "x": 6 + 4 * n, "y": y, "facing": facing, "bs": 4, "weapons": ["autogun"]}
        for side, y, facing in (("red", 10, 90), ("blue", 19, 270))
        for n in range(3)
    ],
}
AGAIN: Final = 0.25
"""Seconds before a request that failed is sent again."""
PATIENCE: Final = 15.0
"""Seconds that an answer may take."""
FAILED: Final = (OSError, http.client.HTTPException, ValueError)
"""What a broken connection, or half an answer, is raised as."""

Place = tuple[str, int]
"""A service: its address and port."""


@dataclass(frozen=True)
class Battle:
    """A battle in which players play."""

    id: str
    secret: str


@dataclass(frozen=True, slots=True)
class Promise:
    """An action that was acknowledged: its first entry and its last, when it was asked and when answered."""

    battle: str
    key: str
    action: int
    seq: int
    state: str
    asked: float
    answered: float


@dataclass(frozen=True, slots=True)
class Failure:
    """A request that had to be sent again: when, to whom, and why."""

    at: float
    place: Place
    why: str


@dataclass
class Notes:
    """What players saw."""

    promises: list[Promise] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    refused: int = 0
    odd: list[str] = field(default_factory=list)
    """Answers that should not be: neither an entry, nor the rules' no, nor `busy`."""


def asked(
    place: Place,
    method: str,
    path: str,
    body: Any = None,
    headers: Mapping[str, str] | None = None,
    patience: float = PATIENCE,
) -> tuple[int, bytes]:
    """One request on a connection of its own. Raises one of `FAILED`."""
    line = http.client.HTTPConnection(*place, timeout=patience)
    try:
        sent = {"Connection": "close", "Content-Type": "application/json", **(headers or {})}
        line.request(method, path, json.dumps(body) if body is not None else None, sent)
        answer = line.getresponse()
        return answer.status, answer.read()
    finally:
        line.close()


def opened(place: Place) -> Battle:
    """A new battle. Raises one of `FAILED`."""
    status, body = asked(place, "POST", "/v1/battles", OPENING)
    if status != 201:
        raise ValueError(f"a battle cannot be opened: {status} {body[:300].decode()}")
    told = json.loads(body)
    return Battle(told["id"], told["seats"]["referee"])


def commands(chance: Random) -> Iterator[dict[str, Any]]:
    """Ends of turns, moves, shots; some of them the rules refuse."""
    while True:
        side, other = chance.sample(["red", "blue"], 2)
        fig, target = f"{side}-{chance.randrange(3)}", f"{other}-{chance.randrange(3)}"
        to = {"x": chance.randrange(2, 40), "y": chance.choice([10, 19])}
        shot = {"do": "shoot", "fig": fig, "weapon": "autogun", "target": target}
        yield chance.choice([{"do": "end_turn"}] * 3 + [{"do": "move", "fig": fig, "to": to}, shot])


class Player(Thread):
    """Plays one battle until `over`; the last request too is settled before it ends."""

    def __init__(self, number: int, battle: Battle, places: Sequence[Place], over: Event, pause: float) -> None:
        super().__init__(name=f"player-{number}", daemon=True)
        self.notes = Notes()
        self._number = number
        self._battle = battle
        self._places = places
        self._over = over
        self._pause = pause

    def run(self) -> None:
        """Play."""
        for n, command in enumerate(commands(Random(self._number))):
            self._ask(f"player-{self._number}-{n}", n + self._number, command)
            if self._over.wait(self._pause):
                return

    def _ask(self, key: str, first: int, command: dict[str, Any]) -> None:
        asked_at = monotonic()
        headers = {"Authorization": f"Bearer {self._battle.secret}", "Idempotency-Key": key}
        path = f"/v1/battles/{self._battle.id}/actions"
        for attempt in range(1_000):
            place = self._places[(first + attempt) % len(self._places)]
            try:
                status, body = asked(place, "POST", path, command, headers)
                told = json.loads(body)
            except FAILED as why:
                self.notes.failures.append(Failure(monotonic(), place, type(why).__name__))
            else:
                if status != 503:
                    self._note(key, status, told, asked_at)
                    return
                self.notes.failures.append(Failure(monotonic(), place, "503"))
            sleep(AGAIN)
        self.notes.odd.append(f"{key}: no answer after a thousand tries")

    def _note(self, key: str, status: int, told: Any, asked_at: float) -> None:
        if status == 201:
            state = told["entries"][-1]["state"]
            found = Promise(self._battle.id, key, told["action"], told["seq"], state, asked_at, monotonic())
            self.notes.promises.append(found)
        elif status in (409, 422) and told.get("type") in ("/problems/rule-refused", "/problems/invalid"):
            self.notes.refused += 1
        else:
            self.notes.odd.append(f"{key}: {status} {told.get('type')} {told.get('detail')}")
