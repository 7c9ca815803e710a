"""Checkpoints: the signed head of a log. Law: exactly three lines, each with one spelling, signed by the log's own key.

C2SP tlog-checkpoint without extension lines: the origin, the size in decimal, the root in base64. Origins, and the
names of the keys of type 0x01 that sign for them:

    <host>/battle/<32 hex>   one battle; the key is named <host>
    <host>/global            the log of battles; the key is named <host>/global
"""

import re
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self

from replays.audit.merkle import EMPTY, HASH_BYTES, MOST_LEAVES
from replays.audit.note import CHECKPOINT, Opened, opened
from replays.audit.unproven import Unproven
from replays.audit.vkey import ED25519, PublicKey, strict_base64

_ORIGIN: Final = re.compile(r"(?P<host>[a-z0-9][a-z0-9.:-]{0,252})/(?:battle/[0-9a-f]{32}|global)")
_SIZE: Final = re.compile(r"0|[1-9][0-9]{0,18}")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The head of the log `origin`: `size` leaves (0 to 2^63 - 1) under `root` (32 bytes).

    Raises `ValueError` for an origin of another form, or a size and a root that no tree has.
    """

    origin: str
    size: int
    root: bytes

    def __post_init__(self) -> None:
        _need_origin(self.origin)
        if not 0 <= self.size <= MOST_LEAVES:
            raise ValueError(f"a log has 0 to {MOST_LEAVES} leaves, not {self.size}")
        if len(self.root) != HASH_BYTES:
            raise ValueError(f"a root has {HASH_BYTES} bytes, not {len(self.root)}")
        if self.size == 0 and self.root != EMPTY:
            raise ValueError("an empty log has the root of the empty tree")

    @property
    def text(self) -> str:
        """The text of its note: three lines, each with its line feed."""
        return f"{self.origin}\n{self.size}\n{b64encode(self.root).decode()}\n"

    @property
    def key_name(self) -> str:
        """The name of the keys that may sign for this log."""
        return key_name(self.origin)

    @classmethod
    def parse(cls, text: str) -> Self:
        """The checkpoint of a text; `ValueError` unless it is exactly as `text` writes it."""
        lines = text.split("\n")
        if len(lines) != 4 or lines[3]:
            raise ValueError("a checkpoint has exactly three lines, each with its line feed")
        if not _SIZE.fullmatch(lines[1]):
            raise ValueError(f"the second line is the size, not {lines[1]!r}")
        return cls(lines[0], int(lines[1]), strict_base64(lines[2]))


@dataclass(frozen=True, slots=True)
class OpenedCheckpoint:
    """A checkpoint that the log has signed, and the `note` it came in, with who else has signed."""

    checkpoint: Checkpoint
    note: Opened


def opened_checkpoint(data: bytes, keys: Iterable[PublicKey], origin: str | None = None) -> OpenedCheckpoint:
    """Open the note of a checkpoint with trusted `keys`: those of logs (0x01), and of cosigners (0x04) if wanted.

    A cosigner alone is not enough. Raises `Unproven`: E-CHECKPOINT as `note.opened` does, for a text that is no
    checkpoint, and for one that no key of its log has signed; E-ORIGIN if it is of another log than `origin`.
    """
    note = opened(data, keys)
    try:
        checkpoint = Checkpoint.parse(note.text)
    except ValueError as fault:
        raise Unproven(CHECKPOINT, f"malformed checkpoint: {fault}") from None
    if not any(by.key.kind == ED25519 and by.key.name == checkpoint.key_name for by in note.signed):
        raise Unproven(CHECKPOINT, f"no key named {checkpoint.key_name} has signed for {checkpoint.origin}")
    if origin is not None and origin != checkpoint.origin:
        raise Unproven("E-ORIGIN", f"checkpoint is of {checkpoint.origin}, wanted {origin}")
    return OpenedCheckpoint(checkpoint, note)


def battle_origin(host: str, battle: str) -> str:
    """The origin of the log of a battle (32 hex digits, lower case); `ValueError` for anything else."""
    return _need_origin(f"{host}/battle/{battle}").string


def global_origin(host: str) -> str:
    """The origin of the log of battles; `ValueError` for a host that no origin can have."""
    return _need_origin(f"{host}/global").string


def key_name(origin: str) -> str:
    """The name of the keys (type 0x01) that sign for the log `origin`; `ValueError` if it is no origin."""
    host: str = _need_origin(origin)["host"]
    return origin if origin == global_origin(host) else host


def _need_origin(origin: str) -> re.Match[str]:
    found = _ORIGIN.fullmatch(origin)
    if found is None:
        raise ValueError(f"no log has the origin {origin!r}")
    return found
