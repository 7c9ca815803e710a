"""Raising a file of an earlier version. Law: what it knew of a battle is kept, and no damage holds up another battle.

Versions 2 and 3 had a leaf hash for each entry (`leaves`) and each battle's frontier (`heads`). The frontier goes
beside the battle's last entry as it was: hashed anew, it would believe an entry that was altered since. A battle of
which nothing can be taken over is left without one: its tree is worked out when it is asked for, and what is wrong with
it is told then. The old tables go, but not if one could not be read: whoever repairs the file may need them, and
nothing else looks at them.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

from replays.audit.merkle import HASH_BYTES, Frontier, leaf_hash
from replays.store.words import kind_of

_COLUMNS: Final = "SELECT name FROM pragma_table_info('stored_events')"
_SET: Final = "UPDATE stored_events SET frontier = ? WHERE originator_id = ? AND originator_version = ?"
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

_OF_A_PLACE: Final = {0, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT}
"""What a damaged page or row, or a table that is missing, comes to; the others (no room, say) stop it all."""

_MOST: Final = 50
"""As many steps may be left out; a file with more damage than that is refused."""

Leaf = tuple[int, bytes]
Kept = tuple[str, int, bytes]
"""A frontier to keep: battle, seq of the entry that it stands beside, bytes."""


class Raising:
    """A raise that may be tried again: after it met damage, the step that met it is left out.

    SQLite commits no transaction that met a damaged page. So all is read through another connection, whose reads are
    in none; and what a write meets undoes it all, for another try.
    """

    def __init__(self) -> None:
        self._left_out: set[str] = set()
        self._step = ""

    def run(self, db: sqlite3.Cursor, before: sqlite3.Connection) -> None:
        """Take over in the transaction of `db` what `before` reads, which is the file as it was before that."""
        self._step = ""
        if ("frontier",) not in db.execute(_COLUMNS).fetchall():
            db.execute("ALTER TABLE stored_events ADD COLUMN frontier BLOB")
        texts = before.text_factory
        # A text that is none stops no scan.
        before.text_factory = lambda text: text.decode(errors="surrogateescape")
        try:
            old = _Old(before)
            for battle in old.battles():
                for kept in old.kept(battle):
                    self._do(db, f"battle {battle}", _SET, (kept[2], kept[0], kept[1]))
            # Read whole first: a page that leads elsewhere would have another table's pages thrown away.
            there = [name for name in ("heads", "leaves") if old.read(f"SELECT count(*) FROM {name}", ())]  # noqa: S608 - constants
            if old.whole and not self._left_out:
                for table in there:
                    self._do(db, table, f"DROP TABLE {table}", ())
        finally:
            before.text_factory = texts

    def leaves_out(self, fault: Exception) -> bool:
        """Whether another try does without what met this damage."""
        if not self._step or kind_of(fault.__cause__) not in _OF_A_PLACE or len(self._left_out) >= _MOST:
            return False
        self._left_out.add(self._step)
        return True

    def _do(self, db: sqlite3.Cursor, step: str, statement: str, values: Sequence[object]) -> None:
        if step not in self._left_out:
            self._step = step
            db.execute(statement, values)
            self._step = ""


class _Old:
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
        if kind_of(fault) not in _OF_A_PLACE:
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
