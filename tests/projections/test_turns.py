"""The turn history: every action at its place, struck out or not, and what may be taken back by whom."""

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import events as e
from domain import undo
from domain.draft import Seat
from domain.refusals import Refused
from projections.lines import Line
from projections.turns import TurnHistory, turn_history
from projections.verdicts import SeatVerdict, redo_view, seats_of, undo_verdicts
from tests.projections.fields import bricks, fire, gang, shot
from tests.projections.play import played, played_on
from tests.projections.tale import HOME, Tale, seat

effort = settings(max_examples=max(1, settings().max_examples * 6 // 10))


def placed(history: TurnHistory) -> Iterator[tuple[int, str, str, Line]]:
    """Every line with its turn, side and phase."""
    for turn in history.turns:
        for phase in turn.phases:
            for line in phase.lines:
                yield turn.turn, turn.side, phase.phase, line


Asking = Callable[[str], tuple[e.Event, ...]]
"""Undo or redo of something by somebody, with a reason."""


def line_at(tale: Tale, seq: int) -> Line:
    """The line that begins with an entry."""
    return next(line for *_, line in placed(turn_history(*tale.log)) if line.seq == seq)


def test_actions_stand_in_their_turn_and_phase() -> None:
    tale = Tale(gang())
    moved = tale.act("red", do="move", fig="red-1", to={"x": 12, "y": 20})
    fired = shot(tale, 1, 1, 1, fig="red-2")
    ended = tale.act("red", do="end_turn")
    again = tale.act("referee", do="move", fig="boss", to={"x": 29, "y": 20})
    history = turn_history(*tale.log)
    assert [(turn, side, phase, line.seq, line.do) for turn, side, phase, line in placed(history)] == [
        (0, "", "", 1, "muster"),
        (1, "red", "movement", moved, "move"),
        (1, "red", "shooting", fired, "shoot"),
        (1, "red", "shooting", ended, "end_turn"),
        (2, "blue", "movement", again, "move"),
    ]
    assert (history.turn, history.side, history.phase, history.status) == (2, "blue", "movement", "playing")
    assert (history.battle, history.seq, history.head) == (HOME, len(tale.entries), len(tale.entries))


def test_a_turn_that_has_only_begun_is_there() -> None:
    tale = Tale(gang())
    tale.act("red", do="end_turn")
    last = turn_history(*tale.log).turns[-1]
    assert (last.turn, last.side, last.struck_out, last.phases) == (2, "blue", False, ())


def test_a_line_says_who_typed_and_who_acts_and_which_dice_were_seen() -> None:
    tale = Tale(gang())
    fired = tale.act("referee", do="shoot", fig="red-1", weapon="autogun", target="blue-1", dice=[1, 2, 6, 5, 2, 1])
    line = line_at(tale, fired)
    assert (line.kind, line.seq, line.last, line.time) == ("action", fired, len(tale.entries), fired * 1000)
    assert (line.actor, line.side, line.fig) == ("referee", "red", "red-1")
    assert [(throw.purpose, throw.faces) for throw in line.dice] == [
        ("ammo", (1, 2)),
        ("to_hit", (6, 5, 2)),
        ("to_hit", (1,)),
    ]
    assert line.sentence == "Sarge (red-1) shoots Ganger (blue-1) with the autogun: near miss, pinned."


def test_an_action_that_was_struck_out_says_by_whom_with_whose_consent_and_why() -> None:
    tale = Tale(gang())
    fired = shot(tale, 1, 1, 1)
    asked = tale.undo(fired, "red", "wrong target")
    struck = tale.answer("blue")
    line = line_at(tale, fired)
    assert line.struck_out is not None
    assert line.struck_out.model_dump() == {
        "seq": struck + 1,
        "time": struck * 1000,
        "by": "side:red",
        "agreed": ("blue",),
        "request": 1,
        "reason": "wrong target",
    }
    assert line.undo == {}
    assert (line_at(tale, asked).kind, line_at(tale, asked).do) == ("procedure", "undo_asked")
    assert line_at(tale, struck).do == "undone"
    assert "agrees to request 1" in line_at(tale, struck).sentence
    assert "is struck out" in line_at(tale, struck).sentence
    assert turn_history(*tale.log).dice_undone == 5


def test_what_the_referee_strikes_out_names_the_referee() -> None:
    tale = Tale(gang())
    fired = shot(tale, 1, 1, 1)
    tale.undo(fired, reason="typed twice")
    struck = line_at(tale, fired).struck_out
    assert struck is not None
    assert (struck.by, struck.agreed, struck.request, struck.reason) == ("referee", (), 0, "typed twice")


def test_a_redo_clears_the_mark_and_both_stay_in_the_history() -> None:
    tale = Tale(gang())
    fired = shot(tale, 1, 1, 1)
    undone, restored = tale.undo(fired), tale.redo()
    assert line_at(tale, fired).struck_out is None
    assert (line_at(tale, undone).do, line_at(tale, restored).do) == ("undone", "restored")
    assert turn_history(*tale.log).undos == 1


def test_a_turn_that_was_taken_back_stays_marked_and_its_number_can_be_played_again() -> None:
    tale = Tale(gang())
    ended = tale.act("red", do="end_turn")
    wrong = tale.act("blue", do="move", fig="boss", to={"x": 29, "y": 20})
    tale.undo(ended)
    gone = turn_history(*tale.log)
    assert [(turn.turn, turn.side, turn.struck_out) for turn in gone.turns] == [
        (0, "", False),
        (1, "red", False),
        (2, "blue", True),
    ]
    tale.act("red", do="end_turn")
    right = tale.act("blue", do="move", fig="boss", to={"x": 28, "y": 20})
    back = turn_history(*tale.log).turns[-1]
    assert (back.turn, back.struck_out) == (2, False)
    lines = [line for phase in back.phases for line in phase.lines if line.kind == "action"]
    assert [(line.seq, line.struck_out is not None) for line in lines] == [(wrong, True), (right, False)]


def test_what_is_said_about_an_undo_stands_together_in_the_turn_that_it_goes_back_to() -> None:
    tale = Tale(gang())
    ended = tale.act("red", do="end_turn")
    tale.act("blue", do="move", fig="boss", to={"x": 29, "y": 20})
    asked = tale.undo(ended, "red", "too early")
    undone = tale.answer("blue")
    again = tale.redo("red")
    restored = tale.answer("blue")
    turns = {turn.turn: turn for turn in turn_history(*tale.log).turns}
    lines = [line for phase in turns[1].phases for line in phase.lines]
    assert [(line.seq, line.do) for line in lines] == [
        (ended, "end_turn"),
        (asked, "undo_asked"),
        (undone, "undone"),
        (again, "undo_asked"),
        (restored, "restored"),
    ]
    assert [line.do for phase in turns[2].phases for line in phase.lines] == ["move"]


def test_a_turn_that_was_first_one_sides_and_then_anothers_stands_as_both() -> None:
    green = {"id": "green-1", "side": "green", "x": 40, "y": 30, "bs": 3}
    body = gang(sides=[{"id": "red"}, {"id": "blue"}, {"id": "green"}])
    tale = Tale(body | {"figs": [*body["figs"], green]})
    ended = tale.act("red", do="end_turn")
    tale.act("blue", do="end_turn")
    tale.act("green", do="move", fig="green-1", to={"x": 41, "y": 30})
    tale.undo(ended)
    for fig in ("blue-1", "boss"):
        tale.rule({"fig": fig, "field": "status", "value": "out"})
    tale.act("red", do="end_turn")
    assert [(turn.turn, turn.side, turn.struck_out) for turn in turn_history(*tale.log).turns] == [
        (0, "", False),
        (1, "red", False),
        (2, "blue", True),
        (2, "green", False),
        (3, "green", True),
    ]


def test_procedure_stands_at_its_place() -> None:
    tale = Tale(gang())
    opened = tale.dispute("blue", 1)
    noted = tale.rule(reason="no change", about=1)
    changed = tale.rule({"fig": "boss", "field": "hidden", "value": True})
    closed = tale.settle(1, "referee", ruling=noted)
    moved = tale.act("red", do="move", fig="red-1", to={"x": 12, "y": 20})
    lines = [line for *_, line in placed(turn_history(*tale.log))]
    assert [(line.seq, line.kind, line.do) for line in lines[1:6]] == [
        (opened, "procedure", "dispute"),
        (noted, "procedure", "ruling"),
        (changed, "ruling", "ruling"),
        (closed, "procedure", "dispute_closed"),
        (moved, "action", "move"),
    ]


def test_the_end_and_the_close_are_lines() -> None:
    tale = Tale(gang())
    ended = tale.act("referee", do="end_battle", winner="red", reason="dark")
    closed = tale.close()
    assert line_at(tale, ended).sentence == "The referee ends the battle: House Red (red) wins."
    assert line_at(tale, closed).do == "closed"
    assert {verdict.why for verdict in line_at(tale, ended).undo.values()} == {"battle-closed"}


def test_a_what_if_shows_what_it_inherits_and_that_none_of_it_can_be_undone() -> None:
    tale = Tale(gang())
    moved = tale.act("red", do="move", fig="red-1", to={"x": 12, "y": 20})
    wrong = tale.act("red", do="move", fig="red-2", to={"x": 12, "y": 24})
    tale.undo(wrong, "red")
    branch = tale.branch(len(tale.entries))
    own = branch.act("red", do="move", fig="red-2", to={"x": 11, "y": 24})
    assert [(line.seq, line.inherited) for *_, line in placed(turn_history(*branch.log))] == [
        (1, True),
        (moved, True),
        (wrong, True),
        (wrong + 2, True),
        (own - 1, False),
        (own, False),
    ]
    assert {verdict.why for verdict in line_at(branch, moved).undo.values()} == {"before-branch"}
    assert line_at(branch, wrong).undo == {}
    assert line_at(branch, own).undo["side:red"].kind == "at_once"
    assert line_at(branch, own - 1).do == "branch_opened"


def test_a_new_chain_of_dice_is_a_line() -> None:
    tale = Tale(gang())
    sealed = tale.write([e.DiceAnchored(0, 1, 4096, "0" * 64)], "referee")
    line = line_at(tale, sealed)
    assert (line.kind, line.do) == ("procedure", "dice_anchored")
    assert line.sentence.startswith("The service seals a chain of 4096 dice secrets")


class TestVerdicts:
    def test_the_strictest_verdict_of_the_span_holds(self) -> None:
        tale = Tale(gang())
        moved = tale.act("red", do="move", fig="red-1", to={"x": 12, "y": 20})
        fired = shot(tale, 1, 1, 1, fig="red-2")
        turned = tale.rule({"fig": "boss", "field": "hidden", "value": True})
        verdicts = undo_verdicts(tale.record)
        assert {seq: verdicts[seq]["side:red"].kind for seq in (moved, fired, turned)} == {
            moved: "never",
            fired: "never",
            turned: "never",
        }
        tale.undo(turned)
        verdicts = undo_verdicts(tale.record)
        assert verdicts[fired]["side:red"] == SeatVerdict(
            kind="ask", why="shared-acts", text="every other side still playing has to agree", ask=("blue",)
        )
        assert verdicts[fired]["referee"].kind == "reason"
        tale.undo(fired)
        verdicts = undo_verdicts(tale.record)
        assert verdicts[moved]["side:red"].kind == verdicts[moved]["referee"].kind == "at_once"
        assert verdicts[moved]["side:blue"].kind == "ask"

    def test_a_last_ditch_is_never_taken_back_by_a_side(self) -> None:
        tale = Tale(bricks(policy={"last_ditch_percent": 100}))
        tale.rule({"fig": "r2", "field": "status", "value": "out"})
        called = tale.act("red", do="last_ditch", side="red")
        verdicts = undo_verdicts(tale.record)[called]
        assert (verdicts["side:red"].why, verdicts["referee"].kind) == ("last-ditch", "reason")

    def test_a_request_that_cannot_be_made_just_now_says_why(self) -> None:
        tale = Tale(gang(policy={"undo_requests": 2}))
        first = shot(tale, 1, 1, 1)
        second = shot(tale, 1, 1, 1, fig="red-2")

        def blocked(seq: int) -> str | None:
            return undo_verdicts(tale.record)[seq]["side:red"].blocked

        assert blocked(first) is None
        tale.undo(second, "red")
        assert blocked(first) == "request-open"
        tale.answer("blue", agree=False)
        assert (blocked(first), blocked(second)) == (None, "refused-before")
        tale.undo(first, "red")
        tale.withdraw("red")
        assert blocked(first) == "too-many-requests"

    def test_a_redo_that_was_refused_is_not_asked_for_again(self) -> None:
        tale = Tale(gang())
        tale.undo(shot(tale, 1, 1, 1))
        tale.redo("red")
        tale.answer("blue", agree=False)
        offered = redo_view(tale.record)
        assert offered is not None
        assert offered.seats["side:red"].blocked == "refused-before"
        assert offered.seats["side:blue"].blocked is None

    def test_redo_is_offered_until_something_is_done(self) -> None:
        tale = Tale(gang())
        assert redo_view(tale.record) is None
        fired = shot(tale, 1, 1, 1)
        tale.undo(fired)
        offered = redo_view(tale.record)
        assert offered is not None
        assert (offered.to_before, offered.actions, offered.dice) == (fired, (fired,), 5)
        assert (offered.seats["side:red"].kind, offered.seats["referee"].kind) == ("ask", "reason")
        tale.act("red", do="move", fig="red-1", to={"x": 12, "y": 20})
        assert turn_history(*tale.log).redo is None

    def test_an_end_that_was_undone_can_be_restored_by_the_referee_alone(self) -> None:
        tale = Tale(gang())
        ended = tale.act("referee", do="end_battle")
        assert {s: v.kind for s, v in undo_verdicts(tale.record)[ended].items()} == {
            "referee": "reason",
            "side:red": "never",
            "side:blue": "never",
        }
        tale.undo(ended)
        offered = redo_view(tale.record)
        assert offered is not None
        assert (offered.seats["side:red"].why, offered.seats["referee"].kind) == ("battle-over", "reason")


def answer(asking: Asking, reason: str) -> tuple[e.Event, ...] | str:
    """What undo or redo answers: its batch, or the word with which it refuses."""
    try:
        return asking(reason)
    except Refused as no:
        return no.refusal.rule


def tried(asking: Asking, shown: SeatVerdict) -> None:
    """Hold what was shown against what undo or redo really answers."""
    events = answer(asking, "because")
    if isinstance(events, str):
        assert events == (shown.blocked or shown.why)
        assert (shown.kind == "never") == (shown.blocked is None)
        return
    assert shown.blocked is None
    match events[0]:
        case e.UndoAsked(ask=ask):
            assert (shown.kind, shown.ask) == ("ask", ask)
        case e.ActionsUndone() | e.ActionsRestored():
            assert shown.kind == ("reason" if answer(asking, " ") == "reason-needed" else "at_once")
        case other:
            pytest.fail(f"{other}")


@effort
@given(st.sampled_from(["nme", "mfd"]), st.lists(st.integers(0, 10**6), min_size=8, max_size=40), st.booleans())
def test_what_is_shown_is_what_undo_and_redo_answer(kind: str, steps: list[int], branched: bool) -> None:
    tale = played(kind, steps[:20])
    if branched:
        tale = played_on(tale.branch(len(tale.entries)), steps[10:])
    elif tale.record.battle.status == "ended":
        tale.close()
    record = tale.record
    for seq, seats in undo_verdicts(record).items():
        assert list(seats) == ["referee", *(f"side:{side}" for side in record.battle.sides)]
        for actor, shown in seats.items():
            by = Seat.of(actor)
            tried(partial(undo.undo, record, seq, by), shown)
    redo = redo_view(record)
    for by in seats_of(record):
        if redo is not None:
            tried(partial(undo.redo, record, by), redo.seats[by.actor])
        else:
            assert answer(partial(undo.redo, record, by), "because") in ("nothing-to-redo", "battle-closed")


@effort
@given(st.sampled_from(["nme", "mfd"]), st.lists(st.integers(0, 10**6), min_size=8, max_size=40))
def test_every_batch_is_one_line_and_every_act_on_the_line_has_verdicts(kind: str, steps: list[int]) -> None:
    tale = played(kind, steps)
    lines = [line for *_, line in placed(turn_history(*tale.log))]
    assert sorted(line.seq for line in lines) == sorted({entry.action for entry in tale.entries})
    for line in lines:
        assert bool(line.undo) == (line.kind != "procedure" and line.struck_out is None)
        assert not (line.kind == "procedure" and line.struck_out)


def test_shots_of_both_systems_read_well() -> None:
    tale = Tale(bricks())
    hit = fire(tale, 6, 6)
    miss = fire(tale, 1, fig="r1", target="b2")
    assert line_at(tale, hit).sentence == "Red One (r1) shoots Blue One (b1) with the gun: hit, out of the battle."
    assert line_at(tale, miss).sentence == "Red One (r1) shoots Blue Two (b2) with the gun: miss."


def test_a_melee_reads_well() -> None:
    tale = Tale(bricks())
    tale.act("red", do="end_turn")
    tale.act("blue", do="move", fig="b2", to={"x": 14, "y": 10})
    bouts = [{"fig": "b2", "target": "r2"}, {"fig": "r2", "target": "b2"}]
    fought = tale.act("blue", do="fight", bouts=bouts, dice=[1, 6, 1])
    assert line_at(tale, fought).sentence == (
        "Blue Two (b2) and Red Two (r2) fight: Blue Two (b2) misses Red Two (r2), Red Two (r2) hits Blue Two (b2), "
        "Blue Two (b2) saved by armour."
    )
    tale.act("blue", do="end_turn")
    fought = tale.act("red", do="fight", bouts=bouts, dice=[1, 6, 6])
    assert line_at(tale, fought).sentence.endswith("Red Two (r2) hits Blue Two (b2), Blue Two (b2) out of the battle.")


def test_a_consequence_for_somebody_else_names_him() -> None:
    tale = Tale(gang())
    under = [{"fig": "red-2", "under": True}]
    point = {"x": 13, "y": 21}
    fired = tale.act("red", do="shoot", fig="red-1", weapon="flamer", point=point, touched=under, dice=[1, 2, 1])
    assert line_at(tale, fired).sentence == (
        "Sarge (red-1) shoots at (13, 21) with the flamer: Thug (red-2) clipped, Thug (red-2) pinned."
    )


def test_an_end_is_told_without_a_whose() -> None:
    tale = Tale(gang())
    phase = tale.act("red", do="end_phase")
    turn = tale.act("red", do="end_turn")
    assert line_at(tale, phase).sentence == "The recovery phase of House Red (red) ends."
    assert line_at(tale, turn).sentence.startswith("The turn of House Red (red) ends: turn 2, of ")


def test_seats_are_the_referee_and_the_sides_in_turn_order() -> None:
    assert seats_of(Tale(gang()).record) == [seat("referee"), seat("red"), seat("blue")]
