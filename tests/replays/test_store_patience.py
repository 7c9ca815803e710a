"""While the server is away nobody waits for long: not for the patience of others on top of their own."""

import random
import tempfile
from contextlib import closing
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

import pytest

from replays.store import Store, StoreUnavailable
from tests import cluster as servers
from tests.replays.test_store_races import batch

PATIENCE = 2


def test_writers_who_queue_up_wait_hardly_longer_than_one_alone() -> None:
    programs = servers.programs_here()
    if programs is None:
        pytest.skip("PostgreSQL: its programs are not here")
    battles = [f"{n:032x}" for n in range(10)]
    waits: list[float] = []
    with tempfile.TemporaryDirectory(prefix="battlelog-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        with servers.started(programs, Path(folder)) as address:
            store = Store.open(servers.Cluster(address).address("postgres"), patience=PATIENCE)
            for battle in battles:
                store.append(battle, batch(0))
        with closing(store):
            end = monotonic() + 2.5 * PATIENCE

            def write(n: int) -> None:
                chance = random.Random(n)
                while (asked := monotonic()) < end:
                    with pytest.raises(StoreUnavailable):
                        store.append(battles[n], batch(3))
                    waits.append(monotonic() - asked)
                    sleep(chance.random() * PATIENCE)

            writers = [Thread(target=write, args=(n,)) for n in range(10)]
            for writer in writers:
                writer.start()
            for writer in writers:
                writer.join()
    assert len(waits) >= 20
    assert max(waits) < 1.75 * PATIENCE
