"""Names of people. Law: they stand beside the log, only who sits at the battle sees them, and each can be erased.

There is no `Idempotency-Key` here: with it a hash of the request would be kept, from which a name can be guessed. To
say the same name again changes nothing.
"""

from typing import Annotated, Final

from fastapi import APIRouter, Path
from pydantic import BaseModel, Field
from starlette.responses import JSONResponse, Response

from api import answers, replies
from api.asking import BattlePath, TheCaller
from api.guard import GuardedRoute
from api.problems import not_found
from api.routes.log import seated
from domain.words import Asked as AskedModel
from domain.words import Text
from replays.naming import check_may_name, fresh, person
from replays.referee import Asked, Receipt

router = APIRouter(prefix="/v1/battles/{battle}", tags=["proof"], route_class=GuardedRoute)

_FRESH: Final = {"Cache-Control": "no-store"}
SeatPath = Annotated[str, Path(description="`referee`, `side:red`, ...")]


class Naming(AskedModel):
    """Who sits on a seat."""

    name: Annotated[Text, Field(min_length=1, max_length=120)]


class Names(BaseModel):
    """Who sits where, as far as it was said and not erased."""

    names: dict[str, str] = Field(description="the name of the person on each seat")


class Commitment(BaseModel):
    """A name that is written down already, and the commitment to it in the log."""

    seat: str
    person: str = Field(description="HMAC-SHA256 of the name under a random salt, in hex")


_NAMED: Final[replies.Responses] = {
    200: {"model": Commitment, "description": "it is written down already"},
    201: {"headers": replies.ETAG | replies.RECEIPT},
}


@router.get("/names", response_model=Names, responses=replies.problems(*replies.READ, "forbidden"), summary="Who sits")
def read_names(caller: TheCaller, battle: BattlePath) -> Response:
    """The names of the people at this battle: only sides and the referee see them."""
    visit = caller.visit(battle)
    seated(caller, visit)
    rows = caller.house.store.ledger.names(battle)
    return JSONResponse({"names": {row.seat: row.name for row in rows}}, headers=_FRESH)


@router.put(
    "/seats/{seat}/name",
    status_code=201,
    response_model=answers.Written,
    responses=_NAMED
    | replies.problems(*replies.READ, "forbidden", "battle-over", "too-large", "unsupported-media-type"),
    summary="Say who sits on a seat",
)
def name_seat(caller: TheCaller, battle: BattlePath, seat: SeatPath, asked: Naming) -> Response:
    """Write down a name, beside the log; the log gets `SeatNamed`, a commitment that nobody can lead back to it.

    The seat itself may, and the referee. A new name takes the place of the old one, whose salt is gone with it.
    """
    visit = caller.visit(battle)
    check_may_name(visit.book.record, seat, visit.seat)
    for row in caller.house.store.ledger.names(battle):
        if (row.seat, row.name) == (seat, asked.name):
            return JSONResponse({"seat": seat, "person": person(row)}, headers=_FRESH)
    how = Asked(visit.seat, kind=f"seats/{seat}/name")
    result = caller.house.referee.name(battle, fresh(battle, seat, asked.name), how)
    assert isinstance(result, Receipt)  # a preview was not asked for
    return answers.written(result)


@router.delete(
    "/seats/{seat}/name",
    status_code=204,
    response_class=Response,
    responses=replies.problems(*replies.READ, "forbidden", "too-large", "unsupported-media-type"),
    summary="Erase a name",
)
def erase_name(caller: TheCaller, battle: BattlePath, seat: SeatPath) -> Response:
    """Erase the name with its salt, at any time. The log stays as it is, and keeps proving all that it proved."""
    visit = caller.visit(battle)
    check_may_name(visit.book.record, seat, visit.seat)
    if not caller.house.store.ledger.erase_name(battle, seat):
        raise not_found(f"no name is written down for {seat}")
    return Response(status_code=204, headers=_FRESH)
