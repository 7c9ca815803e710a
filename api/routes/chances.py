"""Chances: what an action may come to, and how a battle may go on. Law: asking draws no die and writes no entry."""

from collections.abc import Callable
from time import monotonic, sleep, thread_time
from typing import Annotated, Any, Final

from fastapi import APIRouter, Body
from pydantic import BaseModel
from starlette.responses import Response

from api import answers, replies
from api.asking import At, BattlePath, TheCaller, moment
from api.examples import ACTIONS
from api.forecasts import MOST_SECONDS, MOST_TOGETHER, ForecastAsked, ForecastView, forecast_view
from api.guard import GuardedRoute
from api.problems import busy, invalid
from api.seats import Visit
from domain import procedure, rolls
from domain.commands import Command
from domain.record import Record
from domain.refusals import battle_over
from domain.systems.chances import asked_as, odds_of
from projections.odds_view import OddsView, odds_view
from replays.forecast import forecast
from replays.roller import new_seed

router = APIRouter(prefix="/v1/battles/{battle}", tags=["reports"], route_class=GuardedRoute)

_ASKED: Final = ("nme_shoot", "nme_template", "nme_recover", "mfd_shoot", "mfd_fight")
ODDS: Final[dict[str, Any]] = {
    name: {
        "summary": ACTIONS[name]["summary"],
        "value": {field: value for field, value in ACTIONS[name]["value"].items() if field != "dice"},
    }
    for name in _ASKED
}
"""The examples of actions whose odds can be asked: without dice."""

FORECASTS: Final[dict[str, Any]] = {
    "plain": {"summary": "A hundred games of twenty more turns", "value": {}},
    "again": {"summary": "The same games again", "value": {"games": 20, "turns": 10, "seed": "club-night"}},
}

_PROBLEMS: Final = (
    *replies.READ,
    *("not-your-fig", "forbidden", "battle-over", "method-not-allowed", "too-large", "unsupported-media-type"),
)
_AS_OF: Final[replies.Responses] = {200: {"description": "as of the entry that `ETag` names", "headers": replies.ETAG}}

ODDS_SECONDS: Final = 1.5
"""Seconds of a processor after which exact chances are given up: what hangs together so much is not worth more."""

_YIELD: Final = 0.0002
"""Seconds that a forecast lets others go first, after each turn that it plays."""


@router.post(
    "/odds",
    response_model=OddsView,
    responses=_AS_OF | replies.problems(*_PROBLEMS, "rule-refused"),
    summary="The exact chances of an action",
)
def odds(
    caller: TheCaller, battle: BattlePath, command: Annotated[Command, Body(openapi_examples=ODDS)], at: At = None
) -> Response:
    """Work out what an action may come to, before it is rolled: every outcome with its exact chance.

    The body is that of `POST .../actions`, without `dice`. Whoever may read may ask, for either side; what the rules
    would refuse is refused in the same words. Nothing is thrown and nothing is written. What hangs together too much
    to be told exactly is 422; two are worked out at a time, and who would wait for longer than a second is 503.
    """
    visit = caller.visit(battle)
    record, seq = _moment(visit, at)
    _check_open(record)
    by = asked_as(record.battle, command, visit.seat)
    with caller.house.odds.passed():
        told = odds_of(record.battle, command, by, _worked_out())
        return _fresh(seq, odds_view(battle, seq, record.battle, command, told))


@router.post(
    "/forecast",
    response_model=ForecastView,
    responses=_AS_OF | replies.problems(*_PROBLEMS),
    summary="How the battle may go on",
)
def foresee(
    caller: TheCaller,
    battle: BattlePath,
    asked: Annotated[ForecastAsked | None, Body(openapi_examples=FORECASTS)] = None,
    at: At = None,
) -> Response:
    """Play the battle on many times from an entry, by the real rules and with plain tactics for every side.

    Games times turns are at most 5,000, and after five seconds the answer tells of the games that were played. The same
    `seed`, `games` and `turns` give the same figures. Where the policy lets participants open what-ifs only after the
    battle (`what_if: after`), that holds for forecasts, too.
    """
    visit, asked = caller.visit(battle), asked or ForecastAsked()
    record, seq = _moment(visit, at)
    procedure.may_branch(visit.book.record, visit.seat)
    if asked.games * asked.turns > MOST_TOGETHER:
        message = f"games times turns may be at most {MOST_TOGETHER:,}; `battlelog forecast` plays more"
        raise invalid([{"pointer": "/games", "message": message}])
    playing = caller.house.forecasting
    if not playing.acquire(blocking=False):
        raise busy("another forecast is being played; ask again in a moment", MOST_SECONDS)
    try:
        told = forecast(
            record.battle,
            asked.seed or new_seed().hex(),
            games=asked.games,
            turns=asked.turns,
            enough=_in_time(),
        )
    finally:
        playing.release()
    if not told.games:
        message = f"not one game of so many turns is over in {MOST_SECONDS} seconds here; ask for fewer turns"
        raise invalid([{"pointer": "/turns", "message": message}])
    return _fresh(seq, forecast_view(battle, seq, record.battle, asked.games, told))


def _moment(visit: Visit, at: int | None) -> tuple[Record, int]:
    """The record at the end of an action. Raises `Problem`."""
    seq, book = moment(visit, at), visit.book
    if not book.ends(seq):
        near = book.nearest_end(seq) or book.first_end
        message = f"in the middle of an action nothing is asked; the nearest end is {near}"
        raise invalid([{"parameter": "at", "message": message, "legal": [str(near)]}])
    return book.record_at(seq), seq


def _check_open(record: Record) -> None:
    """Refuse what no action could do now: on a closed log, or while a roll waits for its dice."""
    if record.docket.closed:
        battle_over("the battle is closed; nothing is written any more")
    rolls.check_settled(record)


def _in_time() -> Callable[[], bool]:
    """Whether it took too long by now; asked after every turn, and lets the server's other threads go first."""
    end = monotonic() + MOST_SECONDS

    def over() -> bool:
        sleep(_YIELD)
        return monotonic() > end

    return over


def _worked_out() -> Callable[[], bool]:
    """Whether this thread has worked for too long by now, however long it waited for the others."""
    end = thread_time() + ODDS_SECONDS
    return lambda: thread_time() > end


def _fresh(seq: int, view: BaseModel) -> Response:
    headers = {"ETag": answers.etag(seq), "Cache-Control": "no-store"}
    return Response(view.model_dump_json(), 200, headers, answers.JSON)
