"""The OpenAPI text: whole, true and enough for a stranger to work from."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from starlette.testclient import TestClient

from api.catch import WORDS
from api.examples import BRANCHES, DISPUTES, OPENINGS, REDOS, RESOLUTIONS, RULINGS, UNDOS
from api.problems import PROBLEMS
from domain.systems.nme.profiles import CATALOGUE
from tests.api.table import Table, open_table

ONE = "/v1/battles/{battle}"
WRITES = (
    "/v1/battles",
    *(f"{ONE}/{what}" for what in ("actions", "undo", "undo/{request_number}", "redo", "branches", "close")),
    *(f"{ONE}/{what}" for what in ("rulings", "disputes", "disputes/{dispute_number}/resolve")),
)
"""What writes to a battle's log as play goes on."""


@pytest.fixture
def text(client: TestClient) -> dict[str, Any]:
    answer = client.get("/openapi.json")
    assert answer.status_code == 200
    body: dict[str, Any] = answer.json()
    return body


def operations(text: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in text["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def test_every_reference_leads_somewhere(text: dict[str, Any]) -> None:
    def look(value: Any) -> None:
        if isinstance(value, dict):
            for name, inner in value.items():
                if name == "$ref":
                    assert inner.removeprefix("#/components/schemas/") in text["components"]["schemas"]
                look(inner)
        elif isinstance(value, list):
            for inner in value:
                look(inner)

    look(text)


def test_every_operation_is_described(text: dict[str, Any]) -> None:
    ids = [operation["operationId"] for _, _, operation in operations(text)]
    assert len(set(ids)) == len(ids)
    for path, method, operation in operations(text):
        assert operation["summary"], path
        assert operation["description"], path
        assert operation["tags"], path
        if method == "post":
            assert {"200", "201"} & set(operation["responses"]), path
        for status, answer in operation["responses"].items():
            assert answer["description"], (path, status)
            if int(status) >= 400:
                (kind,) = answer["content"]
                assert kind == "application/problem+json", (path, status)
        if path.startswith("/v1/battles/"):
            assert operation["security"] == [{}, {"seat": []}]
            assert {"401", "404", "422", "429", "503"} <= set(operation["responses"]), path


def test_writes_have_their_headers(text: dict[str, Any]) -> None:
    told = {(path, method): operation for path, method, operation in operations(text)}
    for path in WRITES:
        operation = told[path, "post"]
        names = {parameter["name"] for parameter in operation.get("parameters", ())}
        assert {"Idempotency-Key", "dry_run"} <= names, path
        assert ("If-Match" in names) == (path != "/v1/battles"), path
        assert {"413", "415"} <= set(operation["responses"]), path
        assert "Idempotent-Replayed" in operation["responses"]["201"]["headers"]


def test_every_action_has_an_example_that_is_understood(client: TestClient, text: dict[str, Any]) -> None:
    shown = text["paths"]["/v1/battles/{battle}/actions"]["post"]["requestBody"]["content"]["application/json"]
    assert {example["value"]["do"] for example in shown["examples"].values()} == set(WORDS["do"])
    schema = {**shown["schema"], "components": text["components"]}
    for name, example in shown["examples"].items():
        assert jsonschema_rs.is_valid(schema, example["value"]), name
        table = open_table(client, "mfd" if name.startswith("mfd") else "nme")
        answer = table.post("/actions", example["value"])
        assert answer.status_code in (201, 409), (name, answer.text)
        if name.startswith("nme") and name not in ("nme_hide", "nme_recover", "nme_injure"):
            assert answer.status_code == 201, (name, answer.text)


def test_openings_and_rulings_work_as_they_stand(client: TestClient, text: dict[str, Any]) -> None:
    shown = text["paths"]["/v1/battles"]["post"]["requestBody"]["content"]["application/json"]
    assert shown["examples"] == json.loads(json.dumps(OPENINGS))
    for example in OPENINGS.values():
        assert jsonschema_rs.is_valid({**shown["schema"], "components": text["components"]}, example["value"])
        assert client.post("/v1/battles", json=example["value"]).status_code == 201
    table = open_table(client, "nme")
    for example in RULINGS.values():
        assert table.post("/rulings", example["value"]).status_code == 201


def test_undo_disputes_and_branches_have_examples_that_are_understood(client: TestClient, text: dict[str, Any]) -> None:
    one = "/v1/battles/{battle}"
    for path, examples in (
        ("/undo", UNDOS),
        ("/redo", REDOS),
        ("/disputes", DISPUTES),
        ("/disputes/{dispute_number}/resolve", RESOLUTIONS),
        ("/branches", BRANCHES),
        ("/rulings", RULINGS),
    ):
        shown = text["paths"][one + path]["post"]["requestBody"]["content"]["application/json"]
        assert shown["examples"] == json.loads(json.dumps(examples)), path
        for name, example in examples.items():
            schema = {**shown["schema"], "components": text["components"]}
            assert jsonschema_rs.is_valid(schema, example["value"]), name
    table = open_table(client, "nme")
    for example in DISPUTES.values():
        assert table.post("/disputes", example["value"], "side:red").status_code == 201
    assert table.post("/disputes/1/resolve", RESOLUTIONS["withdrawn"]["value"], "side:red").status_code == 201
    for name in ("now", "table"):
        assert table.post("/branches", BRANCHES[name]["value"]).status_code == 201
    for examples in (UNDOS, REDOS):
        for example in examples.values():
            assert table.post("/undo" if examples is UNDOS else "/redo", example["value"]).status_code == 409


def test_what_a_field_means_is_told(text: dict[str, Any]) -> None:
    schemas = text["components"]["schemas"]
    for policy in ("NmePolicy", "MfdPolicy"):
        for field, schema in schemas[policy]["properties"].items():
            assert schema.get("description"), (policy, field)
    for field in ("cover", "sight", "distance", "touched", "modifiers", "into_melee", "mode"):
        assert schemas["Shoot"]["properties"][field]["description"], field
    assert schemas["Move"]["properties"]["inches"]["description"]
    assert (
        "MiniFig Death: `none`, `partial`, `full`, `unseen`" in schemas["Shoot"]["properties"]["cover"]["description"]
    )
    weapons = schemas["NmeRecruit"]["properties"]["weapons"]
    assert all(f"`{name}`" in weapons["description"] for name in CATALOGUE)
    assert weapons["examples"][0][0] in CATALOGUE
    assert schemas["Shoot"]["properties"]["weapon"]["examples"] == ["stub-gun"]


def test_defaults_are_told_in_inches(text: dict[str, Any]) -> None:
    schemas = text["components"]["schemas"]
    assert schemas["NmePolicy"]["properties"]["recovery_friend_within"]["default"] == 2
    assert schemas["MfdPolicy"]["properties"]["tape_tolerance"]["default"] == 1
    assert schemas["Table"]["properties"]["width"]["default"] == 48
    assert "default" not in schemas["NewNme"]["properties"]["policy"]
    assert schemas["NmeRecruit"]["properties"]["base"]["default"] == 1


def test_answers_are_as_they_are_told(nme: Table, text: dict[str, Any]) -> None:
    nme.done("move", fig="sarge", to={"x": 12, "y": 10})
    nme.done("end_turn")
    nme.post("/undo", {"to_before": 7, "reason": "x"})
    nme.post("/disputes", {"about": 1, "reason": "y"})
    branch = nme.post("/branches", {}).json()["id"]

    def fits(path: str, method: str, status: str, body: Any, kind: str = "application/json") -> None:
        content = text["paths"][path][method]["responses"][status]["content"][kind]
        jsonschema_rs.validate({**content["schema"], "components": text["components"]}, body)

    one = "/v1/battles/{battle}"
    for path, query in (
        ("", ""),
        ("", "?at=3"),
        ("/turns", ""),
        ("/casualties", ""),
        ("/entries", ""),
        ("/branches", ""),
        ("/figs/{fig}", "/figs/sarge"),
        ("/entries/{seq}/why", "/entries/7/why"),
        ("/compare/{other}", f"/compare/{branch}"),
    ):
        answer = nme.get(query if path.startswith(("/figs", "/entries/", "/compare")) else path + query)
        assert answer.status_code == 200, (path, answer.text)
        fits(one + path, "get", "200", answer.json())
    fits("/v1/battles", "get", "200", nme.client.get("/v1/battles").json())
    fits(one + "/actions", "post", "201", nme.done("end_turn"))
    fits(one + "/actions", "post", "200", nme.post("/actions?dry_run=true", {"do": "end_turn"}).json())
    fits(
        one + "/undo", "post", "200", nme.post("/undo?dry_run=true", {"to_before": nme.head - 5, "reason": "x"}).json()
    )
    for answer in (nme.act("dance"), nme.act("end_turn", ""), nme.get("?at=999"), nme.get("/figs/x")):
        path = "/actions" if answer.request.method == "POST" else ""
        method = answer.request.method.lower()
        fits(one + path, method, str(answer.status_code), answer.json(), "application/problem+json")


def test_every_problem_is_told_somewhere(text: dict[str, Any]) -> None:
    told = json.dumps(text)
    for kind in PROBLEMS:
        assert kind == "internal" or f"`{kind}`" in told, kind
