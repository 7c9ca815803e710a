"""Codec: entries as canonical bytes. Law: the stored bytes are the truth; a wire name never changes its meaning.

An entry is one JSON object in the narrow RFC 8785 profile of `docs/format.md`: keys in byte order, integers only, no
white space. The bytes are hashed as they are and never made again. Old shapes are raised to the newest by upcasters on
reading.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast, get_args

import msgspec

from domain import events as e
from domain.battle import Battle, Fig
from domain.document import fig_document, setting_document, table_document
from domain.entry import Entry
from replays.store import Sealed

START: Final = "0" * 64
"""`prev` of the first entry of a log."""

MOST_BYTES: Final = 65_000
"""No entry is longer than this many bytes (tiles of a log carry sixteen-bit lengths)."""

Upcaster = Callable[[dict[str, Any]], tuple[str, int, dict[str, Any]]]
"""From a stored body to the (type, version, body) that it is called today."""

WIRE: Final[dict[type, str]] = {
    kind: "HitRolled" if kind in (e.NmeHitRolled, e.MfdHitRolled) else kind.__name__ for kind in get_args(e.Event)
}
"""The wire name of each event; names and versions are kept for ever."""

UPCASTERS: Final[Mapping[tuple[str, int], Upcaster]] = {}
"""What older releases wrote; nothing yet."""

_ENCODE = msgspec.json.Encoder(order="sorted").encode


def canonical(value: object) -> bytes:
    """Canonical bytes of plain values or structs: sorted keys, no white space."""
    return _ENCODE(value)


# A copy is a third cheaper than a hash that has to be looked up first, and there is one for each entry that is read.
_LEAF: Final = hashlib.sha256(b"\x00")


def leaf(data: bytes) -> str:
    """The leaf hash of an entry's bytes (RFC 6962, 2.1), as hex."""
    hashed = _LEAF.copy()
    hashed.update(data)
    return hashed.hexdigest()


class Misread(Exception):  # noqa: N818 - what a reader says of bytes that are no entry
    """These bytes are no entry of a log that this release can read."""


class Codec:
    """Between entries and bytes; `upcasters` raise what older releases wrote."""

    def __init__(self, upcasters: Mapping[tuple[str, int], Upcaster] = UPCASTERS) -> None:
        self._upcasters = upcasters
        self._readers = {(name, 1): _reader(name) for name in sorted(set(WIRE.values()))}

    def seal(self, entry: Entry) -> Sealed:
        """An entry ready to be stored."""
        return Sealed(seq=entry.seq, type=entry.type, v=entry.v, data=canonical(entry))

    def read(self, sealed: Sealed) -> Entry:
        """The entry that these bytes hold; raises `Misread`."""
        reader = self._readers.get((sealed.type, sealed.v))
        try:
            return reader(sealed.data) if reader is not None else self._raised(sealed.data)
        except (msgspec.MsgspecError, UnicodeDecodeError) as fault:
            raise Misread(f"entry {sealed.seq}: {fault}") from None

    def parse(self, data: bytes) -> Entry:
        """The entry in bytes of unknown origin, held to the canonical form; raises `Misread`."""
        try:
            head, line = _HEAD(data), msgspec.json.decode(data)
            # Old shapes are held to it as well, and so is what a body keeps as plain JSON.
            narrow = _narrow(line) and canonical(line) == data
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as fault:
            raise Misread(f"no entry: {fault}") from None
        if not narrow:
            raise Misread(f"entry {head.seq} is not in canonical form")
        entry = self.read(Sealed(seq=head.seq, type=head.type, v=head.v, data=data))
        if (head.type, head.v) in self._readers and canonical(entry) != data:
            raise Misread(f"entry {head.seq} has members that {head.type} has not, or lacks some")
        return entry

    def _raised(self, data: bytes) -> Entry:
        line = msgspec.json.decode(data)
        while (line["type"], line["v"]) not in self._readers:
            raised = self._upcasters.get((line["type"], line["v"]))
            if raised is None:
                raise Misread(f"entry {line['seq']}: no release knows {line['type']} version {line['v']}")
            try:
                line["type"], line["v"], line["body"] = raised(line["body"])
            except (LookupError, TypeError, AttributeError, ValueError) as fault:
                raise Misread(f"entry {line['seq']}: {line['type']} cannot be raised: {fault!r}") from None
        return self._readers[line["type"], line["v"]](msgspec.json.encode(line))


class _Head(msgspec.Struct):
    seq: int
    type: str
    v: int


_HEAD = msgspec.json.Decoder(_Head).decode

_KEY = re.compile("[A-Za-z0-9_-]{1,40}").fullmatch


def _narrow(value: object) -> bool:
    """Whether decoded JSON keeps to the profile: no floats, no number beyond 2^53 - 1, plain keys."""
    match value:
        case bool() | str() | None:
            return True
        case int():
            return abs(value) < 2**53
        case list():
            return all(map(_narrow, value))
        case dict():
            return all(map(_KEY, value)) and all(map(_narrow, value.values()))
        case _:
            return False


def _reader(name: str) -> Callable[[bytes], Entry]:
    kinds = [kind for kind, wire in WIRE.items() if wire == name]
    body: Any = kinds[0] if len(kinds) == 1 else e.HitRolled
    shape = msgspec.defstruct(f"{name}Entry", [("body", body)], bases=(Entry,), frozen=True, forbid_unknown_fields=True)
    return cast("Callable[[bytes], Entry]", msgspec.json.Decoder(shape).decode)


def _digest(document: object) -> str:
    return hashlib.sha256(b"wlog/v1/state\n" + canonical(document)).hexdigest()


class Fingerprint:
    """Hashes tables; figs and settings that have not changed since the last call are not hashed again."""

    def __init__(self) -> None:
        self._figs: dict[str, tuple[Fig, list[str]]] = {}
        self._setting: tuple[Battle, str] | None = None
        self._last: tuple[Battle, str] | None = None

    def of(self, battle: Battle) -> str:
        """The `state` of an entry: the digest of the table's document, as hex."""
        if self._last is None or self._last[0] is not battle:  # most entries leave the table as it is
            known = self._figs
            figs = [
                row[1] if (row := known.get(fig.id)) is not None and row[0] is fig else self._fig(fig)
                for fig in battle.figs.values()
            ]
            self._last = (battle, _digest(table_document(battle, self._setting_of(battle), figs)))
        return self._last[1]

    def _fig(self, fig: Fig) -> list[str]:
        row = [fig.id, _digest(fig_document(fig))]
        self._figs[fig.id] = (fig, row)
        return row

    def _setting_of(self, battle: Battle) -> str:
        if self._setting is not None:
            was, digest = self._setting
            same = was.policy is battle.policy and was.terrain is battle.terrain and was.tags is battle.tags
            if same and (was.title, was.dice) == (battle.title, battle.dice):
                return digest
        digest = _digest(setting_document(battle))
        self._setting = (battle, digest)
        return digest


def lines(data: Iterable[bytes]) -> bytes:
    """JSON Lines: the stored bytes, one entry a line."""
    return b"".join(line + b"\n" for line in data)
