"""What an append sends, and what its answer means. Law: bytes travel as hex or binary, and never as text."""

from collections.abc import Sequence
from functools import lru_cache
from json import dumps
from typing import Any

import msgspec

from replays.store.refusals import Conflict, KeyTaken
from replays.store.rows import Beside, Sealed

Value = tuple[str, int, str, bytes]
"""A row of `stored_events`: battle, seq, wire name, bytes."""


def values_of(battle: str, entries: Sequence[Sealed]) -> list[Value]:
    """The rows of entries."""
    return [(battle, entry.seq, f"{entry.type}/{entry.v}", entry.data) for entry in entries]


def columns_of(values: Sequence[Value]) -> tuple[list[Any], ...]:
    """Rows, turned round."""
    if not values:
        return [], [], [], []
    return tuple(list(column) for column in zip(*values, strict=True))


def written(beside: Beside) -> str:
    """The rows beside the log as JSON, by table; those that there are."""
    rows: dict[str, object] = {
        name: row for name in ("key", "branch", "summary") if (row := getattr(beside, name)) is not None
    }
    rows |= {name: row for name in ("seats", "secrets", "names") if (row := getattr(beside, name))}
    return dumps(rows, default=_plain)


def _plain(value: object) -> object:
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.asdict(value)
    if isinstance(value, bytes):
        return f"\\x{value.hex()}"
    raise TypeError(f"type {type(value).__name__!r} is not supported in a row")


@lru_cache
def translated(statement: str) -> str:
    """A statement of the store, with a value where `?` stands."""
    return statement.replace("%", "%%").replace("?", "%s")


def need_stored(outcome: str, last: int, battle: str, entries: Sequence[Sealed], beside: Beside) -> None:
    """Raise what an answer stands for, unless it is `stored`. `last` is the entry that these should follow."""
    match outcome:
        case "stored":
            return
        case "taken":
            assert beside.key is not None
            raise KeyTaken(beside.key.scope, beside.key.seat, beside.key.key)
        case "stands":
            raise Conflict(f"battle {battle} is stored already, and cannot begin as a branch")
        case "astray":
            assert beside.branch is not None
            raise Conflict(f"battle {beside.branch.parent} has no entry {beside.branch.at} to branch from")
        case _:
            found = next((entry.seq, place) for place, entry in enumerate(entries, last + 1) if entry.seq != place)
            raise Conflict(f"battle {battle} ends at {last}: entry {found[0]} cannot be its {found[1]}")
