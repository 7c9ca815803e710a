"""Rows. Law: a figure stands beside the floor of the same run, round for round, and beside what was wanted of it."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from time import perf_counter, thread_time
from typing import Any, Literal

Round = tuple[float, float]
"""A figure and its floor, measured one after the other."""


@dataclass(frozen=True)
class Wanted:
    """What a row is to reach: its ratio, or its figure itself where there is a limit of its own."""

    most: bool
    bound: float
    of: Literal["ratio", "figure"] = "ratio"

    def met(self, value: float) -> bool:
        """Whether a value is good enough."""
        return value <= self.bound if self.most else value >= self.bound

    def __str__(self) -> str:
        """How it stands in a table."""
        return f"{'≤' if self.most else '≥'} {self.bound:,g}{'' if self.of == 'ratio' else ' (figure)'}"


def at_least(bound: float) -> Wanted:
    """The ratio is to be this, or more."""
    return Wanted(most=False, bound=bound)


def at_most(bound: float) -> Wanted:
    """The ratio is to be this, or less."""
    return Wanted(most=True, bound=bound)


def under(bound: float) -> Wanted:
    """The figure itself is to be this, or less."""
    return Wanted(most=True, bound=bound, of="figure")


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    unit: str
    figure: float
    floor: float | None
    ratio: float | None
    wanted: Wanted | None
    rounds: int
    floor_is: str

    @property
    def reached(self) -> bool | None:
        """Whether it is good enough; None where nothing was wanted."""
        if self.wanted is None:
            return None
        value = self.ratio if self.wanted.of == "ratio" else self.figure
        return value is not None and self.wanted.met(value)

    def plain(self) -> dict[str, Any]:
        """The row as it stands in the JSON file."""
        return {**asdict(self), "wanted": str(self.wanted) if self.wanted else None, "reached": self.reached}


def row(name: str, unit: str, rounds: Sequence[Round], wanted: Wanted | None, floor_is: str) -> Row:
    """The row of some rounds: medians, and the median of the rounds' own ratios."""
    figures, floors = zip(*rounds, strict=True)
    ratio = median(figure / floor for figure, floor in rounds)
    return Row(name, unit, median(figures), median(floors), ratio, wanted, len(rounds), floor_is)


def alone(name: str, unit: str, figures: Sequence[float], wanted: Wanted | None = None, floor_is: str = "") -> Row:
    """The row of a figure that has a limit and no floor."""
    return Row(name, unit, median(figures), None, None, wanted, len(figures), floor_is)


def in_turn(figure: Callable[[], float], floor: Callable[[], float], rounds: int) -> list[Round]:
    """Rounds of two measurements; a first one, that warms both up, does not count."""
    figure()
    floor()
    return [(figure(), floor()) for _ in range(rounds)]


def seconds(call: Callable[[], object], times: int = 1) -> float:
    """The median of `times` calls."""
    took = []
    for _ in range(times):
        began = perf_counter()
        call()
        took.append(perf_counter() - began)
    return median(took)


def spent(call: Callable[[], object], times: int = 1) -> float:
    """The same in seconds of the processor: for what waits for nothing, so that other work counts less."""
    took = []
    for _ in range(times):
        began = thread_time()
        call()
        took.append(thread_time() - began)
    return median(took)
