"""Looking back: undo, redo, a look at any moment and a branch cost the same late in a battle as early in it."""

from collections.abc import Callable, Iterator
from time import perf_counter

from bench.battles import play, referee_on
from bench.rows import Row, at_most, in_turn, row, seconds
from bench.sizes import Run
from domain.draft import REFEREE
from domain.record import line_of
from replays.referee import Asked, BranchAsked, Referee

LOOKS = 50
"""Looks to a measurement: a single one is too short for the clock."""


def rows(run: Run) -> Iterator[Row]:
    """Microseconds late in a battle, beside the same early in one."""
    sizes = run.sizes
    early, late = (_played(run, actions) for actions in (sizes.short, sizes.long))
    times = max(1, sizes.appends // 10)
    for name, call in (
        ("undo, then redo the last action", _undo_and_redo),
        ("redo", _redo),
        ("look at a seq", _look),
        ("branch", _branch),
    ):
        measured = _measured(call, times)
        pairs = in_turn(lambda m=measured: m(*late), lambda m=measured: m(*early), sizes.rounds)  # type: ignore[misc]
        yield row(f"{name}, at action {sizes.long:,}", "µs", pairs, at_most(1.5), f"the same at action {sizes.short:,}")
    for referee, _ in (early, late):
        referee.store.close()


def _played(run: Run, actions: int) -> tuple[Referee, str]:
    run.say("playing", 0, 1)
    referee = referee_on(run.file(f"looking-{actions}.db"))
    return referee, play(referee, actions=actions)


def _measured(call: Callable[[Referee, str], float], times: int) -> Callable[[Referee, str], float]:
    def measure(referee: Referee, battle: str) -> float:
        took = sorted(call(referee, battle) for _ in range(times))
        return took[times // 2] * 1e6

    return measure


def _last(referee: Referee, battle: str) -> int:
    return line_of(referee.shelf.book(battle).record)[-1].seq


def _undo_and_redo(referee: Referee, battle: str) -> float:
    last = _last(referee, battle)
    began = perf_counter()
    referee.undo(battle, last, "measured", Asked(REFEREE))
    referee.redo(battle, "measured", Asked(REFEREE))
    return perf_counter() - began


def _redo(referee: Referee, battle: str) -> float:
    referee.undo(battle, _last(referee, battle), "measured", Asked(REFEREE))
    return seconds(lambda: referee.redo(battle, "measured", Asked(REFEREE)))


def _look(referee: Referee, battle: str) -> float:
    book = referee.shelf.book(battle)
    seqs = [1 + book.head * n // LOOKS for n in range(LOOKS)]
    return seconds(lambda: [book.record_at(seq) for seq in seqs]) / LOOKS


def _branch(referee: Referee, battle: str) -> float:
    return seconds(lambda: referee.branch(battle, BranchAsked(), Asked(REFEREE)))
