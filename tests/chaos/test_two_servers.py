"""Two servers on one file: one order, one answer to a key, all followers see it all; one dies, the other goes on."""

import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Barrier, Event, Thread
from time import monotonic, sleep

import httpx2
import pytest

from replays.examine import examine
from tests.api.live_server import Server, served
from tests.api.test_two_processes import END, House, following


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("two") / "club.db"


@pytest.fixture(scope="module")
def servers(file: Path) -> Iterator[list[Server]]:
    with ExitStack() as open_now, ThreadPoolExecutor(2) as hands:
        yield list(hands.map(lambda _: open_now.enter_context(served(file)), range(2)))


@pytest.fixture
def house(servers: list[Server]) -> Iterator[House]:
    with ExitStack() as open_now:
        clients = [open_now.enter_context(httpx2.Client(base_url=server.url, timeout=20)) for server in servers]
        made = House(servers, clients)
        made.open()
        yield made


def test_both_write_and_all_that_is_acknowledged_is_there_once_for_every_follower(house: House) -> None:
    start = Barrier(8)

    def race(n: int, head: int) -> int:
        start.wait()
        return house.act(n % 2, END, If_Match=f'"{head}"').status_code

    def same(n: int) -> int:
        start.wait()
        answer = house.act(n % 2, END, Idempotency_Key="same")
        assert answer.status_code == 201, answer.text
        return int(answer.json()["action"])

    def play(n: int) -> list[int]:
        answers = [house.act(n % 2, END, Idempotency_Key=f"{n}/{m}") for m in range(6)]
        assert {answer.status_code for answer in answers} == {201}
        return [answer.json()["action"] for answer in answers]

    with following(house, 0) as first, following(house, 1) as second, ThreadPoolExecutor(8) as hands:
        for _ in range(2):
            head = len(house.log(0))
            assert sorted(hands.map(race, range(8), [head] * 8)) == [201] + [412] * 7
        assert len(set(hands.map(same, range(8)))) == 1
        actions = [action for several in hands.map(play, range(8)) for action in several]
        assert len(actions) == len(set(actions)) == 48
        head = len(house.log(0))
        for follower in (first, second):
            assert follower.wait(head)
            assert follower.seqs == list(range(1, head + 1))
    assert house.log(0) == house.log(1)
    assert examine(house.log(1)).findings == ()
    # Both sign one history: each extends what the other signed last.
    for n in (0, 1, 0, 1):
        assert house.act(1 - n, END).status_code == 201
        assert house.clients[n].get(f"/v1/battles/{house.battle}/log/checkpoint").status_code == 200


def test_one_is_killed_in_the_middle_of_its_writes_and_the_other_goes_on(house: House, file: Path) -> None:
    answered: dict[str, int] = {}
    asked: list[str] = []
    over = Event()

    def play(n: int, which: int) -> None:
        m = 0
        while not over.is_set():
            key, m = f"{n}/{m}", m + 1
            asked.append(key)
            try:
                answer = house.act(which, END, Idempotency_Key=key)
            except httpx2.HTTPError:
                assert which == 2
                return
            assert answer.status_code == 201, answer.text
            answered[key] = answer.json()["action"]

    players = [Thread(target=play, args=(n, 1 + n % 2)) for n in range(6)]
    with (
        served(file) as mortal,
        httpx2.Client(base_url=mortal.url, timeout=20) as client,
        following(house, 1) as follower,
    ):
        house.clients.append(client)
        for player in players:
            player.start()
        sleep(0.4)
        mortal.stop(signal.SIGKILL)
        count = len(answered)
        until = monotonic() + 10
        while len(answered) < count + 20 and monotonic() < until:
            sleep(0.01)
        over.set()
        for player in players:
            player.join()
        assert len(answered) >= count + 20
        for key in asked:  # sent again to the one that lives
            answer = house.act(1, END, Idempotency_Key=key)
            assert answer.status_code == 201, answer.text
            assert answered.setdefault(key, answer.json()["action"]) == answer.json()["action"]
        head = len(house.log(1))
        assert follower.wait(head)
        assert follower.seqs == list(range(1, head + 1))
    check(house.log(0), answered)
    assert house.log(0) == house.log(1)


def check(log: list[bytes], answered: dict[str, int]) -> None:
    """Every action that was asked for is there once, and no other."""
    examined = examine(log)
    assert examined.findings == ()
    actions = [entry.action for entry in examined.entries if entry.type == "ActionDeclared"]
    assert sorted(actions) == sorted(answered.values())
