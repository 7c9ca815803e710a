"""What a file of an earlier version holds. Law: what can be read is told, whatever cannot, and nothing is made up.

Versions 2 and 3 had a leaf hash for each entry (`leaves`) and each battle's frontier (`heads`). Where they contradict
the log, what is kept of them is what does not fit it.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from replays.audit.merkle import HASH_BYTES, Frontier, leaf_hash
from replays.store.words import kind_of

_NAMED: Final = (("stored_events", "originator_id"), ("heads", "battle"), ("summaries", "battle"))
_TIP: Final = """SELECT originator_version, state FROM stored_events WHERE originator_id = ?
    ORDER BY originator_version DESC LIMIT 1"""
_HAS: Final = "SELECT 1 FROM stored_events WHERE originator_id = ? AND originator_version = ?"
_HEAD: Final = "SELECT frontier FROM heads WHERE battle = ?"
_NEWEST: Final = "SELECT seq, hash FROM leaves WHERE battle = ? ORDER BY seq DESC LIMIT 1"
_LEAVES: Final = "SELECT seq, hash FROM leaves WHERE battle = ? AND seq <= ? ORDER BY seq DESC"
_STATES: Final = """SELECT originator_version, state FROM stored_events
    WHERE originator_id = ? AND originator_version <= ? ORDER BY originator_version DESC"""
_BRANCH: Final = 'SELECT parent, "at" FROM branches WHERE battle = ?'

OF_A_PLACE: Final = {0, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT}
"""What a damaged page or row, or a table that is missing, comes to; the others (no room, say) stop it all."""

Leaf = tuple[int, bytes]
Kept = tuple[str, int, bytes]
"""A frontier to keep: battle, seq of the entry that it stands beside, bytes."""


class Earlier:
    """What the file of an earlier version holds, as far as it can be read."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self.whole = True

    def read(self, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
        """What is found; nothing where the table is missing or damaged."""
        with suppress(UnicodeEncodeError):  # a battle whose name is no text
            try:
                return self._db.execute(statement, values).fetchall()
            except sqlite3.Error as fault:
                self._need_of_a_place(fault)
        return []

    def battles(self) -> list[str]:
        """Every battle that can be found: where the log does not tell all, other tables do."""
        found: dict[str, None] = {}
        for table, column in _NAMED:
            whole = self._add(found, f"SELECT DISTINCT {column} FROM {table} ORDER BY {column}")  # noqa: S608 - constants
            if whole and table == "stored_events":
                break
        return [*found]

    def kept(self, battle: str) -> Iterator[Kept]:
        """What is kept of a battle's trees, beside which entries."""
        for seq, state in self.read(_TIP, (battle,)):
            if not isinstance(seq, int):
                return
            head, newest = self._head(battle), self._newest(battle)
            size = _size(head)
            contradicts = newest is not None and _contradicts(newest, seq, state)
            if head is not None and size >= seq and not contradicts:
                yield battle, seq, head  # of more leaves than there are entries, it is told
            elif newest is not None and contradicts:
                yield battle, seq, self._that_cannot_fit(battle, seq, head, newest)
            else:
                yield from self._shorter(battle, seq, head, newest)

    def _shorter(self, battle: str, seq: int, head: bytes | None, newest: Leaf | None) -> Iterator[Kept]:
        # Code of version 1 stored entries without leaves beside version 2.
        size = _size(head)
        if head is not None:
            yield battle, size if self.read(_HAS, (battle, size)) else seq, head
        tree = self._tree(_LEAVES, bytes, battle, newest[0]) if newest is not None and newest[0] > size else None
        if tree is not None:
            yield battle, tree.size, tree.to_bytes()

    def _that_cannot_fit(self, battle: str, seq: int, head: bytes | None, newest: Leaf) -> bytes:
        tree = self._tree(_STATES, leaf_hash, battle, seq)
        if head is not None and (tree is None or tree.to_bytes() != head):
            return head
        # A frontier was lost, or made anew to fit what was altered. The leaf tells: its 32 bytes are no frontier.
        return newest[1]

    def _head(self, battle: str) -> bytes | None:
        # What was put there by hand as a text was never a frontier.
        found = self.read(_HEAD, (battle,))
        return found[0][0] if found and isinstance(found[0][0], bytes) else None

    def _newest(self, battle: str) -> Leaf | None:
        found = self.read(_NEWEST, (battle,))
        return found[0] if found and isinstance(found[0][0], int) and _is_hash(found[0][1]) else None

    def _tree(self, leaves: str, hashed: Callable[[bytes], bytes], battle: str, size: int) -> Frontier | None:
        """The tree of entries 1 to `size`, those that a branch inherits among them; None where one is missing."""
        found: list[Leaf] = []
        seen: set[str] = set()
        upto: object = size
        while battle not in seen and isinstance(upto, int):
            seen.add(battle)
            found += self.read(leaves, (battle, upto))
            branch = self.read(_BRANCH, (battle,))
            if not branch:
                break
            battle, at = branch[0]
            upto = min(upto, at) if isinstance(at, int) else None
        found.reverse()
        whole = [seq for seq, _ in found] == [*range(1, size + 1)] and all(isinstance(data, bytes) for _, data in found)
        with suppress(ValueError):  # a leaf that is no hash
            return Frontier().extended(hashed(data) for _, data in found) if whole else None
        return None

    def _add(self, found: dict[str, None], statement: str) -> bool:
        try:
            for (battle,) in self._db.execute(statement):
                found[battle] = None
        except sqlite3.Error as fault:
            self._need_of_a_place(fault)
            return False
        return True

    def _need_of_a_place(self, fault: sqlite3.Error) -> None:
        if kind_of(fault) not in OF_A_PLACE:
            raise fault
        self.whole &= kind_of(fault) != sqlite3.SQLITE_CORRUPT


def _contradicts(newest: Leaf, seq: int, state: object) -> bool:
    """Whether the newest leaf is that of an entry which is gone, or not that of the last one's bytes."""
    if newest[0] != seq:
        return newest[0] > seq
    return not isinstance(state, bytes) or newest[1] != leaf_hash(state)


def _size(head: bytes | None) -> int:
    """Its leaves; more than any battle has if it is no frontier, so that it is kept and told as what it is."""
    try:
        return Frontier.from_bytes(head).size if head is not None else 0
    except ValueError:
        return 1 << 63


def _is_hash(value: object) -> bool:
    return isinstance(value, bytes) and len(value) == HASH_BYTES
