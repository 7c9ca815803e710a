"""Answers that are lost on the way: what was stored is found out, and stored once."""

import random
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep

import pytest

from replays.store import Beside, BranchRow, Conflict, KeyTaken, OutcomeUnknown, Store, StoreUnavailable
from tests import cluster as servers
from tests.replays.test_store_races import A, B, batch, key, outcome
from tests.replays.wire import Cut, Wire, wired


@pytest.fixture
def wire(postgres: str) -> Iterator[tuple[Wire, Store, Store]]:
    """A wire, a store at its end, and another store that sits at the server."""
    if "?host=/" not in postgres:
        pytest.skip("PostgreSQL: the wire leads to a Unix socket only")
    with (
        tempfile.TemporaryDirectory(prefix="battlelog-", dir="/tmp") as folder,
        wired(Path(folder), postgres) as (lossy, address),
        closing(Store.open(address, patience=1)) as far,
        closing(Store.open(postgres)) as near,
    ):
        far.append(A, batch(0), Beside(key=key("before")))
        yield lossy, far, near


@pytest.mark.parametrize("cut", ["request", "answer"])
@pytest.mark.parametrize("keyed", [True, False], ids=["with a key", "without"])
def test_an_append_whose_line_broke_is_stored_once(wire: tuple[Wire, Store, Store], cut: Cut, keyed: bool) -> None:
    lossy, far, near = wire
    for head in range(3, 15, 3):
        lossy.cut = cut
        far.append(A, batch(head), Beside(key=key(f"at {head}") if keyed else None))
        assert near.read(A, after=head) == batch(head)
    lossy.cut = cut
    far.append(B, batch(2), Beside(branch=BranchRow(B, A, 2)))
    assert near.read(B, after=2) == batch(2)
    assert lossy.cuts == 5
    assert near.frontier(A).root == far.frontier(A).root


@pytest.mark.parametrize("cut", ["request", "answer"])
def test_what_another_wrote_is_never_taken_for_ones_own(wire: tuple[Wire, Store, Store], cut: Cut) -> None:
    lossy, far, near = wire
    near.append(A, batch(3, "other"), Beside(key=key("theirs")))
    lossy.cut = cut
    with pytest.raises(Conflict):
        far.append(A, batch(3, "mine"))
    lossy.cut = cut
    with pytest.raises(KeyTaken):
        far.append(A, batch(3, "mine"), Beside(key=key("theirs")))
    assert near.read(A) == batch(0) + batch(3, "other")


def test_when_nobody_can_say_the_key_tells_later(wire: tuple[Wire, Store, Store]) -> None:
    lossy, far, near = wire
    lossy.cut, lossy.down = "answer", True
    with pytest.raises(OutcomeUnknown, match="whether it was stored is not known: ask again, with the same key"):
        far.append(A, batch(3), Beside(key=key("once")))
    assert not far.ready()
    with pytest.raises(StoreUnavailable, match="cannot be reached"):
        far.changes()
    lossy.down = False
    until = monotonic() + 10
    while not far.ready() and monotonic() < until:
        sleep(0.1)
    assert far.key(A, "referee", "once") == key("once")
    with pytest.raises(KeyTaken):
        far.append(A, batch(3), Beside(key=key("once")))
    assert near.read(A) == batch(0) + batch(3)


def test_writers_on_a_line_that_keeps_breaking_are_each_stored_once(wire: tuple[Wire, Store, Store]) -> None:
    lossy, far, near = wire
    over = Event()

    def breaks() -> None:
        chance = random.Random(1)
        while not over.wait(0.02) and lossy.cuts < 8:
            lossy.cut = chance.choice(["request", "answer"])

    def play(n: int) -> None:
        for head in range(0, 150, 3):
            far.append(f"{n:032x}", batch(head, str(n)), Beside(key=key(f"{n}/{head}") if n % 2 else None))

    breaker = Thread(target=breaks)
    breaker.start()
    with ThreadPoolExecutor(8) as hands:
        list(hands.map(play, range(8)))
    over.set()
    breaker.join()
    assert lossy.cuts > 2
    for n in range(8):
        assert near.read(f"{n:032x}") == [entry for head in range(0, 150, 3) for entry in batch(head, str(n))]


def test_a_server_that_dies_and_comes_back_has_all_that_was_acknowledged_once() -> None:
    programs = servers.programs_here()
    if programs is None:
        pytest.skip("PostgreSQL: its programs are not here")
    with tempfile.TemporaryDirectory(prefix="battlelog-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        with servers.started(programs, Path(folder), "synchronous_commit=on") as address:
            store = Store.open(servers.Cluster(address).address("postgres"))
            before = store.changes()
            acknowledged: list[int] = []
            over = Event()

            def play() -> None:
                head = 0
                while not over.is_set():
                    if outcome(lambda: store.append(A, batch(head), Beside(key=key(str(head))))) == "stored":  # noqa: B023 - called at once
                        acknowledged.append(head)
                        head += 3
                    elif store.head(A) > head:
                        head += 3

            player = Thread(target=play)
            player.start()
            sleep(0.3)
        down = len(acknowledged)
        with servers.started(programs, Path(folder), "synchronous_commit=on"), closing(store):
            until = monotonic() + 10
            while len(acknowledged) < down + 20 and monotonic() < until:
                sleep(0.01)
            over.set()
            player.join()
            assert 0 < down < len(acknowledged)
            line = store.read(A)
            assert line == [entry for head in range(0, len(line), 3) for entry in batch(head)]
            assert {*acknowledged} <= {*range(0, len(line), 3)}
            assert store.changes() != before
