"""Undo and redo over HTTP: at once, by consent, refused in words, and foretold by a dry run."""

import pytest

from tests.api.table import Table, invalid, problem

MOVE = {"fig": "sarge", "to": {"x": 12, "y": 10}}


def types(body: dict[str, object]) -> list[str]:
    entries = body["entries"]
    assert isinstance(entries, list)
    return [entry["type"] for entry in entries]


def test_quiet_acts_of_ones_own_fall_at_once(nme: Table) -> None:
    moved = nme.done("move", "side:red", **MOVE)
    answer = nme.post("/undo", {"to_before": moved["action"]}, "side:red")
    assert answer.status_code == 201, answer.text
    assert types(answer.json()) == ["ActionsUndone"]
    assert nme.get().json()["figs"]["sarge"]["x"] == 10
    assert types(nme.post("/redo", None, "side:red").json()) == ["ActionsRestored"]
    assert nme.get().json()["figs"]["sarge"]["x"] == 12
    assert problem(nme.post("/redo", {}, "side:red"), "undo-refused", 409)["rule"] == "nothing-to-redo"


def test_the_end_of_a_turn_falls_by_consent(nme: Table) -> None:
    ended = nme.done("end_turn", "side:red")
    asked = nme.post("/undo", {"to_before": ended["action"], "reason": "too early"}, "side:red")
    assert types(asked.json()) == ["UndoAsked"]
    request = asked.json()["entries"][0]["body"]["request"]
    view = nme.get().json()
    assert view["undo_request"]["number"] == request
    assert view["turn"] == 2
    log = nme.log()
    body = problem(nme.post(f"/undo/{request}", {"agree": True, "head": view["head"]}, "side:red"), "undo-refused", 409)
    assert body["rule"] == "not-asked"
    stale = problem(nme.post(f"/undo/{request}", {"agree": True, "head": 6}, "side:blue"), "stale", 412)
    assert stale["head"] == view["head"]
    problem(nme.post(f"/undo/{request}", {"withdraw": True}, "side:blue"), "forbidden", 403)
    assert nme.log() == log
    foretold = nme.post(f"/undo/{request}?dry_run=true", {"agree": True, "head": view["head"]}, "side:blue").json()
    assert [fall["do"] for fall in foretold["falls"]] == ["end_turn"]
    assert nme.log() == log
    agreed = nme.post(f"/undo/{request}", {"agree": True, "head": view["head"]}, "side:blue")
    assert types(agreed.json()) == ["UndoAgreed", "ActionsUndone"]
    assert nme.get().json()["turn"] == 1


@pytest.mark.parametrize("how", ["refused", "withdrawn"])
def test_a_request_is_closed(nme: Table, how: str) -> None:
    ended = nme.done("end_turn", "side:red")
    nme.post("/undo", {"to_before": ended["action"]}, "side:red")
    again = problem(nme.post("/undo", {"to_before": ended["action"]}, "side:red"), "undo-refused", 409)
    assert again["rule"] == "request-open"
    if how == "refused":
        answer = nme.post("/undo/1", {"agree": False, "head": nme.get().json()["head"]}, "side:blue")
    else:
        answer = nme.post("/undo/1", {"withdraw": True}, "side:red")
    assert answer.status_code == 201, answer.text
    assert nme.get().json()["undo_request"] is None
    assert nme.get().json()["turn"] == 2


def test_the_referee_says_why(nme: Table) -> None:
    ended = nme.done("end_turn")
    assert problem(nme.post("/undo", {"to_before": ended["action"]}), "undo-refused", 409)["rule"] == "reason-needed"
    assert nme.post("/undo", {"to_before": ended["action"], "reason": "wrong side"}).status_code == 201


def test_a_dry_run_lists_what_falls_and_writes_nothing(nme: Table) -> None:
    moved = nme.done("move", **MOVE)
    nme.done("turn", fig="sarge", facing=90)
    ended = nme.done("end_turn")
    log = nme.log()
    answer = nme.post("/undo?dry_run=true", {"to_before": moved["action"], "reason": "all wrong"})
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body["dry_run"] is True
    assert [event["type"] for event in body["events"]] == ["ActionsUndone"]
    assert [(fall["do"], fall["turn"]) for fall in body["falls"]] == [("move", 1), ("turn", 1), ("end_turn", 1)]
    assert all(fall["sentence"] for fall in body["falls"])
    assert body["events"][0]["sentence"]
    problem(nme.post("/undo?dry_run=true", {"to_before": 3, "reason": "x"}), "undo-refused", 409)
    assert nme.log() == log
    nme.post("/undo", {"to_before": ended["action"], "reason": "x"})
    redo = nme.post("/redo?dry_run=true", {"reason": "y"}).json()
    assert [fall["seq"] for fall in redo["falls"]] == [ended["action"]]


def test_the_history_says_beforehand_what_may_be_undone(nme: Table) -> None:
    moved = nme.done("move", "side:red", **MOVE)
    lines = [line for turn in nme.get("/turns").json()["turns"] for phase in turn["phases"] for line in phase["lines"]]
    (line,) = [line for line in lines if line["seq"] == moved["action"]]
    assert line["undo"]["side:red"]["kind"] == "at_once"
    assert line["undo"]["referee"]["kind"] == "at_once"
    nme.post("/undo", {"to_before": moved["action"]}, "side:red")
    lines = [line for turn in nme.get("/turns").json()["turns"] for phase in turn["phases"] for line in phase["lines"]]
    (line,) = [line for line in lines if line["seq"] == moved["action"]]
    assert line["struck_out"]["by"] == "side:red"


def test_what_is_no_undo(nme: Table) -> None:
    invalid(nme.post("/undo", {}), "/to_before")
    invalid(nme.post("/undo", {"to_before": 0}), "/to_before")
    invalid(nme.post("/undo", {"to_before": 7, "why": "x"}), "/why")
    assert problem(nme.post("/undo", {"to_before": 1}, "side:red"), "undo-refused", 409)["rule"] == "not-strikable"
    assert problem(nme.post("/undo", {"to_before": 1}, ""), "undo-refused", 409)["legal"] == []
