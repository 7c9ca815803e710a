"""Who may do what: the referee anything, a side its own in its own turn, everybody else reads."""

import sqlite3
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import Settings
from tests.api.table import Table, open_table, opening, problem

WRITES = {
    "/actions": {"do": "end_turn"},
    "/undo": {"to_before": 1},
    "/undo/1": {"agree": True, "head": 1},
    "/redo": {},
    "/rulings": {"rule": "NME-09", "reason": "so it is"},
    "/disputes": {"about": 1, "reason": "is that so?"},
    "/disputes/1/resolve": {"withdrawn": True},
    "/close": {},
    "/branches": {},
    "/seats/referee/rotate": {},
}


def test_a_side_acts_for_its_own_figs_in_its_own_turn(nme: Table) -> None:
    before = nme.log()
    problem(nme.act("move", "side:blue", fig="sarge", to={"x": 11, "y": 10}), "not-your-fig", 403)
    body = problem(nme.act("move", "side:blue", fig="ganger", to={"x": 16, "y": 10}), "rule-refused", 409)
    assert body["rule"] == "TURN-01"
    problem(nme.act("end_turn", "side:blue"), "not-your-fig", 403)
    problem(nme.act("concede", "side:blue", side="red"), "not-your-fig", 403)
    problem(nme.act("end_battle", "side:red"), "forbidden", 403)
    assert nme.log() == before
    assert nme.done("move", "side:red", fig="sarge", to={"x": 11, "y": 10})["entries"][0]["actor"] == "side:red"
    assert nme.done("end_turn", "referee")["entries"][0]["actor"] == "referee"


def test_without_a_secret_one_reads(nme: Table) -> None:
    before = nme.log()
    for path, body in WRITES.items():
        if path != "/branches":
            answer = nme.post(path, body, seat="")
            assert answer.status_code in (403, 404, 409), (path, answer.text)
    problem(nme.act("end_turn", ""), "forbidden", 403)
    problem(nme.post("/rulings", WRITES["/rulings"], seat=""), "forbidden", 403)
    problem(nme.post("/disputes", WRITES["/disputes"], seat=""), "forbidden", 403)
    problem(nme.post("/close", seat=""), "forbidden", 403)
    problem(nme.post("/seats/referee/rotate", seat=""), "forbidden", 403)
    assert nme.log() == before
    assert nme.get().status_code == 200


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer ",
        "Bearer a b",
        "Basic abc",
        "x",
        "",
        "Bearer " + "x" * 300,
        "Bearer \xe9",
        "Bearer nobody",
        "bearer\tx",
    ],
    ids=range(10),
)
def test_a_secret_that_opens_no_seat(nme: Table, header: str) -> None:
    for method, path in (("GET", ""), ("GET", "/entries"), ("POST", "/actions")):
        content = b'{"do":"end_turn"}' if method == "POST" else b""
        headers = {b"Authorization": header.encode("latin-1"), b"Content-Type": b"application/json"}
        answer = nme.client.request(method, nme.url + path, headers=headers, content=content)
        problem(answer, "unauthorized", 401)
        assert answer.headers["www-authenticate"].startswith("Bearer")


def test_two_secrets_are_none(nme: Table) -> None:
    secret = f"Bearer {nme.seats['referee']}"
    headers = [("Authorization", secret), ("Authorization", secret)]
    problem(nme.client.get(nme.url, headers=headers), "unauthorized", 401)


def test_the_scheme_may_be_written_in_any_case(nme: Table) -> None:
    secret = nme.seats["side:red"]
    assert nme.client.get(nme.url, headers={"Authorization": f"bEARER  {secret}"}).status_code == 200


def test_secrets_of_another_battle_open_nothing(client: TestClient, nme: Table) -> None:
    other = open_table(client, "nme")
    headers = {"Authorization": f"Bearer {other.seats['referee']}"}
    problem(client.post(f"{nme.url}/actions", json={"do": "end_turn"}, headers=headers), "unauthorized", 401)


def test_a_private_battle_is_read_with_a_seat(client: TestClient) -> None:
    table = open_table(client, "nme", policy={"private": True})
    assert list(table.seats) == ["referee", "side:red", "side:blue", "spectator"]
    for path in ("", "/turns", "/entries", "/casualties", "/figs/sarge", "/entries/1/why", "/branches"):
        problem(table.get(path), "unauthorized", 401)
        for accept in ("application/jsonl", "text/event-stream"):
            problem(table.get(path, Accept=accept), "unauthorized", 401)
        for seat in table.seats:
            assert table.get(path, seat).status_code == 200, (path, seat)
    problem(table.act("end_turn", ""), "unauthorized", 401)
    problem(table.act("end_turn", "spectator"), "forbidden", 403)
    assert table.id not in client.get("/v1/battles").text


def test_a_comparison_needs_both_battles(client: TestClient, nme: Table) -> None:
    private = open_table(client, "nme", policy={"private": True})
    problem(nme.get(f"/compare/{private.id}"), "unauthorized", 401)
    problem(private.get(f"/compare/{nme.id}"), "unauthorized", 401)
    problem(nme.get(f"/compare/{'0' * 32}"), "not-found", 404)
    assert nme.get(f"/compare/{nme.id}").json()["same_table"]


def test_a_new_secret_takes_the_place_of_the_old_one_at_once(nme: Table, settings: Settings) -> None:
    before = nme.log()
    with TestClient(create_app(settings)) as elsewhere:
        there = Table(elsewhere, nme.id, nme.seats)
        assert there.get("", "side:red").status_code == 200
        answer = nme.post("/seats/side:red/rotate")
        assert answer.status_code == 200, answer.text
        assert answer.headers["cache-control"] == "no-store"
        secret = answer.json()["seats"]["side:red"]
        problem(nme.get("", "side:red"), "unauthorized", 401)
        problem(there.get("", "side:red"), "unauthorized", 401)
        renewed = Table(elsewhere, nme.id, {**nme.seats, "side:red": secret})
        assert renewed.get("", "side:red").status_code == 200
    assert nme.log() == before


def test_only_the_referee_gives_out_secrets(nme: Table) -> None:
    problem(nme.post("/seats/side:red/rotate", seat="side:red"), "forbidden", 403)
    problem(nme.post("/seats/side:green/rotate"), "not-found", 404)
    problem(nme.post("/seats/spectator/rotate"), "not-found", 404)
    problem(nme.post("/seats/referee/rotate", {"now": True}), "invalid", 422)


def test_no_secret_is_stored(settings: Settings, nme: Table) -> None:
    nme.done("end_turn")
    with sqlite3.connect(settings.database) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    files = [path.read_bytes() for path in Path(settings.database).parent.rglob("*") if path.is_file()]
    assert any(nme.id.encode() in content for content in files)
    for secret in nme.seats.values():
        assert not any(secret.encode() in content for content in files)


def test_spectators_of_a_closed_battle_still_read(nme: Table) -> None:
    nme.done("end_battle", winner="red")
    assert nme.post("/close", {"reason": "well played"}).status_code == 201
    assert nme.get().json()["status"] == "closed"
    for path, body in WRITES.items():
        if path not in ("/branches", "/seats/referee/rotate"):
            problem(nme.post(path, body), "battle-over", 409)
    assert nme.post("/branches", {}).status_code == 201


def test_anybody_opens_a_battle_but_not_with_somebody_elses_word(client: TestClient) -> None:
    assert client.post("/v1/battles", json=opening("mfd")).status_code == 201
    answer = client.post("/v1/battles", json=opening("mfd"), headers={"Authorization": "Basic x"})
    problem(answer, "unauthorized", 401)
