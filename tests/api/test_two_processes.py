"""Two services on one PostgreSQL database: it is all the same which one is asked, also when one of them dies."""

import json
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Barrier, Thread
from time import monotonic, sleep
from typing import Any

import httpx2
import pytest

from replays.examine import examine
from tests.api.live_server import Server, served
from tests.cluster import Cluster
from tests.replays.rooms import gangs

END = {"do": "end_turn"}


@dataclass
class House:
    """Two services, and a way to ask either."""

    servers: list[Server]
    clients: list[httpx2.Client]
    battle: str = ""
    secret: str = ""

    def open(self) -> None:
        """Open a battle at the first."""
        answer = self.clients[0].post("/v1/battles", json=gangs()).json()
        self.battle, self.secret = answer["id"], answer["seats"]["referee"]

    def act(self, which: int, command: dict[str, Any], **headers: str) -> httpx2.Response:
        """Ask one of them for an action."""
        sent = {"Authorization": f"Bearer {self.secret}"} | {k.replace("_", "-"): v for k, v in headers.items()}
        return self.clients[which].post(f"/v1/battles/{self.battle}/actions", json=command, headers=sent)

    def log(self, which: int) -> list[bytes]:
        """The log as one of them tells it."""
        accept = {"Accept": "application/jsonl"}
        return self.clients[which].get(f"/v1/battles/{self.battle}/entries", headers=accept).content.splitlines()


@pytest.fixture(scope="module")
def address(cluster: Cluster) -> Iterator[str]:
    with cluster.store() as address:
        yield address


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("two")


@pytest.fixture(scope="module")
def servers(address: str, folder: Path) -> Iterator[list[Server]]:
    with ExitStack() as open_now, ThreadPoolExecutor(2) as hands:
        started = [hands.submit(open_now.enter_context, service(address, folder)) for _ in range(2)]
        yield [each.result() for each in started]


def service(address: str, folder: Path) -> AbstractContextManager[Server]:
    return served(address, folder, KEYS=str(folder / "keys"), POLL="0.25")


@pytest.fixture
def house(servers: list[Server]) -> Iterator[House]:
    with ExitStack() as open_now:
        clients = [open_now.enter_context(httpx2.Client(base_url=server.url, timeout=20)) for server in servers]
        house = House(servers, clients)
        house.open()
        yield house


class Follower:
    """Follows a battle at one of them, and notes when each entry came."""

    def __init__(self, house: House, which: int) -> None:
        self.came: dict[int, float] = {}
        self.seqs: list[int] = []
        self._url = f"{house.servers[which].url}/v1/battles/{house.battle}/entries"
        self._over = False
        self._thread = Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _follow(self) -> None:
        accept = {"Accept": "text/event-stream"}
        with suppress(httpx2.HTTPError), httpx2.stream("GET", self._url, headers=accept, timeout=30) as answer:
            for line in answer.iter_lines():
                if line.startswith("id: "):
                    self.seqs.append(int(line[4:]))
                    self.came[self.seqs[-1]] = monotonic()
                if self._over:
                    return

    def wait(self, seq: int) -> bool:
        """Whether the entry comes within some seconds."""
        until = monotonic() + 5
        while seq not in self.came and monotonic() < until:
            sleep(0.01)
        return seq in self.came

    def stop(self) -> None:
        self._over = True


@contextmanager
def following(house: House, which: int) -> Iterator[Follower]:
    follower = Follower(house, which)
    try:
        yield follower
    finally:
        follower.stop()


def test_either_takes_any_action_and_followers_of_the_other_see_it_within_a_second(house: House) -> None:
    with following(house, 0) as first, following(house, 1) as second:
        assert first.wait(len(house.log(0)))
        assert second.wait(len(house.log(0)))
        for n in range(8):
            answer = house.act(n % 2, END)
            assert answer.status_code == 201, answer.text
            done, seq = monotonic(), answer.json()["seq"]
            for follower in (first, second):
                assert follower.wait(seq)
                assert follower.came[seq] - done < 1
        head = len(house.log(0))
        assert first.seqs == second.seqs == list(range(1, head + 1))
    assert house.log(0) == house.log(1)
    assert examine(house.log(1)).findings == ()


def test_a_key_is_answered_alike_by_both(house: House) -> None:
    first = house.act(0, END, Idempotency_Key="once")
    again = house.act(1, END, Idempotency_Key="once")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json()["action"] == again.json()["action"]
    misused = house.act(1, {"do": "end_phase"}, Idempotency_Key="once")
    assert misused.status_code in {409, 422}, misused.text
    start = Barrier(10)

    def ask(n: int) -> tuple[int, int]:
        start.wait()
        answer = house.act(n % 2, END, Idempotency_Key="at-once")
        return answer.status_code, answer.json()["action"]

    with ThreadPoolExecutor(10) as hands:
        assert len(set(hands.map(ask, range(10)))) == 1


def test_of_ten_writers_over_both_who_saw_the_same_head_one_wins(house: House) -> None:
    start = Barrier(10)
    for _ in range(5):
        head = len(house.log(0))

        def write(n: int, head: int = head) -> int:
            start.wait()
            return house.act(n % 2, END, If_Match=f'"{head}"').status_code

        with ThreadPoolExecutor(10) as hands:
            assert sorted(hands.map(write, range(10))) == [201] + [412] * 9
    log = house.log(1)
    assert [json.loads(entry)["seq"] for entry in log] == list(range(1, len(log) + 1))
    assert examine(log).findings == ()


def test_when_one_dies_the_other_goes_on_with_its_last_word(house: House, address: str, folder: Path) -> None:
    keys: list[str] = []

    def play() -> None:
        while True:
            keys.append(f"key-{len(keys)}")
            try:
                house.act(2, END, Idempotency_Key=keys[-1])
            except httpx2.HTTPError:
                return

    with service(address, folder) as mortal, httpx2.Client(base_url=mortal.url, timeout=20) as client:
        house.clients.append(client)
        player = Thread(target=play)
        player.start()
        sleep(0.2)
        mortal.stop(signal.SIGKILL)
        player.join()
    # Sent again to the other: what was acknowledged is answered again, the last one is there once.
    answers = [house.act(1, END, Idempotency_Key=key) for key in keys]
    assert {answer.status_code for answer in answers} == {201}
    actions = [answer.json()["action"] for answer in answers]
    log = [json.loads(entry) for entry in house.log(1)]
    assert sorted(actions) == [entry["seq"] for entry in log if entry["type"] == "ActionDeclared"]
    assert examine(house.log(1)).findings == ()


def test_what_is_printed_holds_no_password(address: str, folder: Path) -> None:
    with service(address.replace("tests@", "tests:hush@"), folder) as server:
        assert httpx2.get(f"{server.url}/readyz").status_code == 200
        page = httpx2.get(f"{server.url}/").text + httpx2.get(f"{server.url}/metrics").text
    assert "hush" not in page
    assert "hush" not in server.log.read_text()
