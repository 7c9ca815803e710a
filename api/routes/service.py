"""The service about itself: health, figures, what its problems mean. Law: none of it needs a seat, or tells of one."""

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.responses import PlainTextResponse, Response

from api import replies
from api.guard import GuardedRoute
from api.house import TheHouse
from api.problems import PROBLEMS, busy, not_found
from api.undo_words import UNDO_WORDS

router = APIRouter(tags=["service"], route_class=GuardedRoute)


class Health(BaseModel):
    """How the service feels."""

    status: str


@router.get("/healthz", summary="Is it alive?")
async def healthz() -> Health:
    """200 as long as the process answers at all."""
    return Health(status="alive")


@router.get("/readyz", responses=replies.problems("busy"), summary="Can it be used?")
def readyz(house: TheHouse) -> Health:
    """200 while the store can be read and written and the service was not told to stop, else 503; `detail` says why."""
    if house.leaving.is_set():
        raise busy("the service is about to stop", 5)
    if trouble := house.store.trouble():
        raise busy(f"the store cannot be read and written at the moment: {trouble}", 5)
    return Health(status="ready")


@router.get("/metrics", response_class=PlainTextResponse, summary="Figures for Prometheus")
def metrics(house: TheHouse) -> Response:
    """Requests, their times, actions, followers."""
    return Response(house.metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")


@router.get("/problems", response_class=PlainTextResponse, summary="Every problem there is")
async def problems() -> Response:
    """The closed list of problem types, with their status codes; each has a page of its own."""
    rows = [f"/problems/{kind} ({meaning.status}): {meaning.title}" for kind, meaning in PROBLEMS.items()]
    return PlainTextResponse('Every "no" of this service is one of these:\n\n' + "\n".join(rows) + "\n")


@router.get(
    "/problems/{kind}",
    response_class=PlainTextResponse,
    responses=replies.problems("not-found", "invalid"),
    summary="What a problem means",
)
async def problem(kind: str) -> Response:
    """The page that the `type` of a problem names."""
    meaning = PROBLEMS.get(kind)
    if meaning is None:
        raise not_found(f"there is no such problem; known: {', '.join(PROBLEMS)}")
    words = [f"- {word}: {said}" for word, said in UNDO_WORDS.items()] if kind == "undo-refused" else []
    listed = "\nThe words:\n\n" + "\n".join(words) + "\n" if words else ""
    return PlainTextResponse(f"{kind}: {meaning.title} ({meaning.status})\n\n{meaning.text}\n{listed}")
