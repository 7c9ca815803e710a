"""Harm: hits, injuries, pins and losses, in plain English. Law: every consequence names its cause."""

from collections.abc import Callable
from typing import Any

from domain import events as e
from domain.battle import Battle
from projections.wording import INJURIES, added, faces, fig_name, inch, weapon_of

_PINS = {
    "near_miss": "the shot missed by no more than one hit",
    "cover_save": "its cover stopped the shot",
    "template": "the template touched it or fell close by",
    "hit": "a hit throws it down",
    "damage": "the damage throws it down",
    "injury": "the injury throws it down",
    "ruling": "the referee says so",
}
_GETS_UP = {
    "test": "it passed its test",
    "turn_missed": "it has missed its turn",
    "charged": "an enemy charges it",
}


def _hit(battle: Battle, event: e.FigHit) -> str:
    strength = f" at strength {event.strength}" if event.strength else ""
    critical = ", a critical hit" if event.critical else ""
    source = weapon_of(event.weapon, fig_name(battle, event.by))
    where = f"from {inch(event.distance)}"
    return f"{fig_name(battle, event.fig)} is hit by {source} {where}{strength}{critical} ({event.rule})."


def _damage(battle: Battle, event: e.DamageRolled) -> str:
    sum_of = f" = {event.total}" if len(event.faces) > 1 else ""
    worse = f" (with{added(event.modifiers)})" if event.modifiers else ""
    result = "it gets through" if event.penetrated else "it does not get through"
    armour = f"the armour of {fig_name(battle, event.fig)}, {event.armour}{worse}"
    return f"Damage {faces(event.faces)}{sum_of} against {armour}: {result} ({event.rule})."


def _injury(battle: Battle, event: e.InjuryRolled) -> str:
    roll = f"Injury roll {event.face} at strength {event.strength}"
    return f"{roll} for {fig_name(battle, event.fig)}: {INJURIES[event.result]}."


def _reported(battle: Battle, event: e.InjuryReported) -> str:
    by = fig_name(battle, event.by)
    return f"The hit of {by} on {fig_name(battle, event.fig)} is reported as {INJURIES[event.result]}."


def _awaited(battle: Battle, event: e.InjuryAwaited) -> str:
    hit = f"{weapon_of(event.weapon, fig_name(battle, event.by))} (strength {event.strength})"
    return f"The players have yet to say what {hit} did to {fig_name(battle, event.fig)}."


def _pinned(battle: Battle, event: e.FigPinned) -> str:
    return f"{fig_name(battle, event.fig)} is pinned to the ground: {_PINS[event.cause]} ({event.rule})."


def _tested(battle: Battle, event: e.RecoveryRolled) -> str:
    helper = "on its own" if event.friend == event.fig else f"with {fig_name(battle, event.friend)} near"
    result = "it keeps its nerve" if event.passed else "it stays down for this turn"
    roll = f"rolls {event.face}, {event.needed} or less is needed"
    return f"{fig_name(battle, event.fig)} tests {helper}, {roll}: {result} ({event.rule})."


def _recovered(battle: Battle, event: e.FigRecovered) -> str:
    return f"{fig_name(battle, event.fig)} gets up again: {_GETS_UP[event.how]} (NME-25)."


def _downed(battle: Battle, event: e.FigDowned) -> str:
    return f"{fig_name(battle, event.fig)} goes down{_blame(battle, event)} ({event.rule})."


def _removed(battle: Battle, event: e.FigRemoved) -> str:
    return f"{fig_name(battle, event.fig)} is out of the battle{_blame(battle, event)} ({event.rule})."


def _blame(battle: Battle, event: e.FigDowned | e.FigRemoved) -> str:
    if event.cause == "ruling":
        return ", as the referee rules"
    return f", by {weapon_of(event.weapon, fig_name(battle, event.by))} from {inch(event.distance)}"


SAYS: dict[type, Callable[[Any, Any], str]] = {
    e.FigHit: _hit,
    e.DamageRolled: _damage,
    e.InjuryRolled: _injury,
    e.InjuryReported: _reported,
    e.InjuryAwaited: _awaited,
    e.FigPinned: _pinned,
    e.RecoveryRolled: _tested,
    e.FigRecovered: _recovered,
    e.FigDowned: _downed,
    e.FigRemoved: _removed,
}
