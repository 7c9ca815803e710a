"""A bad line to PostgreSQL: an append is stored once or refused in time, and followers miss nothing."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep

import httpx2
import pytest

from replays.store import Beside, KeyTaken, OutcomeUnknown, Store, StoreUnavailable
from tests.api.live_server import served
from tests.chaos.lives import Player
from tests.chaos.proxy import Proxy, proxied
from tests.replays.test_store_races import A, batch, key

Lines = tuple[Proxy, Store, Store]


@pytest.fixture
def lines(postgres: str) -> Iterator[Lines]:
    """A proxy, a store behind it, and another that sits at the server."""
    with (
        proxied(postgres) as (proxy, address),
        closing(Store.open(address, patience=1)) as far,
        closing(Store.open(postgres)) as near,
    ):
        far.append(A, batch(0), Beside(key=key("before")))
        yield proxy, far, near


def test_a_slow_line_is_waited_for(lines: Lines) -> None:
    proxy, far, near = lines
    proxy.delay = 0.15
    far.append(A, batch(3), Beside(key=key("slow")))
    assert far.read(A) == near.read(A) == batch(0) + batch(3)
    assert far.ready()


def test_a_line_that_stands_still_is_given_up_in_time_and_what_was_sent_is_stored_once(lines: Lines) -> None:
    proxy, far, near = lines
    far.append(A, batch(3))
    proxy.flowing.clear()
    began = monotonic()
    with pytest.raises(OutcomeUnknown, match="ask again, with the same key"):
        far.append(A, batch(6), Beside(key=key("stands")))
    assert not far.ready()
    with pytest.raises(StoreUnavailable):
        far.read(A)
    assert monotonic() - began < 25
    # Now what stood still arrives after all, late.
    proxy.flowing.set()
    until_ready(far)
    try:
        far.append(A, batch(6), Beside(key=key("stands")))
    except KeyTaken:
        assert far.key(A, "referee", "stands") == key("stands")
    assert near.read(A) == [entry for head in (0, 3, 6) for entry in batch(head)]


def test_a_line_that_listens_and_stands_still_is_opened_anew_and_nothing_is_missed(lines: Lines) -> None:
    proxy, far, near = lines
    before = far.changes()
    proxy.flowing.clear()
    near.append(A, batch(3))
    sleep(0.2)
    assert far.changes() == before
    proxy.hang_up()
    proxy.flowing.set()
    until = monotonic() + 10
    while monotonic() < until and not _moved(far, before):
        sleep(0.05)
    assert _moved(far, before)


@pytest.mark.parametrize("length", [0, 1, 5, 40])
def test_an_answer_that_breaks_off_in_the_middle_is_asked_for_again(lines: Lines, length: int) -> None:
    proxy, far, near = lines
    proxy.cut_within(length)
    assert far.read(A) == batch(0)
    proxy.cut_within(length)
    far.append(A, batch(3), Beside(key=key("cut")))
    proxy.cut_within(length)
    far.append(A, batch(6))
    assert near.read(A) == [entry for head in (0, 3, 6) for entry in batch(head)]
    assert proxy.cuts == 3


def test_an_append_whose_answer_is_lost_is_stored_once_by_each_of_many_writers(lines: Lines) -> None:
    proxy, far, near = lines
    over = Event()

    def breaks() -> None:
        chance = random.Random(1)
        while not over.wait(0.03) and proxy.cuts < 12:
            spoil(proxy, chance, 60)

    def play(n: int) -> int:
        head = 0
        while head < 60 or (proxy.cuts <= 3 and head < 6000):  # a fast machine is done before much is cut
            asked = Beside(key=key(f"{n}/{head}"))
            for _ in range(50):
                try:
                    far.append(f"{n:032x}", batch(head, str(n)), asked)
                    break
                except KeyTaken:  # by itself: it had been told that nobody knows
                    break
                except StoreUnavailable:
                    continue
            head += 3
        return head

    breaker = Thread(target=breaks)
    breaker.start()
    with ThreadPoolExecutor(6) as hands:
        heads = list(hands.map(play, range(6)))
    over.set()
    breaker.join()
    assert proxy.cuts > 3
    for n, last in enumerate(heads):
        assert near.read(f"{n:032x}") == [entry for head in range(0, last, 3) for entry in batch(head, str(n))]


def spoil(proxy: Proxy, chance: random.Random, within: int) -> None:
    """Cut one line in one way, or now and then all of them."""
    match chance.randrange(5):
        case 0:
            proxy.hang_up()
        case 1 | 2:
            proxy.lose_answer()
        case _:
            proxy.cut_within(chance.randrange(within))


class Follower:
    """Follows a battle, and comes again with the last id that it saw whenever the feed ends."""

    def __init__(self, player: Player) -> None:
        self.seqs: list[int] = []
        self._url = f"{player.http.base_url}/v1/battles/{player.battle}/entries"
        self._over = False
        self._thread = Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _follow(self) -> None:
        while not self._over:
            headers = {"Accept": "text/event-stream", "Last-Event-ID": str(self.seqs[-1] if self.seqs else 0)}
            try:
                with httpx2.stream("GET", self._url, headers=headers, timeout=5) as answer:
                    for line in answer.iter_lines():
                        if line.startswith("id: "):
                            self.seqs.append(int(line[4:]))
                        if self._over:
                            return
            except httpx2.HTTPError:
                pass
            sleep(0.05)

    def stop(self) -> None:
        self._over = True
        self._thread.join(10)


def weather(proxy: Proxy, seconds: float, over: Event) -> None:
    """Everything that a line can do, by turns."""
    chance = random.Random(2)
    until = monotonic() + seconds
    # On a busy machine nobody would get through if it never let up.
    while monotonic() < until and not over.wait(0.1) and proxy.cuts < 2.5 * seconds:
        proxy.delay = chance.choice([0, 0, 0.003, 0.01])
        if chance.random() < 0.5:
            spoil(proxy, chance, 200)
        if chance.random() < 0.1:
            proxy.flowing.clear()
            over.wait(0.3)
            proxy.flowing.set()
    proxy.delay = 0
    proxy.flowing.set()


def play_in(seconds: float, address: str, proxy: Proxy, folder: Path) -> int:
    """Play through the weather; what was acknowledged is there once, and whoever followed saw all of it."""
    over = Event()
    with served(address, folder, HEARTBEAT="0.5") as server, Player(server.url, timeout=60) as player:
        player.open()
        follower = Follower(player)
        sky = Thread(target=weather, args=(proxy, seconds, over))
        sky.start()

        def play(n: int) -> int:
            done, busy, status = 0, 0, 0
            while sky.is_alive() or done < 5 or status == 503:
                status = player.act(f"{n}/{done}")
                assert status in {201, 503}
                done, busy = done + (status == 201), busy + (status == 503)
                assert busy < 100
            return done

        with ThreadPoolExecutor(4) as hands:
            done = sum(hands.map(play, range(4)))
        sky.join()
        assert player.ready() == 200
        assert len(player.acknowledged) == done
        player.check()
        head = len(player.log())
        until = monotonic() + 10
        while (not follower.seqs or follower.seqs[-1] < head) and monotonic() < until:
            sleep(0.05)
        follower.stop()
        assert follower.seqs == list(range(1, head + 1))
    return done


def test_a_battle_is_played_through_bad_weather(postgres: str, tmp_path: Path) -> None:
    with proxied(postgres) as (proxy, address):
        assert play_in(4, address, proxy, tmp_path) >= 20
        assert proxy.cuts > 5


@pytest.mark.slow
def test_a_battle_is_played_through_a_minute_of_bad_weather(postgres: str, tmp_path: Path) -> None:
    with proxied(postgres) as (proxy, address):
        assert play_in(60, address, proxy, tmp_path) >= 100
        assert proxy.cuts > 30


@pytest.mark.slow
def test_a_server_whose_database_stands_still_says_so_in_time_and_goes_on(postgres: str, tmp_path: Path) -> None:
    with (
        proxied(postgres) as (proxy, address),
        served(address, tmp_path) as server,
        Player(server.url, timeout=60) as player,
    ):
        player.open()
        assert player.act() == 201
        proxy.flowing.clear()
        with ThreadPoolExecutor(60) as hands:
            began = monotonic()
            answers = list(hands.map(lambda n: player.act(f"at-once-{n}"), range(60)))
            assert set(answers) == {503}
            assert monotonic() - began < 60
        assert player.ready() == 503
        assert player.http.get("/healthz").status_code == 200
        proxy.flowing.set()
        until = monotonic() + 20
        while player.ready() != 200 and monotonic() < until:
            sleep(0.2)
        assert [player.act(f"at-once-{n}") for n in range(60)] == [201] * 60
        player.check()


def until_ready(store: Store) -> None:
    until = monotonic() + 10
    while not store.ready() and monotonic() < until:
        sleep(0.1)
    assert store.ready()


def _moved(store: Store, before: int) -> bool:
    try:
        return store.changes() != before
    except StoreUnavailable:
        return False
