"""Losses: who went down or out. Law: each fig once, as it is now, with every entry that made it so; rulings count too.

The entry that brought the present state has the credit. A fig that a ruling put back on its feet is no loss.
"""

from typing import Literal

from pydantic import Field

from domain import events as e
from domain.battle import Battle, Fig
from domain.measures import Point
from projections.strength import counts
from projections.view import PlaceView, View, place_view, to_inches
from projections.walk import Step

Status = Literal["active", "pinned", "down", "out"]


class LossEntry(View):
    """One entry that took a fig down or out, or (by a ruling) put it back."""

    seq: int
    action: int
    time: int
    actor: str
    turn: int
    phase: str
    status: Status = Field(description="the fig's status after it")
    cause: str = Field(description="injury, damage, ..., or ruling")
    rule: str
    reason: str = Field(description="the referee's, for a ruling")
    by: str | None = Field(description="the fig that did it; none for a ruling")
    by_side: str | None
    weapon: str | None = Field(description="none is bare hands, or a ruling")
    place: PlaceView = Field(description="where the fig stood")
    origin: PlaceView | None = Field(description="where the shot or blow came from")
    distance: float | None = Field(description="from how far, in inches")
    friendly: bool = Field(description="whether its own side did it")


class Loss(LossEntry):
    """A fig that is down or out now, by the entry that made it so."""

    fig: str
    name: str
    side: str
    counts: bool = Field(description="false for an object")
    wounds: int
    history: tuple[LossEntry, ...] = Field(description="every entry that took it down or out, oldest first")


def loss_entries(step: Step) -> list[tuple[str, LossEntry]]:
    """The figs that a step took down or out (or, by a ruling, put back), each with its entry."""
    before, body = step.before, step.entry.body
    if before is None:
        return []
    match body:
        case e.FigDowned() | e.FigRemoved():
            return [(body.fig, _by_fig(step, before, body))]
        case e.RulingMade(changes=changes):
            ruled = [c for c in changes if c.field == "status" and {c.before, c.after} & {"down", "out"}]
            return [(change.fig, _by_ruling(step, before, body, change)) for change in ruled]
        case _:
            return []


def loss_of(fig: Fig, history: list[LossEntry]) -> Loss:
    """A fig that is down or out, by its latest entry."""
    latest = history[-1]
    return Loss(
        **{name: getattr(latest, name) for name in LossEntry.model_fields},
        fig=fig.id,
        name=fig.name,
        side=fig.side,
        counts=counts(fig),
        wounds=fig.wounds,
        history=tuple(history),
    )


def _by_fig(step: Step, before: Battle, body: e.FigDowned | e.FigRemoved) -> LossEntry:
    by, victim = before.figs.get(body.by), before.figs[body.fig]
    return _entry(
        step,
        victim.at,
        status="down" if isinstance(body, e.FigDowned) else "out",
        cause=body.cause,
        rule=body.rule,
        by=by,
        weapon=body.weapon,
        origin=body.origin,
        distance=body.distance,
        friendly=by is not None and by.side == victim.side,
    )


def _by_ruling(step: Step, before: Battle, body: e.RulingMade, change: e.Change) -> LossEntry:
    at = before.figs[change.fig].at
    return _entry(step, at, status=change.after, cause="ruling", rule=body.rule, reason=body.reason)


def _entry(  # noqa: PLR0913 - a loss has many facts
    step: Step,
    place: Point,
    *,
    status: Status,
    cause: str,
    rule: str,
    reason: str = "",
    by: Fig | None = None,
    weapon: str | None = None,
    origin: Point | None = None,
    distance: int | None = None,
    friendly: bool = False,
) -> LossEntry:
    entry, table = step.entry, step.after
    return LossEntry(
        seq=entry.seq,
        action=entry.action,
        time=entry.time,
        actor=entry.actor,
        turn=table.turn,
        phase=table.phase,
        status=status,
        cause=cause,
        rule=rule,
        reason=reason,
        by=by.id if by else None,
        by_side=by.side if by else None,
        weapon=weapon,
        place=place_view(place),
        origin=place_view(origin) if origin else None,
        distance=None if distance is None else to_inches(distance),
        friendly=friendly,
    )
