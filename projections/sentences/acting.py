"""Acting: turns, moves, aims and melees, in plain English. Law: one sentence a fact, with its rule."""

from collections.abc import Callable
from typing import Any

from domain import events as e
from domain.battle import Battle
from projections.view import degrees
from projections.wording import PACES, counted, fig_name, inch, listed, phase_name, side_name, spot

_REVEALED = {
    "moved": "it has moved out of cover",
    "shot": "its shot gave it away",
    "contact": "an enemy stands base to base with it",
}
_AIM_LOST = {
    "move": "it has moved",
    "retarget": "it turned to another target",
    "fire": "it has fired",
    "melee": "it was drawn into a melee",
    "target_lost": "the target is gone",
}
_BECAUSE = {"outnumbered": "the enemies are more", "outgunned": "the enemies have more guns"}


def _turn_started(battle: Battle, event: e.TurnStarted) -> str:
    return f"Turn {event.turn} begins; it is the turn of {side_name(battle, event.side)}."


def _phase_started(_: Battle, event: e.PhaseStarted) -> str:
    return f"The {phase_name(event.phase)} phase begins."


def _turn_ended(battle: Battle, event: e.TurnEnded) -> str:
    return f"Turn {event.turn}, the turn of {side_name(battle, event.side)}, is over."


def moved_how(battle: Battle, event: e.FigMoved) -> str:
    """How far a fig moved, and where to; no full stop."""
    counts = "" if event.inches == event.measured else f" ({inch(event.measured)} in a straight line)"
    return f"{fig_name(battle, event.fig)} {PACES[event.pace]} {inch(event.inches)}{counts} to {spot(event.to)}"


def _moved(battle: Battle, event: e.FigMoved) -> str:
    total = "" if event.total == event.inches else f", {inch(event.total)} in this turn so far"
    return f"{moved_how(battle, event)} from {spot(event.start)}{total}."


def _turned(battle: Battle, event: e.FigTurned) -> str:
    why = " to face its target (NME-08)" if event.reason == "target" else ""
    return f"{fig_name(battle, event.fig)} turns{why} and looks {degrees(event.facing):g} degrees."


def _hid(battle: Battle, event: e.FigHid) -> str:
    return f"{fig_name(battle, event.fig)} hides in cover and cannot be seen (NME-09)."


def _revealed(battle: Battle, event: e.FigRevealed) -> str:
    return f"{fig_name(battle, event.fig)} is hidden no longer: {_REVEALED[event.cause]} (NME-09)."


def _aim_taken(battle: Battle, event: e.AimTaken) -> str:
    turns = counted(event.turns, "turn")
    return f"{fig_name(battle, event.fig)} has now aimed at {fig_name(battle, event.target)} for {turns} (MFD-19)."


def _aim_lost(battle: Battle, event: e.AimLost) -> str:
    aim = f"{fig_name(battle, event.fig)} loses its aim at {fig_name(battle, event.target)}"
    return f"{aim}: {_AIM_LOST[event.reason]} (MFD-19)."


def _joined(battle: Battle, event: e.MeleeJoined) -> str:
    others = listed(fig_name(battle, other) for other in event.others)
    return f"{fig_name(battle, event.fig)} stands base to base with {others}: they are in combat."


def _left(battle: Battle, event: e.MeleeLeft) -> str:
    others = listed(fig_name(battle, other) for other in event.others)
    return f"{fig_name(battle, event.fig)} is in combat with {others} no longer."


def _fought(battle: Battle, event: e.MeleeFought) -> str:
    figs = listed(fig_name(battle, fig) for fig in event.figs)
    return f"{figs} have fought the one round of their melee in this turn (MFD-23)."


def _last_ditch(battle: Battle, event: e.LastDitchCalled) -> str:
    left = f"{event.left} of its {counted(event.start, 'fig')} {'is' if event.left == 1 else 'are'} left"
    why = f"{left} and {_BECAUSE[event.because]}"
    return f"{side_name(battle, event.side)} is in last ditch for the rest of the battle: {why} ({event.rule}, MFD-28)."


SAYS: dict[type, Callable[[Any, Any], str]] = {
    e.TurnStarted: _turn_started,
    e.PhaseStarted: _phase_started,
    e.TurnEnded: _turn_ended,
    e.FigMoved: _moved,
    e.FigTurned: _turned,
    e.FigHid: _hid,
    e.FigRevealed: _revealed,
    e.AimTaken: _aim_taken,
    e.AimLost: _aim_lost,
    e.MeleeJoined: _joined,
    e.MeleeLeft: _left,
    e.MeleeFought: _fought,
    e.LastDitchCalled: _last_ditch,
}
