"""The log of battles. Law: the same bytes for everybody, for ever; it says of a battle its id, size and root, no more.

C2SP tlog-tiles with the prefix `/log`. A leaf is `wlog/v1/battle-checkpoint`, a line feed, and the three lines of a
battle's checkpoint; that of a private battle stands there too.
"""

from typing import Annotated, Final

from fastapi import APIRouter, Path
from starlette.responses import Response

from api import replies
from api.guard import GuardedRoute
from api.house import TheHouse
from api.problems import not_found
from api.routes.log import TEXT
from replays.notary import Malformed
from replays.tlog import Tile

router = APIRouter(prefix="/log", tags=["proof"], route_class=GuardedRoute)

BYTES: Final = "application/octet-stream"
_ALWAYS: Final = {"Cache-Control": "public, max-age=31536000, immutable"}
_COMMON: Final = ("invalid", "too-many-requests", "busy")


def _answers(kind: str, what: str, *kinds: str) -> replies.Responses:
    told: replies.Responses = {200: {"description": what, "content": {kind: {"schema": {"type": "string"}}}}}
    return told | replies.problems(*_COMMON, *kinds)


@router.get(
    "/checkpoint",
    response_class=Response,
    responses=_answers("text/plain", "a C2SP checkpoint, signed", "log-forked"),
    summary="The signed head of the log of battles",
)
def global_checkpoint(house: TheHouse) -> Response:
    """Origin, size and root as a signed note, with the key of the log of battles."""
    return Response(house.notary.global_checkpoint(), headers={"Cache-Control": "no-store"}, media_type=TEXT)


@router.get(
    "/keys",
    response_class=Response,
    responses=_answers("text/plain", "vkeys, one a line"),
    summary="The public keys of this service",
)
def keys(house: TheHouse) -> Response:
    """The keys of the logs of battles, then those of the log of battles, as C2SP vkeys.

    A key that came from the service proves nothing about the service: compare it with one that you have from elsewhere.
    """
    text = "".join(f"{vkey}\n" for vkey in house.notary.keyring.vkeys)
    return Response(text, headers={"Cache-Control": "no-cache"}, media_type=TEXT)


@router.get(
    "/tile/{tile:path}",
    response_class=Response,
    responses=_answers(BYTES, "hashes of 32 bytes, or entries, each after its length", "malformed", "not-found"),
    summary="A tile of the log of battles",
)
def read_tile(
    house: TheHouse,
    tile: Annotated[
        str,
        Path(
            description="`<level>/<n>` or `entries/<n>`, `.p/<width>` if it is not full",
            json_schema_extra={"pattern": r"^(entries|[0-9])/[0-9]{3}(\.p/[1-9][0-9]?)?$", "examples": ["0/000.p/1"]},
        ),
    ],
) -> Response:
    """256 hashes of one level, or 256 leaves, or the first of them; `n` in groups of three digits, as in `x001/067`."""
    try:
        wanted = Tile.parse(tile)
    except ValueError as fault:
        raise Malformed(str(fault)) from None
    data = house.notary.tile(wanted)
    if data is None:
        raise not_found("the log of battles has no such tile yet")
    return Response(data, headers=_ALWAYS, media_type=BYTES)
