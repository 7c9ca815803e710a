"""A server that is killed at random moments while a client plays: nothing is lost, doubled or half there."""

import random
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from replays.examine import examine
from tests.api.live_server import Server, served
from tests.replays.rooms import gangs

OPENING = gangs()
END = {"do": "end_turn"}


class Client:
    """Plays on through every crash: an action that was not answered is sent again under its own key."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.chance = random.Random(seed)
        self.battle = ""
        self.seats: dict[str, str] = {}
        self.answered: dict[str, dict[str, Any]] = {}
        self.kills = 0

    def commands(self) -> Iterator[dict[str, Any]]:
        """Moves to and fro, shots that may be refused, ends of turns."""
        while True:
            side = self.chance.choice(["red", "blue"])
            fig = f"{side}-{self.chance.randrange(3)}"
            other = f"{'blue' if side == 'red' else 'red'}-{self.chance.randrange(3)}"
            yield self.chance.choice(
                [
                    {"do": "shoot", "fig": fig, "weapon": "autogun", "target": other},
                    {"do": "recover", "fig": fig},
                    {"do": "move", "fig": fig, "to": self.place()},
                    END,
                    END,
                ]
            )

    def place(self) -> dict[str, int]:
        """Somewhere near one of the lines."""
        return {"x": self.chance.randrange(2, 40), "y": self.chance.choice([9, 20])}

    def play(self, actions: int, kill_every: int) -> None:
        """Play until so many actions are acknowledged, over as many lives of the server as it takes."""
        commands = self.commands()
        waiting: tuple[str, dict[str, Any]] | None = None
        while len(self.answered) < actions:
            with served(self.folder / "battles.db") as server, httpx2.Client(base_url=server.url, timeout=20) as http:
                if not self.battle:
                    opened = http.post("/v1/battles", json=OPENING).json()
                    self.battle, self.seats = opened["id"], opened["seats"]
                left = actions - len(self.answered)
                alive = min(left, 1 + self.chance.randrange(2 * kill_every))
                waiting = self._live(http, server, commands, waiting, alive, last=alive == left)

    def _live(
        self,
        http: httpx2.Client,
        server: Server,
        commands: Iterator[dict[str, Any]],
        waiting: tuple[str, dict[str, Any]] | None,
        alive: int,
        *,
        last: bool,
    ) -> tuple[str, dict[str, Any]] | None:
        """One life of the server: some actions, then a kill at a moment that nobody chose."""
        done = 0
        while done < alive:
            key, command = waiting or (f"key-{self.chance.getrandbits(64)}", next(commands))
            if done == alive - 1 and not last:
                killer = threading.Timer(self.chance.random() * 0.02, server.process.send_signal, [signal.SIGKILL])
                killer.start()
                self.kills += 1
            try:
                answer = http.post(
                    f"/v1/battles/{self.battle}/actions",
                    json=command,
                    headers={"Authorization": f"Bearer {self.seats['referee']}", "Idempotency-Key": key},
                )
            except httpx2.HTTPError:
                return key, command
            waiting = None
            assert answer.status_code in {201, 409, 422}, answer.text
            if answer.status_code == 201:
                self.answered[key] = answer.json()
                done += 1
        server.process.wait(20) if not last else None
        return None


def play_and_check(folder: Path, actions: int, kill_every: int, seed: int) -> int:
    """Play, kill, restart; then hold what was answered against what is there. The number of kills."""
    client = Client(folder, seed)
    client.play(actions, kill_every)
    with served(folder / "battles.db") as server:
        log = httpx2.get(
            f"{server.url}/v1/battles/{client.battle}/entries", headers={"Accept": "application/jsonl"}, timeout=60
        ).content
        table = httpx2.get(f"{server.url}/v1/battles/{client.battle}", timeout=60).json()
    examined = examine(log.splitlines())
    assert examined.findings == ()
    assert table["seq"] == len(examined.entries)
    written = {entry.action for entry in examined.entries if entry.type == "ActionDeclared"}
    answered = [answer["action"] for answer in client.answered.values()]
    assert len(answered) == len(set(answered)) == actions
    # Each action that was acknowledged is there, and no other: what was not answered was sent again under its key.
    assert written == set(answered)
    for answer in client.answered.values():
        entries = examined.entries[answer["action"] - 1 : answer["seq"]]
        assert [entry.seq for entry in entries] == [entry["seq"] for entry in answer["entries"]]
        assert {entry.action for entry in entries} == {answer["action"]}
        assert [entry.state for entry in entries] == [entry["state"] for entry in answer["entries"]]
    return client.kills


def test_nothing_acknowledged_is_lost_or_doubled_when_the_server_is_killed(tmp_path: Path) -> None:
    assert play_and_check(tmp_path, actions=40, kill_every=8, seed=1) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_five_hundred_actions_over_many_killed_servers(tmp_path: Path, seed: int) -> None:
    assert play_and_check(tmp_path, actions=500, kill_every=12, seed=seed) >= 20
