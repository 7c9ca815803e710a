"""The pages: battles for people with a browser. Law: they only read, need no script, and show what the API answers.

`/` is the desk, `/standings` who stands how across battles, `/battles/{id}` a battle at any moment,
`/battles/{id}/entries/{seq}` why an entry is as it is.
"""

from pathlib import Path
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request
from starlette.responses import FileResponse, Response

from api.asking import MOST_ROWS, After, At, BattlePath, Limit, NumberPath, TheReader, moment, number
from api.desk import Status, Wanted, desk
from api.pages.names import side_names
from api.pages.rendering import PageRoute, page
from api.pages.scene import scene_of
from api.pages.tree import tree_of
from api.saying import dice_of, lost, may_fall, result, struck, verdicts
from api.totals import arsenal, standings
from projections.why import why
from projections.wording import COVER, SYSTEMS, fig_name, phase_name, seat_name, side_name
from replays.codec import lines
from replays.store import Filter

router = APIRouter(include_in_schema=False, route_class=PageRoute)

Word = Annotated[str | None, Query(max_length=80)]
"""A filter; one that was left empty in the form filters nothing."""


STYLE: Final = Path(__file__).parent.parent / "static" / "pages.css"


@router.get("/static/pages.css")
async def style() -> Response:
    """The one thing that a page needs beside itself."""
    return FileResponse(STYLE, media_type="text/css", headers={"Cache-Control": "no-cache"})


@router.get("/")
def desk_page(
    request: Request,
    caller: TheReader,
    event: Word = None,
    round: Word = None,  # noqa: A002 - the word of the contract
    status: Word = None,
    after: After = 0,
    limit: Limit = 50,
) -> Response:
    """Every battle that is not private; on each page those that need attention come first."""
    asked = {"event": event, "round": round, "status": status}
    filters = {name: value for name, value in asked.items() if value}
    known: Status | None = next((s for s in STATUSES if s == status), None)
    house, wanted = caller.house, Wanted(event or None, round or None, known)
    found = desk(house.referee, house.notary.forked, after, min(limit, MOST_ROWS), wanted)
    rows = sorted(found.battles, key=lambda row: not (row.disputes or row.undo_request or row.damaged or row.forked))
    return page(
        request,
        "desk.html",
        desk=found,
        rows=rows,
        names={
            row.id: side_names(caller.house.store, row.id)
            for row in rows
            if row.status == "playing" or row.undo_request
        },
        filters=filters,
        after=after,
        limit=limit,
        statuses=STATUSES,
        systems=SYSTEMS,
    )


@router.get("/standings")
def standings_page(
    request: Request,
    caller: TheReader,
    event: Word = None,
    round: Word = None,  # noqa: A002 - the word of the contract
    after: After = 0,
    limit: Limit = 100,
) -> Response:
    """Players and weapons of an event, or of all battles that are not private."""
    filters = {name: value for name, value in {"event": event, "round": round}.items() if value}
    wanted = Filter(event or None, round or None)
    store, most = caller.house.store, min(limit, MOST_ROWS)
    return page(
        request,
        "standings.html",
        standings=standings(store, wanted, most, after),
        weapons=arsenal(store, wanted, MOST_WEAPONS, 0).weapons,
        filters=filters,
        after=after,
        limit=limit,
        systems=SYSTEMS,
    )


MOST_WEAPONS: Final = 50
"""A page shows the weapons that were used most."""

STATUSES: tuple[Status, ...] = ("playing", "ended", "closed")


@router.get("/battles/{battle}")
def battle_page(
    request: Request, caller: TheReader, battle: BattlePath, at: At = None, log: Annotated[str, Query()] = ""
) -> Response:
    """A battle as it stands, or stood after entry `at`; `log=all` shows every turn of a long one."""
    visit = caller.visit(battle)
    seq = moment(visit, at)
    return page(
        request,
        "battle.html",
        id=battle,
        seq=seq,
        at=at,
        scene=scene_of(visit.book, seq, whole=log == "all"),
        tree=tree_of(caller.house.store, battle),
        say=SAY,
    )


SAY = {
    "cover": COVER.get,
    "dice": dice_of,
    "fig": fig_name,
    "lost": lost,
    "may_fall": may_fall,
    "phase": phase_name,
    "result": result,
    "seat": seat_name,
    "side": side_name,
    "struck": struck,
    "system": SYSTEMS.get,
    "verdicts": verdicts,
}
"""The words that templates ask for."""


@router.get("/battles/{battle}/entries/{seq}")
def entry_page(request: Request, caller: TheReader, battle: BattlePath, seq: NumberPath) -> Response:
    """Why an entry is as it is."""
    visit = caller.visit(battle)
    wanted = moment(visit, number(seq, "entry"))
    book, head = visit.book, visit.book.head
    table = book.record_at(wanted).battle
    told = why(book.entries(0, head), wanted)
    title = book.record.battle.title
    return page(request, "entry.html", id=battle, title=title, head=head, why=told, battle=table, say=SAY)


@router.get("/battles/{battle}/log.jsonl")
def log_file(caller: TheReader, battle: BattlePath) -> Response:
    """The log as a file: what `battlelog export` writes."""
    book = caller.visit(battle).book
    headers = {
        "Content-Disposition": f'attachment; filename="{battle}.jsonl"',
        "Cache-Control": "private, no-cache",
        "Vary": "Authorization",
    }
    return Response(lines(book.data()), headers=headers, media_type="application/jsonl")
