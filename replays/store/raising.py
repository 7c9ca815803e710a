"""Raising a file of an earlier version. Law: what it knew of a battle is kept, and no damage holds up another battle.

Versions 2 and 3 had a leaf hash for each entry (`leaves`) and each battle's frontier (`heads`). The frontier goes
beside the battle's last entry as it was: hashed anew, it would believe an entry that was altered since. What is wrong
with a battle is told when that battle is asked for. The old tables go, but not if something could not be taken over or
read: whoever repairs the file may need them, and nothing else looks at them.
"""

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, Final

from replays.audit.merkle import Frontier, leaf_hash
from replays.store import trees
from replays.store.refusals import Damaged
from replays.store.words import kind_of

_COLUMNS: Final = "SELECT name FROM pragma_table_info('stored_events')"
_NAMED: Final = (("stored_events", "originator_id"), ("heads", "battle"), ("summaries", "battle"))
_TIP: Final = """SELECT originator_version, state FROM stored_events WHERE originator_id = ?
    ORDER BY originator_version DESC LIMIT 1"""
_HEAD: Final = "SELECT frontier FROM heads WHERE battle = ?"
_NEWEST: Final = "SELECT seq, hash FROM leaves WHERE battle = ? ORDER BY seq DESC LIMIT 1"
_LEAVES: Final = "SELECT seq, hash FROM leaves WHERE battle = ? AND seq <= ? ORDER BY seq DESC"
_BRANCH: Final = 'SELECT parent, "at" FROM branches WHERE battle = ?'
_SET: Final = "UPDATE stored_events SET frontier = ? WHERE originator_id = ? AND originator_version = ?"

_OF_A_PLACE: Final = {0, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT}
"""What a damaged page or row, or a table that is missing, comes to; the others (no room, say) stop it all."""

Leaf = tuple[int, bytes]


def take_over(db: sqlite3.Cursor) -> None:
    """Give each battle its frontier beside its last entry, and drop the tables that nobody needs any more."""
    if ("frontier",) not in db.execute(_COLUMNS).fetchall():
        db.execute("ALTER TABLE stored_events ADD COLUMN frontier BLOB")
    texts = db.connection.text_factory
    # A text that is none stops no scan; whoever then asks for its battle by it is refused.
    db.connection.text_factory = lambda text: text.decode(errors="surrogateescape")
    try:
        battles, whole = _battles(db)
        for battle in battles:
            whole &= _apart(db, lambda battle=battle: _raise(db, battle))  # type: ignore[misc]
        for name in ("heads", "leaves") if whole else ():
            _apart(db, lambda name=name: _drop(db, name))  # type: ignore[misc]
    finally:
        db.connection.text_factory = texts


def _raise(db: sqlite3.Cursor, battle: str) -> None:
    found = db.execute(_TIP, (battle,)).fetchone()
    if found is None:
        return
    seq, state = found
    if not isinstance(seq, int):
        raise Damaged(battle, 0, "an entry has a number that is none")
    old, newest = _old(db, battle), _newest(db, battle)
    size = _size(old)
    if size == seq and not _contradicts(newest, seq, state):
        _keep(db, battle, seq, old)
    elif size > seq or _contradicts(newest, seq, state):
        _keep(db, battle, seq, _that_cannot_fit(db, battle, seq, old, newest))
    elif size and not _keep(db, battle, size, old):  # its entry is gone
        _keep(db, battle, seq, old)
    else:
        _work_out(db, battle, seq, size, newest)


def _drop(db: sqlite3.Cursor, table: str) -> None:
    # Read whole first: a page that leads elsewhere would have another table's pages thrown away.
    db.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608 - a constant
    db.execute(f"DROP TABLE {table}")


def _contradicts(newest: Leaf | None, seq: int, state: object) -> bool:
    """Whether the newest leaf is that of an entry which is gone, or not that of the last one's bytes."""
    if newest is None or newest[0] < seq:  # code of version 1 stored entries without leaves beside version 2
        return False
    return newest[0] > seq or not isinstance(state, bytes) or newest[1] != leaf_hash(state)


