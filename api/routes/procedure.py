"""Procedure: rulings, disputes, the end, new secrets. Law: a ruling has a reason, and only the referee makes one."""

from typing import Annotated

from fastapi import APIRouter, Body, Path
from pydantic import BaseModel
from starlette.responses import JSONResponse, Response

from api import answers, replies
from api.asking import BattlePath, NumberPath, TheCaller, TheWriter, number
from api.examples import DISPUTES, RESOLUTIONS, RULINGS
from api.guard import GuardedRoute
from api.previews import DryRun, answered
from api.problems import not_found
from api.seats import new_secret
from domain.procedure import DisputeAsked, Resolution, Ruling
from domain.refusals import forbidden
from domain.words import Asked, Text
from replays.shelf import digest
from replays.store import SeatRow

router = APIRouter(prefix="/v1/battles/{battle}", tags=["procedure"], route_class=GuardedRoute)


class Closing(Asked):
    """Why the battle is closed."""

    reason: Text = ""


class Nothing(Asked):
    """Nothing more need be said."""


class NewSecret(BaseModel):
    """The seat's new secret, shown once."""

    seats: dict[str, str]


@router.post(
    "/rulings",
    status_code=201,
    response_model=answers.Written,
    responses=replies.write(DryRun, "rule-refused"),
    summary="The referee decides",
)
def rule(caller: TheWriter, battle: BattlePath, ruling: Annotated[Ruling, Body(openapi_examples=RULINGS)]) -> Response:
    """Make a ruling: about an entry or about nothing, with the rule it cites, a reason, and what it changes of figs."""
    visit = caller.visit(battle)
    return answered(caller.house.referee.rule(battle, ruling, caller.asked(visit, ruling)))


@router.post(
    "/disputes",
    status_code=201,
    response_model=answers.Written,
    responses=replies.write(DryRun, "rule-refused"),
    summary="Question an entry",
)
def dispute(
    caller: TheWriter, battle: BattlePath, asked: Annotated[DisputeAsked, Body(openapi_examples=DISPUTES)]
) -> Response:
    """Open a dispute about an entry; anybody seated may. It is open until it is ruled, agreed or withdrawn."""
    visit = caller.visit(battle)
    return answered(caller.house.referee.dispute(battle, asked, caller.asked(visit, asked)))


@router.post(
    "/disputes/{dispute_number}/resolve",
    status_code=201,
    response_model=answers.Written,
    responses=replies.write(DryRun, "rule-refused"),
    summary="Settle a dispute",
)
def resolve(
    caller: TheWriter,
    battle: BattlePath,
    dispute_number: NumberPath,
    how: Annotated[Resolution, Body(openapi_examples=RESOLUTIONS)],
) -> Response:
    """Say one: `ruling` (the seq of one; referee), `agreed` (the side in question), `withdrawn` (who opened it).

    Who opened a dispute does not agree to it, but withdraws it; the referee settles by a ruling, or withdraws it.
    """
    visit = caller.visit(battle)
    which = number(dispute_number, "dispute")
    return answered(caller.house.referee.resolve(battle, which, how, caller.asked(visit, how)))


@router.post(
    "/close",
    status_code=201,
    response_model=answers.Written,
    responses=replies.write(DryRun, "rule-refused"),
    summary="Close a battle that has ended, for good",
)
def close(caller: TheWriter, battle: BattlePath, asked: Closing | None = None) -> Response:
    """Close the battle: after this nothing is written any more, no undo either. Only the referee may."""
    visit = caller.visit(battle)
    return answered(caller.house.referee.close(battle, asked.reason if asked else "", caller.asked(visit, asked)))


@router.post(
    "/seats/{seat}/rotate",
    response_model=NewSecret,
    responses=replies.problems(*replies.READ, "forbidden", "too-large", "unsupported-media-type"),
    summary="A new secret for a seat",
)
def rotate(
    caller: TheCaller,
    battle: BattlePath,
    seat: Annotated[str, Path(description="`referee`, `side:red`, ...; `spectator` where the battle is private")],
    _nothing: Nothing | None = None,
) -> Response:
    """Give a seat a new secret; the old one opens nothing from now on. Only the referee may; this is not in the log."""
    visit = caller.visit(battle)
    if visit.seat.role != "referee":
        forbidden("only the referee gives out new secrets")
    known = caller.house.store.seat_digests(battle)
    if seat not in known:
        raise not_found(f"this battle has no such seat; it has {', '.join(sorted(known))}")
    secret = new_secret()
    caller.house.store.replace_seat(SeatRow(battle, seat, digest(secret.encode())))
    return JSONResponse({"seats": {seat: secret}}, headers={"Cache-Control": "no-store"})
