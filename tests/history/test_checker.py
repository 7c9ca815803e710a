"""The checker finds what a service could do wrong: each history here is true but for one thing."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from replays.codec import canonical
from tests.history.evidence import Kept, keyed
from tests.history.logs import Log
from tests.history.past import told
from tests.history.tale import END, Tale


@pytest.fixture
def tale() -> Tale:
    """Two ends of turns, two rulings, a look, a branch, and somebody who follows."""
    tale = Tale()
    tale.ends_turn("one")
    tale.rules("two")
    tale.looks()
    tale.ends_turn("three")
    tale.parts("aside")
    tale.rules("four")
    tale.looks()
    tale.follows()
    return tale


def cut(log: Log, keep: Callable[[int], bool]) -> dict[str, Log]:
    """The log without some of its lines."""
    return {log.battle: Log.of(log.battle, [line for n, line in enumerate(log.lines, 1) if keep(n)])}


def changed(log: Log, seq: int, **members: Any) -> dict[str, Log]:
    """The log with another entry at a place."""
    lines = list(log.lines)
    lines[seq - 1] = canonical(msgspec.json.decode(lines[seq - 1]) | members)
    return {log.battle: Log.of(log.battle, lines)}


def test_a_true_history_is_without_fault(tale: Tale) -> None:
    assert tale.findings() == []


# --- writes ---------------------------------------------------------------------------------------------------------


def test_a_lost_action_is_found(tale: Tale) -> None:
    log = tale.logs[tale.game.id]
    assert "lost" in tale.laws(cut(log, lambda n: n < log.head))


def test_a_lost_battle_is_found(tale: Tale) -> None:
    assert "lost" in tale.laws({})


def test_an_action_that_was_lost_and_written_over_is_found() -> None:
    tale = Tale()
    tale.asks("one", "rulings", {"rule": "HOUSE", "reason": "one", "changes": []})
    tale.rules("two")
    tale.lines.append({**tale.line("told", "two"), "key": "one", "t": 1000})
    assert {"mistaken", "twice"} <= tale.laws()


@pytest.mark.parametrize("what", ["ends_turn", "rules"])
def test_an_acknowledged_action_that_is_there_twice_is_found(what: str) -> None:
    tale = Tale()
    getattr(tale, what)("one", times=2)
    assert tale.laws() == {"twice"}


@pytest.mark.parametrize("what", ["ends_turn", "rules"])
def test_an_action_whose_answer_was_lost_may_be_there_once_and_not_twice(what: str) -> None:
    for times, laws in ((0, set()), (1, set()), (2, {"twice"})):
        tale = Tale()
        getattr(tale, what)("one", heard=False, times=times)
        assert tale.laws() == laws


def test_an_action_that_was_refused_and_is_there_all_the_same_is_found() -> None:
    tale = Tale()
    tale.rules("one", heard=False)
    tale.answers("one", 409)
    assert tale.laws() == {"uninvited"}


def test_an_action_that_nobody_asked_for_is_found(tale: Tale) -> None:
    tale.game.rules(reason="out of the blue")
    tale.lines = [line for line in tale.lines if line["what"] not in {"frame", "follows"}]
    assert tale.laws() == {"uninvited"}


def test_an_answer_that_shows_something_else_is_found(tale: Tale) -> None:
    tale.line("told", "two")["digest"] = "0" * 32
    assert tale.laws() == {"changed"}


def test_an_answer_that_shows_somebody_elses_action_is_found(tale: Tale) -> None:
    two, four = tale.line("told", "two"), tale.line("told", "four")
    for name in ("action", "seq", "digest"):
        two[name], four[name] = four[name], two[name]
    assert {"mistaken"} <= tale.laws() <= {"mistaken", "time", "stale"}


def test_an_action_in_another_seats_name_is_found() -> None:
    tale = Tale()
    tale.ends_turn("one")
    tale.line("asks", "one")["seat"] = "side:red"
    assert tale.laws() == {"mistaken"}


def test_two_answers_to_one_request_are_found(tale: Tale) -> None:
    tale.lines.append({**tale.line("told", "three"), "key": "one"})
    assert "twice" in tale.laws()


def test_one_answer_to_two_requests_is_found(tale: Tale) -> None:
    tale.asks("five", "actions", END)
    tale.line("asks", "five")["t"] = 1
    tale.lines.append({**tale.line("told", "three"), "key": "five", "t": 10_000})
    assert tale.laws() == {"twice"}


def test_a_request_that_was_refused_by_what_it_did_itself_is_found() -> None:
    tale = Tale()
    tale.ends_turn("one", "side:red")
    assert tale.laws() == set()
    tale.answers("one", 403)
    assert tale.laws() == {"both"}


def test_a_request_may_be_refused_by_one_table_and_carried_out_on_the_next() -> None:
    tale = Tale()
    tale.ends_turn("one")
    tale.ends_turn("two")
    tale.ends_turn("three", "side:red")
    tale.answers("three", 403)
    assert tale.laws() == {"both"}
    tale.line("asks", "three")["t"] = tale.line("told", "two")["t"] - 1  # when it was sent, blue's turn was not over
    assert tale.laws() == set()


def test_a_request_that_was_refused_for_the_head_that_it_made_itself_is_found() -> None:
    tale = Tale()
    tale.ends_turn("one", "side:red")
    tale.answers("one", 412)
    tale.line("asks", "one")["if_match"] = tale.line("told", "one")["action"] - 1
    assert tale.laws() == {"both"}


def test_a_failure_is_found(tale: Tale) -> None:
    tale.asks("five", "actions", END)
    tale.answers("five", 500)
    assert tale.laws() == {"failure"}
    tale.line("told", "five")["status"] = 503
    assert tale.laws() == set()


# --- order ----------------------------------------------------------------------------------------------------------


def test_two_actions_that_stand_the_wrong_way_round_are_found(tale: Tale) -> None:
    # The second ruling was acknowledged before the first was asked for, and stands after it.
    tale.line("asks", "four")["t"], tale.line("told", "four")["t"] = 21, 22
    assert "time" in tale.laws()


def test_two_actions_at_the_same_time_may_stand_either_way(tale: Tale) -> None:
    tale.lines = [line for line in tale.lines if line["what"] != "saw"]
    tale.line("asks", "four")["t"] = 1
    assert tale.laws() == set()


def test_a_gap_is_found(tale: Tale) -> None:
    log = tale.logs[tale.game.id]
    assert {"order", "whole"} <= tale.laws(cut(log, lambda n: n != log.head - 3))


def test_an_entry_of_another_action_is_found(tale: Tale) -> None:
    log = tale.logs[tale.game.id]
    assert "order" in tale.laws(changed(log, 2, action=2))


def test_a_branch_with_another_past_is_found(tale: Tale) -> None:
    logs = tale.logs
    branch = logs[tale.branches[0].id]
    assert "order" in tale.laws(logs | changed(branch, 1, time=7))
    assert "order" in tale.laws({branch.battle: branch})


def test_a_changed_entry_is_found(tale: Tale) -> None:
    log = tale.logs[tale.game.id]
    assert {"changed", "stream"} <= tale.laws(changed(log, log.head, time=7))
    assert {"changed", "stream", "whole"} <= tale.laws(changed(log, log.head, state="0" * 64))
    assert {"changed", "stream", "whole"} <= tale.laws(changed(log, 2, time=7))


# --- views ----------------------------------------------------------------------------------------------------------


def test_a_view_that_is_older_than_what_was_acknowledged_is_found(tale: Tale) -> None:
    tale.line("saw", nth=1)["seq"] = tale.line("told", "three")["seq"]
    assert "stale" in tale.laws()


def test_a_view_that_is_older_than_the_one_before_is_found() -> None:
    tale = Tale()
    tale.looks("ann")
    tale.rules("one", heard=False)
    tale.looks("ann")
    tale.looks("ben")
    assert tale.laws() == set()
    first, last = tale.line("saw", nth=0), tale.line("saw", nth=2)
    last |= {"seq": first["seq"], "digest": first["digest"]}
    assert tale.laws() == {"stale"}


def test_a_view_of_half_an_action_is_found(tale: Tale) -> None:
    tale.line("saw", nth=1)["seq"] -= 1
    tale.rules("five")
    tale.line("saw", nth=0)["seq"] = tale.line("told", "one")["action"]
    assert "torn" in tale.laws()


def test_a_view_of_another_table_is_found(tale: Tale) -> None:
    tale.line("saw", nth=0)["digest"] = "0" * 32
    assert tale.laws() == {"torn"}


@pytest.mark.parametrize(
    "harm",
    [
        lambda frames: frames[:-1],
        lambda frames: frames[1:],
        lambda frames: [*frames, frames[-1]],
        lambda frames: [*frames[:3], *frames[4:]],
        lambda frames: [*frames[:3], frames[4], frames[3], *frames[5:]],
        lambda frames: [*frames[:3], {**frames[3], "digest": "0" * 32}, *frames[4:]],
    ],
    ids=["short", "late", "double", "gap", "swapped", "other bytes"],
)
def test_a_feed_that_is_not_the_log_is_found(tale: Tale, harm: Callable[[list[Any]], list[Any]]) -> None:
    frames = [line for line in tale.lines if line["what"] == "frame"]
    rest = [line for line in tale.lines if line["what"] != "frame"]
    tale.lines = rest + [{**frame, "t": 1000 + n} for n, frame in enumerate(harm(frames))]
    assert tale.laws() == {"stream"}


# --- keys -----------------------------------------------------------------------------------------------------------


def keys_of(tale: Tale) -> Kept:
    """The keys as the database would have kept them."""
    past = told(tale.lines)
    return {
        (request.battle or "battles", request.seat, request.key): (done.battle, done.action)
        for request in past.requests
        if (done := request.done)
    }


def broken(tale: Tale, keys: Kept) -> set[str]:
    return {finding.law for finding in keyed(told(tale.lines), tale.logs, keys)}


def test_keys_that_fit_are_without_fault(tale: Tale) -> None:
    assert broken(tale, keys_of(tale)) == set()


def test_keys_that_do_not_fit_are_found(tale: Tale) -> None:
    keys = keys_of(tale)
    two, four = (tale.game.id, "referee", "two"), (tale.game.id, "referee", "four")
    assert broken(tale, {name: place for name, place in keys.items() if name != two}) == {"lost", "uninvited"}
    assert broken(tale, keys | {two: keys[four]}) == {"mistaken", "twice", "uninvited"}
    assert broken(tale, keys | {(tale.game.id, "referee", "never"): keys[two]}) == {"uninvited", "twice"}
    tale.line("told", "two")["status"] = 409
    assert broken(tale, keys) == {"uninvited"}
