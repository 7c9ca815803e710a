"""Actions: what is done on the table. Law: one request is one batch of entries, all of it or none."""

from typing import Annotated

from fastapi import APIRouter, Body
from starlette.responses import Response

from api import answers, replies
from api.asking import BattlePath, TheWriter
from api.examples import ACTIONS
from api.guard import GuardedRoute
from api.previews import DryRun, answered
from domain.commands import Command
from replays.referee import Receipt

router = APIRouter(prefix="/v1/battles/{battle}", tags=["play"], route_class=GuardedRoute)


@router.post(
    "/actions",
    status_code=201,
    response_model=answers.Written,
    responses=replies.write(DryRun, "rule-refused", "dice-wanted"),
    summary="Act: move, shoot, fight, end the turn, ...",
)
def act(caller: TheWriter, battle: BattlePath, command: Annotated[Command, Body(openapi_examples=ACTIONS)]) -> Response:
    """Carry out one action; `do` says which.

    A side acts for its own figs in its own turn, the referee for any. An action of a later phase ends the phases before
    it. Where people throw, send the faces in `dice` in the order in which the rules ask; with too few the answer is
    `dice-wanted`, and the same action is sent again with more. A dry run says what would happen, or which dice would be
    thrown first; it never throws any.
    """
    visit = caller.visit(battle)
    result = caller.house.referee.act(battle, command, caller.asked(visit, command))
    if isinstance(result, Receipt) and not result.replayed:
        caller.house.metrics.acted(visit.book.record.battle.system, command.do)
    return answered(result)
