"""A log, cut into batches. Law: it is what the service shows at the end, byte for byte; nothing in it is trusted."""

from collections.abc import Iterable, Sequence
from typing import Any, Self

import msgspec

from tests.history import words
from tests.history.diary import digest


class Batch(msgspec.Struct, frozen=True):
    """The entries `action` to `last` of a log: what one request wrote."""

    action: int
    last: int
    words: str
    digest: str


class Log(msgspec.Struct, frozen=True):
    """A log; of a branch, entries 1 to `at` are its parent's."""

    battle: str
    lines: tuple[bytes, ...]
    entries: tuple[dict[str, Any], ...]
    batches: dict[int, Batch]
    parent: str = ""
    at: int = 0

    @classmethod
    def of(cls, battle: str, lines: Iterable[bytes]) -> Self:
        """A log, read."""
        data = tuple(lines)
        entries = tuple(msgspec.json.decode(line) for line in data)
        own = [entry["body"] for entry in entries if entry["type"] == "BranchOpened" and entry["battle"] == battle]
        parent, at = (own[0]["parent"], own[0]["at"]) if own else ("", 0)
        return cls(battle, data, entries, _batches(data, entries, at), parent, at)

    @property
    def head(self) -> int:
        """The last seq."""
        return len(self.lines)

    @property
    def ends(self) -> set[int]:
        """Where its own batches end; a branch also stands where it parts."""
        return {batch.last for batch in self.batches.values()} | ({self.at} if self.at else set())


def _batches(data: Sequence[bytes], entries: Sequence[dict[str, Any]], at: int) -> dict[int, Batch]:
    found: dict[int, Batch] = {}
    first = at
    for n in range(at + 1, len(data) + 1):
        if n == len(data) or entries[n]["action"] != entries[first]["action"]:
            batch = Batch(first + 1, n, words.written(entries[first]), digest(data[first:n]))
            found[batch.action] = batch
            first = n
    return found
