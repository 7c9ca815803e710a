"""The same request twice, the wrong head, and ten at once: each action stands in the log once."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import Settings
from tests.api.table import Table, invalid, open_table, opening, problem

END = {"do": "end_turn"}


def test_the_same_key_gives_the_first_answer_again(nme: Table) -> None:
    first = nme.post("/actions", END, Idempotency_Key="k-1")
    assert first.status_code == 201
    assert "idempotent-replayed" not in first.headers
    nme.done("end_turn")
    log = nme.log()
    again = nme.post("/actions", END, Idempotency_Key="k-1")
    assert again.status_code == 201
    assert again.content == first.content
    assert again.headers["idempotent-replayed"] == "true"
    assert again.headers["etag"] == first.headers["etag"]
    assert nme.log() == log


def test_the_same_key_with_another_request_is_refused(nme: Table) -> None:
    nme.post("/actions", END, Idempotency_Key="k-1")
    log = nme.log()
    problem(nme.post("/actions", {"do": "end_phase"}, Idempotency_Key="k-1"), "key-reused", 422)
    problem(nme.raw_key("/actions", b'{"do": "end_turn" }', "k-1"), "key-reused", 422)
    problem(nme.post("/undo", {"to_before": 7}, Idempotency_Key="k-1"), "key-reused", 422)
    assert nme.log() == log


def test_a_key_belongs_to_one_seat_of_one_battle(client: TestClient, nme: Table) -> None:
    nme.post("/actions", END, Idempotency_Key="k-1")
    other = nme.post("/actions", END, seat="side:blue", Idempotency_Key="k-1")
    assert other.status_code == 201
    assert "idempotent-replayed" not in other.headers
    elsewhere = open_table(client, "nme").post("/actions", END, Idempotency_Key="k-1")
    assert "idempotent-replayed" not in elsewhere.headers


def test_a_refusal_uses_up_no_key(nme: Table) -> None:
    shot: dict[str, Any] = {"do": "shoot", "fig": "sarge", "weapon": "stub-gun", "target": "ganger", "mode": "snap"}
    problem(nme.post("/actions", {**shot, "dice": []}, Idempotency_Key="k-1"), "dice-wanted", 409)
    problem(nme.post("/actions", {**shot, "mode": "snap", "weapon": "axe"}, Idempotency_Key="k-1"), "invalid", 422)
    answer = nme.post("/actions", {**shot, "dice": [1, 2, 1, 1, 1]}, Idempotency_Key="k-1")
    assert answer.status_code == 201, answer.text
    assert "idempotent-replayed" not in answer.headers


def test_keys_outlive_a_restart(settings: Settings) -> None:
    with TestClient(create_app(settings)) as client:
        table = open_table(client, "nme")
        first = table.post("/actions", END, Idempotency_Key="k-1")
    with TestClient(create_app(settings)) as client:
        table = Table(client, table.id, table.seats)
        log = table.log()
        again = table.post("/actions", END, Idempotency_Key="k-1")
        assert again.content == first.content
        assert again.headers["idempotent-replayed"] == "true"
        assert table.log() == log


def test_secrets_are_not_shown_again(client: TestClient) -> None:
    body = opening("nme")
    first = client.post("/v1/battles", json=body, headers={"Idempotency-Key": "open-1"})
    again = client.post("/v1/battles", json=body, headers={"Idempotency-Key": "open-1"})
    assert again.status_code == 201
    assert again.json() == first.json() | {"seats": {}}
    assert again.headers["location"] == first.headers["location"]
    table = Table(client, first.json()["id"], first.json()["seats"])
    branch = table.post("/branches", {"dice": "table"}, Idempotency_Key="branch-1")
    once_more = table.post("/branches", {"dice": "table"}, Idempotency_Key="branch-1")
    assert once_more.json() == branch.json() | {"seats": {}}
    assert len(client.get("/v1/battles").json()["battles"]) == 2


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 201, "caf\xe9", "\x7f"], ids=range(6))
def test_keys_that_are_none(nme: Table, key: str) -> None:
    log = nme.log()
    headers = {b"Authorization": f"Bearer {nme.seats['referee']}".encode(), b"Idempotency-Key": key.encode("latin-1")}
    invalid(nme.client.post(f"{nme.url}/actions", json=END, headers=headers), "Idempotency-Key")
    assert nme.log() == log


def test_a_write_on_a_stale_table_is_refused(nme: Table) -> None:
    tag = nme.get().headers["etag"]
    assert nme.post("/actions", END, If_Match=tag).status_code == 201
    log = nme.log()
    for path, body in (
        ("/actions", END),
        ("/undo", {"to_before": 7, "reason": "x"}),
        ("/redo", {}),
        ("/rulings", {"rule": "x", "reason": "y"}),
        ("/disputes", {"about": 1, "reason": "y"}),
        ("/branches", {}),
        ("/close", {}),
    ):
        assert problem(nme.post(path, body, If_Match=tag), "stale", 412)["head"] == nme.head
    assert nme.log() == log
    assert nme.post("/actions", END, If_Match="*").status_code == 201
    assert nme.post("/actions", END, If_Match=nme.get().headers["etag"]).status_code == 201


@pytest.mark.parametrize("tag", ["6", 'W/"6"', '"6", "7"', '"x"', '"06"', '"6', "", "**", '"' + "9" * 40 + '"'])
def test_tags_that_are_none(nme: Table, tag: str) -> None:
    log = nme.log()
    invalid(nme.post("/actions", END, If_Match=tag), "If-Match")
    assert nme.log() == log


def test_a_retry_of_what_was_written_is_not_stale(nme: Table) -> None:
    tag = nme.get().headers["etag"]
    first = nme.post("/actions", END, If_Match=tag, Idempotency_Key="k")
    again = nme.post("/actions", END, If_Match=tag, Idempotency_Key="k")
    assert again.content == first.content


def test_ten_writers_who_saw_the_same_table(nme: Table) -> None:
    tag = nme.get().headers["etag"]
    with ThreadPoolExecutor(10) as threads:
        answers = list(threads.map(lambda _: nme.post("/actions", END, If_Match=tag), range(10)))
    assert sorted(a.status_code for a in answers) == [201] + [412] * 9
    for answer in answers:
        if answer.status_code == 412:
            problem(answer, "stale", 412)
    assert nme.get().json()["turn"] == 2


def test_ten_writers_who_saw_none(nme: Table) -> None:
    with ThreadPoolExecutor(10) as threads:
        answers = list(threads.map(lambda _: nme.post("/actions", END), range(10)))
    assert [a.status_code for a in answers] == [201] * 10
    assert nme.get().json()["turn"] == 11
    spans = sorted((a.json()["action"], a.json()["seq"]) for a in answers)
    assert all(last + 1 == first for (_, last), (first, _) in pairwise(spans))


def test_ten_times_the_same_key_at_once(settings: Settings, nme: Table) -> None:
    with TestClient(create_app(settings)) as elsewhere:
        both = [nme, Table(elsewhere, nme.id, nme.seats)]
        with ThreadPoolExecutor(10) as threads:
            answers = list(threads.map(lambda n: both[n % 2].post("/actions", END, Idempotency_Key="k"), range(10)))
    assert {a.content for a in answers} == {answers[0].content}
    assert [a.status_code for a in answers] == [201] * 10
    assert [a.headers.get("idempotent-replayed") for a in answers].count(None) == 1
    assert nme.get().json()["turn"] == 2


def test_a_database_that_is_gone_is_busy_and_not_our_fault(tmp_path: Path, settings: Settings) -> None:
    with TestClient(create_app(settings)) as client:
        table = open_table(client, "nme")
        client.app.state.house.store.close()  # type: ignore[attr-defined]
        for answer in (table.get(), table.act("end_turn"), client.get("/readyz"), client.get("/v1/battles")):
            assert str(tmp_path) not in answer.text
            problem(answer, "busy", 503)
            assert int(answer.headers["retry-after"]) >= 1
        assert client.get("/healthz").json() == {"status": "alive"}
