"""The trees in a file. Law: a tree is kept in the transaction of the entries it is over, and hashed from their bytes.

Beside the last entry of each append stands the battle's frontier after it, which is all that the next append needs: it
costs the same at entry 10 and at entry 10,000, and touches no page that the entry itself would not. Leaves are nowhere
stored, they are hashed from the entries. A branch has a tree that begins with its parent's leaves 1 to `at`.
"""

import sqlite3
from collections.abc import Iterable
from typing import Final

from replays.audit.merkle import Frontier, leaf_hash
from replays.store.refusals import Damaged

Db = sqlite3.Connection | sqlite3.Cursor

_LAST: Final = """SELECT originator_version, frontier FROM stored_events WHERE originator_id = ?
    ORDER BY originator_version DESC LIMIT 1"""
_TIP: Final = """SELECT originator_version, state FROM stored_events WHERE originator_id = ?
    ORDER BY originator_version DESC LIMIT 1"""
_NEAREST: Final = """SELECT originator_version, frontier FROM stored_events
    WHERE originator_id = ? AND originator_version <= ? AND frontier IS NOT NULL
    ORDER BY originator_version DESC LIMIT 1"""
_STATES: Final = """SELECT state FROM stored_events
    WHERE originator_id = ? AND originator_version > ? AND originator_version <= ? ORDER BY originator_version"""
_BRANCH: Final = 'SELECT parent, "at" FROM branches WHERE battle = ?'


def last(db: Db, battle: str) -> tuple[int, bytes | None]:
    """Seq of the last entry, and the frontier beside it where there is one; 0 for a battle that nobody knows."""
    found = db.execute(_LAST, (battle,)).fetchone() or (0, None)
    return _seq(battle, found[0]), found[1]


def tip(db: Db, battle: str) -> tuple[int, bytes]:
    """Seq and leaf hash of the last entry, 0 and nothing for a battle that nobody knows."""
    found = db.execute(_TIP, (battle,)).fetchone()
    return (_seq(battle, found[0]), _leaf(battle, *found)) if found else (0, b"")


def leaves(db: Db, battle: str, after: int, upto: int) -> list[bytes]:
    """The leaf hashes of its own entries, of those with `after` < seq <= `upto`."""
    found = db.execute(_STATES, (battle, after, upto))
    return [_leaf(battle, seq, state) for seq, (state,) in enumerate(found, after + 1)]


def tree_of(db: Db, battle: str, head: int, kept: bytes | None) -> Frontier:
    """The tree of all its entries, of which `last` has told; the empty one for a battle that nobody knows."""
    if not head:
        return Frontier()
    return _frontier(battle, head, kept) if kept is not None else tree_at(db, battle, head)


def tree_at(db: Db, battle: str, upto: int) -> Frontier:
    """The tree of entries 1 to `upto`: the nearest one that is kept, and the leaves of the entries after it."""
    missing: list[tuple[str, int, int]] = []
    tree: Frontier | None = None
    while tree is None:
        if battle in {known for known, _, _ in missing}:
            raise Damaged(battle, 0, "it parts from itself")
        nearest = db.execute(_NEAREST, (battle, upto)).fetchone()
        branch = None if nearest else db.execute(_BRANCH, (battle,)).fetchone()
        if nearest:
            tree, after = _frontier(battle, *nearest), nearest[0]
        elif branch:
            after = min(begins_after(battle, branch[1]), upto)
        else:
            tree, after = Frontier(), 0
        missing.append((battle, after, upto))
        if branch:
            battle, upto = branch[0], after
    for battle, after, upto in reversed(missing):
        tree = tree.extended(leaves(db, battle, after, upto))
        if tree.size != upto:
            raise Damaged(battle, tree.size + 1, "it is gone")
    return tree


def grown(before: Frontier, states: Iterable[bytes]) -> Frontier:
    """The tree after these entries, which follow on the tree `before`: it is kept beside the last of them."""
    return before.extended(map(leaf_hash, states))


def begins_after(battle: str, at: object) -> int:
    """The parent's entry that a branch parts from, as it is stored."""
    if not isinstance(at, int):
        raise Damaged(battle, 0, "it parts from its parent after an entry that is none")
    return at


def _seq(battle: str, seq: object) -> int:
    if not isinstance(seq, int):
        raise Damaged(battle, 0, "an entry has a number that is none")
    return seq


def _frontier(battle: str, seq: int, kept: bytes) -> Frontier:
    try:
        frontier = Frontier.from_bytes(kept)
    except (TypeError, ValueError) as fault:
        raise Damaged(battle, seq, f"the tree that is kept beside it is none ({fault})") from fault
    if frontier.size != seq:
        raise Damaged(battle, seq, f"beside it is kept a tree of {frontier.size} leaves")
    return frontier


def _leaf(battle: str, seq: int, state: object) -> bytes:
    # A database keeps whatever somebody puts in by hand.
    if not isinstance(state, bytes):
        raise Damaged(battle, seq, "it is no bytes")
    return leaf_hash(state)
