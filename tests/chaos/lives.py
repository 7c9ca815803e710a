"""A server under a bad star, and one who plays on. Law: what was acknowledged is there once, and is whole."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any, Self

import httpx2
import pytest

from replays.examine import examine
from tests.api.live_server import ROOT, Server, free_port
from tests.replays.rooms import gangs

END = {"do": "end_turn"}


@contextmanager
def begun(
    database: Path | str, folder: Path, *before: str, log: Path | None = None, **settings: str
) -> Iterator[Server]:
    """A server that is waited for until it answers at all, ready or not. `before` goes in front of its command."""
    port = free_port()
    log = log or folder / f"{port}.log"
    with log.open("ab") as out:
        process = subprocess.Popen([*before, *command()], env=told(database, port, **settings), stderr=out, stdout=out)
    server = Server(process, port, log)
    try:
        _wait(server)
        yield server
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(10)


def command() -> list[str]:
    return [sys.executable, "-m", "api.server"]


def told(database: Path | str, port: int, **settings: str) -> dict[str, str]:
    """The environment of a server."""
    chosen = {"DATABASE": str(database), "PORT": str(port), "RATE": "0", "POLL": "0.05", **settings}
    return {**os.environ, "PYTHONPATH": str(ROOT), **{f"BATTLELOG_{k}": v for k, v in chosen.items()}}


def refused(database: Path, *before: str, **settings: str) -> str:
    """What a server says that does not start, in its one sentence."""
    done = subprocess.run(
        [*before, *command()],
        env=told(database, 0, **settings),
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=30,
    )
    assert done.returncode == 2, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    said: str = done.stderr.strip()
    return said


def _wait(server: Server) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until and server.process.poll() is None:
        with contextlib.suppress(httpx2.HTTPError):
            httpx2.get(f"{server.url}/healthz", timeout=5)
            return
        time.sleep(0.05)
    raise AssertionError(server.log.read_text())


def bound_by_modes() -> list[str]:
    """What goes in front of a command that is to be held to the modes of files, as root is not by itself."""
    if os.getuid() != 0:
        return []
    if which("setpriv") is None:
        pytest.skip("root may write anything, and nothing here can give that up")
    return ["setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override"]


class Player:
    """One who plays a battle, and keeps what was acknowledged."""

    def __init__(self, url: str = "", timeout: float = 20) -> None:
        self.http = httpx2.Client(base_url=url, timeout=timeout)
        self.battle = ""
        self.secret = ""
        self.acknowledged: dict[str, int] = {}
        self._asked = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()

    def moved(self, url: str) -> None:
        """Go on at another server."""
        self.http.close()
        self.http = httpx2.Client(base_url=url, timeout=self.http.timeout)

    def open(self, **more: Any) -> None:
        """Open a battle."""
        answer = self.http.post("/v1/battles", json=gangs(**more))
        assert answer.status_code == 201, answer.text
        self.battle, self.secret = answer.json()["id"], answer.json()["seats"]["referee"]

    def ask(self, key: str = "", command: dict[str, Any] = END) -> httpx2.Response:
        """Ask for an action, under a key."""
        self._asked += 1
        key = key or f"key-{self._asked}"
        answer = self.http.post(
            f"/v1/battles/{self.battle}/actions",
            json=command,
            headers={"Authorization": f"Bearer {self.secret}", "Idempotency-Key": key},
        )
        if answer.status_code == 201:
            action = answer.json()["action"]
            assert self.acknowledged.setdefault(key, action) == action
        return answer

    def act(self, key: str = "", command: dict[str, Any] = END) -> int:
        """The same, and only how it went."""
        return self.ask(key, command).status_code

    def get(self, path: str = "") -> httpx2.Response:
        """Look at something of the battle."""
        return self.http.get(f"/v1/battles/{self.battle}{path}")

    def ready(self) -> int:
        """What `/readyz` says."""
        return self.http.get("/readyz").status_code

    def log(self) -> list[bytes]:
        """The battle's log."""
        accept = {"Accept": "application/jsonl"}
        return self.http.get(f"/v1/battles/{self.battle}/entries", headers=accept).content.splitlines()

    def check(self, *, unanswered: Sequence[str] = ()) -> None:
        """Every acknowledged action is there once, and no other; `unanswered` ones may be there, once."""
        examined = examine(self.log())
        assert examined.findings == ()
        actions = [entry.action for entry in examined.entries if entry.type == "ActionDeclared"]
        assert len(actions) == len(set(actions))
        assert len(set(self.acknowledged.values())) == len(self.acknowledged)
        assert set(self.acknowledged.values()) <= set(actions)
        assert len(actions) <= len(self.acknowledged) + len(unanswered)


def told_busy(answer: httpx2.Response) -> None:
    """It was a refusal in the service's own words, that says when to come again."""
    assert answer.status_code == 503, answer.text
    assert answer.json()["type"] == "/problems/busy"
    assert int(answer.headers["Retry-After"]) > 0
