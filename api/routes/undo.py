"""Undo and redo. Law: nothing is deleted; what falls is struck out, at once or with everybody's consent."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body
from pydantic import Discriminator, Tag
from starlette.responses import Response

from api import answers, replies
from api.asking import BattlePath, NumberPath, TheWriter, number
from api.examples import REDOS, UNDOS
from api.guard import GuardedRoute
from api.previews import DryUndo, falling, foreseen
from domain.record import Act, Record, span_from
from domain.undo import restorable
from domain.words import Asked, Seq, Text
from replays.referee import Preview, Receipt
from replays.shelf import Book

router = APIRouter(prefix="/v1/battles/{battle}", tags=["undo"], route_class=GuardedRoute)


class UndoAsked(Asked):
    """Strike out that action and everything after it."""

    to_before: Seq
    reason: Text = ""


class RedoAsked(Asked):
    """Restore what was struck out last."""

    reason: Text = ""


class Agreement(Asked):
    """A side says yes or no; `head` is the battle's `head` that it saw: nobody agrees to more than was shown."""

    agree: bool
    head: Seq


class Withdrawal(Asked):
    """Who asked, or the referee, takes the request back."""

    withdraw: Literal[True]


def _which(value: Any) -> str:
    return "withdrawal" if isinstance(value, dict) and "withdraw" in value else "agreement"


Answer = Annotated[
    Annotated[Agreement, Tag("agreement")] | Annotated[Withdrawal, Tag("withdrawal")], Discriminator(_which)
]

_EXAMPLES = {
    "agree": {"summary": "Agree to what was shown", "value": {"agree": True, "head": 57}},
    "refuse": {"summary": "Refuse", "value": {"agree": False, "head": 57}},
    "withdraw": {"summary": "Take the request back", "value": {"withdraw": True}},
}


@router.post(
    "/undo",
    status_code=201,
    response_model=answers.Written,
    responses=replies.write(DryUndo, "undo-refused"),
    summary="Take back an action and all after it",
)
def undo(caller: TheWriter, battle: BattlePath, asked: Annotated[UndoAsked, Body(openapi_examples=UNDOS)]) -> Response:
    """Strike out the action whose first entry is `to_before`, and all after it.

    A side's own quiet acts of this turn fall at once; for a roll, another side's act or the end of a turn every other
    side still playing has to agree (the batch then is `UndoAsked`, answered at `/undo/{request}`); the referee may at
    any time, with a reason. `GET /turns` says for every action who may. A dry run lists what `falls`.
    """
    visit = caller.visit(battle)
    result = caller.house.referee.undo(battle, asked.to_before, asked.reason, caller.asked(visit, asked))
    return _answered(result, visit.book, lambda record: span_from(record.tip, asked.to_before))


@router.post(
    "/undo/{request_number}",
    status_code=201,
    response_model=answers.Written,
    responses=replies.write(DryUndo, "undo-refused"),
    summary="Agree to an undo, refuse it or withdraw it",
)
def answer(
    caller: TheWriter,
    battle: BattlePath,
    request_number: NumberPath,
    said: Annotated[Answer, Body(openapi_examples=_EXAMPLES)],
) -> Response:
    """Answer an open request; the last side that agrees carries it out.

    What was done since somebody agreed voids that agreement: an answer for a head that is not the present one is 412.
    """
    visit = caller.visit(battle)
    which = number(request_number, "undo request")
    referee, asked = caller.house.referee, caller.asked(visit, said)
    if isinstance(said, Withdrawal):
        result = referee.withdraw(battle, which, asked)
    else:
        result = referee.answer(battle, which, said.head, asked, agree=said.agree)
    return _answered(result, visit.book, _asked_for)


@router.post(
    "/redo",
    status_code=201,
    response_model=answers.Written,
    responses=replies.write(DryUndo, "undo-refused"),
    summary="Restore what was struck out last",
)
def redo(
    caller: TheWriter,
    battle: BattlePath,
    asked: Annotated[RedoAsked | None, Body(openapi_examples=REDOS)] = None,
) -> Response:
    """Restore the span that was undone last, if nothing was done since; who may is said as for undo."""
    visit = caller.visit(battle)
    result = caller.house.referee.redo(battle, asked.reason if asked else "", caller.asked(visit, asked))
    return _answered(result, visit.book, restorable)


def _answered(result: Receipt | Preview, book: Book, span: Callable[[Record], list[Act]]) -> Response:
    """What was written; or in a dry run what would happen, and to which span of acts."""
    if isinstance(result, Preview):
        return foreseen(result, result.record.battle, falling(book, span(result.record)))
    return answers.written(result)


def _asked_for(record: Record) -> list[Act]:
    request = record.docket.request
    if request is None:
        return []
    return restorable(record) if request.what == "redo" else span_from(record.tip, request.to_before)
