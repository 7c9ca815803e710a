"""A battle as its players have it: a client, an address and a secret for each seat."""

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from httpx2 import Response
from starlette.testclient import TestClient

from api.examples import MFD_OPENING, NME_OPENING

OPENINGS = {"nme": NME_OPENING, "mfd": MFD_OPENING}


@dataclass(frozen=True)
class Table:
    """An open battle."""

    client: TestClient
    id: str
    seats: Mapping[str, str]

    @property
    def url(self) -> str:
        return f"/v1/battles/{self.id}"

    def headers(self, seat: str, **more: str) -> dict[str, str]:
        named = {name.replace("_", "-"): value for name, value in more.items()}
        return ({"Authorization": f"Bearer {self.seats[seat]}"} if seat else {}) | named

    def get(self, path: str = "", seat: str = "", **more: str) -> Response:
        return self.client.get(self.url + path, headers=self.headers(seat, **more))

    def post(self, path: str, body: Any = None, seat: str = "referee", **more: str) -> Response:
        if body is None:
            return self.client.post(self.url + path, headers=self.headers(seat, **more))
        return self.client.post(self.url + path, json=body, headers=self.headers(seat, **more))

    def act(self, do: str, seat: str = "referee", /, **fields: Any) -> Response:
        """Send an action."""
        return self.post("/actions", {"do": do, **fields}, seat)

    def done(self, do: str, seat: str = "referee", /, **fields: Any) -> dict[str, Any]:
        """Send an action that is written."""
        answer = self.act(do, seat, **fields)
        assert answer.status_code == 201, answer.text
        body: dict[str, Any] = answer.json()
        return body

    def raw(self, path: str, body: bytes, seat: str = "referee", kind: str = "application/json") -> Response:
        """Send bytes as they are."""
        headers = self.headers(seat, Content_Type=kind)
        return self.client.post(self.url + path, content=body, headers=headers)

    def raw_key(self, path: str, body: bytes, key: str) -> Response:
        """Send bytes with an idempotency key."""
        headers = self.headers("referee", Content_Type="application/json", Idempotency_Key=key)
        return self.client.post(self.url + path, content=body, headers=headers)

    def log(self) -> bytes:
        """Every stored byte of the log."""
        answer = self.get("/entries", "referee", Accept="application/jsonl")
        assert answer.status_code == 200
        return answer.content

    def entries(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log().splitlines()]

    @property
    def head(self) -> int:
        return len(self.entries())


def opening(system: str, **more: Any) -> dict[str, Any]:
    """The example's opening, changed."""
    return copy.deepcopy(OPENINGS[system]) | more


def open_table(client: TestClient, system: str, **more: Any) -> Table:
    """Open a battle."""
    answer = client.post("/v1/battles", json=opening(system, **more))
    assert answer.status_code == 201, answer.text
    body = answer.json()
    return Table(client, body["id"], body["seats"])


def problem(answer: Response, kind: str, status: int) -> dict[str, Any]:
    """What a problem says, once it is seen to be the right one in the right form."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = answer.json()
    assert body["type"] == f"/problems/{kind}", body
    assert body["status"] == status
    assert body["title"]
    assert body["detail"]
    assert "Traceback" not in answer.text
    return body


def invalid(answer: Response, *pointers: str) -> dict[str, Any]:
    """The faults of an invalid request, at just these places."""
    body = problem(answer, "invalid", 422)
    assert [e.get("pointer", e.get("parameter", e.get("header"))) for e in body["errors"]] == list(pointers), body
    return body
