"""Rolls: what was thrown, what was needed, what it came to. Law: every face is shown, and every modifier's rule."""

from collections.abc import Callable
from typing import Any

from pydantic import Field

from domain import events as e
from projections.view import ThrowView, View, throw_view
from projections.walk import Step
from projections.wording import counted, inch


class ModifierView(View):
    """What a rule adds to a roll."""

    rule: str
    value: int
    reason: str


class RollView(View):
    """One roll."""

    seq: int
    type: str
    fig: str = Field(description="the fig that rolls, or (damage, injury, save) that is rolled for")
    rolled_for: bool = Field(description="whether the roll is about what befalls the fig (damage, injury, save)")
    throws: tuple[ThrowView, ...]
    needed: str = Field(description="what was needed, in words")
    modifiers: tuple[ModifierView, ...]
    result: str = Field(description="what it came to, in words")


def roll_view(step: Step) -> RollView | None:
    """The roll of a step; None where nothing was thrown."""
    entry, body = step.entry, step.entry.body
    told = _TOLD.get(type(body))
    if told is None or not e.dice_of(body):
        return None
    needed, result = told(body)
    return RollView(
        seq=entry.seq,
        type=entry.type,
        fig=getattr(body, "fig"),  # noqa: B009 - every rolled event names its fig
        rolled_for=isinstance(body, e.DamageRolled | e.InjuryRolled | e.CoverSaveRolled),
        throws=tuple(throw_view(throw) for throw in e.dice_of(body)),
        needed=needed,
        modifiers=tuple(
            ModifierView(rule=m.rule, value=m.value, reason=m.reason) for m in getattr(body, "modifiers", ())
        ),
        result=result,
    )


def _ammo(event: e.AmmoRolled) -> tuple[str, str]:
    return f"no double below {event.rating}", "the weapon fires" if event.passed else "the weapon fails"


def _nme_hit(event: e.NmeHitRolled) -> tuple[str, str]:
    outcome = "critical hit" if event.critical else event.outcome.replace("_", " ")
    needed = (
        f'enough hits (5 or 6) to reach {inch(event.distance)}; up to {inch(event.effective_range)} each is worth 5"'
    )
    return (
        needed,
        f"{counted(event.hits, 'hit')} {'reaches' if event.hits == 1 else 'reach'} {inch(event.accuracy)}: {outcome}",
    )


def _mfd_hit(event: e.MfdHitRolled) -> tuple[str, str]:
    total = event.face + sum(m.value for m in event.modifiers)
    return f"{event.needed} or more, with all modifiers", f"{total}: {event.outcome}"


def _damage(event: e.DamageRolled) -> tuple[str, str]:
    fate = "through" if event.penetrated else "not through"
    return f"enough to get past an armour of {event.armour}", f"{event.total}: {fate}"


_TOLD: dict[type, Callable[[Any], tuple[str, str]]] = {
    e.AmmoRolled: _ammo,
    e.NmeHitRolled: _nme_hit,
    e.MfdHitRolled: _mfd_hit,
    e.VictimDrawn: lambda ev: ("chance picks one of " + ", ".join(ev.pool), ev.victim),
    e.CoverSaveRolled: lambda ev: (f"{ev.needed} or more", "saved" if ev.saved else "not saved"),
    e.DamageRolled: _damage,
    e.InjuryRolled: lambda ev: (f"the chart of strength {ev.strength}", ev.result),
    e.RecoveryRolled: lambda ev: (f"{ev.needed} or less", "passed" if ev.passed else "failed"),
}
"""What was needed and what it came to, for each event that holds dice."""
