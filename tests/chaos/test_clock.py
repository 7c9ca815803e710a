"""A clock that is set back, or far ahead: the log says what the clock said, and nothing else turns on it."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.house import House
from api.limits import Limiter
from api.settings import Settings
from replays.audit.bundle import Bundle
from replays.audit.verify.policy import Policy
from replays.audit.verify.run import verify
from replays.examine import examine
from tests.api.proving import keys
from tests.api.table import open_table

NOW = 1_764_450_000_000
HOUR = 3_600_000
DAY = 24 * HOUR


class Clock:
    """A clock that somebody sets."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        self.now += 1
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(tmp_path: Path, clock: Clock) -> Iterator[TestClient]:
    settings = Settings(database=str(tmp_path / "club.db"), log_format="none", rate=0, poll=0.02)
    app = create_app(settings)
    house: House = app.state.house
    house.referee._clock = clock
    house.notary._now = lambda: clock() // 1000
    with TestClient(app, client=("10.0.0.1", 50_000)) as client:
        yield client


SET = [-DAY, DAY, 3 * HOUR, -400 * DAY, 700 * DAY, -300 * DAY]
"""How somebody sets it, one time after the other."""


def test_a_log_says_what_the_clock_said_and_holds_all_the_same(client: TestClient, clock: Clock) -> None:
    table = open_table(client, "nme")
    falls = 0
    for by in (*SET, HOUR):
        before = table.entries()[-1]["time"]
        clock.now += by
        assert {entry["time"] for entry in table.done("end_turn")["entries"]} == {clock.now}
        falls += clock.now < before
    log = table.log().splitlines()
    assert examine(log).findings == ()
    assert [json.loads(entry)["seq"] for entry in log] == list(range(1, len(log) + 1))
    assert falls == 3
    # Whoever verifies is told of every fall, and it is no fault of the log.
    bundle = Bundle.parse(table.get("/bundle").content)
    found = verify(bundle, Policy(keys=tuple(keys(client)[:1])))
    assert [finding.code for finding in found.findings if finding.code == "W-TIME"] == ["W-TIME"] * falls
    assert found.status == "open"


def test_keys_undo_branches_and_the_desk_do_not_look_at_the_clock(client: TestClient, clock: Clock) -> None:
    table = open_table(client, "nme")
    first = table.post("/actions", {"do": "end_turn"}, Idempotency_Key="once").json()
    clock.now -= 400 * DAY
    again = table.post("/actions", {"do": "end_turn"}, Idempotency_Key="once")
    assert again.json()["action"] == first["action"]
    assert again.headers["Idempotent-Replayed"] == "true"
    state = table.get("").json()["figs"]
    clock.now += 800 * DAY
    later = table.done("end_turn")
    clock.now -= 500 * DAY
    assert table.post("/undo", {"to_before": later["action"], "reason": "the clock"}).status_code == 201
    assert table.get("").json()["figs"] == state
    assert client.post(f"/v1/battles/{table.id}/branches", json={"at": first["seq"]}).status_code == 201
    assert table.get("/turns").status_code == table.get("/casualties").status_code == 200
    other = open_table(client, "mfd")  # begun later, on a clock that says earlier
    desk = [row["id"] for row in client.get("/v1/battles").json()["battles"]]
    assert desk.index(table.id) < desk.index(other.id)


def test_what_is_signed_after_the_clock_was_set_back_extends_what_was_signed_before(
    client: TestClient, clock: Clock
) -> None:
    table = open_table(client, "nme")
    sizes = []
    for by in SET:
        clock.now += by
        table.post("/actions", {"do": "end_turn"})
        note = table.get("/log/checkpoint")
        assert note.status_code == 200, note.text
        sizes.append(int(note.text.splitlines()[1]))
        assert table.get(f"/log/proof/consistency?old={sizes[0]}").status_code == 200
    assert sizes == sorted(set(sizes))


def test_a_clock_that_is_set_back_keeps_nobody_waiting_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    wall, steady = [1_000_000.0], [0.0]
    monkeypatch.setattr(time, "time", lambda: wall[0])
    limiter = Limiter(2, 10, steady=lambda: steady[0])

    def asked(times: int) -> list[bool]:
        return [limiter.check("10.0.0.1", None) is None for _ in range(times)]

    assert asked(3) == [True, True, False]
    wall[0] -= 3600
    assert asked(1) == [False]
    steady[0] += 10
    assert asked(3) == [True, True, False]
    wall[0] += 100_000
    assert asked(3) == [True, True, False]
