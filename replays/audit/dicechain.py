r"""The dice chain. Law: the bytes decide; the same links give the same dice on every machine, for ever.

Pure, and stdlib only, so that a verifier needs nothing else. The server hashes a secret seed `LENGTH` times and
publishes the end, the anchor, before the first die. Action number `index` opens link[index]; everyone hashes it back to
an earlier link and so knows that it was fixed beforehand. The link and the contributors' links give the key of the
action, the key gives one stream of dice (decision 2.1). Numbers are big-endian u32 but for party and count, one byte
each; `||` is concatenation (docs/format.md; HMAC is RFC 2104, SHA-256 is FIPS 180-4):

    link[LENGTH] = seed
    link[i-1]    = SHA-256("wlog/v1/link\n" || battle || party || epoch || i || link[i])         anchor = link[0]
    key          = HMAC-SHA256(server link[i], "wlog/v1/roll\n" || battle || epoch || i || n
                                               || for each contributor, by rising party: party || link[i])
    whatif key   = HMAC-SHA256(secret, "wlog/v1/whatif\n" || branch || ordinal)
    stream       = HMAC-SHA256(key, "wlog/v1/dice\n" || 0) || HMAC-SHA256(key, "wlog/v1/dice\n" || 1) || ...
    die          = next byte b; skipped if b >= 256 - 256 mod sides; else b mod sides + 1
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Final

LENGTH: Final = 4096
"""Links of a chain; when all are used up a new anchor is logged before the next roll (decision 2.2)."""

SERVER: Final = 0
"""Party number of the server; contributors count from 1."""

FACES: Final = (2, 3, 4, 6, 8, 10, 12, 20, 100)
"""Dice that exist, by their number of sides. The same as `domain.dice.FACES`, which a bare verifier cannot import."""

MOST_DICE: Final = 1000
"""The most dice that one key gives. The same as `domain.dice.MOST_DICE`."""

HASH_BYTES: Final = 32
"""Bytes of a seed, a link, an anchor, a key."""

ID_BYTES: Final = 16
"""Bytes of the id of a battle or a branch: `bytes.fromhex` of its 32 hex digits."""

_LAST_U32: Final = 2**32 - 1
_LAST_PARTY: Final = 255
_ALONE: Final[Mapping[int, bytes]] = MappingProxyType({})


class TooManyDice(Exception):  # noqa: N818 - says what happened, like DiceWanted
    """One action asks for more than `MOST_DICE` dice: `wanted` in all, had the roll been thrown."""

    def __init__(self, wanted: int) -> None:
        super().__init__(f"one action may throw at most {MOST_DICE} dice, this one asks for {wanted}")
        self.wanted = wanted


@dataclass(frozen=True, slots=True)
class ChainId:
    """Whose chain: `battle` as 16 bytes, `party` 0 (server) to 255, `epoch` a u32 that counts the chains of a party.

    Raises `ValueError` for anything else.
    """

    battle: bytes
    party: int = SERVER
    epoch: int = 0

    def __post_init__(self) -> None:
        _need_bytes("battle", self.battle, ID_BYTES)
        _need_number("party", self.party, 0, _LAST_PARTY)
        _need_number("epoch", self.epoch, 0, _LAST_U32)


def link_before(of: ChainId, index: int, link: bytes) -> bytes:
    """Hash link[index] (32 bytes, index 1 to `LENGTH`) back to link[index - 1]; `ValueError` outside of that."""
    _need_number("index", index, 1, LENGTH)
    _need_bytes("link", link, HASH_BYTES)
    return sha256(_link_label(of) + index.to_bytes(4) + link).digest()


class Chain:
    """All links of one chain, kept (128 KiB, made in a few ms). Secret: every die of its future is in it."""

    __slots__ = ("_links", "length", "of")

    def __init__(self, of: ChainId, seed: bytes, length: int = LENGTH) -> None:
        """Hash `seed` (32 bytes) back to the anchor; a `length` below `LENGTH` (the format's) is for trying things out.

        Raises `ValueError` for a seed of another size or a length outside 1 to `LENGTH`.
        """
        _need_bytes("seed", seed, HASH_BYTES)
        _need_number("length", length, 1, LENGTH)
        label = _link_label(of)
        links = [seed]
        for index in range(length, 0, -1):
            links.append(sha256(label + index.to_bytes(4) + links[-1]).digest())
        self._links = b"".join(reversed(links))
        self.of = of
        self.length = length

    @property
    def anchor(self) -> bytes:
        """link[0], the 32 bytes that are published before the first roll."""
        return self._links[:HASH_BYTES]

    def link(self, index: int) -> bytes:
        """link[index], 32 bytes, for index 1 to `length`; `ValueError` outside of that, so for the public anchor."""
        _need_number("index", index, 1, self.length)
        return self._links[index * HASH_BYTES : (index + 1) * HASH_BYTES]


def leads_back(of: ChainId, index: int, link: bytes, known: bytes, known_index: int = 0) -> bool:
    """Whether link[index] hashes back to the `known` link[known_index] of the same chain (0: the anchor).

    For bytes from strangers: whatever does not prove it is False, at the cost of at most `LENGTH` hashes; a link proves
    nothing about itself or a later one.
    """
    if not 0 <= known_index < index <= LENGTH or len(link) != HASH_BYTES:
        return False
    label = _link_label(of)
    for step in range(index, known_index, -1):
        link = sha256(label + step.to_bytes(4) + link).digest()
    return link == known


def roll_key(of: ChainId, index: int, link: bytes, contributors: Mapping[int, bytes] = _ALONE) -> bytes:
    """Key (32 bytes) of the action that uses link[index] of the server's chain `of`.

    `contributors` holds link[index] of every other party (1 to 255) by its number; none at all on level L0. Raises
    `ValueError` for a chain that is not the server's, an index outside 1 to `LENGTH`, a link that is not 32 bytes.
    """
    _need_number("party", of.party, SERVER, SERVER)
    _need_number("index", index, 1, LENGTH)
    _need_bytes("link", link, HASH_BYTES)
    shares = b""
    for party, share in sorted(contributors.items()):
        _need_number("contributor", party, 1, _LAST_PARTY)
        _need_bytes("link of a contributor", share, HASH_BYTES)
        shares += party.to_bytes(1) + share
    count = len(contributors).to_bytes(1)
    message = b"wlog/v1/roll\n" + of.battle + of.epoch.to_bytes(4) + index.to_bytes(4) + count + shares
    return hmac.digest(link, message, "sha256")


def whatif_key(secret: bytes, branch: bytes, ordinal: int) -> bytes:
    """Key (32 bytes) of action `ordinal` (u32) of a what-if branch (16 bytes) with its own 32 secret bytes.

    Its label keeps it apart from every key of a battle. Raises `ValueError` for sizes and numbers outside of these.
    """
    _need_bytes("secret", secret, HASH_BYTES)
    _need_bytes("branch", branch, ID_BYTES)
    _need_number("ordinal", ordinal, 0, _LAST_U32)
    return hmac.digest(secret, b"wlog/v1/whatif\n" + branch + ordinal.to_bytes(4), "sha256")


class DiceStream:
    """The dice of one key (32 bytes), each thrown once and in order; `thrown` counts them."""

    __slots__ = ("_at", "_block", "_blocks", "_key", "thrown")

    def __init__(self, key: bytes) -> None:
        _need_bytes("key", key, HASH_BYTES)
        self._key = key
        self._block = b""
        self._blocks = 0
        self._at = 0
        self.thrown = 0

    def dice(self, count: int, sides: int) -> tuple[int, ...]:
        """Throw the next `count` (from 1) dice of `sides` (in `FACES`): faces 1 to `sides`, each as likely as the next.

        Raises `TooManyDice` beyond `MOST_DICE` in all and `ValueError` for dice that do not exist; then none is thrown.
        """
        need_dice(count, sides, self.thrown)
        limit = 256 - 256 % sides
        faces: list[int] = []
        block, at = self._block, self._at
        while len(faces) < count:
            if at == len(block):
                block, at = self._next_block(), 0
            byte = block[at]
            at += 1
            if byte < limit:
                faces.append(byte % sides + 1)
        self._block, self._at = block, at
        self.thrown += count
        return tuple(faces)

    def _next_block(self) -> bytes:
        block = hmac.digest(self._key, b"wlog/v1/dice\n" + self._blocks.to_bytes(4), "sha256")
        self._blocks += 1
        return block


def need_dice(count: int, sides: int, thrown: int) -> None:
    """Refuse a roll that no one can throw after `thrown` dice of the same action.

    Raises `ValueError` for less than one die or sides not in `FACES`, `TooManyDice` beyond `MOST_DICE`.
    """
    if count < 1 or sides not in FACES:
        raise ValueError(f"no such dice: {count}d{sides}")
    if thrown + count > MOST_DICE:
        raise TooManyDice(thrown + count)


def _link_label(of: ChainId) -> bytes:
    return b"wlog/v1/link\n" + of.battle + of.party.to_bytes(1) + of.epoch.to_bytes(4)


def _need_bytes(what: str, value: bytes, size: int) -> None:
    if len(value) != size:
        raise ValueError(f"{what} must be {size} bytes, not {len(value)}")


def _need_number(what: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise ValueError(f"{what} must be {least} to {most}, not {value}")
