"""Across battles: players and weapons. Law: nothing of a private battle is told, and a what-if never counts."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from api import answers, replies
from api.asking import MOST_ROWS, After, Limit
from api.guard import GuardedRoute
from api.house import TheHouse
from api.totals import Arsenal, Standing, Standings, arsenal, standings
from replays.store import Filter

router = APIRouter(prefix="/v1", tags=["across battles"], route_class=GuardedRoute)

Tag = Annotated[str | None, Query(max_length=80, description="only battles with this tag")]
System = Annotated[Literal["nme", "mfd"] | None, Query(description="only battles of this system")]


async def _filter(event: Tag = None, round: Tag = None, system: System = None) -> Filter:  # noqa: A002 - the word of the tag
    return Filter(event, round, system)


Wanted = Annotated[Filter, Depends(_filter)]


@router.get("/standings", response_model=Standings, responses=replies.listing(), summary="Who stands how")
def read_standings(request: Request, house: TheHouse, wanted: Wanted, after: After = 0, limit: Limit = 100) -> Response:
    """Players of an event, or of all battles: results, losses, and what they did.

    A player is the name that a muster gave a side. Sums follow the log within seconds; `behind` says by how much.
    """
    return _page(request, standings(house.store, wanted, min(limit, MOST_ROWS), after))


@router.get("/weapons", response_model=Arsenal, responses=replies.listing(), summary="What weapons did")
def read_weapons(request: Request, house: TheHouse, wanted: Wanted, after: After = 0, limit: Limit = 100) -> Response:
    """Weapons of an event, or of all battles: how often they were used, and what came of it."""
    return _page(request, arsenal(house.store, wanted, min(limit, MOST_ROWS), after))


def _page(request: Request, told: Standing) -> Response:
    headers = {"Cache-Control": "no-cache"}
    if told.next is not None:
        query = request.url.include_query_params(after=told.next).query
        headers["Link"] = answers.link(request, f"{request.url.path}?{query}")
    return Response(told.model_dump_json(), headers=headers, media_type=answers.JSON)
