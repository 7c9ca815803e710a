"""Merkle trees, kept. Law: what was hashed once is not hashed again; every complete node stays at its place for ever.

RFC 9162, 2.1: node i at height h is the root over leaves i * 2^h to (i + 1) * 2^h - 1; 64 bytes a leaf in all. Nodes at
the right edge, over fewer leaves, are made when they are asked for: about log2(size) hashes. `merkle` checks proofs.
"""

from collections.abc import Iterable

from replays.audit.merkle import EMPTY, need_hash, node_hash


class Tree:
    """All complete nodes over leaf hashes (32 bytes each). It grows only; any size that it has had can be asked for."""

    __slots__ = ("_levels",)

    def __init__(self, leaves: Iterable[bytes] = ()) -> None:
        self._levels: list[list[bytes]] = [[]]
        for leaf in leaves:
            self.append(leaf)

    @property
    def size(self) -> int:
        """How many leaves there are."""
        return len(self._levels[0])

    def append(self, leaf: bytes) -> None:
        """Add a leaf hash (32 bytes) at the end; `ValueError` for another size."""
        need_hash(leaf)
        level = self._levels[0]
        level.append(leaf)
        height = 0
        while len(level) % 2 == 0:
            height += 1
            if height == len(self._levels):
                self._levels.append([])
            above = self._levels[height]
            above.append(node_hash(level[-2], level[-1]))
            level = above

    def node(self, height: int, index: int) -> bytes:
        """The complete node (32 bytes) over leaves `index` * 2^`height` and on; `IndexError` if it is not complete.

        Height 0 are the leaves. A tile of C2SP tlog-tiles holds nodes of the heights 0, 8, 16, ...
        """
        if height < 0 or index < 0:
            raise IndexError(f"no node {index} at height {height}")
        return self._levels[height][index]

    def root(self, size: int | None = None) -> bytes:
        """Root (32 bytes) over the first `size` leaves (all by default); `ValueError` if there are not so many."""
        size = self._held(size)
        return self._over(0, size) if size else EMPTY

    def inclusion(self, index: int, size: int | None = None) -> tuple[bytes, ...]:
        """Proof that leaf `index` (from 0) is in the tree of the first `size` leaves: RFC 9162, 2.1.3.1.

        Hashes of 32 bytes, the one beside the leaf first. `ValueError` for an index or a size outside of the tree.
        """
        size = self._held(size)
        if not 0 <= index < size:
            raise ValueError(f"a tree of {size} leaves has no leaf {index}")
        path = []
        start, end = 0, size
        while end - start > 1:
            middle = _middle(start, end)
            if index < middle:
                path.append(self._over(middle, end))
                end = middle
            else:
                path.append(self._over(start, middle))
                start = middle
        return tuple(reversed(path))

    def consistency(self, old: int, new: int | None = None) -> tuple[bytes, ...]:
        """Proof that the tree of the first `new` leaves extends that of the first `old`: RFC 9162, 2.1.4.1.

        Hashes of 32 bytes; none when `old` is 0 or `new`. `ValueError` unless 0 <= old <= new <= size.
        """
        new = self._held(new)
        if not 0 <= old <= new:
            raise ValueError(f"a tree of {new} leaves does not extend one of {old}")
        if old == 0:
            return ()
        path = []
        start, end = 0, new
        while end != old:
            middle = _middle(start, end)
            if old <= middle:
                path.append(self._over(middle, end))
                end = middle
            else:
                path.append(self._over(start, middle))
                start = middle
        if start:
            path.append(self._over(start, end))
        return tuple(reversed(path))

    def _held(self, size: int | None) -> int:
        if size is None:
            return self.size
        if not 0 <= size <= self.size:
            raise ValueError(f"this tree has had 0 to {self.size} leaves, not {size}")
        return size

    def _over(self, start: int, end: int) -> bytes:
        """Root over leaves `start` to `end` - 1, a range that splitting has made, so `start` fits its width."""
        width = end - start
        if width & (width - 1) == 0:
            height = width.bit_length() - 1
            return self._levels[height][start >> height]
        middle = _middle(start, end)
        return node_hash(self._over(start, middle), self._over(middle, end))


def _middle(start: int, end: int) -> int:
    """Where a range of two or more leaves splits: after the largest power of two below its width."""
    return start + (1 << (end - start - 1).bit_length() - 1)
