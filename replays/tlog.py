"""The texts and tiles of C2SP. Law: byte for byte as the pages say, so that anybody's client and witness can read them.

The body of tlog-witness's add-checkpoint (a consistency proof and its checkpoint), and the tiles of tlog-tiles: 256
hashes of one height, or 256 entries, each with its length before it.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

WIDTH: Final = 256
"""Hashes, or entries, in a full tile."""

HEIGHT: Final = 8
"""A tile of level L holds nodes of height 8 * L."""

_TILE: Final = re.compile(
    r"(?P<level>entries|[0-9]|[1-5][0-9]|6[0-3])/(?P<n>(?:x[0-9]{3}/){0,5}[0-9]{3})(?:\.p/(?P<width>[1-9][0-9]{0,2}))?"
)


@dataclass(frozen=True)
class Tile:
    """Which tile: `level` (None: entries), number `n`, and how many of it (`width`, 1 to 256)."""

    level: int | None
    n: int
    width: int

    @classmethod
    def parse(cls, path: str) -> "Tile":
        """The tile of a path such as `0/x001/067` or `entries/000.p/5`; `ValueError` for any other spelling."""
        found = _TILE.fullmatch(path)
        if found is None:
            raise ValueError("a tile is <level>/<n>, or entries/<n>, and .p/<width> if it is not full")
        digits = found["n"].replace("x", "").replace("/", "")
        width = int(found["width"] or WIDTH)
        if (digits[:3] == "000" and len(digits) > 3) or width > WIDTH or found["width"] == str(WIDTH):
            raise ValueError("a tile has one spelling: no leading x000, and a width of 1 to 255 if it is not full")
        return cls(None if found["level"] == "entries" else int(found["level"]), int(digits), width)

    @property
    def start(self) -> int:
        """The first of its hashes or entries."""
        return self.n * WIDTH

    @property
    def end(self) -> int:
        """One after the last of its hashes or entries."""
        return self.start + self.width


def entry_bundle(entries: Iterable[bytes]) -> bytes:
    """An entry tile: each entry after its length as two bytes, big-endian."""
    return b"".join(len(data).to_bytes(2) + data for data in entries)


def consistency_text(old: int, proof: Sequence[bytes], note: bytes) -> bytes:
    """The body of add-checkpoint, which any witness takes as it is."""
    lines = [f"old {old}", *(b64encode(part).decode() for part in proof), "", ""]
    return "\n".join(lines).encode() + note
