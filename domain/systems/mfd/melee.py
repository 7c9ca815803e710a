"""Close combat (MFD-21 to 24). Law: all figs of a melee strike at once, and both may die.

Each names one enemy in contact and strikes once; every roll is read off the table as it was before the round, and only
then do the fallen go. One round for each melee in a turn.
"""

from collections.abc import Sequence

import msgspec

from domain import events as e
from domain.battle import Battle, Fig, MfdWeapon
from domain.commands import Bout, Fight
from domain.contact import melee_of
from domain.draft import Draft
from domain.refusals import refuse
from domain.systems.mfd.arms import blade_of
from domain.systems.mfd.damage import Blow, remove, wound
from domain.systems.mfd.gap import Gap, gap_between
from domain.systems.mfd.modifiers import hits, melee_modifiers


class Strike(msgspec.Struct, frozen=True):
    """One fig's part in the round, before the dice."""

    fig: Fig
    target: Fig
    weapon: MfdWeapon | None
    gap: Gap
    needed: int
    modifiers: tuple[e.Modifier, ...]


def fight(draft: Draft, command: Fight) -> None:
    """Fight one round of one melee: all to-hit rolls, then the damage of those that hit, then the casualties."""
    melee = _melee(draft.battle, command.bouts)
    strikes = [_strike(draft.battle, bout) for bout in command.bouts]
    draft.modifiers = tuple(m for strike in strikes for m in strike.modifiers)
    landed = [strike for strike in strikes if _hits(draft, strike)]
    blows = [_blow(strike) for strike in landed]
    deadly = [blow for blow in blows if wound(draft, blow)]
    for blow in deadly:
        # Felled twice is felled once: the first in the order of the bouts has it.
        if draft.fig(blow.victim).in_play:
            remove(draft, blow)
    draft.emit(e.MeleeFought(melee))


# --- who strikes whom -------------------------------------------------------------------------------------------------


def _melee(battle: Battle, bouts: Sequence[Bout]) -> tuple[str, ...]:
    """The melee that is fought; refuses bouts that are not exactly one for each of its figs."""
    for bout in bouts:
        fig = battle.figs[bout.fig]
        if bout.target not in fig.engaged:
            refuse("MFD-21", f"{bout.fig} is not in contact with an enemy {bout.target}", fig.engaged)
    melee = melee_of(battle, bouts[0].fig)
    names = [bout.fig for bout in bouts]
    for n, name in enumerate(names):
        if name not in melee:
            refuse("MFD-23", f"{name} is in another melee than {names[0]}; fight them one by one", melee)
        if name in names[:n]:
            refuse("MFD-23", f"{name} strikes twice; each fig strikes once in a round")
    missing = [name for name in melee if name not in names]
    if missing:
        refuse("MFD-23", f"all figs of a melee strike at once; {', '.join(missing)} not yet", missing)
    _check_turn(battle, melee)
    return melee


def _check_turn(battle: Battle, melee: Sequence[str]) -> None:
    own = [battle.figs[name] for name in melee if battle.figs[name].side == battle.side]
    if not own:
        refuse("TURN-01", f"{battle.side}, whose turn it is, has no fig in that melee")
    # Only the figs of the side in turn tell: those of the others still speak of their own last turn.
    fought = [fig.id for fig in own if fig.fought]
    if fought:
        refuse("MFD-23", f"{', '.join(fought)} fought in this turn already; a melee has one round a turn")


def _strike(battle: Battle, bout: Bout) -> Strike:
    fig, target = battle.figs[bout.fig], battle.figs[bout.target]
    weapon, gap = blade_of(fig), gap_between(fig, target)
    return Strike(
        fig=fig,
        target=target,
        weapon=weapon,
        gap=gap,
        needed=battle.mfd.unarmed_hits_on if weapon is None else fig.mfd.to_hit,
        modifiers=melee_modifiers(battle, fig, target, gap),
    )


# --- the rolls --------------------------------------------------------------------------------------------------------


def _hits(draft: Draft, strike: Strike) -> bool:
    thrown = draft.throw("to_hit", 1, 6)
    hit = hits(draft.battle.mfd, thrown.faces[0], sum(m.value for m in strike.modifiers), strike.needed)
    draft.emit(
        e.MfdHitRolled(
            fig=strike.fig.id,
            weapon=None if strike.weapon is None else strike.weapon.id,
            target=strike.target.id,
            dice=(thrown,),
            face=thrown.faces[0],
            modifiers=strike.modifiers,
            needed=strike.needed,
            distance=strike.gap.distance,
            measured=strike.gap.measured,
            outcome="hit" if hit else "miss",
            melee=True,
            rules=("MFD-23", _weapon_rule(strike.weapon)),
        )
    )
    return hit


def _weapon_rule(weapon: MfdWeapon | None) -> str:
    if weapon is None:
        return "MFD-24"
    return "MFD-02" if weapon.kind == "ccw" else "MFD-04"


def _blow(strike: Strike) -> Blow:
    return Blow(
        by=strike.fig,
        victim=strike.target.id,
        weapon=strike.weapon,
        distance=strike.gap.distance,
        rule="MFD-23",
        melee=True,
    )
