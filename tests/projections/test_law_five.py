"""Law 5: what is told of the line is what would be told of a clean log, typed right the first time."""

from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import events as e
from domain.timeline import batches, struck_out
from projections.casualties import casualty_report
from projections.compare import compare
from projections.figs import fig_view
from projections.table import table_view
from projections.told import told
from projections.turns import turn_history
from projections.view import View
from projections.why import why
from tests.projections.play import played
from tests.projections.tale import Tale

UNDO = (e.UndoAsked, e.UndoAgreed, e.UndoRefused, e.UndoWithdrawn, e.ActionsUndone, e.ActionsRestored)
SEQS = {"seq", "last", "action", "about"}
KINDS = ("nme", "reported", "mfd")

battles = given(st.sampled_from(KINDS), st.lists(st.integers(0, 10**6), min_size=8, max_size=40))
effort = settings(max_examples=max(1, settings().max_examples * 6 // 10))


def retyped(tale: Tale) -> tuple[Tale, dict[int, int]]:
    """The same battle without whatever was undone, and where each of its entries stands now."""
    clean, moved = Tale(), dict[int, int]()
    gone = struck_out(tale.entries)
    for batch in batches(tale.entries):
        if batch[0].action not in gone and not isinstance(batch[0].body, UNDO):
            first = clean.write([entry.body for entry in batch], batch[0].actor, batch[0].time)
            moved |= {entry.seq: first + n for n, entry in enumerate(batch)}
    return clean, moved


def renumbered(view: Any, moved: dict[int, int]) -> Any:
    """A view with the seqs of another log."""
    if isinstance(view, dict):
        return {
            name: moved[inner] if name in SEQS and isinstance(inner, int) else renumbered(inner, moved)
            for name, inner in view.items()
        }
    return [renumbered(inner, moved) for inner in view] if isinstance(view, list) else view


def dumped(view: View, *leave_out: str) -> dict[str, Any]:
    """A view as JSON without what an undo does leave behind: the length of the log, and undone dice."""
    shown: dict[str, Any] = view.model_dump(mode="json", exclude={"seq", *leave_out})
    return shown


@effort
@battles
def test_the_table_is_that_of_a_clean_log(kind: str, steps: list[int]) -> None:
    tale = played(kind, steps)
    clean, moved = retyped(tale)
    spoiled = ("time", "undo_request", "dice")
    one, other = (dumped(table_view(t.battle, t.record), *spoiled) for t in (tale, clean))
    assert one.pop("head") in moved
    assert other.pop("head")
    assert renumbered(one, moved) == other


@effort
@battles
def test_the_casualty_report_is_that_of_a_clean_log(kind: str, steps: list[int]) -> None:
    tale = played(kind, steps)
    clean, moved = retyped(tale)
    one, other = (dumped(casualty_report(*t.log), "dice_undone") for t in (tale, clean))
    assert renumbered(one, moved) == other


@effort
@battles
def test_the_story_of_a_fig_is_that_of_a_clean_log(kind: str, steps: list[int]) -> None:
    tale = played(kind, steps)
    clean, moved = retyped(tale)
    for fig in tale.record.battle.figs:
        one, other = (dumped(fig_view(*t.log, fig)) for t in (tale, clean))
        assert renumbered(one, moved) == other


@effort
@battles
def test_the_history_is_that_of_a_clean_log_with_more_lines(kind: str, steps: list[int]) -> None:
    tale = played(kind, steps)
    clean, moved = retyped(tale)

    def lines(of: Tale) -> list[Any]:
        shown = []
        for turn in turn_history(*of.log).turns:
            for phase in turn.phases:
                for line in phase.lines:
                    if line.struck_out is None and not line.do.startswith("und") and line.do != "restored":
                        assert not turn.struck_out or line.kind == "procedure"
                        shown.append((turn.turn, turn.side, phase.phase, dumped_line(line)))
        return shown

    def dumped_line(line: View) -> dict[str, Any]:
        told_of = line.model_dump(mode="json")
        for verdict in told_of["undo"].values():
            del verdict["blocked"]
        return told_of

    ours = [(t, s, p, renumbered(line, moved)) for t, s, p, line in lines(tale)]
    theirs = lines(clean)
    # Disputes stand where they were opened, which may be in a turn that was undone: they are no part of the line.
    acts = [[x for x in shown if x[3]["kind"] != "procedure"] for shown in (ours, theirs)]
    assert acts[0] == acts[1]
    assert Counter(x[3]["seq"] for x in ours) == Counter(x[3]["seq"] for x in theirs)


@effort
@battles
def test_why_is_answered_as_in_a_clean_log(kind: str, steps: list[int]) -> None:
    tale = played(kind, steps)
    clean, moved = retyped(tale)
    for seq in sorted(moved)[-12:]:
        if isinstance(tale.entries[seq - 1].body, e.DisputeOpened | e.DisputeClosed):
            continue  # their turn is the one in which they were opened, undone or not
        one, other = why(tale.entries, seq), why(clean.entries, moved[seq])
        assert renumbered(one.model_dump(mode="json"), moved) == other.model_dump(mode="json")


@effort
@battles
def test_a_clean_log_has_the_same_table_for_compare(kind: str, steps: list[int]) -> None:
    tale = played(kind, steps)
    clean, _ = retyped(tale)
    found = compare(tale.log, clean.log)
    assert found.same_table
    assert all(losses.a == losses.b for losses in found.casualties.values())


@effort
@battles
def test_every_moment_of_every_battle_can_be_told(kind: str, steps: list[int]) -> None:
    tale = played(kind, steps)
    assert [line.seq for line in told(tale.entries)] == list(range(1, len(tale.entries) + 1))
    for seq in range(1, len(tale.entries) + 1, 7):
        log = tale.upto(seq)
        assert table_view(*log).seq == seq
        assert casualty_report(*log).seq == seq
        assert turn_history(*log).seq == seq


@pytest.mark.parametrize("kind", KINDS)
def test_these_battles_are_battles(kind: str) -> None:
    """What the laws above are tried on holds enough of everything to try them."""
    seen: Counter[str] = Counter()
    for n in range(12):
        tale = played(kind, [Random(n).randrange(10**6) + step for step in range(60)])
        seen.update(entry.type for entry in tale.entries)
    common = {"FigMoved", "HitRolled", "FigHit", "FigRemoved", "ActionsUndone", "ActionsRestored", "UndoAgreed"}
    own = {"nme": {"FigPinned", "FigDowned"}, "reported": {"InjuryReported"}, "mfd": {"MeleeFought", "DamageRolled"}}
    assert common | own[kind] <= set(seen), sorted(seen)
