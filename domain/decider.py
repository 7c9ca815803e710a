"""Decide. Law: a pure function from table, command and dice to events; common checks first, then the system's rules.

A refusal or a wanted die leaves nothing behind. After the first die nothing is refused any more, so that no roll can be
fished for.
"""

from collections.abc import Callable
from typing import Any

from domain import events as e
from domain.battle import Battle, Fig
from domain.commands import (
    Action,
    AimAt,
    Concede,
    EndBattle,
    EndPhase,
    EndTurn,
    Fight,
    Hide,
    Injure,
    LastDitch,
    Move,
    Recover,
    Shoot,
    Turn,
)
from domain.dice import Tape
from domain.draft import Decision, Draft, Seat, System
from domain.refusals import battle_over, forbidden, not_your_fig, refuse
from domain.systems import system_of

PHASE_OF = {
    Recover: "recovery",
    Move: "movement",
    Turn: "movement",
    Hide: "movement",
    LastDitch: "movement",
    AimAt: "shooting",
    Shoot: "shooting",
    Fight: "close_combat",
}
"""The phase in which a command belongs; entering a later one ends those before it."""


def decide(battle: Battle, command: Action, by: Seat, tape: Tape, system: System | None = None) -> Decision:
    """Decide `command` of seat `by`; raises `Refused` or `DiceWanted`, and then nothing has happened.

    A `system` decides instead of the rules version that the battle names: for comparing versions, never for play.
    """
    system = system_of(battle.rules) if system is None else system
    if battle.status == "ended":
        battle_over("the battle has ended; the referee can reopen it by undoing its end")
    side = acting_side(battle, command, by)
    system.pending(battle, command)
    draft = Draft(battle, by, tape, system)
    common = _COMMON.get(type(command))
    if common is not None:
        common(draft, command)
    else:
        phase = PHASE_OF.get(type(command))
        if phase is not None:
            enter(draft, phase)
        system.handle(draft, command)
    return draft.decided(command, side)


def acting_side(  # noqa: C901, PLR0912 - one case a command
    battle: Battle, command: Action, by: Seat
) -> str:
    """The side whose act it is, whoever asks; refuses a seat that may not ask for it."""
    if by.role == "spectator":
        forbidden("spectators read; ask the referee for a seat")
    match command:
        case EndBattle():
            if by.role != "referee":
                forbidden("only the referee ends a battle; a side may concede")
            return ""
        case Concede(side=side):
            battle.side_of(side)
            _own(by, side, f"only {side} or the referee may concede for {side}")
            return side
        case Injure(fig=name):
            fig = battle.fig(name)
            if by.role == "side" and by.side not in (fig.side, battle.side):
                not_your_fig(f"the injury of {name} is reported by {fig.side}, by {battle.side} or by the referee")
            return fig.side
        case EndPhase(waive=waive) | EndTurn(waive=waive):
            if waive is not None and by.role != "referee":
                forbidden("only the referee may waive a duty")
            return _in_turn(battle, by, battle.side)
        case LastDitch(side=side):
            return _in_turn(battle, by, battle.side_of(side).id)
        case Fight(bouts=bouts):
            for n, bout in enumerate(bouts):
                battle.fig(bout.fig, f"/bouts/{n}/fig")
                battle.fig(bout.target, f"/bouts/{n}/target")
            return _in_turn(battle, by, battle.side)
        case _:
            fig = battle.fig(getattr(command, "fig"))  # noqa: B009 - every other command names its fig
            side = _in_turn(battle, by, fig.side, fig)
            if not fig.in_play:
                refuse("TURN-03", f"{fig.id} is out of the battle", [f.id for f in battle.figs_of(side)])
            return side


def _own(by: Seat, side: str, reason: str) -> None:
    if by.role == "side" and by.side != side:
        not_your_fig(reason)


def _in_turn(battle: Battle, by: Seat, side: str, fig: Fig | None = None) -> str:
    _own(by, side, f"{fig.id} belongs to {side}" if fig else f"only {side} or the referee may do that for {side}")
    if battle.side != side:
        refuse(
            "TURN-01", f"it is the turn of {battle.side}, not of {side}", [f"wait until {battle.side} ends its turn"]
        )
    return side


def enter(draft: Draft, phase: str, waive: str | None = None) -> None:
    """Go on to `phase`, ending the phases before it; refuses to go back."""
    phases = draft.system.phases
    if phase not in phases:
        refuse("TURN-05", f"{draft.system.name} has no {phase} phase", phases)
    now, then = phases.index(draft.battle.phase), phases.index(phase)
    if then < now:
        refuse("TURN-02", f"the {phase} phase of this turn is over", phases[now:])
    for n in range(now, then):
        draft.system.leave_phase(draft, phases[n], waive)
        draft.emit(e.PhaseStarted(phases[n + 1]))


def begin_turn(draft: Draft, side: str) -> None:
    """Begin the next turn, for `side`."""
    draft.emit(e.TurnStarted(draft.battle.turn + 1, side))
    draft.emit(e.PhaseStarted(draft.system.phases[0]))


def _next_side(battle: Battle) -> str:
    order = list(battle.sides)
    start = order.index(battle.side)
    for step in range(1, len(order) + 1):
        side = battle.sides[order[(start + step) % len(order)]]
        if not side.conceded and any(not fig.is_object for fig in battle.figs_of(side.id)):
            return side.id
    return next((name for name in battle.playing()), battle.side)


def _finish_turn(draft: Draft, waive: str | None) -> None:
    enter(draft, draft.system.phases[-1], waive)
    draft.system.leave_phase(draft, draft.battle.phase, waive)
    draft.system.end_turn(draft)
    draft.emit(e.TurnEnded(draft.battle.turn, draft.battle.side))
    begin_turn(draft, _next_side(draft.battle))


def _end_turn(draft: Draft, command: EndTurn) -> None:
    _finish_turn(draft, command.waive)


def _end_phase(draft: Draft, command: EndPhase) -> None:
    phases = draft.system.phases
    now = phases.index(draft.battle.phase)
    if now + 1 < len(phases):
        enter(draft, phases[now + 1], command.waive)
    else:
        _finish_turn(draft, command.waive)


def _concede(draft: Draft, command: Concede) -> None:
    if draft.battle.sides[command.side].conceded:
        refuse("TURN-06", f"{command.side} has conceded already", draft.battle.playing())
    draft.emit(e.SideConceded(command.side, command.reason))
    left = draft.battle.playing()
    if len(left) == 1:
        draft.emit(e.BattleEnded(left[0], f"{command.side} conceded", "concession"))
    elif draft.battle.side == command.side:
        draft.emit(e.TurnEnded(draft.battle.turn, command.side))
        begin_turn(draft, _next_side(draft.battle))


def _end_battle(draft: Draft, command: EndBattle) -> None:
    winner = "" if command.winner is None else draft.battle.side_of(command.winner, "/winner").id
    draft.emit(e.BattleEnded(winner, command.reason, "referee"))


_COMMON: dict[type[Action], Callable[[Draft, Any], None]] = {
    EndTurn: _end_turn,
    EndPhase: _end_phase,
    Concede: _concede,
    EndBattle: _end_battle,
}

__all__ = ["System", "begin_turn", "decide", "enter"]
