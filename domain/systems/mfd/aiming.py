"""Aiming (MFD-19). Law: +1 for each turn spent on one target, until the fig moves, fires, turns away or is fought.

Which of these cost the aim is the battle's policy; a target that is gone always does.
"""

from collections.abc import Sequence

from domain import events as e
from domain.battle import Battle, Fig
from domain.commands import AimAt
from domain.draft import Draft
from domain.policy import Lost
from domain.refusals import refuse
from domain.systems.mfd.arms import guns_of
from domain.systems.mfd.targets import enemy_target


def aim(draft: Draft, command: AimAt) -> None:
    """Spend the turn aiming; going on with the same target adds a turn, another one starts afresh."""
    fig = draft.fig(command.fig)
    _check_able(draft.battle, fig)
    target = enemy_target(draft.battle, fig, command.target, "MFD-19")
    turns = 0
    if fig.aim is not None and fig.aim.target == target.id:
        turns = fig.aim.turns
    elif fig.aim is not None:
        draft.emit(e.AimLost(fig.id, fig.aim.target, "retarget"))
    cap = draft.battle.mfd.aim_cap
    draft.emit(e.AimTaken(fig.id, target.id, turns + 1 if cap is None else min(turns + 1, cap)))


def _check_able(battle: Battle, fig: Fig) -> None:
    if not guns_of(fig):
        refuse("MFD-19", f"{fig.id} has no gun to aim with")
    if fig.engaged:
        refuse("MFD-19", f"{fig.id} is in a melee and cannot aim", ["fight"])
    if fig.moved:
        refuse("MFD-19", f"{fig.id} has moved in this turn; to aim it has to stand still")
    if fig.aimed:
        refuse("MFD-19", f"{fig.id} has aimed in this turn already; it counts once a turn", ["aim again next turn"])
    if fig.shots and not battle.mfd.aim_same_turn:
        refuse("MFD-19", f"{fig.id} has fired in this turn; aiming takes the place of firing", ["aim next turn"])


def check_not_aimed(battle: Battle, fig: Fig) -> None:
    """Refuse the shot of a fig that spent this turn aiming."""
    if fig.aimed and not battle.mfd.aim_same_turn:
        refuse("MFD-19", f"{fig.id} aims in this turn, in place of firing", ["fire next turn"])


def lose_aim(draft: Draft, name: str, reason: Lost) -> None:
    """Take a fig's aim away, if the policy says that this costs it."""
    fig = draft.fig(name)
    if fig.aim is not None and reason in draft.battle.mfd.aim_lost_on:
        draft.emit(e.AimLost(name, fig.aim.target, reason))


def drawn_into_melee(draft: Draft, figs: Sequence[str]) -> None:
    """Figs that an enemy touches have other things to think of."""
    for name in figs:
        lose_aim(draft, name, "melee")


def turn_to(draft: Draft, fig: Fig, target: str) -> None:
    """Firing at another target than the one aimed at gives the aim up."""
    if fig.aim is not None and fig.aim.target != target:
        lose_aim(draft, fig.id, "retarget")


def target_gone(draft: Draft, target: str) -> None:
    """Whoever aimed at a fig that is gone aims at nothing."""
    for fig in draft.battle.figs.values():
        if fig.aim is not None and fig.aim.target == target:
            draft.emit(e.AimLost(fig.id, target, "target_lost"))


def after_firing(draft: Draft) -> None:
    """At the end of the turn those of the side in turn who fired lose their aim: both shots of a pistol had it."""
    for fig in draft.battle.figs_of(draft.battle.side):
        if fig.shots:
            lose_aim(draft, fig.id, "fire")
