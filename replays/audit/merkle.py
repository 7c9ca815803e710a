"""Merkle trees, checked. Law: size and index come from the signed checkpoint and the question, never from the proof.

RFC 6962 and RFC 9162, section 2.1, with SHA-256; a hash is 32 bytes, `||` is concatenation:

    empty tree   SHA-256("")
    leaf         SHA-256(0x00 || data)
    node         SHA-256(0x01 || left || right)
    tree of n    node of the tree of the first k leaves and that of the rest; k the largest power of two below n

A root does not commit to the size of its tree: one proof and root may fit several sizes. `merkle_tree` makes proofs.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Self

HASH_BYTES: Final = 32
"""Bytes of the hash of a leaf, a node or a root."""

EMPTY: Final = sha256(b"").digest()
"""Root of the tree without leaves."""

MOST_LEAVES: Final = 2**63 - 1
"""The largest size of a tree in a checkpoint; an index is below it."""

_SIZE_BYTES: Final = 8


def leaf_hash(data: bytes) -> bytes:
    """Hash (32 bytes) of the leaf that holds `data`: RFC 9162, 2.1.1."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hash (32 bytes) of the node over two hashes (32 bytes each): RFC 9162, 2.1.1."""
    return sha256(b"\x01" + left + right).digest()


def root(leaves: Iterable[bytes]) -> bytes:
    """Root (32 bytes) over leaf hashes (32 bytes each) in their order; `ValueError` for one of another size."""
    return Frontier().extended(leaves).root


@dataclass(frozen=True, slots=True)
class Frontier:
    """All that appending needs of a tree: its `size` and the roots of its complete subtrees, the largest first.

    There are as many `peaks` as `size` (0 to 2^63 - 1) has ones in binary. A value: appending makes another one, so
    that a transaction that fails leaves the old one as it was. Raises `ValueError` when the two do not fit.
    """

    size: int = 0
    peaks: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.size <= MOST_LEAVES:
            raise ValueError(f"a tree has 0 to {MOST_LEAVES} leaves, not {self.size}")
        if len(self.peaks) != self.size.bit_count() or any(len(peak) != HASH_BYTES for peak in self.peaks):
            raise ValueError(f"a tree of {self.size} leaves has {self.size.bit_count()} peaks of {HASH_BYTES} bytes")

    def appended(self, leaf: bytes) -> Self:
        """The frontier after one more leaf hash (32 bytes); `ValueError` for another size."""
        return self.extended((leaf,))

    def extended(self, leaves: Iterable[bytes]) -> Self:
        """The frontier after more leaf hashes (32 bytes each), in their order; `ValueError` for one of another size."""
        peaks = list(self.peaks)
        size = self.size
        for leaf in leaves:
            need_hash(leaf)
            node = leaf
            for _ in range((size ^ (size + 1)).bit_length() - 1):  # one for each subtree that is complete now
                node = node_hash(peaks.pop(), node)
            peaks.append(node)
            size += 1
        return type(self)(size, tuple(peaks))

    @property
    def root(self) -> bytes:
        """Root (32 bytes) of the tree."""
        if not self.peaks:
            return EMPTY
        node = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            node = node_hash(peak, node)
        return node

    def to_bytes(self) -> bytes:
        """For storing: the size as 8 bytes, big-endian, and the peaks one after the other."""
        return self.size.to_bytes(_SIZE_BYTES) + b"".join(self.peaks)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """What `to_bytes` gave; `ValueError` for anything else."""
        size = int.from_bytes(data[:_SIZE_BYTES])
        end = _SIZE_BYTES + size.bit_count() * HASH_BYTES
        if len(data) != end:
            raise ValueError(f"{len(data)} bytes are no frontier")
        return cls(size, tuple([data[at : at + HASH_BYTES] for at in range(_SIZE_BYTES, end, HASH_BYTES)]))


def proves_inclusion(proof: Sequence[bytes], leaf: bytes, index: int, size: int, root: bytes) -> bool:
    """Whether `proof` shows that leaf hash `leaf` has `index` (from 0) in the tree of `size` leaves under `root`.

    RFC 9162, 2.1.3.2. For bytes from strangers: whatever does not prove it is False. `root` and `size` belong together
    and come from a signed checkpoint, `index` from the question.
    """
    if not 0 <= index < size or any(len(part) != HASH_BYTES for part in proof):
        return False
    node = leaf
    at, last = index, size - 1
    for sibling in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            node = node_hash(sibling, node)
            at, last = _up_to_a_left_sibling(at, last)
        else:
            node = node_hash(node, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and node == root


def proves_consistency(proof: Sequence[bytes], old_size: int, old_root: bytes, new_size: int, new_root: bytes) -> bool:
    """Whether `proof` shows that the new tree begins with all leaves of the old one, in their order.

    RFC 9162, 2.1.4.2; a tree of size 0 has the empty root, and it and the tree itself need an empty proof (C2SP
    merkle-tree). For bytes from strangers: whatever does not prove it is False. Sizes and roots come in pairs from
    signed checkpoints.
    """
    if not 0 <= old_size <= new_size or any(len(part) != HASH_BYTES for part in proof):
        return False
    if old_size == 0:
        return not proof and old_root == EMPTY and (new_size > 0 or new_root == EMPTY)
    if old_size == new_size:
        return not proof and old_root == new_root
    at, last = old_size - 1, new_size - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    path = list(proof) if at else [old_root, *proof]  # the whole old tree is one of the nodes: it is not sent
    if not path:
        return False
    old = new = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if at & 1 or at == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            at, last = _up_to_a_left_sibling(at, last)
        else:
            new = node_hash(new, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and old == old_root and new == new_root


def need_hash(value: bytes) -> None:
    """`ValueError` unless `value` has the size of a hash."""
    if len(value) != HASH_BYTES:
        raise ValueError(f"a hash has {HASH_BYTES} bytes, not {len(value)}")


def _up_to_a_left_sibling(at: int, last: int) -> tuple[int, int]:
    """Past the levels where the last node has no sibling and so goes up as it is; `at` is not 0."""
    while not at & 1:
        at, last = at >> 1, last >> 1
    return at, last
