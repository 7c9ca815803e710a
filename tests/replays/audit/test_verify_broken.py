"""Behind a fault that nothing can be placed after, nothing is judged, and that is said once."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from api.terminal.verifying import Asked, answered, policy_of
from replays.audit.bundle import Bundle
from replays.audit.findings import Finding
from replays.audit.verify.run import UNREAD
from replays.reexamine import reexamine
from tests.replays.audit.notes import LOG
from tests.replays.audit.wrapped import Played, alone, by_hand, forfeited, sound, together, wrap

STRUCTURE = {"E-CANON", "E-FORMAT", "E-BATTLE", "E-SEQ", "E-PREV", "E-START"}
HEAD = {"E-ROOT", "E-SIZE"}
ASKED = Asked(keys=(LOG.public.vkey,))
PLAYED = (alone, together, forfeited, by_hand)


def both(bundle: Bundle) -> tuple[Finding, ...]:
    """What both halves say, as the program tells it."""
    return answered(bundle.to_bytes(), Path("b.wlog"), ASKED, policy_of(ASKED)).findings


def unread(findings: tuple[Finding, ...]) -> list[str]:
    """Where reading stopped."""
    return [finding.text for finding in findings if finding.code == UNREAD]


def short(played: Played, size: int) -> Bundle:
    """A log that was cut after it was signed."""
    return replace(sound(played), entries=tuple(played.data[:size]))


@pytest.mark.parametrize("play", PLAYED)
def test_of_a_log_that_was_cut_only_the_cut_is_told(play: Callable[[], Played]) -> None:
    played = play()
    whole = len(played.data)
    for size in range(1, whole):
        found = both(short(played, size))
        assert {finding.code for finding in found if finding.error} == HEAD | {UNREAD}
        assert unread(found) == [f"read up to entry {size} of {whole}: nothing behind it was judged"]


@pytest.mark.parametrize("play", PLAYED)
def test_of_an_entry_that_cannot_be_read_only_that_is_told(play: Callable[[], Played]) -> None:
    played = play()
    whole = len(played.data)
    for at in range(whole):
        for broken in (played.data[at][:-9], b"{}", b""):
            entries = (*played.data[:at], broken, *played.data[at + 1 :])
            found = both(replace(sound(played), entries=entries))
            errors = [finding for finding in found if finding.error]
            assert {finding.code for finding in errors} <= HEAD | STRUCTURE | {UNREAD}
            assert {finding.seq for finding in errors if finding.code in STRUCTURE} == {at + 1}
            assert unread(found) == [f"read up to entry {at} of {whole}: nothing behind it was judged"]


@pytest.mark.parametrize("play", PLAYED)
def test_of_an_entry_that_was_dropped_only_its_place_is_told(play: Callable[[], Played]) -> None:
    played = play()
    for at in range(len(played.data) - 1):
        entries = (*played.data[:at], *played.data[at + 1 :])
        found = both(replace(sound(played), entries=entries))
        assert {finding.code for finding in found if finding.error} <= HEAD | STRUCTURE | {UNREAD}
        assert len(unread(found)) == 1


def test_the_rules_half_alone_judges_no_action_that_it_could_not_read_whole() -> None:
    played = alone()
    at = played.first("DiceDrawn")
    for broken in (at + 1, 4):
        entries = (*played.data[:broken], b"{}", *played.data[broken + 1 :])
        assert [(found.code, found.seq) for found in reexamine(entries).findings] == [("E-TYPE", broken + 1)]


def test_an_action_that_was_signed_without_its_end_is_judged() -> None:
    played = alone()
    at = played.first("DiceDrawn")
    found = both(wrap(played.battle, played.data[: at + 1]))
    assert {"E-DICE-OPEN", "E-RULE"} <= {finding.code for finding in found}
    assert not unread(found)


def test_what_stands_before_the_fault_is_judged_still() -> None:
    played = alone()
    at = played.first("HitRolled")
    altered = played.data[at].replace(b'"hits":', b'"hits":1')
    found = both(replace(sound(played), entries=(*played.data[:at], altered, *played.data[at + 1 :])))
    assert [(f.code, f.seq) for f in found if f.code in ("E-PREV", "E-RULE")] == [
        ("E-PREV", at + 2),
        ("E-RULE", at + 1),
    ]


def test_a_change_to_the_last_entry_leaves_nothing_unread() -> None:
    played = alone()
    last = played.data[-1].replace(b'"time":1', b'"time":2')
    found = both(replace(sound(played), entries=(*played.data[:-1], last)))
    assert [finding.code for finding in found if finding.error] == ["E-ROOT"]


def test_an_export_under_a_key_is_told_how_it_can_be_checked() -> None:
    data = b"".join(entry + b"\n" for entry in alone().data)
    [found] = answered(data, Path("b.jsonl"), ASKED, policy_of(ASKED)).findings
    assert found.code == "E-BUNDLE"
    assert "--unsigned" in found.text
    [other] = answered(b"hello", Path("b.txt"), ASKED, policy_of(ASKED)).findings
    assert "--unsigned" not in other.text
