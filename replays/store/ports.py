"""What a store needs of a database. Law: an append is seen whole or not at all, whoever keeps the tables."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from replays.audit.merkle import Frontier
from replays.store.rows import Beside, Sealed

Tree = Callable[[], Frontier]
"""Tells the tree that entries follow on; it may have to be hashed, and not every recorder asks."""


class Statement(NamedTuple):
    """Plain SQL with `?` for a value, and the values."""

    text: str
    values: Sequence[object]


class Recorder(Protocol):
    """A database that keeps the log."""

    place: str
    """The column of `stored_events` that counts entries of all battles in the order of their commits."""

    def append(
        self, battle: str, entries: Sequence[Sealed], beside: Beside, tree: Tree | None = None
    ) -> Frontier | None:
        """Store all of it in one transaction, durably, or raise and store nothing; gives the tree after, if known."""
        ...

    def tip(self, battle: str) -> tuple[int, bytes]:
        """Seq and leaf hash of the last entry of its own, 0 and nothing for a battle that nobody knows."""
        ...

    def leaves(self, battle: str, after: int, upto: int) -> list[bytes]:
        """The leaf hashes of its own entries with `after` < seq <= `upto`, in order."""
        ...

    def tree(self, battle: str) -> Frontier:
        """The Merkle tree of all its entries, those that it inherits among them; the empty one if nobody knows it."""
        ...

    def rows(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """What a SELECT finds."""
        ...

    def few(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """What a SELECT finds that finds a row or two by their key, and takes no time."""
        ...

    def execute(self, statement: str, values: Sequence[object]) -> None:
        """One statement that writes, in a transaction of its own."""

    def together(self, first: Statement, rest: Sequence[Statement]) -> bool:
        """All of these in one transaction if `first` changes just one row, which is told; otherwise nothing."""
        ...

    def settle(self) -> None:
        """Leave no trace of what was erased, as far as nobody reads at the moment."""

    def changes(self) -> int:
        """A number that moves when somebody else wrote."""
        ...

    def trouble(self) -> str:
        """Why the database cannot be read and written, in words that tell nobody where it is; empty if it can."""
        ...
