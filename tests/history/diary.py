"""What a client writes down. Law: a request is on file before it is sent, an answer before it is acted upon.

A diary is a file of JSON lines with the moment (one clock for all, in nanoseconds). What was lost on the way is on file
as well, so that what nobody knows is told from what was never asked.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from time import monotonic_ns
from typing import Any

import msgspec

ENDING = ".diary"


class Diary:
    """One client's or follower's file; several threads may write to it."""

    def __init__(self, folder: Path, who: str) -> None:
        self.who = who
        self._file = (folder / f"{who}{ENDING}").open("ab", buffering=0)

    def note(self, what: str, **more: Any) -> None:
        """Write a line."""
        self._file.write(msgspec.json.encode({"t": monotonic_ns(), "what": what, "who": self.who, **more}) + b"\n")

    def close(self) -> None:
        """Write no more."""
        self._file.close()


def digest(lines: Iterable[bytes]) -> str:
    """A short name for just these bytes."""
    return hashlib.sha256(b"\n".join(lines)).hexdigest()[:32]
