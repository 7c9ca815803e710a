"""A signed log: its tree, head and proofs. Law: what is signed is in the store, and extends what was signed before.

Signing comes after the commit: if the process dies in between, the next head that is asked for is signed. A head that
was signed is not signed again while it is the head, and every node of the tree is hashed once.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Final, Protocol

from replays.audit.checkpoint import Checkpoint
from replays.audit.merkle import Frontier
from replays.audit.merkle_tree import Tree
from replays.audit.remembered import MemoryDamaged
from replays.audit.signer import Contradiction, NoActiveKey, Signer

MOST_NOTES: Final = 16
"""So many heads of a log are at hand: a proof for one that was handed out a moment ago is still to be had."""

_TRIES: Final = 20
"""How often another process may sign in between before this one gives up."""


class LogForked(Exception):  # noqa: N818 - says what was found
    """The log contradicts what was signed for it before: it was put back from a backup, or written to twice.

    `signed` and `asked` are the texts of both checkpoints; nothing was signed.
    """

    def __init__(self, found: Contradiction) -> None:
        super().__init__(found.text.partition("\n")[0])
        self.code = found.code
        self.signed = found.signed.text
        self.asked = found.asked.text


class CannotSign(Exception):  # noqa: N818 - a state of the world, not of the program
    """Nothing can be signed as things stand: no memory, no active key, no room, or a tree that is damaged."""


class OtherSize(Exception):  # noqa: N818 - an answer: ask for the present head
    """The log has another size by now, and no signed head of the size asked for is at hand."""

    def __init__(self, asked: int, size: int) -> None:
        super().__init__(f"the log has {size} leaves now; no head of {asked} leaves is at hand")
        self.size = size


class NoProof(Exception):  # noqa: N818 - an answer: there is none to be had
    """What is asked for cannot be proved: it is not in the log, or the sizes are the wrong way round."""


class Source(Protocol):
    """Where the leaves of a log are kept."""

    def head(self) -> Frontier:
        """The tree as of now."""
        ...

    def leaves(self, after: int) -> list[bytes]:
        """The leaf hashes but the first `after`; there may be more of them than `head` has said."""
        ...


@dataclass(frozen=True)
class Head:
    """A signed head: its checkpoint, and the note with the log's signatures."""

    checkpoint: Checkpoint
    note: bytes


class SignedLog:
    """One log. Threads may share it."""

    def __init__(self, origin: str, source: Source, signer: Signer, now: Callable[[], int]) -> None:
        self._origin = origin
        self._source = source
        self._signer = signer
        self._now = now
        self._tree = Tree()
        self._heads: OrderedDict[int, Head] = OrderedDict()
        self._lock = Lock()

    @property
    def held(self) -> int:
        """How many leaves are in memory."""
        return self._tree.size

    def head(self) -> Head:
        """The head as of now, signed. Raises `LogForked` and `CannotSign`."""
        with self._lock:
            return self._head()

    def inclusion(self, index: int, size: int | None) -> tuple[tuple[bytes, ...], Head]:
        """Proof that leaf `index` is in the head of `size` leaves (the present one), and that head.

        Raises `NoProof`, `OtherSize`, `LogForked` and `CannotSign`.
        """
        with self._lock:
            head = self._head_of(size)
            if index >= head.checkpoint.size:
                raise NoProof(f"a tree of {head.checkpoint.size} leaves has no leaf {index}; they are counted from 0")
            return self._tree.inclusion(index, head.checkpoint.size), head

    def consistency(self, old: int, new: int | None) -> tuple[tuple[bytes, ...], Head]:
        """Proof that the head of `new` leaves (the present one) extends the first `old`, and that head."""
        with self._lock:
            head = self._head_of(new)
            if old > head.checkpoint.size:
                raise NoProof(f"a tree of {head.checkpoint.size} leaves does not extend one of {old}")
            return self._tree.consistency(old, head.checkpoint.size), head

    def node(self, height: int, index: int) -> bytes:
        """A complete node of the tree, at or below the present head; `IndexError` if it is not complete."""
        with self._lock:
            if (index + 1) << height > self._tree.size:
                self._grow(self._source.head())
            return self._tree.node(height, index)

    def _head_of(self, size: int | None) -> Head:
        if size is not None and size in self._heads:
            return self._heads[size]
        head = self._head()
        if size is None or size == head.checkpoint.size:
            return head
        if size > head.checkpoint.size:
            raise NoProof(f"the log has {head.checkpoint.size} leaves, not {size}")
        raise OtherSize(size, head.checkpoint.size)

    def _head(self) -> Head:
        for _ in range(_TRIES):
            now = self._source.head()
            # Only the last one that was signed: an older one may have been put back from a backup.
            known = next(reversed(self._heads.values()), None)
            if known is not None and (known.checkpoint.size, known.checkpoint.root) == (now.size, now.root):
                return known
            self._grow(now)
            last = None
            try:
                last = self._signer.last(self._origin)
                return self._signed(now, last)
            except Contradiction as found:
                # Somebody else may have signed a later head since: this one is no fork then, only late.
                if (self._source.head(), self._signer.last(self._origin)) == (now, last):
                    raise LogForked(found) from None
            except (OSError, MemoryDamaged, NoActiveKey) as fault:
                raise CannotSign(str(fault)) from fault
        raise CannotSign("others keep signing for this log")

    def _signed(self, now: Frontier, last: tuple[int, bytes] | None) -> Head:
        checkpoint = Checkpoint(self._origin, now.size, now.root)
        before = last[0] if last is not None else 0
        proof = self._tree.consistency(before, now.size) if before <= now.size else ()
        head = Head(checkpoint, self._signer.sign(checkpoint, proof, self._now()))
        self._heads[now.size] = head
        self._heads.move_to_end(now.size)
        while len(self._heads) > MOST_NOTES:
            self._heads.popitem(last=False)
        return head

    def _grow(self, now: Frontier) -> None:
        """Take in what the store has; start again where memory and store tell different stories."""
        for leaf in self._source.leaves(self._tree.size):
            self._tree.append(leaf)
        if self._tree.size < now.size or self._tree.root(now.size) != now.root:
            self._heads.clear()
            self._tree = Tree(self._source.leaves(0))
            if self._tree.size < now.size or self._tree.root(now.size) != now.root:
                raise CannotSign(f"the leaves of {self._origin} do not give its head: the store is damaged")
