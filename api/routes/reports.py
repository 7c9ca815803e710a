"""Reports: a fig, the history, the losses, the reasons. Law: told from the log alone; what is struck out counts not."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from api import answers, replies
from api.asking import At, BattlePath, FigPath, NumberPath, TheReader, moment, number
from api.guard import GuardedRoute
from projections.casualties import CasualtyReport, casualty_report
from projections.figs import FigView, fig_view
from projections.turns import TurnHistory, turn_history
from projections.why import WhyView, why

router = APIRouter(prefix="/v1/battles/{battle}", tags=["reports"], route_class=GuardedRoute)


@router.get("/figs/{fig}", response_model=FigView, responses=replies.read(), summary="One fig, and what made it so")
def fig(request: Request, caller: TheReader, battle: BattlePath, fig: FigPath, at: At = None) -> Response:
    """A fig's state by replay, and the entries that made it so."""
    visit = caller.visit(battle)
    book, seq = visit.book, moment(visit, at)
    return answers.view(request, seq, lambda: fig_view(battle, book.record_at(seq), book.entries(0, seq), fig))


@router.get(
    "/turns", response_model=TurnHistory, responses=replies.read(), summary="The history, and what can be undone"
)
def turns(request: Request, caller: TheReader, battle: BattlePath) -> Response:
    """Every action by turn and phase: in plain words, struck out or not, and which seat may take it back."""
    book = caller.visit(battle).book
    seq = book.head
    return answers.view(request, seq, lambda: turn_history(battle, book.record_at(seq), book.entries(0, seq)))


@router.get("/casualties", response_model=CasualtyReport, responses=replies.read(), summary="The casualty report")
def casualties(request: Request, caller: TheReader, battle: BattlePath, at: At = None) -> Response:
    """Who fell, by whom, with what, from where, in which turn and entry; every fig and side; totals."""
    visit = caller.visit(battle)
    book, seq = visit.book, moment(visit, at)
    return answers.view(request, seq, lambda: casualty_report(battle, book.record_at(seq), book.entries(0, seq)))


@router.get("/entries/{seq}/why", response_model=WhyView, responses=replies.read(), summary="Why an entry is as it is")
def explain(request: Request, caller: TheReader, battle: BattlePath, seq: NumberPath) -> Response:
    """The rolls, each modifier, the rules that had a say, and the sentence that explains the result."""
    visit = caller.visit(battle)
    book, head = visit.book, visit.book.head
    entry = moment(visit, number(seq, "entry"))
    return answers.view(request, head, lambda: why(book.entries(0, head), entry))
