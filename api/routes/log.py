"""A battle's log, proved: heads, entries, proofs, cosignatures, the bundle. Law: bytes and notes, nothing reworded.

The paths of C2SP's logs, one log a battle: the Merkle index of an entry is its seq - 1. A head is signed when it is
asked for, after the commit; a write's own answer has the leaf hash and the size, and is no slower for it.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from api import replies
from api.asking import LATEST, BattlePath, Caller, TheCaller
from api.guard import GuardedRequest, GuardedRoute
from api.plain import KIND, PlainRoute
from api.seats import Visit
from domain.refusals import forbidden
from replays.bundling import bundle
from replays.codec import lines
from replays.notary import Malformed

router = APIRouter(prefix="/v1/battles/{battle}", tags=["proof"], route_class=GuardedRoute)
cosigning = APIRouter(prefix="/v1/battles/{battle}", tags=["proof"], route_class=PlainRoute)

TEXT: Final = "text/plain; charset=utf-8"
BUNDLE: Final = "application/vnd.wlog-bundle"
NDJSON: Final = "application/x-ndjson"
MOST_ENTRIES: Final = 5_000
"""An answer of `log/entries` never holds more; whoever wants more asks again from where it ended."""

_FRESH: Final = {"Cache-Control": "no-store"}
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,15}")
_KINDS: Final = ("malformed", "log-forked")

Number = Annotated[str | None, Query(json_schema_extra={"type": "integer", "minimum": 0, "maximum": LATEST})]
Needed = Annotated[str, Query(json_schema_extra={"type": "integer", "minimum": 0, "maximum": LATEST})]


def number(text: str | None, name: str) -> int | None:
    """An index or a size in decimal. Raises `Malformed`."""
    if text is None:
        return None
    if not _NUMBER.fullmatch(text):
        raise Malformed(f"{name} is a number in decimal, without a sign or leading zeros")
    return int(text)


def answers(kind: str, what: str, *kinds: str, code: int = 200) -> replies.Responses:
    """What the OpenAPI text says of a route that answers with bytes."""
    content: Mapping[str, Any] = {kind: {"schema": {"type": "string"}}}
    told: replies.Responses = {code: {"description": what, "content": content}}
    return told | replies.problems(*replies.READ, *kinds)


@router.get(
    "/log/checkpoint",
    response_class=Response,
    responses=answers("text/plain", "a C2SP checkpoint, signed", "log-forked"),
    summary="The signed head of the log",
)
def checkpoint(caller: TheCaller, battle: BattlePath) -> Response:
    """Origin, size and root of the battle's Merkle tree as a signed note, with the cosignatures that this head has.

    Keep it: whoever holds one can show later that the log was cut, changed or told in another way. The service refuses
    to sign a head that does not extend the last one it signed (`log-forked`).
    """
    caller.visit(battle)
    return Response(caller.house.notary.checkpoint(battle), headers=_FRESH, media_type=TEXT)


@router.get(
    "/log/entries",
    response_class=Response,
    responses=answers(NDJSON, "the entries' bytes, each with a line feed", *_KINDS, "no-proof"),
    summary="Entries by their Merkle index",
)
def log_entries(caller: TheCaller, battle: BattlePath, start: Number = None, end: Number = None) -> Response:
    """The bytes of entries `start` to `end` - 1, counted from 0 (entry `seq` has index seq - 1); at most 5,000.

    An answer that holds all that was asked for never changes. `end` is the log's size if it is left out.
    """
    visit = caller.visit(battle)
    size = visit.book.head
    first, last = number(start, "start") or 0, number(end, "end")
    until = min(size if last is None else last, size, first + MOST_ENTRIES)
    whole = last is not None and until == last and first <= until
    share = "private" if visit.book.record.battle.policy.private else "public"
    headers = {"Cache-Control": f"{share}, max-age=31536000, immutable", "Vary": "Authorization"} if whole else _FRESH
    return Response(lines(visit.book.data(first, max(first, until))), headers=headers, media_type=NDJSON)


@router.get(
    "/log/proof/inclusion",
    response_class=Response,
    responses=answers("text/plain", "a C2SP tlog-proof", *_KINDS, "other-size", "no-proof"),
    summary="Proof that an entry is in the log",
)
def inclusion(caller: TheCaller, battle: BattlePath, index: Needed, size: Number = None) -> Response:
    """The hashes beside the path of the leaf `index` (seq - 1), and the signed head of `size` entries.

    `size` is the present one if it is left out; one that was signed a moment ago is still to be had.
    """
    caller.visit(battle)
    place = number(index, "index") or 0
    text = caller.house.notary.inclusion(battle, place, number(size, "size"))
    return Response(text, headers=_FRESH, media_type=TEXT)


@router.get(
    "/log/proof/consistency",
    response_class=Response,
    responses=answers("text/plain", "the body of C2SP add-checkpoint", *_KINDS, "other-size", "no-proof"),
    summary="Proof that the log extends an older head",
)
def consistency(caller: TheCaller, battle: BattlePath, old: Needed, new: Number = None) -> Response:
    """The proof that the head of `new` entries (the present one) begins with the first `old`, and that signed head.

    It is the body that a C2SP witness takes at `add-checkpoint`, as it is.
    """
    caller.visit(battle)
    before = number(old, "old") or 0
    text = caller.house.notary.consistency(battle, before, number(new, "new"))
    return Response(text, headers=_FRESH, media_type=TEXT)


@cosigning.post(
    "/log/cosign",
    response_class=Response,
    responses=answers("text/plain", "the note with all its signatures", *_KINDS, "other-size", "bad-cosignature")
    | replies.problems("too-large", "unsupported-media-type"),
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {KIND: {"schema": {"type": "string", "description": "signature lines of a note"}}},
        }
    },
    summary="Sign the head as a seat",
)
def cosign(request: Request, caller: TheCaller, battle: BattlePath, size: Number = None) -> Response:
    """Send one or more signature lines (C2SP tlog-cosignature, type 0x04) under the battle's present head.

    The key is the one that the seat has joined with, under the name `<origin>/<seat>` with `-` for `:`, for example
    `localhost/battle/<id>/side-red`. Say with `size` which head was signed: if it is not the head any longer, the
    answer is `other-size` and nothing is kept. The first signature of a key under a head stays.
    """
    visit = caller.visit(battle)
    seats = {seat: joined.key for seat, joined in visit.book.record.seats.items()}
    raw = request.raw if isinstance(request, GuardedRequest) else b""
    note = caller.house.notary.cosign(battle, seats, raw, number(size, "size"))
    return Response(note, headers=_FRESH, media_type=TEXT)


@router.post(
    "/log/publish",
    response_class=Response,
    responses=answers("text/plain", "a C2SP tlog-proof from the log of battles", "log-forked", "forbidden")
    | replies.problems("too-large", "unsupported-media-type"),
    summary="Have the head in the log of battles",
)
def publish(caller: TheCaller, battle: BattlePath) -> Response:
    """Put the present head into the log of battles, as after a round: only the referee may.

    It is done without asking when a battle begins, ends and is closed. The same head again has the leaf it has.
    """
    visit = caller.visit(battle)
    if visit.seat.role != "referee":
        forbidden("only the referee has a head published in between")
    notary = caller.house.notary
    _, head = notary.publish(battle)
    return Response(notary.global_proof(head), headers=_FRESH, media_type=TEXT)


@router.get(
    "/bundle",
    response_class=Response,
    responses=answers(BUNDLE, "a bundle, `*.wlog`", "malformed", "log-forked", "forbidden"),
    summary="The whole battle as one file that proves itself",
)
def read_bundle(
    caller: TheCaller,
    battle: BattlePath,
    names: Annotated[
        str | None,
        Query(json_schema_extra={"enum": ["0", "1"]}, description="1: with the names of people (seats only)"),
    ] = None,
) -> Response:
    """Entries, signed head, cosignatures, and the proof from the log of battles if it has this head.

    `battlelog verify FILE --key VKEY` checks it without this service; the key is the log's, from the organiser and not
    from whoever sent the file (`GET /log/keys` shows it). Only after the battle was closed is it complete.
    """
    visit = caller.visit(battle)
    if names not in (None, "0", "1"):
        raise Malformed("names is 0 or 1")
    rows = caller.house.store.ledger.names(battle) if names == "1" and seated(caller, visit) else []
    data = bundle(caller.house.notary, caller.house.referee.shelf, battle, rows)
    headers = _FRESH | {"Content-Disposition": f'attachment; filename="{battle}.wlog"'}
    return Response(data, headers=headers, media_type=BUNDLE)


def seated(caller: Caller, visit: Visit) -> bool:
    """True for a side or the referee; names of people are nobody else's business. Raises `Refused`."""
    if caller.secret is None or visit.seat.role == "spectator":
        forbidden("only who sits at this battle sees the names of people")
    return True
