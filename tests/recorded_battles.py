"""Recorded battles, played through the HTTP API. Law: ids, times and dice come from a script, so that bytes repeat.

`python -m tests.recorded_battles` plays every `replays/recorded/*.script.json` and writes the logs beside it anew: one
for the battle, and one for each branch that the script opens.

A script has `battle` (its id), `begins` (UTC milliseconds), `open` (the body that opens it) and `steps`. A step is one
request `by` a seat, `after` so many seconds (20 if not said): `act` is the body of an action, `post` and `body` are
any other write. `as` names what it wrote; later on `@name` stands for its action, `@name:last` for its last entry and
`@name:HitRolled` for its first entry of that type. `in` says on which branch; `battle` gives a branch its id. A step
that has to be refused says what it `answers`, and by which `rule`.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from starlette.testclient import TestClient

import replays.roller
from api.app import create_app
from api.settings import Settings

RECORDED: Final = Path(__file__).parent.parent / "replays" / "recorded"
SCRIPT: Final = ".script.json"


class Player:
    """Plays one script against the service."""

    def __init__(self, client: TestClient, script: dict[str, Any]) -> None:
        self._client = client
        self._script = script
        self._now = int(script["begins"])
        self._next_id = str(script["battle"])
        self._battles = {"": self._next_id}
        self._seats: dict[str, dict[str, str]] = {}
        self._written: dict[str, list[dict[str, Any]]] = {}
        # The service would look at its clock and make ids of its own.
        referee = client.app.state.house.referee  # type: ignore[attr-defined]
        referee._clock = lambda: self._now
        referee._new_id = lambda: self._next_id

    def play(self) -> dict[str, bytes]:
        """Play it all; the logs by the name of their branch ('' is the battle itself)."""
        opened = self._client.post("/v1/battles", json=self._script["open"])
        assert opened.status_code == 201, opened.text
        self._seats[""] = opened.json()["seats"]
        for step in self._script["steps"]:
            self._now += 1000 * step.get("after", 20)
            self._take(step)
        return {name: self._log(battle) for name, battle in self._battles.items()}

    def _take(self, step: dict[str, Any]) -> None:
        place = step.get("in", "")
        path, body = ("actions", step["act"]) if "act" in step else (step["post"], step["body"])
        self._next_id = step.get("battle", "")
        url = f"/v1/battles/{self._battles[place]}/{path}"
        secret = {"Authorization": f"Bearer {self._seats[place][step['by']]}"}
        answer = self._client.post(url, json=self._meant(body), headers=secret)
        assert answer.status_code == step.get("answers", 201), f"{step}\n{answer.text}"
        told = answer.json()
        if "rule" in step:
            assert told["rule"] == step["rule"], told
        if "as" in step:
            self._written[step["as"]] = told["entries"]
        if "battle" in step:
            self._battles[step["as"]], self._seats[step["as"]] = told["id"], told["seats"]

    def _meant(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {name: self._meant(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._meant(inner) for inner in value]
        if not isinstance(value, str) or not value.startswith("@"):
            return value
        name, _, which = value[1:].partition(":")
        entries = self._written[name]
        if which == "last":
            return entries[-1]["seq"]
        return next(entry["seq"] for entry in entries if not which or entry["type"] == which)

    def _log(self, battle: str) -> bytes:
        answer = self._client.get(f"/v1/battles/{battle}/entries", headers={"Accept": "application/jsonl"})
        assert answer.status_code == 200, answer.text
        return answer.content


def played(script: Path) -> dict[str, bytes]:
    """The logs of a script, by file name."""
    name = script.name.removesuffix(SCRIPT)
    settings = Settings(database=":memory:", log_format="none", rate=0)
    with no_chance(), TestClient(create_app(settings)) as client:
        logs = Player(client, json.loads(script.read_text("utf-8"))).play()
    return {f"{name}.{branch}.jsonl" if branch else f"{name}.jsonl": log for branch, log in logs.items()}


@contextmanager
def no_chance() -> Iterator[None]:
    """Real dice are read off the table; what the service commits itself to all the same is made of zeros."""
    drawn, replays.roller.new_seed = replays.roller.new_seed, lambda: bytes(32)
    try:
        yield
    finally:
        replays.roller.new_seed = drawn


def scripts() -> list[Path]:
    """Every script."""
    return sorted(RECORDED.glob(f"*{SCRIPT}"))


def main() -> None:
    """Record every battle anew."""
    for script in scripts():
        for name, log in played(script).items():
            (RECORDED / name).write_bytes(log)
            sys.stdout.write(f"{name}: {len(log.splitlines())} entries\n")


if __name__ == "__main__":
    main()
