"""Replies: what the OpenAPI text says of answers. Law: every status that a route can give is there, with its shape."""

from collections.abc import Iterable
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from api.previews import ThrownRoll, WantedRoll
from api.problems import CONTENT_TYPE, PROBLEMS

Responses = dict[int | str, dict[str, Any]]


class FaultShown(BaseModel):
    """One bad field: where it is, and what is wrong with it."""

    pointer: str | None = Field(default=None, description="in the body: an RFC 6901 pointer, `` for the whole of it")
    parameter: str | None = Field(default=None, description="in the query: the parameter's name")
    header: str | None = Field(default=None, description="the header's name")
    message: str
    legal: list[str] | None = Field(default=None, description="what would be known or allowed")


class ProblemShown(BaseModel):
    """Why a request was not carried out (RFC 9457). A refused request leaves the log byte for byte as it was."""

    model_config = ConfigDict(title="Problem")

    type: str = Field(
        description="which problem it is; stable, and a page that explains it", examples=["/problems/stale"]
    )
    title: str
    status: int
    detail: str = Field(description="this very case, in plain words")
    rule: str | None = Field(default=None, description="the id of the rule (or the word of the undo list) that says no")
    reason: str | None = Field(default=None, description="why it says no, in plain words")
    legal: list[str] | None = Field(default=None, description="what would be allowed instead")
    wanted: list[WantedRoll] | None = Field(default=None, description="`dice-wanted`: the dice to throw next")
    so_far: list[ThrownRoll] | None = Field(default=None, description="`dice-wanted`: the dice that were read")
    errors: list[FaultShown] | None = Field(default=None, description="`invalid`: every bad field")
    size: int | None = Field(default=None, description="`other-size`: how many entries the log has now")
    signed: str | None = Field(default=None, description="`log-forked`: the checkpoint that was signed before")
    asked: str | None = Field(default=None, description="`log-forked`: the checkpoint that was not signed")
    head: int | None = Field(default=None, description="`stale`: the seq of the battle's last entry")


READ: Final = ("unauthorized", "not-found", "invalid", "too-many-requests", "log-damaged", "busy")
WRITE: Final = (
    *READ,
    "not-your-fig",
    "forbidden",
    "method-not-allowed",
    "battle-over",
    "stale",
    "too-large",
    "unsupported-media-type",
    "key-reused",
)

ETAG: Final = {"ETag": {"description": "the seq of the last entry, quoted", "schema": {"type": "string"}}}
NEXT: Final = {"Link": {"description": 'the next page (`rel="next"`), if there is one', "schema": {"type": "string"}}}
REPLAYED: Final = {
    "Idempotent-Replayed": {
        "description": "`true` where the key was known and this is the first answer again",
        "schema": {"type": "string"},
    }
}
RECEIPT: Final = {
    "Battlelog-Leaf": {
        "description": "leaf hash of the last entry that was written, in hex: keep it, `log/proof/inclusion` proves it",
        "schema": {"type": "string"},
    },
    "Battlelog-Size": {
        "description": "entries in the log with it: a checkpoint of this size or more holds it at index size - 1",
        "schema": {"type": "integer"},
    },
}
LOCATION: Final = {"Location": {"description": "the new battle", "schema": {"type": "string"}}}
_OWN_HEADERS: Final = {
    401: {"WWW-Authenticate": {"schema": {"type": "string"}}},
    429: {"Retry-After": {"description": "seconds", "schema": {"type": "integer"}}},
    503: {"Retry-After": {"description": "seconds", "schema": {"type": "integer"}}},
}


def problems(*kinds: str) -> Responses:
    """The problems that a route can answer, by status."""
    by_status: dict[int, list[str]] = {}
    for kind in dict.fromkeys(kinds):
        by_status.setdefault(PROBLEMS[kind].status, []).append(kind)
    return {status: _problem(status, several) for status, several in sorted(by_status.items())}


def _problem(status: int, kinds: Iterable[str]) -> dict[str, Any]:
    said = "; ".join(f"`{kind}`: {PROBLEMS[kind].title.lower()}" for kind in kinds)
    content = {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    headers = _OWN_HEADERS.get(status)
    return {"description": said, "content": content} | ({"headers": headers} if headers else {})


def read(**more: Any) -> Responses:
    """What a view of a battle answers beside the view."""
    seen: Responses = {
        200: {"description": "as of the entry that `ETag` names", "headers": ETAG | more},
        304: {"description": "you have it already (`If-None-Match`)"},
    }
    return seen | problems(*READ)


def listing() -> Responses:
    """What the desk answers beside its page."""
    page: Responses = {200: {"description": "a page of the desk", "headers": NEXT}}
    return page | problems("invalid", "too-many-requests", "busy")


def write(preview: type[BaseModel], *kinds: str, headers: dict[str, Any] | None = None) -> Responses:
    """What a write answers beside what was written."""
    written: Responses = {
        200: {"model": preview, "description": "with `dry_run`: what would happen"},
        201: {
            "description": "written: the batch as it stands in the log",
            "headers": ETAG | REPLAYED | RECEIPT | (headers or {}),
        },
    }
    return written | problems(*WRITE, *kinds)
