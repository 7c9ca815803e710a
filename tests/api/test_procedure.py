"""Rulings, disputes and the end of a battle."""

from starlette.testclient import TestClient

from tests.api.table import Table, invalid, open_table, problem


def test_a_ruling_changes_what_it_says(nme: Table) -> None:
    changes = [
        {"fig": "sarge", "field": "x", "value": 11.5},
        {"fig": "sarge", "field": "facing", "value": 90},
        {"fig": "ganger", "field": "status", "value": "pinned"},
        {"fig": "ganger", "field": "weapon", "value": {"id": "bolt-gun", "usable": False}},
    ]
    answer = nme.post("/rulings", {"about": 1, "rule": "TABLE-01", "reason": "knocked over", "changes": changes})
    assert answer.status_code == 201, answer.text
    head = answer.json()["entries"][0]["body"]
    assert head["changes"][0] == {"fig": "sarge", "field": "x", "before": 10_000, "after": 11_500}
    figs = nme.get().json()["figs"]
    assert (figs["sarge"]["x"], figs["sarge"]["facing"]["degrees"]) == (11.5, 90)
    assert figs["ganger"]["status"] == "pinned"
    assert figs["ganger"]["weapons"][0]["usable"] is False


def test_only_the_referee_rules(nme: Table) -> None:
    problem(nme.post("/rulings", {"rule": "x", "reason": "y"}, "side:red"), "forbidden", 403)
    invalid(nme.post("/rulings", {"rule": "x"}), "/reason")


def test_a_dispute_from_its_opening_to_its_end(client: TestClient, nme: Table) -> None:
    opened = nme.post("/disputes", {"about": 4, "reason": "it stood elsewhere"}, "side:blue")
    assert opened.status_code == 201, opened.text
    (row,) = client.get("/v1/battles").json()["battles"]
    assert [(d["dispute"], d["about"], d["by"]) for d in row["disputes"]] == [(1, 4, "side:blue")]
    problem(nme.post("/disputes/1/resolve", {"agreed": True}, "side:blue"), "forbidden", 403)
    problem(nme.post("/disputes/1/resolve", {"withdrawn": True}, "side:red"), "forbidden", 403)
    problem(nme.post("/disputes/1/resolve", {"ruling": 4}, "side:red"), "forbidden", 403)
    invalid(nme.post("/disputes/1/resolve", {"ruling": 4}), "/ruling")
    invalid(nme.post("/disputes/1/resolve", {}), "")
    invalid(nme.post("/disputes/1/resolve", {"agreed": True, "withdrawn": True}), "")
    invalid(nme.post("/disputes/1/resolve", {"agreed": False}), "/agreed")
    ruling = nme.post("/rulings", {"about": 4, "rule": "x", "reason": "it did not"}).json()["action"]
    assert nme.post("/disputes/1/resolve", {"ruling": ruling}).status_code == 201
    assert problem(nme.post("/disputes/1/resolve", {"withdrawn": True}, "side:blue"), "rule-refused", 409)["rule"]
    (row,) = client.get("/v1/battles").json()["battles"]
    assert row["disputes"] == []


def test_a_battle_ends_and_closes(nme: Table) -> None:
    assert problem(nme.post("/close", {}), "rule-refused", 409)["rule"] == "TURN-08"
    nme.done("concede", "side:blue", side="blue")
    view = nme.get().json()
    assert (view["status"], view["winner"]) == ("ended", "red")
    problem(nme.act("end_turn"), "battle-over", 409)
    assert problem(nme.post("/undo", {"to_before": 7}, "side:blue"), "undo-refused", 409)["rule"] == "battle-over"
    problem(nme.post("/close", {}, "side:red"), "forbidden", 403)
    assert nme.post("/close").status_code == 201
    problem(nme.post("/undo", {"to_before": 7, "reason": "x"}), "battle-over", 409)


def test_what_if_only_afterwards(client: TestClient) -> None:
    table = open_table(client, "nme", policy={"what_if": "after"})
    problem(table.post("/branches", {}, "side:red"), "forbidden", 403)
    problem(table.post("/branches", {}, ""), "forbidden", 403)
    assert table.post("/branches", {}).status_code == 201
    table.done("end_battle")
    assert table.post("/branches", {}, "").status_code == 201
