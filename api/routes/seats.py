"""Seats and rolls: keys, shared dice, dice typed and confirmed. Law: one roll is open at a time, for all to see."""

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from api import answers, replies
from api.asking import BattlePath, NumberPath, TheWriter, number
from api.guard import GuardedRoute
from api.previews import DryRun, answered
from domain.rolls import Confirm, Forfeit, Join, Release, Renew

router = APIRouter(prefix="/v1/battles/{battle}", tags=["dice and seats"], route_class=GuardedRoute)

SeatPath = Annotated[str, Path(description="`referee`, `side:red`, ...")]


@router.post(
    "/seats/{seat}/join",
    status_code=201,
    response_model=answers.Written,
    responses=replies.write(DryRun, "rule-refused"),
    summary="Show a seat's key, and commit to its dice",
)
def join(caller: TheWriter, battle: BattlePath, seat: SeatPath, asked: Join) -> Response:
    r"""Join with an Ed25519 key; a side that contributes to the dice sends the anchor of its chain as well.

    `proof` signs `"wlog/v1/join\n" || battle || party || epoch || length || key || anchor`. From then on the seat's
    requests have to be signed (`Battlelog-Signature`).
    """
    visit = caller.visit(battle)
    return answered(caller.house.referee.join(battle, seat, asked, caller.asked(visit, asked)))


@router.post(
    "/rolls/{roll}/release",
    status_code=201,
    response_model=answers.Written,
    responses=replies.write(DryRun, "rule-refused"),
    summary="Open this seat's link for a roll",
)
def release(caller: TheWriter, battle: BattlePath, roll: NumberPath, asked: Release) -> Response:
    """Release the next link of this seat's chain for the open roll; the last seat's release carries the action out."""
    visit = caller.visit(battle)
    return answered(caller.house.referee.release(battle, number(roll, "roll"), asked, caller.asked(visit, asked)))


@router.post(
    "/rolls/{roll}/forfeit",
    status_code=201,
    response_model=answers.Written,
    responses=replies.write(DryRun, "rule-refused"),
    summary="End the wait for a seat's link",
)
def forfeit(caller: TheWriter, battle: BattlePath, roll: NumberPath, asked: Forfeit) -> Response:
    """The referee ends the wait; the roll counts as the worst for the seat that withheld its link (DICE-04)."""
    visit = caller.visit(battle)
    return answered(caller.house.referee.forfeit(battle, number(roll, "roll"), asked, caller.asked(visit, asked)))


@router.post(
    "/dice/renew",
    status_code=201,
    response_model=answers.Written,
    responses=replies.write(DryRun, "rule-refused"),
    summary="Commit to new dice",
)
def renew(caller: TheWriter, battle: BattlePath, asked: Renew) -> Response:
    """The referee has the service commit to a new chain: its seed is elsewhere (imported), or an open roll is void.

    A void roll changes nothing on the table, and its index is never used (DICE-07).
    """
    visit = caller.visit(battle)
    return answered(caller.house.referee.renew(battle, asked.reason, caller.asked(visit, asked)))


@router.post(
    "/rolls/{roll}/confirm",
    status_code=201,
    response_model=answers.Written,
    responses=replies.write(DryRun, "rule-refused"),
    summary="Confirm dice that another seat typed in",
)
def confirm(caller: TheWriter, battle: BattlePath, roll: NumberPath, asked: Confirm) -> Response:
    """Say which faces lay on the table; other faces than those typed in contest them, and then the referee decides."""
    visit = caller.visit(battle)
    return answered(caller.house.referee.confirm(battle, number(roll, "roll"), asked, caller.asked(visit, asked)))
