"""A second opinion on Merkle trees, from the definitions of RFC 9162, 2.1: top down, by recursion, without bits.

`replays.audit.merkle` works from the leaf up, with shifts. What both accept is accepted for a reason.
"""

from collections.abc import Sequence
from hashlib import sha256


def data(count: int) -> list[bytes]:
    """What some leaves hold, all of it different."""
    return [b"entry %d" % number for number in range(count)]


def leaves(count: int) -> list[bytes]:
    return [sha256(b"\0" + entry).digest() for entry in data(count)]


def told(count: int, by: str) -> list[bytes]:
    """The leaves of a history that everybody tells alike at first, and from the eighth leaf on in another way."""
    said = [b"%d" % number if number < 7 else b"%d %s" % (number, by.encode()) for number in range(count)]
    return [sha256(b"\0" + entry).digest() for entry in said]


def half(count: int) -> int:
    """The largest power of two below `count`."""
    power = 1
    while power * 2 < count:
        power *= 2
    return power


def node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()


def root(hashes: Sequence[bytes]) -> bytes:
    """MTH of 2.1.1."""
    if not hashes:
        return sha256().digest()
    if len(hashes) == 1:
        return hashes[0]
    return node(root(hashes[: half(len(hashes))]), root(hashes[half(len(hashes)) :]))


def included(proof: Sequence[bytes], leaf: bytes, index: int, size: int, wanted: bytes) -> bool:
    """Takes the proof from its end, from the root down to the leaf."""
    left_over = list(proof)

    def climb(at: int, count: int) -> bytes:
        if count == 1:
            return leaf
        if at < half(count):
            right = left_over.pop()
            return node(climb(at, half(count)), right)
        left = left_over.pop()
        return node(left, climb(at - half(count), count - half(count)))

    try:
        return 0 <= index < size and climb(index, size) == wanted and not left_over
    except IndexError:
        return False


def consistent(proof: Sequence[bytes], old: int, old_root: bytes, new: int, new_root: bytes) -> bool:
    """Builds both roots at once out of SUBPROOF of 2.1.4.1."""
    left_over = list(proof)

    def both(within: int, count: int, *, whole: bool) -> tuple[bytes, bytes]:
        if within == count:
            known = old_root if whole else left_over.pop()
            return known, known
        if within <= half(count):
            right = left_over.pop()
            before, after = both(within, half(count), whole=whole)
            return before, node(after, right)
        left = left_over.pop()
        before, after = both(within - half(count), count - half(count), whole=False)
        return node(left, before), node(left, after)

    if old == 0:
        return old_root == root([]) and not proof and (new > 0 or (new == 0 and new_root == root([])))
    try:
        return 0 < old <= new and both(old, new, whole=True) == (old_root, new_root) and not left_over
    except IndexError:
        return False
