"""Together: many battles at once in one process. Law: a writer goes on only after the commit that holds its entries."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from time import perf_counter

from bench.appending import Script, appender, shot
from bench.battles import acted, referee_on
from bench.rows import Row, at_least, in_turn, row
from bench.sizes import Run
from replays.audit.merkle import Frontier
from replays.store import Beside, Sealed, Store
from replays.store.ports import Tree

_NOTHING = Beside()


class OneByOne(Store):
    """The same store, but for this: no two writers wait at once, so each action has a commit of its own."""

    _door = Lock()

    def append(
        self, battle: str, entries: Sequence[Sealed], beside: Beside = _NOTHING, tree: Tree | None = None
    ) -> Frontier | None:
        """Append, alone."""
        with self._door:
            return super().append(battle, entries, beside, tree)


def rate(threads: ThreadPoolExecutor, writers: Sequence[Callable[[], None]], times: int) -> float:
    """Calls a second, all writers at once."""

    def work(write: Callable[[], None]) -> None:
        for _ in range(times):
            write()

    began = perf_counter()
    for done in [threads.submit(work, write) for write in writers]:
        done.result()
    return len(writers) * times / (perf_counter() - began)


def rows(run: Run) -> Iterator[Row]:
    """Actions a second of all writers together."""
    sizes, batch = run.sizes, shot()
    shared, single = Store.open(run.file("together.db")), OneByOne.open(run.file("one-by-one.db"))
    floor_is = "the same writers, a commit for each action"
    with ThreadPoolExecutor(sizes.threads) as threads:
        both = [[appender(s, f"b{n:031x}", batch, key=False) for n in range(sizes.threads)] for s in (shared, single)]
        pairs = in_turn(
            lambda: rate(threads, both[0], sizes.appends), lambda: rate(threads, both[1], sizes.appends), sizes.rounds
        )
        yield row(f"append by {sizes.threads} writers", "actions/s", pairs, at_least(2), floor_is)
        pairs = _whole(run, threads, (shared, single))
        yield row(f"whole actions of {sizes.threads} battles", "actions/s", pairs, None, floor_is)
    shared.close()
    single.close()


def _whole(run: Run, threads: ThreadPoolExecutor, stores: tuple[Store, Store]) -> list[tuple[float, float]]:
    """The same with everything that the referee does."""
    sizes = run.sizes
    times = max(1, sizes.appends // 4)
    script = acted(times * (sizes.rounds + 1))
    acts = []
    for store in stores:
        referee = referee_on(store)
        acts.append([Script(referee, script) for _ in range(sizes.threads)])

    def whole(scripts: Sequence[Script]) -> float:
        began = perf_counter()
        rates = list(threads.map(lambda one: one.rate(times), scripts))
        return len(rates) * times / (perf_counter() - began)

    return in_turn(lambda: whole(acts[0]), lambda: whole(acts[1]), sizes.rounds)
