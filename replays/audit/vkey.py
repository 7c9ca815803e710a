r"""Public keys of notes. Law: a signature counts only under the exact name, type and key that somebody chose to trust.

C2SP signed-note (names, key ids, types, vkeys) and C2SP tlog-cosignature (type 0x04); `||` is concatenation:

    key id   SHA-256(name || 0x0A || type || public key)[:4]
    vkey     name "+" key id in hex "+" base64(type || public key)
    0x01     Ed25519 (RFC 8032) over the text of the note: 64 bytes
    0x04     time, 8 bytes, || Ed25519 over "cosignature/v1\ntime " time "\n" and the text of the note: 72 bytes

A time is POSIX seconds, 0 to 2^63 - 1, big-endian in the signature and decimal in what is signed.
"""

from base64 import b64decode, b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from replays.audit.weakkeys import refuse_weak

ED25519: Final = 0x01
"""Type of a key that signs the text of a note as it is: the key of a log, or a root key."""

COSIGNATURE: Final = 0x04
"""Type of a key that adds the time to what it signs: a witness, a seat, a referee."""

ID_BYTES: Final = 4
"""Bytes of a key id."""

TIME_BYTES: Final = 8
"""Bytes of the time in a cosignature."""

LAST_TIME: Final = 2**63 - 1
"""The largest time, in POSIX seconds, that a cosignature may have."""

COSIGNED: Final = "cosignature/v1\n"
"""The first line of what a key of type 0x04 signs, which no key of type 0x01 may ever sign."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature line of a note: the name of the key, its id (4 bytes), and the signature (at least one byte)."""

    name: str
    id: bytes
    blob: bytes

    @property
    def line(self) -> str:
        """The line, with its line feed."""
        return f"\u2014 {self.name} {b64encode(self.id + self.blob).decode()}\n"

    @property
    def label(self) -> str:
        """Name, "+" and key id in hex: what messages call the key."""
        return f"{self.name}+{self.id.hex()}"


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key that somebody trusts: `name`, `public` (32 bytes, RFC 8032), `kind` (0x01 or 0x04).

    Raises `ValueError` for a name that no note can carry, another kind, or a public key that `refuse_weak` refuses.
    """

    name: str
    public: bytes
    kind: int = ED25519

    def __post_init__(self) -> None:
        need_name(self.name)
        if self.kind not in (ED25519, COSIGNATURE):
            raise ValueError(f"keys have type 01 or 04, not {self.kind:02x}")
        refuse_weak(self.public)

    @property
    def id(self) -> bytes:
        """The key id, 4 bytes. With the name it says which key a signature claims to be of; it proves nothing."""
        return sha256(self.name.encode() + b"\n" + bytes([self.kind]) + self.public).digest()[:ID_BYTES]

    @property
    def label(self) -> str:
        """Name, "+" and key id in hex: what messages call the key."""
        return f"{self.name}+{self.id.hex()}"

    @property
    def vkey(self) -> str:
        """The key as one word for files and key lists."""
        return f"{self.label}+{b64encode(bytes([self.kind]) + self.public).decode()}"

    @classmethod
    def parse(cls, vkey: str) -> Self:
        """The key of a vkey; `ValueError` unless it is exactly as `vkey` writes it."""
        name, _, rest = vkey.partition("+")  # base64 may hold a plus, a name may not
        data = strict_base64(rest.partition("+")[2])
        key = cls(name, data[1:], int.from_bytes(data[:1]))
        if key.vkey != vkey:
            raise ValueError(f"the vkey {vkey} does not match its id: its key is {key.label}")
        return key

    def accepts(self, text: str, blob: bytes) -> bool:
        """Whether `blob`, 64 bytes or 72 by the kind, signs the text of a note. False for whatever does not."""
        message = text.encode()
        if self.kind == COSIGNATURE:
            time = time_of(blob)
            if time > LAST_TIME:
                return False
            message = cosigned(text, time)
            blob = blob[TIME_BYTES:]
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(blob, message)
        except InvalidSignature:
            return False
        return True


def cosigned(text: str, time: int) -> bytes:
    """What a key of type 0x04 signs: C2SP tlog-cosignature, Ed25519 signed message. `time` is POSIX seconds."""
    return f"{COSIGNED}time {time}\n{text}".encode()


def time_of(blob: bytes) -> int:
    """The time, in POSIX seconds, of a signature of type 0x04."""
    return int.from_bytes(blob[:TIME_BYTES])


def need_name(name: str) -> None:
    """`ValueError` unless a key may have this name: C2SP signed-note, Format.

    Not empty, no plus, no Unicode space, no control character, valid Unicode.
    """
    if not name or "+" in name or any(sign.isspace() or sign < " " for sign in name):
        raise ValueError(f"no key has the name {name[:80]!r}: names are not empty and have no plus, space or control")
    name.encode()  # a lone surrogate is a ValueError too


def strict_base64(text: str) -> bytes:
    """What base64 (RFC 4648, section 4) stands for; `ValueError` unless encoding it gives `text` again.

    The library alone takes several spellings of the last character.
    """
    try:
        data = b64decode(text, validate=True)
    except ValueError:
        data = None
    if data is None or b64encode(data).decode() != text:
        raise ValueError("this is no base64, or another spelling of it")  # not the text: it may be a secret
    return data
