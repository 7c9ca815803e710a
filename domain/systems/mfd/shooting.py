"""Shooting (MFD-09 to 22). Law: all is checked before the first die; then the shot is fired, whatever becomes of it.

A shot is declared, which is where rules say no, and then rolled: to hit, whom it strikes, and damage.
"""

from typing import Literal

import msgspec

from domain import events as e
from domain.battle import Fig, MfdWeapon
from domain.commands import Shoot
from domain.draft import Draft
from domain.measures import inches, within
from domain.refusals import forbidden, invalid, refuse
from domain.sightlines import WORDS, sight_of
from domain.systems.mfd.aiming import check_not_aimed, turn_to
from domain.systems.mfd.arms import GUNS, guns_of
from domain.systems.mfd.damage import Blow, remove, wound
from domain.systems.mfd.gap import Gap, agrees, gap_between
from domain.systems.mfd.modifiers import hits, shot_modifiers
from domain.systems.mfd.table import TABLE, Cell, band_of
from domain.systems.mfd.targets import enemy_target
from domain.systems.mfd.victims import blast_named, drawn_victim, melee_fired_into, struck


class Shot(msgspec.Struct, frozen=True):
    """A shot that the rules allow: all that its rolls need."""

    shooter: Fig
    target: Fig
    weapon: MfdWeapon
    gap: Gap
    melee: tuple[str, ...]
    blast: frozenset[str] | None


def shoot(draft: Draft, command: Shoot) -> None:
    """Fire one shot."""
    shot = _declared(draft, command)
    cover = _seen(draft, shot, command)
    given = tuple(e.Modifier("MFD-11", m.value, m.reason) for m in command.modifiers)
    draft.modifiers = (*shot_modifiers(draft.battle, shot.shooter, shot.target, shot.gap, cover), *given)
    turn_to(draft, shot.shooter, shot.target.id)
    draft.emit(e.ShotFired(shot.shooter.id, shot.weapon.id, "fire", shot.target.id, shot.shooter.shots + 1))
    if _hits(draft, shot):
        _strike(draft, shot)


# --- the declaration --------------------------------------------------------------------------------------------------


def _declared(draft: Draft, command: Shoot) -> Shot:
    target_id = _asked_target(draft, command)
    battle, shooter = draft.battle, draft.fig(command.fig)
    weapon = _gun(shooter, command.weapon)
    check_not_aimed(battle, shooter)
    cell = _cell(shooter, weapon)
    _check_free(shooter)
    target = enemy_target(battle, shooter, target_id, "MFD-22")
    gap = gap_between(shooter, target, command.distance)
    _check_tape(draft, shooter, target, command.distance)
    _check_range(shooter, weapon, cell, gap)
    melee = melee_fired_into(battle, target, into_melee=command.into_melee)
    blast = blast_named(battle, weapon, command.touched)
    return Shot(shooter=shooter, target=target, weapon=weapon, gap=gap, melee=melee, blast=blast)


def _asked_target(draft: Draft, command: Shoot) -> str:
    if command.mode is not None:
        invalid("MiniFig Death has no firing modes; aim with the action `aim`", "/mode")
    if command.modifiers and draft.by.role != "referee":
        forbidden("only the referee bends the modifiers (MFD-11)")
    if command.point is not None:
        refuse("MFD-09", "one fires at figs and objects, not at points", ["muster an object and fire at that"])
    if command.target is None:
        invalid("say at what: a fig or an object", "/target")
    return command.target


def _gun(shooter: Fig, name: str) -> MfdWeapon:
    weapon = shooter.weapon(name)
    assert isinstance(weapon, MfdWeapon)
    guns = [gun.id for gun in guns_of(shooter)]
    if weapon.kind not in GUNS:
        refuse("MFD-02", f"{name} is a close combat weapon; it is not fired", guns)
    if name in shooter.useless:
        refuse("MFD-09", f"{name} of {shooter.id} was ruled useless", guns)
    if shooter.shots and shooter.shot_with != name:
        reason = f"{shooter.id} has fired {shooter.shot_with} in this turn, and fires one weapon a turn"
        refuse("MFD-09", reason, [shooter.shot_with])
    return weapon


def _cell(shooter: Fig, weapon: MfdWeapon) -> Cell:
    """The weapon's place in the action table (MFD-09), with shots left."""
    row = TABLE[weapon.kind]
    cell = row.get(band_of(shooter.moved))
    if cell is None:
        legal = [f'{band}: {c.shots} up to {inches(c.reach)}"' for band, c in row.items()]
        refuse("MFD-09", f'{shooter.id} moved {inches(shooter.moved)}": no {weapon.kind} is fired after that', legal)
    if shooter.shots >= cell.shots:
        refuse("MFD-09", f"{shooter.id} has fired {shooter.shots} of {cell.shots} in this turn")
    return cell


