"""Scores: the numbers that add up across battles are those of the casualty report, by side and by weapon."""

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.timeline import recorded
from projections.casualties import SideReport, casualty_report
from projections.scores import BARE_HANDS, SideScore, WeaponScore, score
from projections.walk import Log
from replays.examine import examine
from tests.projections.fields import bricks, gang, shot
from tests.projections.play import played
from tests.projections.tale import Tale
from tests.projections.test_law_five import KINDS, retyped

RECORDED = sorted((Path(__file__).parents[2] / "replays" / "recorded").glob("*.jsonl"))
SHARED = tuple(name for name in WeaponScore.__struct_fields__ if name != "weapon")


def check(log: Log) -> None:
    told, report = score(log.record, log.entries), casualty_report(*log)
    assert [side.side for side in told.sides] == list(report.sides)
    for side in told.sides:
        agrees(side, report.sides[side.side])
    for name in SHARED:
        assert sum(getattr(w, name) for w in told.weapons) == sum(getattr(s, name) for s in told.sides), name


def agrees(side: SideScore, report: SideReport) -> None:
    """Whether a side's score is what the casualty report says of it."""
    assert (side.name, side.figs, side.figs_lost, side.wounds) == (
        report.name,
        report.start,
        report.out,
        report.wounds,
    )
    tally = report.tally
    assert side.pins == tally.pins_caused
    for name in SHARED:
        assert getattr(side, name) == getattr(tally, name), name


@settings(deadline=None)
@given(st.sampled_from(KINDS), st.lists(st.integers(0, 10**6), min_size=8, max_size=40))
def test_a_score_is_what_the_casualty_report_says_whatever_was_played(kind: str, steps: list[int]) -> None:
    check(played(kind, steps).log)


@settings(deadline=None)
@given(st.sampled_from(KINDS), st.lists(st.integers(0, 10**6), min_size=8, max_size=40))
def test_what_was_undone_counts_nowhere(kind: str, steps: list[int]) -> None:
    tale = played(kind, steps)
    clean, _ = retyped(tale)
    assert score(tale.record, tale.entries) == score(clean.record, clean.entries)


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.stem)
def test_the_recorded_battles_come_to_what_their_reports_say(file: Path) -> None:
    entries = examine(file.read_bytes().splitlines(), rules=False).entries
    check(Log(entries[-1].battle, recorded(None, entries), entries))


def test_a_loss_belongs_to_the_weapon_that_made_it() -> None:
    tale = Tale(gang())
    shot(tale, 5, 5, 5, 5)
    told = score(tale.record, tale.entries)
    assert [msgspec.structs.asdict(w) for w in told.weapons] == [
        msgspec.structs.asdict(WeaponScore("autogun", shots=1, hits=1, downs=1))
    ]


def test_a_result_is_told_once_the_battle_has_ended() -> None:
    for winner, results in (("red", ["won", "lost"]), ("blue", ["lost", "won"]), (None, ["drawn", "drawn"])):
        tale = Tale(bricks())
        assert [side.result for side in score(tale.record, tale.entries).sides] == ["playing", "playing"]
        tale.act("referee", (), do="end_battle", winner=winner)
        assert [side.result for side in score(tale.record, tale.entries).sides] == results


def test_the_weapons_of_a_recorded_battle_are_those_that_were_used() -> None:
    file = next(file for file in RECORDED if file.stem == "mfd-brick-yard")
    entries = examine(file.read_bytes().splitlines(), rules=False).entries
    told = score(recorded(None, entries), entries)
    used = Counter({weapon.weapon: weapon.shots + weapon.blows for weapon in told.weapons})
    assert all(used[weapon] for weapon in used if weapon != BARE_HANDS)
    assert len(used) > 2
