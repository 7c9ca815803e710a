"""Asking: what requests have in common beside their bodies. Law: each header, path and query value is bounded here.

A path that names nothing is 404; a query or header that makes no sense is 422. Nothing here touches the store before a
handler does, in its own thread, by saying `caller.visit(battle)`.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from fastapi import Depends, Header, Path, Query
from pydantic import BaseModel
from starlette.requests import Request

from api.guard import GuardedRequest
from api.house import House
from api.problems import not_found
from api.seats import Visit, enter, secret_in
from domain.draft import SPECTATOR
from domain.refusals import Refusal, Refused
from domain.words import logged
from replays.referee import Asked, Signed

LATEST: Final = 2**53 - 1
"""No seq is beyond this: JavaScript could not tell it from the next."""

MOST_ROWS: Final = 500
"""A page never holds more."""

BattlePath = Annotated[
    str,
    Path(
        description="the battle's id, or a branch's",
        json_schema_extra={"pattern": "^[0-9a-f]{32}$", "examples": ["0123456789abcdef0123456789abcdef"]},
    ),
]
NumberPath = Annotated[str, Path(json_schema_extra={"type": "integer", "minimum": 1, "examples": [1]})]
FigPath = Annotated[str, Path(description="a fig's id", json_schema_extra={"pattern": "^[a-z0-9-]{1,40}$"})]
At = Annotated[
    int | None,
    Query(ge=1, le=LATEST, description="the table by entries 1 to this seq, as it was known then"),
]
After = Annotated[int, Query(ge=0, le=LATEST, description="what comes after this one; the cursor of the last page")]
Limit = Annotated[int, Query(ge=1, description="how many; more than 500 is taken as 500")]

_NUMBER: Final = re.compile(r"[0-9]{1,16}")
_MATCH: Final = r'^(\*|"(0|[1-9][0-9]{0,15})")$'


def number(text: str, what: str) -> int:
    """The number in a path. Raises `Problem`."""
    if not _NUMBER.fullmatch(text) or int(text) < 1:
        raise not_found(f"there is no such {what}")
    return int(text)


def moment(visit: Visit, at: int | None) -> int:
    """The seq that is asked for: `at`, or the head. Raises `Problem`."""
    head = visit.book.head
    if at is not None and at > head:
        raise not_found(f"there is no entry {at}; the log ends at {head}")
    return head if at is None else at


@dataclass(frozen=True)
class Caller:
    """Who sends this request."""

    house: House
    request: Request
    secret: str | None

    def visit(self, battle: str) -> Visit:
        """Let the caller in, to read at least. Raises `Problem` or `Refused`."""
        visit = enter(self.house.referee, battle, self.secret)
        self.request.scope["battlelog"]["seat"] = visit.seat.actor
        return visit

    def compared(self, battle: str) -> Visit:
        """Let the caller in at a second battle, which is looked at beside the first."""
        return enter(self.house.referee, battle, self.secret)


@dataclass(frozen=True)
class Writer(Caller):
    """Who sends a request that writes, and how it is to be carried out."""

    key: str
    if_match: int | None
    dry_run: bool
    signed: Signed | None = None

    def asked(self, visit: Visit | None, body: BaseModel | None = None) -> Asked:
        """How the referee is asked; without a visit, by anybody. A signature covers the path and the `body`."""
        return Asked(
            seat=visit.seat if visit is not None else SPECTATOR,
            key=self.key,
            digest=self._digest() if self.key else b"",
            if_match=self.if_match,
            dry_run=self.dry_run,
            kind=self.request.scope["path"].split("/", 4)[-1],
            request=_signed_part(body) if self.signed is not None else {},
            signed=self.signed,
            book=visit.book if visit is not None else None,
        )

    def _digest(self) -> bytes:
        raw = self.request.raw if isinstance(self.request, GuardedRequest) else b""
        line = f"{self.request.method} {self.request.scope['path']}\n"
        return hashlib.sha256(line.encode() + raw).digest()


def _signed_part(body: BaseModel | None) -> dict[str, Any]:
    """A request as it is signed: normalised as in the log, with the dice that were typed in."""
    if body is None:
        return {}
    request = logged(body, without={"dice"})
    dice = getattr(body, "dice", None)
    return request if dice is None else {**request, "dice": list(dice)}


async def _caller(request: Request) -> Caller:
    return Caller(request.app.state.house, request, secret_in(request.headers.getlist("authorization")))


TheCaller = Annotated[Caller, Depends(_caller)]


# Each asks for the request itself: a dependency of a dependency costs more than all that is read here.
async def _reader(
    request: Request,
    _held: Annotated[
        str | None,
        Header(alias="If-None-Match", description="an `ETag` that you have already: 304 if it still holds"),
    ] = None,
) -> Caller:
    return await _caller(request)


TheReader = Annotated[Caller, Depends(_reader)]
"""Reads a view that has an `ETag`."""

_DryRun = Annotated[bool, Query(description="say what would happen, and write nothing")]
_Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=200,
        pattern=r"^[\x21-\x7e]+$",
        description="a random name for this request: sent again with the same body, it gives the first answer again",
    ),
]
_IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match",
        pattern=_MATCH,
        description='the `ETag` that was seen, such as `"57"`: if the battle has moved on, nothing is written (412)',
    ),
]


_Signature = Annotated[
    str | None,
    Header(
        alias="Battlelog-Signature",
        pattern="^[1-9][0-9]{0,15} [0-9a-f]{128}$",
        description="a joined seat signs: the seq that the request is meant to become, and its signature in hex",
    ),
]


async def _opener(request: Request, key: _Key = None, *, dry_run: _DryRun = False) -> Writer:
    caller = await _caller(request)
    return Writer(caller.house, caller.request, caller.secret, key or "", None, dry_run)


async def _writer(
    request: Request,
    key: _Key = None,
    if_match: _IfMatch = None,
    signature: _Signature = None,
    *,
    dry_run: _DryRun = False,
) -> Writer:
    caller = await _caller(request)
    # `*` asks for any battle at all, and one that is not there is 404 anyway.
    seen = int(if_match[1:-1]) if if_match not in (None, "*") else None
    seq, _, sig = (signature or "").partition(" ")
    signed = Signed(int(seq), sig) if signature else None
    return Writer(caller.house, caller.request, caller.secret, key or "", seen, dry_run, signed)


Opener = Annotated[Writer, Depends(_opener)]
"""Opens a battle: there is no head yet that a header could name."""

TheWriter = Annotated[Writer, Depends(_writer)]

Format = Literal["json", "jsonl", "live"]
_FORMATS: Final[dict[str, Format]] = {
    "application/json": "json",
    "application/jsonl": "jsonl",
    "application/x-ndjson": "jsonl",
    "application/x-jsonlines": "jsonl",
    "text/event-stream": "live",
    "*/*": "json",
    "application/*": "json",
    "text/*": "json",
}


def wanted(accept: str) -> Format:
    """Which form of the entries the `Accept` header prefers: JSON where it says nothing that is known here."""
    best, chosen = 0.0, _FORMATS["*/*"]
    for part in accept.split(","):
        kind, *parameters = (piece.strip().lower() for piece in part.split(";"))
        weight = next((_weight(p[2:]) for p in parameters if p.startswith("q=")), 1.0)
        if kind in _FORMATS and weight > best:
            best, chosen = weight, _FORMATS[kind]
    return chosen


def _weight(text: str) -> float:
    return float(text) if re.fullmatch(r"[01](?:\.[0-9]{0,3})?", text) else 0.0


def refuse_both() -> None:
    """Say that `at` and `turn` do not go together."""
    raise Refused(Refusal("invalid", "INVALID", "say at or turn, not both"))
