"""Lines: the entries as the proof half reads them. Law: hash first, read after, and never make the bytes again."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any, Final

from replays.audit.verify.canon import read_loosely, read_object
from replays.audit.verify.shapes import DICE_ELSEWHERE

START: Final = "0" * 64
"""`prev` of the first entry of a log."""


class Line:
    """One entry at its place `seq` (from 1), whatever it says its number is; `fault` says how it is not canonical.

    `type`, `body` and `actor` are its members; `throws` the dice that stand in it, in the order in which they fell.
    """

    __slots__ = ("actor", "body", "data", "doc", "fault", "leaf", "seq", "throws", "type")

    def __init__(self, seq: int, data: bytes, leaf: bytes | None = None) -> None:
        self.seq = seq
        self.data = data
        self.leaf = sha256(b"\x00" + data).digest() if leaf is None else leaf
        self.fault = ""
        try:
            self.doc = read_object(data)
        except ValueError as fault:
            self.fault = str(fault)
            self.doc = read_loosely(data)
        self.type: str = self.doc.get("type", "")
        self.actor: str = self.doc.get("actor", "")
        self.body: dict[str, Any] = self.doc.get("body", {})
        self.throws: list[dict[str, Any]] = []
        if isinstance(self.body, dict) and "dice" in self.body and self.type not in DICE_ELSEWHERE:
            self.throws = self.body["dice"] or []

    @property
    def battle(self) -> bytes:
        """The id of the battle that it was written in, 16 bytes."""
        return bytes.fromhex(self.doc["battle"])


def throws_of(batch: Iterable[Line]) -> list[dict[str, Any]]:
    """All dice of a batch, in the order in which they fell."""
    return [throw for line in batch for throw in line.throws]


def faces_of(throws: Iterable[dict[str, Any]]) -> list[int]:
    """The faces of throws, one after the other."""
    return [face for throw in throws for face in throw["faces"]]