def _that_cannot_fit(db: sqlite3.Cursor, battle: str, seq: int, old: bytes | None, newest: Leaf | None) -> bytes | None:
    if old is None or newest is None:
        return old if newest is None else newest[1]
    try:
        fits = trees.tree_at(db, battle, seq).to_bytes() == old
    except Damaged:
        fits = False
    # A frontier was made anew to fit what was altered. The leaf tells: its 32 bytes are no frontier, of whatever size.
    return newest[1] if fits else old


def _work_out(db: sqlite3.Cursor, battle: str, seq: int, size: int, newest: Leaf | None) -> None:
    """From the old leaves as far as they go, then from the entries."""
    if newest is not None and newest[0] > size:
        tree = _of_leaves(db, battle, newest[0])
        if tree is not None:
            _keep(db, battle, newest[0], tree.to_bytes())
    if trees.last(db, battle)[1] is None:
        _keep(db, battle, seq, trees.tree_at(db, battle, seq).to_bytes())


def _of_leaves(db: sqlite3.Cursor, battle: str, size: int) -> Frontier | None:
    """The tree by the old leaves, those that a branch inherits among them; None where one is missing."""
    found: list[Leaf] = []
    seen: set[str] = set()
    upto, stream = size, battle
    while stream not in seen:
        seen.add(stream)
        found += _read(db, _LEAVES, (stream, upto))
        branch = _read(db, _BRANCH, (stream,))
        if not branch:
            break
        stream, upto = branch[0][0], min(upto, trees.begins_after(stream, branch[0][1]))
    found.reverse()
    if [seq for seq, _ in found] != [*range(1, size + 1)] or not all(_is_hash(leaf) for _, leaf in found):
        return None
    return Frontier().extended(leaf for _, leaf in found)


def _old(db: sqlite3.Cursor, battle: str) -> bytes | None:
    """The frontier in the old table, if it is bytes; what was put there by hand as a text was never one."""
    found = _read(db, _HEAD, (battle,))
    return found[0][0] if found and isinstance(found[0][0], bytes) else None


def _size(old: bytes | None) -> int:
    """Its leaves; more than any battle has if it is no frontier, so that it is kept and told as what it is."""
    try:
        return Frontier.from_bytes(old).size if old is not None else 0
    except ValueError:
        return 1 << 63


def _newest(db: sqlite3.Cursor, battle: str) -> Leaf | None:
    found = _read(db, _NEWEST, (battle,))
    return found[0] if found and isinstance(found[0][0], int) and _is_hash(found[0][1]) else None


def _is_hash(value: object) -> bool:
    return isinstance(value, bytes) and len(value) == len(leaf_hash(b""))


def _keep(db: sqlite3.Cursor, battle: str, seq: int, frontier: bytes | None) -> bool:
    return db.execute(_SET, (frontier, battle, seq)).rowcount == 1


def _battles(db: sqlite3.Cursor) -> tuple[list[str], bool]:
    """Every battle that can be found, and whether none can be missing."""
    found: dict[str, None] = {}
    for table, column in _NAMED:
        for order in ("ASC", "DESC"):  # from both ends up to what is damaged
            try:
                for (battle,) in db.execute(f"SELECT DISTINCT {column} FROM {table} ORDER BY {column} {order}"):  # noqa: S608 - constants
                    found[battle] = None
            except sqlite3.Error as fault:
                _need_of_a_place(db, fault)
            else:
                if table == "stored_events":
                    return [*found], True
                break
    return [*found], False


def _read(db: sqlite3.Cursor, statement: str, values: Sequence[object]) -> list[tuple[Any, ...]]:
    """What is found, or nothing where the table is missing or damaged."""
    try:
        return db.execute(statement, values).fetchall()
    except sqlite3.Error as fault:
        _need_of_a_place(db, fault)
        return []


def _apart(db: sqlite3.Cursor, work: Callable[[], object]) -> bool:
    """Whether it could be done; if what it needs is damaged, nothing of it was."""
    db.execute("SAVEPOINT apart")
    done = True
    try:
        work()
    except (sqlite3.Error, Damaged, ValueError) as fault:
        _need_of_a_place(db, fault)
        db.execute("ROLLBACK TO apart")
        done = False
    db.execute("RELEASE apart")
    return done


def _need_of_a_place(db: sqlite3.Cursor, fault: Exception) -> None:
    """Raise it again, unless it is the damage of a place and the transaction stands."""
    if kind_of(fault) not in _OF_A_PLACE or not db.connection.in_transaction:
        raise fault
