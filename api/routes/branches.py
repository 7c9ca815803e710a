"""Branches: what might have been. Law: a branch shares its parent's past by reference and never touches the parent."""

from typing import Annotated

from fastapi import APIRouter, Body
from pydantic import BaseModel, Field
from starlette.responses import Response

from api import answers, replies
from api.asking import BattlePath, TheReader, TheWriter
from api.examples import BRANCHES
from api.guard import GuardedRoute
from api.previews import DryRun, foreseen
from projections.compare import Comparison, compare
from projections.walk import Log
from replays.referee import BranchAsked, Preview, Referee
from replays.shelf import Book

router = APIRouter(prefix="/v1/battles/{battle}", tags=["branches"], route_class=GuardedRoute)

MOST = 1_000
"""A tree shows no more branches than this."""


class Branch(BaseModel):
    """A what-if."""

    id: str
    parent: str
    at: int = Field(description="the last entry that it shares with its parent")
    depth: int = Field(description="1 for a branch of the battle itself, 2 for a branch of that, ...")
    title: str
    seq: int = Field(description="its last entry")
    turn: int
    status: str


class Tree(BaseModel):
    """The branches below a battle, each behind its parent, in the order in which they part from it."""

    battle: str
    parent: str | None = Field(description="the battle that this one parts from")
    at: int | None = Field(description="and where")
    branches: list[Branch]
    complete: bool = Field(description="false where there are too many to show")


@router.post(
    "/branches",
    status_code=201,
    response_model=answers.Opened,
    responses=replies.write(DryRun, headers=replies.LOCATION),
    summary="Open a what-if",
)
def branch(
    caller: TheWriter,
    battle: BattlePath,
    asked: Annotated[BranchAsked | None, Body(openapi_examples=BRANCHES)] = None,
) -> Response:
    """Begin a battle whose past is this one's entries 1 to `at` (the head, if left out).

    It answers every battle endpoint. `dice`: `fresh` ones, `table`, or `recorded`: rolls get the faces that fell in the
    parent later, in order, and fresh ones after that. The answer holds new secrets; the parent's do not work there. On
    a tournament table (policy `what_if: after`) only the referee may before the battle has ended.
    """
    visit = caller.visit(battle)
    result = caller.house.referee.branch(battle, asked or BranchAsked(), caller.asked(visit))
    return foreseen(result, result.record.battle) if isinstance(result, Preview) else answers.opened(result)


@router.get("/branches", response_model=Tree, responses=replies.problems(*replies.READ), summary="The tree of what-ifs")
def branches(caller: TheReader, battle: BattlePath) -> Response:
    """Every branch below this battle."""
    caller.visit(battle)
    referee = caller.house.referee
    found, complete = _below(referee, battle)
    own = referee.store.branch_of(battle)
    tree = Tree(
        battle=battle,
        parent=own.parent if own else None,
        at=own.at if own else None,
        branches=found,
        complete=complete,
    )
    return Response(tree.model_dump_json(), headers={"Cache-Control": "private, no-cache"}, media_type=answers.JSON)


def _below(referee: Referee, battle: str) -> tuple[list[Branch], bool]:
    found: list[Branch] = []
    to_come = [(row, 1) for row in reversed(referee.store.branches(battle))]
    while to_come:
        row, depth = to_come.pop()
        if len(found) == MOST:
            return found, False
        summary = referee.store.summary(row.battle)
        if summary is not None:
            found.append(
                Branch(
                    id=row.battle,
                    parent=row.parent,
                    at=row.at,
                    depth=depth,
                    title=summary.title,
                    seq=summary.head,
                    turn=summary.turn,
                    status=summary.status,
                )
            )
        to_come += [(below, depth + 1) for below in reversed(referee.store.branches(row.battle))]
    return found, True


@router.get(
    "/compare/{other}",
    response_model=Comparison,
    responses=replies.problems(*replies.READ),
    summary="Compare two lines",
)
def compare_battles(caller: TheReader, battle: BattlePath, other: BattlePath) -> Response:
    """Where two battles part, and how their tables differ now. A private one has to be open to the same secret."""
    ours = caller.visit(battle).book
    theirs = caller.compared(other).book
    headers = {"Cache-Control": "private, no-cache"}
    body = compare(_log(ours), _log(theirs)).model_dump_json()
    return Response(body, headers=headers, media_type=answers.JSON)


def _log(book: Book) -> Log:
    seq = book.head
    return Log(book.battle, book.record_at(seq), book.entries(0, seq))
