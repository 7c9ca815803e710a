"""Answers. Law: stored bytes go out as they are, a view with the seq that it tells of, and a secret goes out once."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from replays.codec import leaf
from replays.referee import Receipt

JSON = "application/json"


class Written(BaseModel):
    """A batch as it stands in the log: entries `action` to `seq`, with the log's own members, lengths in thou."""

    seq: int
    action: int
    entries: list[dict[str, Any]]


class Opened(Written):
    """A battle or branch that was opened. `seats` holds the secret of each seat; an answer given again holds none."""

    id: str
    seats: dict[str, str]


class Entries(BaseModel):
    """A page of the log; `head` is the seq of its last entry."""

    entries: list[dict[str, Any]]
    head: int


def etag(seq: int) -> str:
    """The entity tag of a battle at entry `seq`."""
    return f'"{seq}"'


def written(receipt: Receipt) -> Response:
    """The answer to a write."""
    return Response(b"{%b}" % _batch(receipt), 201, _headers(receipt), JSON)


def opened(receipt: Receipt) -> Response:
    """The answer to a new battle or branch."""
    seats = msgspec.json.encode(receipt.seats)
    body = b'{"id":"%b","seats":%b,%b}' % (receipt.battle.encode(), seats, _batch(receipt))
    return Response(body, 201, {"Location": f"/v1/battles/{receipt.battle}", **_headers(receipt)}, JSON)


def _batch(receipt: Receipt) -> bytes:
    return b'"seq":%d,"action":%d,"entries":[%b]' % (receipt.seq, receipt.action, b",".join(receipt.data))


def _headers(receipt: Receipt) -> dict[str, str]:
    headers = {
        "ETag": etag(receipt.seq),
        "Cache-Control": "no-store",
        "Battlelog-Leaf": leaf(receipt.data[-1]),
        "Battlelog-Size": str(receipt.seq),
    }
    return headers | ({"Idempotent-Replayed": "true"} if receipt.replayed else {})


def view(request: Request, seq: int, made: Callable[[], BaseModel]) -> Response:
    """A view of a battle as of entry `seq`; it is not even made where the client has it already."""
    headers = {"ETag": etag(seq), "Cache-Control": "private, no-cache", "Vary": "Authorization"}
    if _has(request, seq):
        return Response(status_code=304, headers=headers)
    return Response(made().model_dump_json(), headers=headers, media_type=JSON)


def page(request: Request, data: Iterable[bytes], head: int, following: str | None) -> Response:
    """A page of entries, as they are stored."""
    headers = {"ETag": etag(head), "Cache-Control": "private, no-cache", "Vary": "Accept, Authorization"}
    if following is not None:
        headers["Link"] = link(request, following)
    if _has(request, head):
        return Response(status_code=304, headers=headers)
    return Response(b'{"entries":[%b],"head":%d}' % (b",".join(data), head), headers=headers, media_type=JSON)


def link(request: Request, reference: str) -> str:
    """A `Link` to the next page."""
    return f'<{request.scope.get("root_path", "")}{reference}>; rel="next"'


def _has(request: Request, seq: int) -> bool:
    held = request.headers.get("if-none-match", "")
    tags = [tag.strip().removeprefix("W/") for tag in held.split(",")]
    return etag(seq) in tags or "*" in tags
