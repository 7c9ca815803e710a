"""Raising a file of an earlier version. Law: what it knew of a battle is kept, and no damage holds up another battle.

Versions 2 and 3 had a leaf hash for each entry (`leaves`) and each battle's frontier (`heads`). The frontier goes
beside the battle's last entry as it was: hashed anew, it would believe an entry that was altered since. A battle of
which nothing can be taken over is left without one: its tree is worked out when it is asked for, and what is wrong with
it is told then. The old tables go, but not if one could not be read: whoever repairs the file may need them, and
nothing else looks at them.
"""

import sqlite3
from collections.abc import Sequence
from typing import Final

from replays.store.earlier import OF_A_PLACE, Earlier
from replays.store.words import kind_of

_COLUMNS: Final = "SELECT name FROM pragma_table_info('stored_events')"
_SET: Final = "UPDATE stored_events SET frontier = ? WHERE originator_id = ? AND originator_version = ?"

_MOST: Final = 50
"""As many steps may be left out; a file with more damage than that is refused."""


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
            old = Earlier(before)
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
        if not self._step or kind_of(fault.__cause__) not in OF_A_PLACE or len(self._left_out) >= _MOST:
            return False
        self._left_out.add(self._step)
        return True

    def _do(self, db: sqlite3.Cursor, step: str, statement: str, values: Sequence[object]) -> None:
        if step not in self._left_out:
            self._step = step
            db.execute(statement, values)
            self._step = ""
