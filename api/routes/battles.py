"""Battles: opening them, the desk, the table. Law: anybody may open one, and its secrets are shown once."""

from typing import Annotated

from fastapi import APIRouter, Body, Query, Request
from starlette.responses import Response

from api import answers, replies
from api.asking import LATEST, MOST_ROWS, After, At, BattlePath, Limit, Opener, TheReader, moment, refuse_both
from api.desk import Desk, Status, Wanted, desk
from api.examples import OPENINGS
from api.guard import GuardedRoute
from api.house import TheHouse
from api.previews import DryRun, foreseen
from api.problems import not_found
from domain import events as e
from domain.muster import NewBattle
from domain.timeline import effective
from projections.table import TableView, table_view
from replays.referee import Preview
from replays.shelf import Book

router = APIRouter(prefix="/v1/battles", tags=["battles"], route_class=GuardedRoute)


@router.post(
    "",
    status_code=201,
    response_model=answers.Opened,
    responses=replies.write(DryRun, "rule-refused", headers=replies.LOCATION),
    summary="Open a battle",
)
def open_battle(caller: Opener, new: Annotated[NewBattle, Body(openapi_examples=OPENINGS)]) -> Response:
    """Muster two to eight sides and begin; anybody may.

    `seats` in the answer holds the secret of the referee and of each side (and of spectators, if the battle is
    private). They are shown once and kept nowhere. Lengths are inches with at most three decimals. With `dice: server`
    the service throws, out of a chain that it commits itself to before the first roll; with `dice: table` people throw
    and send the faces.
    """
    result = caller.house.referee.open(new, caller.asked(None))
    return foreseen(result, None) if isinstance(result, Preview) else answers.opened(result)


@router.get(
    "",
    response_model=Desk,
    responses=replies.listing(),
    summary="The referee's desk: every table",
)
def list_battles(
    request: Request,
    house: TheHouse,
    after: After = 0,
    limit: Limit = 100,
    event: Annotated[str | None, Query(max_length=80, description="only battles with this tag")] = None,
    round: Annotated[str | None, Query(max_length=80, description="only battles with this tag")] = None,  # noqa: A002 - the word of the tag
    status: Annotated[Status | None, Query(description="only battles that stand so")] = None,
) -> Response:
    """Tables in the order in which they were stored, with open disputes and undo requests, without private ones."""
    page = desk(house.referee, house.notary.forked, after, min(limit, MOST_ROWS), Wanted(event, round, status))
    headers = {"Cache-Control": "no-cache"}
    if page.next is not None:
        query = request.url.include_query_params(after=page.next).query
        headers["Link"] = answers.link(request, f"/v1/battles?{query}")
    return Response(page.model_dump_json(), headers=headers, media_type=answers.JSON)


@router.get("/{battle}", response_model=TableView, responses=replies.read(), summary="The table")
def read_battle(
    request: Request,
    caller: TheReader,
    battle: BattlePath,
    at: At = None,
    turn: Annotated[
        int | None,
        Query(ge=1, le=LATEST, description="the table at the end of this turn, or as it is now in the present one"),
    ] = None,
) -> Response:
    """The table as it stands; or as it stood after an entry (`at`), or at the end of a turn that counts (`turn`)."""
    if at is not None and turn is not None:
        refuse_both()
    visit = caller.visit(battle)
    seq = _end_of(visit.book, turn) if turn is not None else moment(visit, at)

    def made() -> TableView:
        return table_view(battle, visit.book.record_at(seq), visit.book.entries(0, seq))

    return answers.view(request, seq, made)


def _end_of(book: Book, turn: int) -> int:
    """The last entry of a turn on the line, as the line is now. Raises `Problem`."""
    head = book.head
    present = book.record_at(head).battle.turn
    if turn > present:
        raise not_found(f"turn {turn} has not begun; it is turn {present}")
    for entry in effective(book.entries(0, head)):
        if isinstance(entry.body, e.TurnStarted) and entry.body.turn == turn + 1:
            return entry.seq - 1
    return head
