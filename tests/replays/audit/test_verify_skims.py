"""Skims: what is passed over at once would have been passed over one by one, and what is well is passed over."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replays.audit.bundle import Bundle
from replays.audit.merkle import leaf_hash
from replays.audit.verify import skims
from replays.audit.verify.canon import canonical, read_loosely
from replays.audit.verify.case import Case, Check
from replays.audit.verify.checks import CHECKS
from replays.audit.verify.line import Stretch, stretches_of
from replays.audit.verify.run import verify
from tests.replays.audit.wrapped import POLICY, Doc, Played, alone, branched, by_hand, forfeited, sound, together

OF_LINES: Final = [check for check in CHECKS if check.when == "line"]
PLAYS: Final[tuple[Callable[[], Played], ...]] = (alone, together, forfeited, by_hand, branched)


@cache
def bundle(play: Callable[[], Played]) -> Bundle:
    """The bundle of one of the battles."""
    return sound(play())


def stretches(entries: Sequence[bytes]) -> list[Stretch]:
    """Entries as the verifier reads them."""
    return list(stretches_of(entries, [leaf_hash(entry) for entry in entries]))


def finds(check: Check, case: Case, stretch: Stretch) -> bool:
    """Whether a check finds something in an entry of a stretch, or trips over one; as the verifier goes along."""
    before = stretch.before
    for line in stretch.lines:
        try:
            if list(check.look(case, line, before)):
                return True
        except skims.UNREADABLE:
            return True
        goes_on = before is not None and line.doc.get("action") == before.doc.get("action")
        case.closed = line.type == "BattleClosed" or (case.closed and goes_on)
        before = line
    return False


def test_every_check_of_entries_skims() -> None:
    assert [check.name for check in OF_LINES if check.skim is None] == []


@pytest.mark.parametrize("play", PLAYS, ids=lambda play: play.__name__)
def test_the_middle_of_a_sound_log_is_not_looked_at_one_by_one(
    play: Callable[[], Played],
) -> None:
    case = Case(bundle(play), POLICY)
    parts = stretches(case.bundle.entries)
    for stretch in parts[1:-1]:
        branches = {"battle"} if "BranchOpened" in stretch.types else set()
        assert {check.name for check in skims.unsure(case, stretch, OF_LINES)} == branches
    assert {check.name for check in skims.unsure(case, parts[0], OF_LINES)} >= {"prev", "start"}


ODD: Final[st.SearchStrategy[Any]] = st.sampled_from(
    [None, True, 0, 1, 2, 30, -1, 2**53, 1.5, "", "x", "referee", "side:red", "side:Red", "0" * 64, "AB" * 16, [], {}]
) | st.sampled_from(["BattleClosed", "BattleStarted", "BranchOpened", "RequestSigned", "LinkReleased", [{}], [1]])
MEMBERS: Final = ("action", "actor", "battle", "body", "prev", "seq", "state", "time", "type", "v", "more")


def put(doc: Doc, member: str, odd: Any) -> None:
    """Another member of an entry, or of its body."""
    place, _, name = member.rpartition(".")
    inside = doc.get("body") if place else doc
    if isinstance(inside, dict):
        inside[name] = odd


@given(
    st.sampled_from(PLAYS),
    st.integers(0, 10_000),
    st.lists(st.tuples(st.sampled_from([*MEMBERS, "body.dice", "body.link", "body.request"]), ODD), max_size=2),
    st.sampled_from(["as it is", "without it", "twice", "before the one before", "loosely"]),
    st.booleans(),
)
def test_where_a_skim_is_sure_no_entry_has_anything_wrong(
    play: Callable[[], Played], at: int, odd: list[tuple[str, Any]], how: str, closed: bool
) -> None:
    entries = list(bundle(play).entries)
    at %= len(entries)
    doc = read_loosely(entries[at])
    for member, value in odd:
        put(doc, member, value)
    changed = canonical(doc)
    match how:
        case "without it":
            del entries[at]
        case "twice":
            entries.insert(at, changed)
        case "before the one before":
            entries[max(at - 1, 0) : at + 1] = [changed, *entries[max(at - 1, 0) : at]]
        case "loosely":
            entries[at] = changed.replace(b":", b": ", 1)
        case _:
            entries[at] = changed
    for stretch in stretches(entries):
        if not any(line.seq in range(at, at + 3) for line in stretch.lines):
            continue
        for check in OF_LINES:
            case = Case(bundle(play), POLICY)
            case.closed = closed
            unsure = check in skims.unsure(case, stretch, OF_LINES)
            assert unsure or not finds(check, case, stretch), check.name


@given(st.sampled_from(PLAYS), st.integers(0, 10_000), st.sampled_from(MEMBERS), ODD)
def test_a_verifier_that_skims_says_what_one_says_that_looks_at_each(
    play: Callable[[], Played], at: int, member: str, odd: Any
) -> None:
    entries = list(bundle(play).entries)
    at %= len(entries)
    doc = read_loosely(entries[at])
    put(doc, member, odd)
    entries[at] = canonical(doc)
    changed = Bundle(bundle(play).meta, tuple(entries), bundle(play).checkpoint)
    slow = [check._replace(skim=None) for check in CHECKS]
    assert verify(changed, POLICY).findings == verify(changed, POLICY, checks=slow).findings
