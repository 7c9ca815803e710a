"""Lines of the history: one for each batch of the log. Law: an action is told by what came of it, in one line."""

from typing import Literal

from pydantic import Field

from domain import events as e
from projections.sentences import sentence
from projections.struck import StruckOut
from projections.summaries import summary
from projections.verdicts import SeatVerdict
from projections.view import ThrowView, View, throw_view
from projections.walk import Batch


class Line(View):
    """An action, a ruling that changed the table, or a piece of procedure."""

    kind: Literal["action", "ruling", "procedure"] = Field(description="actions and rulings can be undone")
    seq: int = Field(description="its first entry: the number by which an undo names it")
    last: int = Field(description="its last entry")
    time: int
    actor: str
    do: str = Field(description="the action's word; for procedure `muster`, `dispute`, `undo_asked`, `undone`, ...")
    side: str = Field(description="the side that acts, whoever typed")
    fig: str | None
    sentence: str
    dice: tuple[ThrowView, ...] = Field(description="every die that was seen")
    inherited: bool = Field(description="whether it lies in the parent of this what-if")
    struck_out: StruckOut | None
    undo: dict[str, SeatVerdict] = Field(description="by seat, for what still counts and can be undone")


_PROCEDURE: dict[type, str] = {
    e.BattleStarted: "muster",
    e.RulingMade: "ruling",
    e.DisputeOpened: "dispute",
    e.DisputeClosed: "dispute_closed",
    e.UndoAsked: "undo_asked",
    e.UndoAgreed: "undo_agreed",
    e.UndoRefused: "undo_refused",
    e.UndoWithdrawn: "undo_withdrawn",
    e.ActionsUndone: "undone",
    e.ActionsRestored: "restored",
    e.BranchOpened: "branch_opened",
    e.BattleClosed: "closed",
    e.SeatJoined: "seat_joined",
    e.SeatNamed: "seat_named",
    e.RollRequested: "roll_requested",
    e.LinkReleased: "link_released",
    e.RollForfeited: "roll_forfeited",
    e.DiceTyped: "dice_typed",
    e.DiceContested: "dice_contested",
    e.DiceConfirmed: "dice_confirmed",
}
"""The word of each procedure; the last of a batch names it."""


def line_of(batch: Batch, struck: StruckOut | None, verdicts: dict[str, SeatVerdict], *, inherited: bool) -> Line:
    """The line of a batch, with what is known of its undoing."""
    steps, act = batch.steps, batch.act
    head = steps[0].entry
    body = head.body
    acted = isinstance(body, e.ActionDeclared)
    return Line(
        kind="procedure" if act is None else "action" if acted else "ruling",
        seq=head.seq,
        last=steps[-1].entry.seq,
        time=head.time,
        actor=head.actor,
        do=act.do if act else _procedure(batch),
        side=body.side if isinstance(body, e.ActionDeclared) else "",
        fig=body.request.get("fig") if isinstance(body, e.ActionDeclared) else None,
        sentence=_told(batch),
        dice=tuple(throw_view(throw) for step in steps for throw in e.dice_of(step.entry.body)),
        inherited=inherited,
        struck_out=struck,
        undo=verdicts,
    )


def _procedure(batch: Batch) -> str:
    words = [_PROCEDURE[type(step.entry.body)] for step in batch.steps if type(step.entry.body) in _PROCEDURE]
    return words[-1] if words else "dice_anchored"


def _told(batch: Batch) -> str:
    steps = batch.steps
    before = steps[0].before
    if before is not None and batch.act is not None:
        return summary(before, [step.entry.body for step in steps])
    spoken = [step for step in steps if type(step.entry.body) in _PROCEDURE] or steps[:1]
    return " ".join(sentence(step.before, step.entry.body) for step in spoken)
