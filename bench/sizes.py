"""Sizes. Law: the same code measures in full and in small; a test runs it in small and looks at no time."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Sizes:
    """How large everything is that is measured."""

    rounds: int = 9
    """Rounds of quick rows."""
    few: int = 3
    """Rounds of rows that take seconds each."""
    entries: int = 2_000
    """Entries of the battle that is read and folded."""
    appends: int = 200
    """Appends, actions or requests to a round."""
    threads: int = 16
    short: int = 100
    """Actions of a short battle."""
    middle: int = 1_000
    long: int = 10_000
    some_battles: int = 10
    """Battles in a small store."""
    more_battles: int = 100
    battles: int = 10_000
    followers: int = 5_000
    seconds: int = 12
    """How long followers are sent an event a second."""
    rolls: int = 2_000
    """Rolls of the battle that is verified."""
    turns: int = 1_000
    """Turns that are forecast."""


FULL = Sizes()
TINY = Sizes(
    rounds=1,
    few=1,
    entries=60,
    appends=4,
    threads=2,
    short=6,
    middle=12,
    long=24,
    some_battles=2,
    more_battles=3,
    battles=5,
    followers=20,
    seconds=1,
    rolls=4,
    turns=4,
)


@dataclass(frozen=True)
class Run:
    """What a benchmark is given: sizes, a folder of its own, and how to say how far it is (what, done, of how many)."""

    sizes: Sizes
    folder: Path
    say: Callable[[str, int, int], None] = lambda _what, _done, _of: None

    def file(self, name: str) -> str:
        """A file in the folder."""
        return str(self.folder / name)
