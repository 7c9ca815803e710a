"""The shelf: battles held in memory. Law: what lies here is only what the store has; it can be dropped at any time.

A `Book` is one log, read: its entries, their bytes, and the record after each batch, with shared structure. A branch's
book refers to its parent's for everything up to where they part. Books only grow.
"""

import hashlib
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from threading import RLock
from typing import Final
from weakref import WeakValueDictionary

from domain.entry import Entry
from domain.record import Record
from domain.refusals import Refusal, Refused
from domain.timeline import advance, batches
from replays.audit.merkle import Frontier, leaf_hash
from replays.codec import START, Codec, Fingerprint, leaf
from replays.store import Damaged, Sealed, Store, StoreUnavailable

MOST_ENTRIES = 100_000
"""How many entries are in memory before the books that were used least go back (about 2 kB each)."""


_TREE_EVERY: Final = 256
"""Entries between two trees that a book keeps."""


class Book:
    """One log in memory. `lock` is held by who writes; readers need none."""

    def __init__(self, battle: str, parent: "Book | None", at: int) -> None:
        self.battle = battle
        self.parent = parent
        self.at = at
        self.lock = RLock()
        self.fingerprint = Fingerprint()
        self._entries: list[Entry] = []
        self._data: list[bytes] = []
        self._records: list[Record] = []
        self._ends: list[int] = []
        self._tail = ""
        self._tree: Frontier | None = None
        self._trees: list[Frontier] = []

    @property
    def head(self) -> int:
        """The last seq."""
        return self._ends[-1] if self._ends else self.at

    @property
    def own(self) -> int:
        """How many entries lie in this book itself."""
        return len(self._ends) and self._ends[-1] - self.at

    @property
    def record(self) -> Record:
        """The record at the head."""
        return self._records[-1]

    @property
    def tail(self) -> str:
        """The leaf hash of the last entry: `prev` of the next."""
        if self._tail:
            return self._tail
        return START if self.parent is None else leaf(self.parent.data(self.at - 1, self.at)[0])

    @property
    def tree(self) -> Frontier:
        """The Merkle tree of all entries up to the head; hashed when it is asked for, those that came since only."""
        tree = self._tree if self._tree is not None else self.tree_at(self.head)
        if tree.size < self.head:
            tree = tree.extended(map(leaf_hash, self.data(tree.size)))
        self._tree = tree
        return tree

    def tree_at(self, seq: int) -> Frontier:
        """The Merkle tree of entries 1..`seq`; some are kept, so that a late one costs what an early one does."""
        if self.parent is not None and seq <= self.at:
            return self.parent.tree_at(seq)
        trees = [*self._trees] or [self.parent.tree_at(self.at) if self.parent is not None else Frontier()]
        near = (seq - self.at) // _TREE_EVERY
        while len(trees) <= near:
            last = trees[-1]
            trees.append(last.extended(map(leaf_hash, self.data(last.size, last.size + _TREE_EVERY))))
        self._trees = trees  # another thread may have made the same ones meanwhile
        return trees[near].extended(map(leaf_hash, self.data(trees[near].size, seq)))

    def grow(self, sealed: Sequence[Sealed], codec: Codec) -> None:
        """Take in entries that the store has; whole batches only. Raises `Damaged`, and has then taken in nothing."""
        entries = self._read(sealed, codec)
        try:
            self.take(entries, [one.data for one in sealed])
        except Exception as fault:
            said = f"it says what cannot be ({type(fault).__name__}: {fault})"
            raise Damaged(self.battle, self._failing(entries), said) from fault

    def _read(self, sealed: Sequence[Sealed], codec: Codec) -> list[Entry]:
        entries: list[Entry] = []
        prev = self.tail
        for one in sealed:
            try:
                entry = codec.read(one)
                # A database keeps whatever somebody puts in by hand.
                well, follows = type(one.data) is bytes and one.v > 0, entry.prev == prev
            except Exception as fault:
                raise Damaged(self.battle, one.seq, str(fault)) from fault
            if not well:
                raise Damaged(self.battle, one.seq, "what stands beside it is not what it says itself")
            if not follows or entry.seq != one.seq:
                raise Damaged(self.battle, one.seq, "it does not follow on the entry before: one of them was altered")
            prev = leaf(one.data)
            entries.append(entry)
        return entries

    def _failing(self, entries: Sequence[Entry]) -> int:
        """The first entry of the action that cannot have been."""
        record = self._records[-1] if self._records else self._inherited()
        for batch in batches(entries):
            try:
                record = advance(record, batch)
            except Exception:  # noqa: BLE001 - whatever it is, this is where
                return batch[0].seq
        return entries[-1].seq

    def take(
        self,
        entries: Sequence[Entry],
        data: Sequence[bytes],
        records: Sequence[Record] = (),
        tree: Frontier | None = None,
    ) -> None:
        """Take in entries that are read already; the record after each batch and the tree, where they are known."""
        taken = records or self._advanced(entries)
        self._entries += entries
        self._data += data
        self._records += taken
        self._ends += [r.seq for r in taken]
        self._tail = leaf(data[-1]) if data else self._tail
        self._tree = tree if tree is not None else self._tree

    def _advanced(self, entries: Sequence[Entry]) -> list[Record]:
        record = self._records[-1] if self._records else self._inherited()
        taken = []
        for batch in batches(entries):
            record = advance(record, batch)
            taken.append(record)
        return taken

    def _inherited(self) -> Record | None:
        return self.parent.record_at(self.at) if self.parent is not None else None

    def record_at(self, seq: int) -> Record:
        """The record after entries 1..`seq`, as known then."""
        if seq <= self.at and self.parent is not None:
            return self.parent.record_at(seq)
        n = bisect_right(self._ends, seq) - 1
        record = self._records[n] if n >= 0 else self._inherited()
        done = self._ends[n] if n >= 0 else self.at
        if done < seq:
            return advance(record, self.entries(done, seq))
        assert record is not None
        return record

    def ends(self, seq: int) -> bool:
        """Whether a batch ends at that entry."""
        return self.nearest_end(seq) == seq

    def nearest_end(self, seq: int) -> int:
        """The last batch end at or before that entry (0 where there is none)."""
        if seq <= self.at and self.parent is not None:
            return self.parent.nearest_end(seq)
        n = bisect_right(self._ends, seq) - 1
        return self._ends[n] if n >= 0 else self.at

    @property
    def first_end(self) -> int:
        """The end of the muster: no batch ends before it."""
        return self._ends[0] if self.parent is None else self.parent.first_end

    def entries(self, after: int = 0, upto: int | None = None) -> list[Entry]:
        """Entries `after`+1..`upto`, a branch's inherited prefix included."""
        last = self.head if upto is None else min(upto, self.head)
        found: list[Entry] = []
        for book, low, high in self._spans(after, last):
            found += book._entries[low:high]  # noqa: SLF001 - a book of the same shelf
        return found

    def data(self, after: int = 0, upto: int | None = None) -> list[bytes]:
        """The stored bytes of entries `after`+1..`upto`."""
        last = self.head if upto is None else min(upto, self.head)
        found: list[bytes] = []
        for book, low, high in self._spans(after, last):
            found += book._data[low:high]  # noqa: SLF001 - a book of the same shelf
        return found

    def _spans(self, after: int, upto: int) -> Iterator[tuple["Book", int, int]]:
        if self.parent is not None and after < self.at:
            yield from self.parent._spans(after, min(upto, self.at))  # noqa: SLF001 - a book of the same shelf
        low = max(after, self.at)
        if upto > low:
            yield self, low - self.at, upto - self.at

    def fits(self, tree: Frontier) -> bool:
        """Whether a tree has as many leaves, and its last complete part is over these: what is quickly seen.

        The whole of it is compared before anything is written behind it.
        """
        leaves = map(leaf_hash, self.data(tree.size - (tree.size & -tree.size)))
        return tree.size == self.head and Frontier().extended(leaves).peaks == tree.peaks[-1:]

    def leaf_at(self, seq: int) -> str:
        """The leaf hash of an entry."""
        return leaf(self.data(seq - 1, seq)[0])


