r"""Statements: what a seat signs. Law: a key signs only what begins with a label; nothing can be taken for another.

Ed25519 (RFC 8032) over, with `||` for concatenation and big-endian numbers:

    join     "wlog/v1/join\n" || battle 16 || party 1 || epoch 4 || length 4 || public key 32 || anchor 32 (or nothing)
    release  "wlog/v1/release\n" || battle 16 || party 1 || epoch 4 || i 4 || seq 8 || leaf of the request 32 || link 32
    command  "wlog/v1/command\n" || battle 16 || seq 8 || prev 32 || kind || "\n" || canonical request
"""

from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from replays.audit.weakkeys import WeakKey, refuse_weak

JOIN: Final = b"wlog/v1/join\n"
RELEASE: Final = b"wlog/v1/release\n"
COMMAND: Final = b"wlog/v1/command\n"


def join_message(battle: str, party: int, epoch: int, length: int, key: str, anchor: str) -> bytes:
    """What proves that a seat owns its key and stands by its anchor; ids, key and anchor in hex."""
    numbers = bytes([party]) + epoch.to_bytes(4, "big") + length.to_bytes(4, "big")
    return JOIN + bytes.fromhex(battle) + numbers + bytes.fromhex(key) + bytes.fromhex(anchor)


def release_message(battle: str, party: int, epoch: int, index: int, seq: int, leaf: str, link: str) -> bytes:
    """What releases link `index` for the request that is entry `seq` with that leaf hash."""
    where = bytes.fromhex(battle) + bytes([party]) + epoch.to_bytes(4, "big") + index.to_bytes(4, "big")
    return RELEASE + where + seq.to_bytes(8, "big") + bytes.fromhex(leaf) + bytes.fromhex(link)


def command_message(battle: str, seq: int, prev: str, kind: str, request: bytes) -> bytes:
    """What signs a request: it becomes entry `seq`, right behind the entry with leaf hash `prev`."""
    place = bytes.fromhex(battle) + seq.to_bytes(8, "big") + bytes.fromhex(prev)
    return COMMAND + place + kind.encode() + b"\n" + request


def is_weak(key: str) -> bool:
    """Whether a public key (hex) is one under which signatures prove nothing."""
    try:
        refuse_weak(bytes.fromhex(key))
    except WeakKey:
        return True
    return False


def holds(key: str, sig: str, message: bytes) -> bool:
    """Whether `sig` (hex) is the signature of `key` (hex) over `message`. False for whatever is none."""
    try:
        _public(key).verify(bytes.fromhex(sig), message)
    except (InvalidSignature, ValueError):
        return False
    return True


@lru_cache(maxsize=256)
def _public(key: str) -> Ed25519PublicKey:
    """The key (hex), ready to verify; `ValueError` for one that is none, or weak."""
    public = bytes.fromhex(key)
    refuse_weak(public)
    return Ed25519PublicKey.from_public_bytes(public)
