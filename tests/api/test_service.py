"""The service about itself: health, figures, headers, logs without secrets, limits."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from api import VERSION
from api.app import create_app
from api.problems import PROBLEMS
from api.settings import BadSettings, Settings
from api.undo_words import UNDO_WORDS
from domain.refusals import UndoNo
from replays.referee import Busy
from replays.store import Conflict
from tests.api.table import Table, open_table, problem


def test_health(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "alive"}
    assert client.get("/readyz").json() == {"status": "ready"}


def test_every_answer_has_its_headers(client: TestClient, nme: Table) -> None:
    for path in ("/healthz", nme.url, "/v1/nothing", "/docs", "/docs/swagger-ui.css", "/openapi.json", "/metrics"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["content-security-policy"].startswith("default-src 'self';")
        assert "unsafe" not in headers["content-security-policy"] or path.startswith("/docs")
        assert headers["x-request-id"]


def test_request_ids(client: TestClient) -> None:
    assert client.get("/healthz", headers={"X-Request-ID": "abc-1.2_3"}).headers["x-request-id"] == "abc-1.2_3"
    for bad in ("x" * 65, "a b", "a\x01", "<script>", ""):
        made = client.get("/healthz", headers={"X-Request-ID": bad}).headers["x-request-id"]
        assert made != bad
        assert len(made) == 32


def test_heads_and_options(client: TestClient, nme: Table) -> None:
    for path in (
        nme.url,
        f"{nme.url}/turns",
        f"{nme.url}/entries",
        "/v1/battles",
        "/healthz",
        "/docs",
        "/openapi.json",
    ):
        got, head = client.get(path), client.head(path)
        assert (head.status_code, head.content) == (200, b""), path
        assert head.headers["content-length"] == got.headers["content-length"]
        assert head.headers.get("etag") == got.headers.get("etag")
    assert client.head("/v1/nothing").status_code == 404
    answer = client.options("/v1/battles")
    assert (answer.status_code, answer.headers["allow"]) == (204, "GET, HEAD, OPTIONS, POST")
    assert client.options(f"{nme.url}/undo/1").headers["allow"] == "OPTIONS, POST"
    assert client.options("/v1/nothing").status_code == 404
    problem(client.post("/docs/swagger-ui.css"), "method-not-allowed", 405)
    assert client.post("/docs/swagger-ui.css").headers["allow"] == "GET, HEAD, OPTIONS"


def test_problems_explain_themselves(client: TestClient) -> None:
    for kind, meaning in PROBLEMS.items():
        answer = client.get(f"/problems/{kind}")
        assert answer.status_code == 200
        assert meaning.title in answer.text
        assert str(meaning.status) in answer.text
    problem(client.get("/problems/nothing"), "not-found", 404)


def test_problems_are_listed_on_a_page(client: TestClient) -> None:
    told = client.get("/problems").text
    for kind, meaning in PROBLEMS.items():
        assert f"/problems/{kind} ({meaning.status}): {meaning.title}\n" in told


def test_the_words_of_a_refused_undo_are_told(client: TestClient) -> None:
    assert set(UNDO_WORDS) == set(get_args(UndoNo))
    told = client.get("/problems/undo-refused").text
    assert all(f"\n- {word}: " in told for word in UNDO_WORDS)
    assert "- last-ditch" not in client.get("/problems/stale").text


def test_the_docs_need_nobody_else(client: TestClient) -> None:
    page = client.get("/docs").text
    assert "<script>" not in page
    assert "http" not in page
    for file in ("swagger-ui.css", "swagger-ui-bundle.js", "swagger-initializer.js", "favicon-32x32.png"):
        assert f"docs/{file}" in page
        assert client.get(f"/docs/{file}").status_code == 200
    assert "validatorUrl: null" in client.get("/docs/swagger-initializer.js").text
    for path in ("/docs/../app.py", "/docs/%2e%2e/app.py", "/docs/..%2fapp.py", "/docs/nothing"):
        assert client.get(path).status_code == 404


def test_figures(client: TestClient, nme: Table) -> None:
    nme.done("end_turn")
    nme.act("dance")
    client.get("/v1/nothing")
    client.request("BREW", nme.url)
    text = client.get("/metrics").text
    assert 'battlelog_requests_total{method="POST",route="/v1/battles/{battle}/actions",status="201"} 1.0' in text
    assert 'battlelog_requests_total{method="POST",route="/v1/battles/{battle}/actions",status="422"} 1.0' in text
    assert 'battlelog_requests_total{method="GET",route="none",status="404"} 1.0' in text
    assert 'battlelog_requests_total{method="other",' in text
    assert 'battlelog_actions_total{do="end_turn",system="nme"} 1.0' in text
    assert 'battlelog_request_seconds_count{route="/v1/battles"} 1.0' in text
    assert nme.id not in text


def test_the_log_has_one_line_a_request_and_no_secret(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    with TestClient(create_app(settings.model_copy(update={"log_format": "json"}))) as client:
        table = open_table(client, "nme")
        table.done("end_turn", "side:red")
        table.get("?at=1", "side:blue")
        client.get(table.url, headers={"Authorization": f"Bearer {table.seats['referee']}x", "X-Request-ID": "r-1"})
        client.get(f"{table.url}?secret={table.seats['referee']}")
        table.post("/actions", {"do": "end_turn", "reason": table.seats["referee"]}, Idempotency_Key="my-key")
        client.get("/v1/a%0ab%1b[31m")
    said = capsys.readouterr().err
    lines: list[dict[str, Any]] = [json.loads(line) for line in said.splitlines()]
    assert [(line["status"], line["seat"]) for line in lines] == [
        (201, None),
        (201, "side:red"),
        (200, "side:blue"),
        (401, None),
        (422, None),
        (422, None),
        (404, None),
    ]
    assert lines[3]["problem"] == "unauthorized"
    assert lines[3]["id"] == "r-1"
    assert lines[1]["route"] == "/v1/battles/{battle}/actions"
    for secret in (*table.seats.values(), "my-key"):
        assert secret not in said
    assert "\x1b" not in said


def test_a_lost_race_is_tried_again(client: TestClient) -> None:
    app = client.app
    assert isinstance(app, FastAPI)

    def lost(how: str) -> None:
        raise Conflict("somebody else") if how == "once" else Busy("again and again")

    app.add_api_route("/lost/{how}", lost)
    for how in ("once", "always"):
        answer = client.get(f"/lost/{how}")
        problem(answer, "busy", 503)
        assert answer.headers["retry-after"] == "1"


def test_our_own_fault_is_logged_and_not_told(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    app = create_app(settings.model_copy(update={"log_format": "json"}))

    def broken(secret: str) -> None:
        raise RuntimeError(f"the cellar is full of {secret}")

    app.add_api_route("/broken/{secret}", broken)
    with TestClient(app) as client:
        answer = client.get("/broken/s3cret", headers={"Authorization": "Bearer s3cret"})
    body = problem(answer, "internal", 500)
    assert "cellar" not in answer.text
    assert body.keys() == {"type", "title", "status", "detail"}
    failure, request = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert failure["kind"] == "RuntimeError"
    assert failure["said"] == "the cellar is full of [secret]"
    assert any("test_service.py" in place for place in failure["places"])
    assert failure["id"] == request["id"] == answer.headers["x-request-id"]
    assert request["status"] == 500


def test_who_sends_too_much_is_told_to_wait(settings: Settings) -> None:
    app = create_app(settings.model_copy(update={"rate": 5, "rate_window": 3600}))
    with TestClient(app, client=("10.0.0.1", 1)) as client:
        table = open_table(client, "nme")
        for _ in range(5):
            assert table.get("", "side:red").status_code == 200
        answer = table.get("", "side:red")
        problem(answer, "too-many-requests", 429)
        assert answer.headers["retry-after"] == "3600"
        assert answer.headers["x-request-id"]
        assert table.get("", "side:blue").status_code == 200
        for _ in range(4):
            assert table.get().status_code == 200
        problem(table.get(), "too-many-requests", 429)
        statuses = [client.get(table.url, headers={"Authorization": f"Bearer x{n}"}).status_code for n in range(20)]
        assert statuses[0] == 401
        assert statuses[-1] == 429
        assert client.get("/healthz").status_code == 200
        assert client.get("/metrics").status_code == 200


def test_settings_are_read_from_the_environment() -> None:
    found = Settings.read({"BATTLELOG_PORT": "9000", "BATTLELOG_DATABASE": "x.db", "PORT": "1", "BATTLELOG_OTHER": "1"})
    assert (found.port, found.database, found.host) == (9000, "x.db", "127.0.0.1")
    assert Settings.read({"BATTLELOG_PORT": "9000"}, port=1, host=None).port == 1
    for name, value in (("PORT", "x"), ("PORT", "99999"), ("BODY_LIMIT", "1"), ("LOG_FORMAT", "loud"), ("RATE", "-1")):
        with pytest.raises(BadSettings, match=f"BATTLELOG_{name}: "):
            Settings.read({f"BATTLELOG_{name}": value})


def test_the_version_is_that_of_the_project() -> None:
    project = Path(__file__).parents[2] / "pyproject.toml"
    assert f'\nversion = "{VERSION}"\n' in project.read_text()
