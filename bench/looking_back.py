"""Undo, redo, a look at any moment and a branch: the same at action 30 and at action 3,000."""

from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

import msgspec

from bench.battles import play, referee_on
from domain.draft import REFEREE
from domain.timeline import line_of
from replays.codec import Codec
from replays.referee import Asked, BranchAsked, Receipt, Referee
from replays.shelf import Shelf
from replays.store import Store

Row = tuple[str, float, float]


def timed(call: Callable[[], object], times: int) -> float:
    """Median of `times` calls, in microseconds."""
    took = []
    for _ in range(times):
        start = perf_counter()
        call()
        took.append((perf_counter() - start) * 1e6)
    return median(took)


def looking_back(folder: Path, short: int = 30, long: int = 3000) -> list[Row]:
    """(what, microseconds at action `short`, microseconds at action `long`), the two measured in turn."""
    sizes = (short, long)
    referees = [referee_on(str(folder / f"looking-{size}.db")) for size in sizes]
    battles = [play(referee, actions=size) for referee, size in zip(referees, sizes, strict=True)]
    rows: list[Row] = []
    for name, call in (("undo and redo of the last action", _undo), ("look at a seq", _look), ("branch", _branch)):
        took = [timed(lambda r=r, b=b, call=call: call(r, b), 60) for r, b in zip(referees, battles, strict=True)]  # type: ignore[misc]
        rows.append((name, took[0], took[1]))
    for referee in referees:
        referee.store.close()
    return rows


def _undo(referee: Referee, battle: str) -> None:
    last = line_of(referee.shelf.book(battle).record)[-1].seq
    referee.undo(battle, last, "measured", Asked(REFEREE))
    referee.redo(battle, "measured", Asked(REFEREE))


def _look(referee: Referee, battle: str) -> None:
    book = referee.shelf.book(battle)
    book.record_at(book.head // 2 + 1)


def _branch(referee: Referee, battle: str) -> None:
    receipt = referee.branch(battle, BranchAsked(), Asked(REFEREE))
    assert isinstance(receipt, Receipt)


def opening_a_closed_file(folder: Path, entries: int = 2000) -> tuple[float, float]:
    """Milliseconds to open a closed file and have its battle ready, and those of reading the same rows raw."""
    path = str(folder / "closed.db")
    referee = referee_on(path)
    battle = play(referee, entries=entries)
    referee.store.close()

    def opened() -> None:
        store = Store.open(path)
        Shelf(store, Codec()).book(battle)
        store.close()

    def raw() -> None:
        store = Store.open(path)
        decode = msgspec.json.Decoder().decode
        for sealed in store.read(battle):
            decode(sealed.data)
        store.close()

    took = [(timed(opened, 1), timed(raw, 1)) for _ in range(15)]
    return median(t[0] for t in took) / 1000, median(t[1] for t in took) / 1000