class Shelf:
    """The books of a store, the ones used last at hand."""

    def __init__(self, store: Store, codec: Codec, most: int = MOST_ENTRIES) -> None:
        self._store = store
        self._codec = codec
        self._most = most
        self._books: OrderedDict[str, Book] = OrderedDict()
        # A branch holds its parent's book, and a request the one it reads: they count until they are let go, and are
        # found again rather than read a second time.
        self._alive: WeakValueDictionary[str, Book] = WeakValueDictionary()
        self._lock = RLock()

    def book(self, battle: str) -> Book:
        """The battle's book, grown to the store's head; refuses a battle that the store does not have.

        Raises `Damaged` where it cannot be read.
        """
        with self._lock:
            book = self._alive.get(battle)
            if book is not None:
                self._put_up(book)
        return book if book is not None and self.catch_up(book) else self._opened(battle)

    def glance(self, battle: str) -> Book:
        """The battle's book; one that is not in memory is read, and not put up. Raises `Damaged`."""
        with self._lock:
            book = self._alive.get(battle)
        return book if book is not None and self.catch_up(book) else self._read(battle)

    def catch_up(self, book: Book) -> bool:
        """Take in what the store has beyond the book, whoever wrote it.

        False where the store has another past, as after a restore: then the book is let go.
        """
        if self._level(book):
            return True
        with book.lock:
            if self._level(book):
                return True
            if self._store.head(book.battle) > book.head:
                try:
                    book.grow(self._store.read(book.battle, after=book.head), self._codec)
                except Damaged:
                    pass
                else:
                    return True
            self._let_go(book)
        return False

    def _level(self, book: Book) -> bool:
        """Whether the store ends with the entry that the book ends with."""
        seq, last = self._store.tip(book.battle)
        return seq == book.head and last.hex() == book.tail

    def check(self, book: Book) -> None:
        """Raise `Damaged` where the store ends as the book does, and keeps another tree than that of the log."""
        tree = self._store.frontier(book.battle)
        if tree.size == book.head and tree != book.tree and self._level(book):
            raise Damaged(book.battle, book.head, "the log and its tree differ: one of them was altered")

    def _fits(self, book: Book) -> bool:
        """Whether the store's tree ends with the leaves of the book, grown to the store's head."""
        while self.catch_up(book):
            tree = self._store.frontier(book.battle)
            if book.fits(tree):
                return True
            if tree.size <= book.head or self._level(book):
                return False
            # Somebody has written meanwhile.
        return False

    def _let_go(self, book: Book) -> None:
        with self._lock:
            if self._alive.get(book.battle) is book:
                del self._alive[book.battle]
                self._books.pop(book.battle, None)

    def _opened(self, battle: str) -> Book:
        book = self._read(battle)
        with self._lock:
            book = self._alive.setdefault(battle, book)
            self._put_up(book)
        return book

    def _read(self, battle: str) -> Book:
        if not self._store.exists(battle):
            raise Refused(Refusal("not-found", "BATTLE-01", f"there is no battle {battle}"))
        # Before the log, which may grow meanwhile.
        desk = self._store.summary(battle)
        try:
            branch = self._store.branch_of(battle)
            parent = self.book(branch.parent) if branch is not None else None
            book = Book(battle, parent, branch.at if branch is not None else 0)
            book.grow(self._store.read(battle, after=book.at), self._codec)
        except (Damaged, StoreUnavailable):
            raise
        except Exception as fault:
            raise Damaged(battle, 0, f"it cannot be read ({type(fault).__name__}: {fault})") from fault
        if desk is not None and desk.head > book.head:
            raise Damaged(battle, book.head + 1, "the desk tells of it, and it is gone")
        if not self._fits(book):
            raise Damaged(battle, book.head, "the log and its tree differ: one of them was altered")
        return book

    def _put_up(self, book: Book) -> None:
        known = book.battle in self._books
        self._books[book.battle] = book
        self._books.move_to_end(book.battle)
        if not known:
            self._make_room()

    def _make_room(self) -> None:
        while len(self._books) > 1 and sum(book.own for book in self._alive.values()) > self._most:
            self._books.popitem(last=False)


def digest(raw: bytes) -> bytes:
    """SHA-256, as idempotency keys and seats keep it."""
    return hashlib.sha256(raw).digest()
