"""Append: an action made durable, beside a raw insert and commit of the same bytes."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count, cycle
from time import perf_counter

from bench import raw
from bench.battles import Acted, acted, begun, referee_on
from bench.rows import Row, at_least, in_turn, row, seconds
from bench.sizes import Run
from domain.commands import COMMAND
from domain.draft import REFEREE
from domain.refusals import Refused
from replays.referee import Asked, Referee
from replays.sealing import summary_of
from replays.store import Beside, KeyRow, Sealed, Store, Summary

BATCH = 5
"""Entries of an action."""


def shot() -> list[raw.Line]:
    """The lines of a shot as it was played, the first five of them."""
    batch = next(one.lines for one in acted(40) if one.asked["do"] == "shoot" and len(one.lines) >= BATCH)
    return batch[:BATCH]


def desk_row(battle: str) -> Summary:
    """A battle's row on the desk."""
    referee = referee_on(":memory:")
    summary = summary_of(battle, referee.shelf.book(begun(referee)).record)
    referee.store.close()
    return summary


def appender(store: Store, battle: str, batch: Sequence[raw.Line], *, key: bool) -> Callable[[], None]:
    """Appends the batch again and again, with its tree and desk row, and with a key if that is asked."""
    summary, seqs = desk_row(battle), count(1, len(batch))

    def append() -> None:
        first = next(seqs)
        sealed = [Sealed(first + n, topic.partition("/")[0], 1, data) for n, (topic, data) in enumerate(batch)]
        named = KeyRow(battle, "referee", f"key-{first}", bytes(32), battle, first) if key else None
        store.append(battle, sealed, Beside(key=named, summary=summary))

    return append


def rows(run: Run) -> Iterator[Row]:
    """Actions a second of one writer."""
    sizes, batch = run.sizes, shot()
    writer = raw.Writer(run.file("raw.db"), "a" * 32)
    store = Store.open(run.file("append.db"))
    plain, keyed = appender(store, "b" * 32, batch, key=False), appender(store, "c" * 32, batch, key=True)

    def bare() -> float:
        return 1 / seconds(lambda: writer.write(batch), sizes.appends)

    floor_is = "raw insert and commit of the same bytes"
    pairs = in_turn(lambda: 1 / seconds(plain, sizes.appends), bare, sizes.rounds)
    yield row("append of 5 entries", "actions/s", pairs, at_least(0.6), floor_is)
    pairs = in_turn(lambda: 1 / seconds(keyed, sizes.appends), bare, sizes.rounds)
    yield row("append of 5 entries with an idempotency key", "actions/s", pairs, at_least(0.6), floor_is)
    store.close()
    yield _whole(run, writer, floor_is)


def _whole(run: Run, writer: raw.Writer, floor_is: str) -> Row:
    """Everything that the referee does for an action, beside the floor of the same actions."""
    sizes = run.sizes
    script = acted(sizes.appends * (sizes.rounds + 1))
    referee = referee_on(run.file("act.db"))
    acts, floors = Script(referee, script), cycle(script)
    pairs = in_turn(
        lambda: acts.rate(sizes.appends),
        lambda: 1 / seconds(lambda: writer.write(next(floors).lines), sizes.appends),
        sizes.rounds,
    )
    referee.store.close()
    return row("read, decide, throw, seal and append", "actions/s", pairs, None, floor_is)


class Script:
    """Actions to be asked one after the other of a new battle."""

    def __init__(self, referee: Referee, script: Sequence[Acted]) -> None:
        self._referee = referee
        self._battle = begun(referee)
        self._left = iter([COMMAND.validate_python(one.asked) for one in script])

    def rate(self, actions: int) -> float:
        """Actions a second over the next ones; other dice may have taken a weapon away, and then one is refused."""
        done, began = 0, perf_counter()
        for _ in range(actions):
            try:
                self._referee.act(self._battle, next(self._left), Asked(REFEREE))
                done += 1
            except Refused:
                continue
        return done / (perf_counter() - began)
