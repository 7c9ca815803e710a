"""The tree of what-ifs round a battle. Law: from the first ancestor down, and a private battle is never named."""

from typing import Final, NamedTuple

from replays.store import Store, Summary

MOST: Final = 200
"""A page lists no more battles than this."""


class Twig(NamedTuple):
    """A battle of the tree; `at` is the last entry that it shares with its parent (0 for the root)."""

    id: str
    title: str
    at: int
    depth: int
    status: str
    here: bool


def tree_of(store: Store, battle: str) -> tuple[Twig, ...]:
    """The whole tree that a battle belongs to, each battle behind its parent; empty if it stands alone."""
    root, above = battle, {battle}
    while (branch := store.branch_of(root)) is not None and branch.parent not in above:
        root = branch.parent
        above.add(root)
    found: list[Twig] = []
    to_come = [(root, 0, 0)]
    while to_come and len(found) < MOST:
        one, at, depth = to_come.pop()
        summary = store.summary(one)
        if summary is not None and (one == battle or not summary.private):
            found.append(_twig(summary, at, depth, battle))
        to_come += [(row.battle, row.at, depth + 1) for row in reversed(store.branches(one))]
    return tuple(found) if len(found) > 1 else ()


def _twig(summary: Summary, at: int, depth: int, battle: str) -> Twig:
    return Twig(summary.battle, summary.title, at, depth, summary.status, summary.battle == battle)
