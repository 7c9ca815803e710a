"""The docket: disputes, undo requests, and dice seen and undone. Law: an undo never rewinds it."""

from typing import Literal

import msgspec


class Request(msgspec.Struct, frozen=True, gc=False):
    """An open request to undo or redo."""

    request: int
    what: Literal["undo", "redo"]
    by: str
    to_before: int
    head: int
    turn: int
    ask: tuple[str, ...]
    agreed: tuple[str, ...]
    reason: str
    seq: int


class Dispute(msgspec.Struct, frozen=True, gc=False):
    """A question about an entry."""

    dispute: int
    about: int
    reason: str
    by: str
    seq: int
    status: Literal["open", "ruling", "agreed", "withdrawn"] = "open"
    ruling: int | None = None


class Docket(msgspec.Struct, frozen=True, gc=False):
    """Procedure: what an undo never rewinds."""

    disputes: dict[int, Dispute] = {}
    request: Request | None = None
    requests: int = 0
    asked: dict[tuple[str, int], int] = {}
    refused: frozenset[tuple[str, str, int]] = frozenset()
    dice_undone: int = 0
    undos: int = 0
    closed: bool = False
