"""What a store needs of a database. Law: an append is seen whole or not at all, whoever keeps the tables."""

from collections.abc import Sequence
from typing import Any, Protocol

from replays.store.rows import Beside, Sealed


class Recorder(Protocol):
    """A database that keeps the log."""

    def append(self, battle: str, entries: Sequence[Sealed], beside: Beside) -> None:
        """Store all of it in one transaction, durably, or raise and store nothing."""

    def rows(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """What a SELECT finds."""
        ...

    def execute(self, statement: str, values: Sequence[object]) -> None:
        """One statement that writes, in a transaction of its own."""

    def settle(self) -> None:
        """Leave no trace of what was erased, as far as nobody reads at the moment."""

    def changes(self) -> int:
        """A number that moves when somebody else wrote."""
        ...

    def ready(self) -> bool:
        """Whether the database can be read and written."""
        ...
