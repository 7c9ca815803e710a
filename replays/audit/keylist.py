"""The list of keys. Law: which key counts, and until when, is said by a root key that signs nothing else.

A note (`note`) signed by the root key, which lies off line. Its text, which as it is is also a leaf of the global log:

    wlog/v1/keys
    <vkey> <not before> <not after> active
    <vkey> <not before> <not after> retired
    <vkey> <not before> <not after> compromised <since>

Times are POSIX seconds; a key lives from `not before` on until just before `not after`. An active key signs; a retired
one signs no more, and what it signed in its life counts; of a compromised one only what was signed before `since`
counts. Time means a witness's time or that of a timestamp, never what the log says of itself.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, Self

from replays.audit.keys import load_keys, make_key
from replays.audit.note import opened, written
from replays.audit.secretkey import SecretKey
from replays.audit.unproven import Unproven
from replays.audit.vkey import LAST_TIME, PublicKey

CODE: Final = "E-KEYS"
"""The code of a list that does not hold."""

YEAR: Final = 365 * 86_400
"""Seconds that a new key lives, unless said otherwise."""

OVERLAP: Final = 30 * 86_400
"""Seconds for which the old key and the new one both sign every note."""

Status = Literal["active", "retired", "compromised"]
"""What a key is good for; it goes from left to right only."""

_RANK: Final[dict[Status, int]] = {"active": 0, "retired": 1, "compromised": 2}
_FIRST: Final = "wlog/v1/keys"
_TIME: Final = r"(0|[1-9][0-9]{0,18})"
_LINE: Final = re.compile(rf"(\S+) {_TIME} {_TIME} (?:active|(retired)|compromised {_TIME})")


@dataclass(frozen=True, slots=True)
class Listed:
    """A key and its life, in POSIX seconds; `since` is given if and only if it is compromised.

    Raises `ValueError` for a life that ends before it begins, or times outside 0 to 2^63 - 1.
    """

    key: PublicKey
    not_before: int
    not_after: int
    status: Status = "active"
    since: int | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.not_before < self.not_after <= LAST_TIME:
            raise ValueError(f"key {self.key.label} lives from {self.not_before} to {self.not_after}")
        if (self.status == "compromised") != (self.since is not None):
            raise ValueError(f"key {self.key.label} is {self.status}, since {self.since}")
        if self.since is not None and not 0 <= self.since <= LAST_TIME:
            raise ValueError(f"key {self.key.label} is compromised since {self.since}")

    @property
    def line(self) -> str:
        """The line of the list, with its line feed."""
        since = "" if self.since is None else f" {self.since}"
        return f"{self.key.vkey} {self.not_before} {self.not_after} {self.status}{since}\n"

    def valid_at(self, time: int) -> bool:
        """Whether a signature that was made at `time` (POSIX seconds) counts."""
        return self.not_before <= time < self.not_after and (self.since is None or time < self.since)

    def active_at(self, time: int) -> bool:
        """Whether the key signs at `time` (POSIX seconds)."""
        return self.status == "active" and self.not_before <= time < self.not_after

    def follows(self, older: "Listed") -> bool:
        """Whether this may be said of the same key later: no step back, and a compromise not put off."""
        later = self.since is not None and older.since is not None and self.since > older.since
        same = (self.key, self.not_before) == (older.key, older.not_before)
        return same and _RANK[self.status] >= _RANK[older.status] and not later


@dataclass(frozen=True, slots=True)
class KeyList:
    """All keys of a service that ever were. Raises `ValueError` if there is none, or two have one name and id."""

    keys: tuple[Listed, ...]

    def __post_init__(self) -> None:
        if not self.keys:
            raise ValueError("a list of keys has at least one")
        if len({listed.key.label for listed in self.keys}) != len(self.keys):
            raise ValueError("two keys of the list have the same name and id")

    @property
    def text(self) -> str:
        """The text of its note."""
        return f"{_FIRST}\n{''.join(listed.line for listed in self.keys)}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """The list of a text; `ValueError` unless it is exactly as `text` writes it."""
        first, *lines = text.split("\n")
        if first != _FIRST or not lines or lines.pop():
            raise ValueError(f"the first line is {_FIRST}, and the last ends in a line feed")
        return cls(tuple(_listed(line) for line in lines))

    @classmethod
    def opened(cls, data: bytes, root: PublicKey) -> Self:
        """Open the note of a list with the root key that the reader trusts; raises `Unproven`, E-KEYS."""
        note = opened(data, [root], CODE)
        try:
            return cls.parse(note.text)
        except ValueError as fault:
            raise Unproven(CODE, f"malformed list of keys: {fault}") from None

    def signed(self, root: SecretKey) -> bytes:
        """The note of this list, signed by the root key."""
        return written(self.text, [root.sign(self.text)])

    def valid_at(self, time: int) -> tuple[PublicKey, ...]:
        """The keys whose signatures made at `time` (POSIX seconds) count."""
        return tuple(listed.key for listed in self.keys if listed.valid_at(time))

    def active_at(self, time: int) -> tuple[PublicKey, ...]:
        """The keys that sign at `time` (POSIX seconds); during an overlap two of one name, and both sign."""
        return tuple(listed.key for listed in self.keys if listed.active_at(time))

    def follows(self, older: Self) -> bool:
        """Whether this list may come after `older`: no key is forgotten, none has come back to life."""
        return all(any(listed.follows(was) for listed in self.keys) for was in older.keys)

    def rotated(self, key: PublicKey, at: int, life: int = YEAR, overlap: int = OVERLAP) -> Self:
        """The list with a new `key` from `at` on; keys of its name that are active then go on for `overlap`, and end.

        Times are POSIX seconds. Raises `ValueError` if the list has the key already.
        """
        old = tuple(
            replace(listed, not_after=at + overlap) if listed.key.name == key.name and listed.active_at(at) else listed
            for listed in self.keys
        )
        return type(self)((*old, Listed(key, at, at + life)))

    def retired(self, key: PublicKey) -> Self:
        """The list with `key` retired; `ValueError` if it is not in it, or compromised."""
        return self._changed(key, lambda listed: replace(listed, status="retired"))

    def compromised(self, key: PublicKey, since: int) -> Self:
        """The list with `key` compromised since a time in POSIX seconds; `ValueError` if it is not in it."""
        return self._changed(key, lambda listed: replace(listed, status="compromised", since=since))

    def _changed(self, key: PublicKey, change: Callable[[Listed], Listed]) -> Self:
        if all(listed.key != key for listed in self.keys):
            raise ValueError(f"there is no key {key.label} in the list")
        return type(self)(tuple(change(listed) if listed.key == key else listed for listed in self.keys))


def first_list(keys: tuple[PublicKey, ...], at: int, life: int = YEAR) -> KeyList:
    """The first list of a service: `keys`, all active from `at` (POSIX seconds) for `life` seconds."""
    return KeyList(tuple(Listed(key, at, at + life) for key in keys))


def make_root(folder: Path, host: str, keys: tuple[PublicKey, ...], at: int) -> tuple[PublicKey, bytes]:
    """Make the root key in a folder of its own, off line, and the note of the first list of `keys` (`first_list`).

    Raises `FileExistsError` if there is a root key already, and as `keys.make_key` does.
    """
    if load_keys(folder, "root", host):
        raise FileExistsError(f"{folder} has a root key already")
    root = make_key(folder, "root", host)
    return root.public, first_list(keys, at).signed(root)


def _listed(line: str) -> Listed:
    found = _LINE.fullmatch(line)
    if found is None:
        raise ValueError(f"{line!r} is no line of a list of keys")
    vkey, not_before, not_after, retired, since = found.groups()
    status: Status = "retired" if retired else "compromised" if since else "active"
    return Listed(PublicKey.parse(vkey), int(not_before), int(not_after), status, int(since) if since else None)
