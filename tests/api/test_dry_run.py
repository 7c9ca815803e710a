"""A dry run says what would happen, shows no secret die, uses up no key, and leaves the log byte for byte as it was."""

from typing import Any

from starlette.testclient import TestClient

from tests.api.table import Table, open_table, opening, problem

SHOT: dict[str, Any] = {"do": "shoot", "fig": "sarge", "weapon": "stub-gun", "target": "ganger", "mode": "snap"}


def test_of_an_action(nme: Table) -> None:
    log = nme.log()
    answer = nme.post("/actions?dry_run=true", {"do": "move", "fig": "sarge", "to": {"x": 12, "y": 10}})
    assert answer.status_code == 200
    assert answer.headers["etag"] == '"6"'
    body = answer.json()
    assert [event["type"] for event in body["events"]] == ["ActionDeclared", "PhaseStarted", "FigMoved"]
    assert body["events"][2]["body"]["to"] == {"x": 12_000, "y": 10_000}
    assert "Sarge" in body["events"][2]["sentence"]
    assert (body["wanted"], body["so_far"]) == ([], [])
    assert nme.log() == log


def test_of_a_shot_at_a_table_with_real_dice(nme: Table) -> None:
    log = nme.log()
    body = nme.post("/actions?dry_run=true", SHOT | {"dice": [3, 5]}).json()
    assert body["events"] == []
    assert body["wanted"] == [{"purpose": "to_hit", "count": 3, "sides": 6}]
    assert body["so_far"] == [{"purpose": "ammo", "sides": 6, "faces": [3, 5]}]
    told = nme.post("/actions?dry_run=true", SHOT | {"dice": [3, 5, 1, 1, 1]}).json()
    assert "HitRolled" in [event["type"] for event in told["events"]]
    assert nme.log() == log


def test_of_a_shot_whose_dice_the_service_throws(client: TestClient) -> None:
    table = open_table(client, "nme", dice="server")
    log = table.log()
    bodies = [table.post("/actions?dry_run=true", SHOT).json() for _ in range(3)]
    assert bodies[0] == bodies[1] == bodies[2]
    assert bodies[0] == {
        "dry_run": True,
        "events": [],
        "wanted": [{"purpose": "ammo", "count": 2, "sides": 6}],
        "so_far": [],
    }
    assert table.log() == log
    assert table.post("/actions", SHOT).status_code == 201


def test_refusals_are_foretold(nme: Table) -> None:
    log = nme.log()
    problem(
        nme.post("/actions?dry_run=true", {"do": "move", "fig": "sarge", "to": {"x": 40, "y": 10}}), "rule-refused", 409
    )
    problem(nme.post("/actions?dry_run=true", {"do": "end_turn"}, "side:blue"), "not-your-fig", 403)
    problem(nme.post("/actions?dry_run=true", {"do": "end_turn"}, If_Match='"5"'), "stale", 412)
    assert nme.log() == log


def test_of_everything_else_that_writes(nme: Table) -> None:
    nme.done("end_turn")
    nme.post("/disputes", {"about": 7, "reason": "was it over?"}, "side:blue")
    log = nme.log()
    for path, body, kind in (
        ("/rulings", {"rule": "x", "reason": "y"}, "RulingMade"),
        ("/disputes", {"about": 1, "reason": "y"}, "DisputeOpened"),
        ("/disputes/1/resolve", {"withdrawn": True}, "DisputeClosed"),
        ("/branches", {"at": 6}, "BranchOpened"),
        ("/undo", {"to_before": 7, "reason": "x"}, "ActionsUndone"),
    ):
        answer = nme.post(f"{path}?dry_run=true", body)
        assert answer.status_code == 200, (path, answer.text)
        assert [event["type"] for event in answer.json()["events"]] == [kind]
        assert all(event["sentence"] for event in answer.json()["events"])
    assert nme.log() == log
    assert nme.get("/branches").json()["branches"] == []


def test_of_an_opening(client: TestClient) -> None:
    for system in ("nme", "mfd"):
        answer = client.post("/v1/battles?dry_run=true", json=opening(system))
        assert answer.status_code == 200, answer.text
        assert answer.json()["events"][0]["type"] == "BattleStarted"
        assert "etag" not in answer.headers
    assert client.get("/v1/battles").json()["battles"] == []


def test_it_uses_up_no_key(nme: Table) -> None:
    body = {"do": "end_turn"}
    assert nme.post("/actions?dry_run=true", body, Idempotency_Key="k").status_code == 200
    first = nme.post("/actions", body, Idempotency_Key="k")
    assert "idempotent-replayed" not in first.headers
    assert nme.post("/actions?dry_run=true", {"do": "end_phase"}, Idempotency_Key="k").status_code == 200
