"""Damage. Law: a hit rolls the dice of its weapon against armour; one that penetrates removes the fig (no hit points).

Armour is one worse in last ditch (MFD-27). What becomes of others when a fig goes stands here too.
"""

import msgspec

from domain import events as e
from domain.battle import Battle, Fig, MfdWeapon
from domain.contact import part
from domain.draft import Draft
from domain.policy import MfdPolicy
from domain.systems.mfd.aiming import target_gone
from domain.systems.mfd.last_ditch import in_last_ditch
from domain.systems.mfd.table import BARE_HANDS, DAMAGE, Damage


class Blow(msgspec.Struct, frozen=True):
    """A hit on `victim`: who dealt it, as it stood then, with what (None: bare hands), from how far, by which rule."""

    by: Fig
    victim: str
    weapon: MfdWeapon | None
    distance: int
    rule: str
    melee: bool = False

    @property
    def name(self) -> str | None:
        """The weapon's id."""
        return None if self.weapon is None else self.weapon.id

    @property
    def damage(self) -> Damage:
        """Its dice: a pistol strikes in close combat as the CCW that goes with it (MFD-04)."""
        if self.weapon is None:
            return BARE_HANDS
        return DAMAGE["ccw" if self.melee else self.weapon.kind]


def penetrates(policy: MfdPolicy, total: int, armour: int) -> bool:
    """Whether damage gets past armour: it exceeds it or, by the switch, reaches it."""
    return total >= armour if policy.penetration == "ge" else total > armour


def armour_modifiers(battle: Battle, victim: Fig) -> tuple[e.Modifier, ...]:
    """What the rules add to armour: in last ditch figs are easy targets."""
    return (e.Modifier("MFD-27", -1, f"{victim.side} is in last ditch"),) if in_last_ditch(battle, victim) else ()


def wound(draft: Draft, blow: Blow) -> bool:
    """Roll a hit's damage; whether it penetrates. Nobody is removed yet (MFD-23)."""
    victim = draft.fig(blow.victim)
    modifiers = armour_modifiers(draft.battle, victim)
    armour = victim.mfd.armour + sum(m.value for m in modifiers)
    draft.emit(
        e.FigHit(
            fig=victim.id,
            by=blow.by.id,
            weapon=blow.name,
            strength=0,
            critical=False,
            distance=blow.distance,
            rule=blow.rule,
        )
    )
    thrown = draft.throw("damage", blow.damage.count, blow.damage.sides)
    total = sum(thrown.faces)
    through = penetrates(draft.battle.mfd, total, armour)
    draft.emit(
        e.DamageRolled(
            fig=victim.id,
            by=blow.by.id,
            weapon=blow.name,
            dice=(thrown,),
            faces=thrown.faces,
            total=total,
            armour=armour,
            modifiers=modifiers,
            penetrated=through,
            rule=blow.damage.rule,
        )
    )
    return through


def remove(draft: Draft, blow: Blow) -> None:
    """Take the victim off the table, out of its melee and out of everybody's aim."""
    draft.emit(
        e.FigRemoved(
            fig=blow.victim,
            cause="damage",
            rule=blow.damage.rule,
            by=blow.by.id,
            weapon=blow.name,
            origin=blow.by.at,
            distance=blow.distance,
        )
    )
    part(draft, blow.victim)
    target_gone(draft, blow.victim)
