"""Private keys of notes. Law: a private key signs the texts of notes and nothing else, each type in its own words.

A key of type 0x01 never signs a text that begins as what type 0x04 signs does, so no signature passes for one of the
other type. Written as Go's sumdb/note writes it (golang.org/x/mod/sumdb/note, "PRIVATE+KEY"); C2SP signed-note has no
form of its own.
"""

from base64 import b64encode
from typing import Final, Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from replays.audit.note import need_text
from replays.audit.vkey import (
    COSIGNATURE,
    COSIGNED,
    ED25519,
    LAST_TIME,
    TIME_BYTES,
    PublicKey,
    Signature,
    cosigned,
    strict_base64,
)

_HEAD: Final = "PRIVATE+KEY+"


class SecretKey:
    """A private key: `public` is what others know of it. Nothing shows the rest but `encoded`."""

    __slots__ = ("_private", "public")

    def __init__(self, name: str, seed: bytes, kind: int = ED25519) -> None:
        """The key of 32 secret bytes (RFC 8032, 5.1.5); `ValueError` for a name, kind or seed that is none."""
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = PublicKey(name, self._private.public_key().public_bytes_raw(), kind)

    @classmethod
    def fresh(cls, name: str, kind: int = ED25519) -> Self:
        """A key that nobody has had before; `ValueError` for a name or kind that is none."""
        return cls(name, Ed25519PrivateKey.generate().private_bytes_raw(), kind)

    @classmethod
    def parse(cls, encoded: str) -> Self:
        """The key that `encoded` gave; `ValueError`, without a word of the secret, for anything else."""
        name, _, rest = encoded.removeprefix(_HEAD).partition("+")
        try:
            data = strict_base64(rest.partition("+")[2])
            key = cls(name, data[1:], int.from_bytes(data[:1]))
        except ValueError:
            raise ValueError("this is no private key of a note") from None
        if key.encoded() != encoded:
            raise ValueError("a private key of a note that does not match its id")
        return key

    def encoded(self) -> str:
        """The secret itself, one word, for a key file and nowhere else."""
        data = bytes([self.public.kind]) + self._private.private_bytes_raw()
        return f"{_HEAD}{self.public.label}+{b64encode(data).decode()}"

    def __repr__(self) -> str:
        return f"SecretKey({self.public.label})"

    def sign(self, text: str) -> Signature:
        """Sign the text of a note, type 0x01; `ValueError` for a key of type 0x04, or a text that is none."""
        need_text(text)
        if self.public.kind != ED25519:
            raise ValueError(f"{self.public.label} signs only together with the time")
        if text.startswith(COSIGNED):
            raise ValueError("this text would pass for a cosignature")
        return self._signed(self._private.sign(text.encode()))

    def cosign(self, text: str, time: int) -> Signature:
        """Sign the text of a note at `time`, POSIX seconds, type 0x04.

        `ValueError` for a key of type 0x01, a time outside 0 to 2^63 - 1, or a text that is none.
        """
        need_text(text)
        if self.public.kind != COSIGNATURE:
            raise ValueError(f"{self.public.label} signs notes as they are, without the time")
        if not 0 <= time <= LAST_TIME:
            raise ValueError(f"no cosignature has the time {time}")
        return self._signed(time.to_bytes(TIME_BYTES) + self._private.sign(cosigned(text, time)))

    def _signed(self, blob: bytes) -> Signature:
        return Signature(self.public.name, self.public.id, blob)
