"""Entries: the log itself. Law: the bytes that were stored, never made again; as a page, as a stream, or live."""

from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from starlette.responses import Response, StreamingResponse

from api import answers, replies
from api.asking import MOST_ROWS, After, BattlePath, Limit, TheReader, wanted
from api.guard import GuardedRoute
from api.live import LiveResponse
from replays.codec import lines
from replays.shelf import Book

router = APIRouter(prefix="/v1/battles/{battle}", tags=["log"], route_class=GuardedRoute)

_FORMS: dict[str, Any] = {
    "description": "the stored bytes, in the form that `Accept` asks for",
    "content": {
        "application/jsonl": {"schema": {"type": "string", "description": "one entry a line, all of them"}},
        "text/event-stream": {
            "schema": {"type": "string", "description": "`id:` the seq, `event:` the type, `data:` the entry"}
        },
    },
}


@router.get(
    "/entries",
    response_model=answers.Entries,
    responses=replies.read(**replies.NEXT) | {200: {"headers": replies.ETAG | replies.NEXT} | _FORMS},
    summary="The log: a page of it, all of it, or live",
)
def entries(
    request: Request,
    caller: TheReader,
    battle: BattlePath,
    after: After = 0,
    limit: Limit = 100,
    last_event_id: Annotated[
        str | None,
        Header(
            alias="Last-Event-ID",
            pattern=r"^[0-9]{1,16}$",
            description="live: the id of the last frame that was seen; goes before `after`",
        ),
    ] = None,
) -> Response:
    """The entries after a seq, as they are stored; a branch with the past that it inherits.

    The `Accept` header chooses the form: `application/json` is a page, with `Link: rel=next` while there is more;
    `application/jsonl` streams everything there is; `text/event-stream` sends what there is and then follows live, undo
    and rulings included. A feed that broke off goes on without a gap or a double with `Last-Event-ID` (or `after`).
    """
    visit = caller.visit(battle)
    form = wanted(request.headers.get("accept", "*/*"))
    if form == "live":
        seen = after if last_event_id is None else int(last_event_id)
        return LiveResponse(caller.house.feed, visit, seen)
    head = visit.book.head
    if form == "jsonl":
        headers = {"ETag": answers.etag(head), "Cache-Control": "private, no-cache", "Vary": "Accept, Authorization"}
        return StreamingResponse(_streamed(visit.book, after, head), headers=headers, media_type="application/jsonl")
    last = min(head, after + min(limit, MOST_ROWS))
    query = request.url.include_query_params(after=last).query
    following = f"/v1/battles/{battle}/entries?{query}" if last < head else None
    return answers.page(request, visit.book.data(after, last), head, following)


def _streamed(book: Book, after: int, head: int) -> Iterator[bytes]:
    while after < head:
        last = min(head, after + MOST_ROWS)
        yield lines(book.data(after, last))
        after = last