def _check_free(shooter: Fig) -> None:
    if shooter.engaged:
        reason = f"{shooter.id} is in contact with {', '.join(shooter.engaged)}: figs in contact fight"
        refuse("MFD-21", reason, ["fight"])


def _check_tape(draft: Draft, shooter: Fig, target: Fig, tape: int | None) -> None:
    tolerance = draft.battle.mfd.tape_tolerance
    if tape is not None and draft.by.role != "referee" and not agrees(shooter, target, tape, tolerance):
        measured = inches(gap_between(shooter, target).measured)
        reason = f'it is {measured}" by the coordinates; a side\'s tape may differ by {inches(tolerance)}"'
        invalid(reason, "/distance", [measured])


def _check_range(shooter: Fig, weapon: MfdWeapon, cell: Cell, gap: Gap) -> None:
    if not within(gap.squared, cell.reach):
        far, reach, moved = inches(gap.distance), inches(cell.reach), inches(shooter.moved)
        reason = f'{far}" is out of range: a {weapon.kind} reaches {reach}" for a fig that moved {moved}"'
        refuse("MFD-09", reason, [f'up to {reach}"'])


def _seen(draft: Draft, shot: Shot, command: Shoot) -> str:
    """The cover word of the target (MFD-13 to 15), after noting all that was said about cover."""
    said = {} if command.cover is None else {"/cover": command.cover}
    for pointer, word in (said | {f"/sight/{name}": word for name, word in command.sight.items()}).items():
        if word not in WORDS["mfd"]:
            invalid(f"MiniFig Death has no cover word {word!r}", pointer, WORDS["mfd"])
    seen = sight_of(draft.battle, shot.shooter, shot.target, command.cover)
    draft.sights[seen.fig] = seen
    may_strike = {*shot.melee, *struck(draft.battle, shot.weapon, shot.blast, shot.target.id)} - {shot.target.id}
    for name, word in command.sight.items():
        draft.battle.fig(name, f"/sight/{name}")
        if name not in may_strike:
            reason = "the target's cover is said in `cover`; others count where a melee or a blast may strike them"
            invalid(reason, f"/sight/{name}", sorted(may_strike))
        draft.sights[name] = e.Sight(name, word, "declared")
    return seen.cover


# --- the rolls --------------------------------------------------------------------------------------------------------


def _hits(draft: Draft, shot: Shot) -> bool:
    thrown = draft.throw("to_hit", 1, 6)
    needed, face = shot.shooter.mfd.to_hit, thrown.faces[0]
    hit = hits(draft.battle.mfd, face, sum(m.value for m in draft.modifiers), needed)
    # MFD-18: in contact the shot always touches; the roll only says whether it does any harm.
    missed: Literal["grazed", "miss"] = "grazed" if shot.gap.contact else "miss"
    draft.emit(
        e.MfdHitRolled(
            fig=shot.shooter.id,
            weapon=shot.weapon.id,
            target=shot.target.id,
            dice=(thrown,),
            face=face,
            modifiers=draft.modifiers,
            needed=needed,
            distance=shot.gap.distance,
            measured=shot.gap.measured,
            outcome="hit" if hit else missed,
            melee=False,
            rules=("MFD-09", "MFD-18") if shot.gap.contact else ("MFD-09",),
        )
    )
    return hit


def _strike(draft: Draft, shot: Shot) -> None:
    """A hit strikes its target, a fig of the melee it went into (MFD-22), or all under a blast (MFD-06)."""
    victim = shot.target.id
    if shot.melee:
        victim = drawn_victim(draft, shot.shooter, victim, shot.melee)
    for name in struck(draft.battle, shot.weapon, shot.blast, victim):
        blow = _blow(draft, shot, name, victim)
        if wound(draft, blow):
            remove(draft, blow)


def _blow(draft: Draft, shot: Shot, name: str, victim: str) -> Blow:
    rule = "MFD-09"
    if name != victim:
        rule = "MFD-06"
    elif shot.melee:
        rule = "MFD-22"
    gap = shot.gap if name == shot.target.id else gap_between(shot.shooter, draft.fig(name))
    return Blow(by=shot.shooter, victim=name, weapon=shot.weapon, distance=gap.distance, rule=rule)
