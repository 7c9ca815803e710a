"""Skims: the checks of entries, of many at once. Law: a skim is sure, or it leaves each entry to its check.

A skim takes no other check for granted: each can be taken out alone.
"""

from collections.abc import Sequence
from itertools import pairwise

from replays.audit.verify.case import Case, Check, Skim
from replays.audit.verify.entries import ACTOR, lacking
from replays.audit.verify.line import Stretch
from replays.audit.verify.shapes import enveloped

UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)
"""What a check trips over where an entry is not what it has to be."""


def unsure(case: Case, stretch: Stretch, checks: Sequence[Check]) -> list[Check]:
    """The checks that have to look at each entry of a stretch."""
    return [check for check in checks if check.skim is None or not _sure(check.skim, case, stretch)]


def _sure(skim: Skim, case: Case, stretch: Stretch) -> bool:
    try:
        return skim(case, stretch)
    except UNREADABLE:
        return False


def canon(_case: Case, stretch: Stretch) -> bool:
    """All were read strictly."""
    return not any(line.fault for line in stretch.lines)


def envelope(_case: Case, stretch: Stretch) -> bool:
    """All have the ten members."""
    return enveloped(stretch.docs) and all(map(ACTOR, set(stretch.column("actor"))))


def shape(_case: Case, stretch: Stretch) -> bool:
    """None lacks what carries the proof."""
    return not any(map(lacking, stretch.lines))


def battle(case: Case, stretch: Stretch) -> bool:
    """All are of the battle of the entry before them, and so is the bundle if the last one is among them."""
    if stretch.before is None or "BranchOpened" in stretch.types:
        return False
    one = stretch.before.doc["battle"]
    ends = stretch.lines[-1].seq == len(case.bundle.entries)
    return set(stretch.column("battle")) == {one} and (not ends or case.bundle.meta.battle == one)


def number(_case: Case, stretch: Stretch) -> bool:
    """They are numbered by their places."""
    return stretch.column("seq") == [line.seq for line in stretch.lines]


def prev(_case: Case, stretch: Stretch) -> bool:
    """Each names the one before."""
    if stretch.before is None:
        return False
    return stretch.column("prev") == [line.leaf.hex() for line in (stretch.before, *stretch.lines[:-1])]


def action(_case: Case, stretch: Stretch) -> bool:
    """Each begins an action, or has action, time and actor of the one before."""
    if stretch.before is None:
        return False
    lines = (stretch.before, *stretch.lines)
    whose = [(line.doc["action"], line.doc["time"], line.actor) for line in lines]
    return all(
        now[0] == line.seq or now == was for line, (was, now) in zip(stretch.lines, pairwise(whose), strict=True)
    )


def time(_case: Case, stretch: Stretch) -> bool:
    """No time is earlier than the one before."""
    if stretch.before is None:
        return False
    times = [stretch.before.doc["time"], *stretch.column("time")]
    return times == sorted(times)


def start(_case: Case, stretch: Stretch) -> bool:
    """The log began before, and does not begin again."""
    return stretch.before is not None and "BattleStarted" not in stretch.types


def after_end(case: Case, stretch: Stretch) -> bool:
    """The battle was not closed, and is not closed here."""
    return not case.closed and "BattleClosed" not in stretch.types
