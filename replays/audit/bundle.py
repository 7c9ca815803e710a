r"""The bundle, one file `*.wlog`. Law: every byte has one reading; what is not said exactly so is refused.

    wlog-bundle/1\n
    <section> <length>\n<bytes>\n        six times: meta events checkpoint global tsr names
    end\n

Every section is there; it may be empty. `meta` is canonical JSON: `battle`, `closed`, `cosigners`, `host`, `rules`; it
is believed in nothing, but the notes carry exactly the signatures that `cosigners` (vkeys) declares beside the log's
own. `events` are the entries' bytes, each with a line feed, a branch's inherited past first. `checkpoint` is the signed
note, `global` a proof (C2SP tlog-proof) that the log of battles holds its text, `names` the sidecar that can be erased:
canonical JSON, seat to `{name, salt}`. `tsr` is room for a time stamp.
"""

import re
from dataclasses import dataclass
from typing import Final, Self

from replays.audit.unproven import Unproven
from replays.audit.verify.canon import canonical, read_object
from replays.audit.vkey import PublicKey

SECTIONS: Final = ("meta", "events", "checkpoint", "global", "tsr", "names")
"""The sections, in their order."""

CODE: Final = "E-BUNDLE"
"""The code of a file that is no bundle."""

MOST_BYTES: Final = 1 << 30
"""No bundle is larger."""

_FIRST: Final = b"wlog-bundle/1\n"
_RETURNED: Final = b"wlog-bundle/1\r\n"
_EDITED: Final = "the file was edited or cut"
_LAST: Final = b"end\n"
_HEADER: Final = re.compile(rb"([a-z]{1,16}) (0|[1-9][0-9]{0,9})\n")
_ID: Final = re.compile(r"[0-9a-f]{32}")
_HOST: Final = re.compile(r"[a-z0-9][a-z0-9.:-]{0,252}")
_MEMBERS: Final = {"battle", "closed", "cosigners", "host", "rules"}


@dataclass(frozen=True, slots=True)
class Meta:
    """What a bundle says of itself: claims, each of which is compared with the log or with a signature."""

    battle: str
    host: str
    rules: str
    closed: bool
    cosigners: tuple[PublicKey, ...] = ()

    def to_bytes(self) -> bytes:
        """The section."""
        return canonical(
            {
                "battle": self.battle,
                "closed": self.closed,
                "cosigners": [key.vkey for key in self.cosigners],
                "host": self.host,
                "rules": self.rules,
            }
        )

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """The claims of a section; `ValueError` unless they are exactly as `to_bytes` writes them."""
        said = read_object(data)
        if said.keys() != _MEMBERS:
            raise ValueError(f"its members are {', '.join(sorted(_MEMBERS))}")
        battle, host, rules, closed, cosigners = (said[m] for m in ("battle", "host", "rules", "closed", "cosigners"))
        if not (isinstance(battle, str) and _ID.fullmatch(battle) and isinstance(host, str) and _HOST.fullmatch(host)):
            raise ValueError("battle is 32 hex digits, and host the name of a host")
        if not (isinstance(rules, str) and isinstance(closed, bool) and isinstance(cosigners, list)):
            raise ValueError("rules is a text, closed true or false, cosigners a list")  # noqa: TRY004 - it was read
        keys = tuple(PublicKey.parse(vkey) for vkey in cosigners if isinstance(vkey, str))
        if len(keys) != len(cosigners) or len({key.label for key in keys}) != len(keys):
            raise ValueError("cosigners are vkeys, each once")
        return cls(battle, host, rules, closed, keys)


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle: its claims, the entries' bytes, and the other sections as they are."""

    meta: Meta
    entries: tuple[bytes, ...]
    checkpoint: bytes
    global_proof: bytes = b""
    tsr: bytes = b""
    names: bytes = b""

    def to_bytes(self) -> bytes:
        """The file."""
        events = b"".join(entry + b"\n" for entry in self.entries)
        parts = (self.meta.to_bytes(), events, self.checkpoint, self.global_proof, self.tsr, self.names)
        sections = (f"{n} {len(data)}\n".encode() + data + b"\n" for n, data in zip(SECTIONS, parts, strict=True))
        return _FIRST + b"".join(sections) + _LAST

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """The bundle of a file; raises `Unproven`, E-BUNDLE, unless it is exactly as `to_bytes` writes it."""
        sections, at = _framed(data)
        if data[at:] != _LAST:
            raise Unproven(CODE, f"bytes after the end, or no end, at byte {at}: {_EDITED}")
        try:
            meta = Meta.parse(sections["meta"])
        except ValueError as fault:
            raise Unproven(CODE, f"section meta: {fault}") from None
        lines = sections["events"].split(b"\n")
        if lines.pop():
            raise Unproven(CODE, f"section events: its last entry has no line feed: {_EDITED}")
        rest = (sections[name] for name in SECTIONS[2:])
        return cls(meta, tuple(lines), *rest)


def is_bundle(data: bytes) -> bool:
    """Whether a file means to be a bundle."""
    return data.startswith(_FIRST[:11])


def _framed(data: bytes) -> tuple[dict[str, bytes], int]:
    if data.startswith(_RETURNED):
        raise Unproven(CODE, "its line ends were changed: fetch it again, and copy it byte for byte")
    if not data.startswith(_FIRST):
        raise Unproven(CODE, "this is no bundle: its first line is not wlog-bundle/1")
    if len(data) > MOST_BYTES:
        raise Unproven(CODE, f"a bundle has at most {MOST_BYTES} bytes")
    sections: dict[str, bytes] = {}
    at = len(_FIRST)
    for name in SECTIONS:
        header = _HEADER.match(data, at)
        if header is None or header[1] != name.encode():
            raise Unproven(CODE, f"bad section header at byte {at}, wanted {name}: {_EDITED}")
        start = header.end()
        end = start + int(header[2])
        if data[end : end + 1] != b"\n":
            where = f"at byte {min(end, len(data))}"
            raise Unproven(CODE, f"section {name} is cut short, or its length is another, {where}: {_EDITED}")
        sections[name] = data[start:end]
        at = end + 1
    return sections, at
