"""Lines: the entries as the proof half reads them. Law: hash first, read after, and never make the bytes again."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import count, repeat
from typing import Any, Final

from replays.audit.dicechain import ChainId
from replays.audit.verify.canon import read_loosely, read_object, read_objects
from replays.audit.verify.shapes import DICE_ELSEWHERE

START: Final = "0" * 64
"""`prev` of the first entry of a log."""

_AT_ONCE: Final = 64
"""So many entries are read together; more are no faster, and a broken one has its neighbours read twice."""

_NOTHING: Final[dict[str, Any]] = {}
_NONE: Final[list[dict[str, Any]]] = []


class Line:
    """One entry at its place `seq` (from 1), whatever it says its number is; `fault` says how it is not canonical.

    `type`, `body` and `actor` are its members; `throws` the dice that stand in it, in the order in which they fell.
    """

    __slots__ = ("actor", "body", "doc", "fault", "leaf", "seq", "throws", "type")

    def __init__(
        self, seq: int, data: bytes, leaf: bytes | None = None, canonical: dict[str, Any] | None = None
    ) -> None:
        """Read it, unless its `leaf` and what it says (`canonical`, for it was read strictly) are known already."""
        self.seq = seq
        self.leaf = sha256(b"\x00" + data).digest() if leaf is None else leaf
        self.fault = ""
        doc = canonical
        if doc is None:
            try:
                doc = read_object(data)
            except ValueError as fault:
                self.fault = str(fault)
                doc = read_loosely(data)
        self.doc = doc
        kind = doc.get("type")
        self.type: str = kind if type(kind) is str else ""
        self.actor: str = doc.get("actor", "")
        body = self.body = doc.get("body", _NOTHING)
        self.throws: list[dict[str, Any]] = _NONE
        if type(body) is dict and "dice" in body and self.type not in DICE_ELSEWHERE:
            self.throws = body["dice"] or _NONE

    def chain(self, party: int, epoch: int) -> ChainId:
        """The chain of a party in the battle that it was written in."""
        return _chain(self.doc["battle"], party, epoch)


@lru_cache(maxsize=256)
def _chain(battle: str, party: int, epoch: int) -> ChainId:
    return ChainId(bytes.fromhex(battle), party, epoch)


class Stretch:
    """Some `lines` that stand one behind the other, and the one `before` them; None where the log begins."""

    __slots__ = ("before", "docs", "lines", "types")

    def __init__(self, lines: Sequence[Line], before: Line | None) -> None:
        self.lines = lines
        self.before = before
        self.docs = [line.doc for line in lines]
        self.types = {line.type for line in lines}

    def column(self, member: str) -> list[Any]:
        """A member of each of its entries; `KeyError` where one has no such member."""
        return [doc[member] for doc in self.docs]


def stretches_of(entries: Sequence[bytes], leaves: Sequence[bytes]) -> Iterator[Stretch]:
    """The entries with their leaf hashes, some at a time."""
    before: Line | None = None
    for start in range(0, len(entries), _AT_ONCE):
        some = entries[start : start + _AT_ONCE]
        docs = read_objects(some) or repeat(None)
        lines = list(map(Line, count(start + 1), some, leaves[start : start + _AT_ONCE], docs))
        yield Stretch(lines, before)
        before = lines[-1]


def throws_of(batch: Iterable[Line]) -> list[dict[str, Any]]:
    """All dice of a batch, in the order in which they fell."""
    throws: list[dict[str, Any]] = []
    for line in batch:
        if line.throws:
            throws += line.throws
    return throws


def faces_of(throws: Iterable[dict[str, Any]]) -> list[int]:
    """The faces of throws, one after the other."""
    return [face for throw in throws for face in throw["faces"]]
