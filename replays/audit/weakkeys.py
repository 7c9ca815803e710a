"""Weak Ed25519 keys. Law: a public key under which anybody can sign is refused before it is ever used.

A point of low order times any number is one of eight points. Under such a key the signature R || S with S = 0 and R of
low order fits one message in eight or more, under the neutral point every message, and nobody needs a private key. The
library accepts these keys (RFC 8032, 5.1.7 does not forbid them), so they are kept out one by one.
"""

from typing import Final

KEY_BYTES: Final = 32
"""Bytes of an Ed25519 public key: y, little-endian, with the sign of x in the highest bit (RFC 8032, 5.1.2)."""

_P: Final = 2**255 - 19
_Y8: Final = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
"""y of four of the points of order 8; the other four have the opposite."""

_WEAK_Y: Final = (0, 1, _P - 1, _P, _P + 1, _Y8, _P - _Y8)
"""All y of points of order 1, 2, 4 and 8; p and p + 1 spell 0 and 1 once more."""

LOW_ORDER: Final = frozenset((y | sign << 255).to_bytes(KEY_BYTES, "little") for y in _WEAK_Y for sign in (0, 1))
"""The 14 encodings of the points of low order, each 32 bytes, canonical or not."""


class WeakKey(ValueError):  # noqa: N818 - says what the key is
    """Anybody can sign under this public key."""


def refuse_weak(public: bytes) -> None:
    """Refuse a public key (32 bytes, RFC 8032) of low order.

    Raises `WeakKey`, a `ValueError`, for the 14 encodings; `ValueError` for another number of bytes.
    """
    if len(public) != KEY_BYTES:
        raise ValueError(f"a public key has {KEY_BYTES} bytes, not {len(public)}")
    if public in LOW_ORDER:
        raise WeakKey(f"anybody can sign under the public key {public.hex()}: its point has low order")
