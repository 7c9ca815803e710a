"""Shooting (MFD-09 to 22). Law: everything is checked before the first die; then the shot is fired, whatever becomes of it.

A shot is declared (`Shot`), then rolled: to hit; who is hit, if it went into a melee; damage of everybody it strikes.
"""

import msgspec

from domain import events as e
from domain.battle import Battle, Fig, MfdWeapon
from domain.commands import Shoot
from domain.contact import melee_of
from domain.draft import Draft
from domain.measures import inches, squared, within
from domain.refusals import forbidden, invalid, refuse
from domain.sightlines import WORDS, sight_of
from domain.systems.mfd.aiming import check_not_aimed, turn_to
from domain.systems.mfd.arms import GUNS, guns_of, is_fig
from domain.systems.mfd.damage import Blow, remove, wound
from domain.systems.mfd.gap import Gap, agrees, gap_between
from domain.systems.mfd.modifiers import hits, shot_modifiers
from domain.systems.mfd.table import TABLE, band_of
from domain.systems.mfd.targets import enemy_target


class Shot(msgspec.Struct, frozen=True):
    """A shot that the rules allow: all that its rolls need."""

    shooter: Fig
    target: Fig
    weapon: MfdWeapon
    gap: Gap
    melee: tuple[str, ...]
    touched: frozenset[str] | None


def shoot(draft: Draft, command: Shoot) -> None:
    """Fire one shot."""
    shot = _declared(draft, command)
    cover = _seen(draft, shot, command)
    given = tuple(e.Modifier("MFD-11", m.value, m.reason) for m in command.modifiers)
    draft.modifiers = (*shot_modifiers(draft.battle, shot.shooter, shot.target, shot.gap, cover), *given)
    turn_to(draft, shot.shooter, shot.target.id)
    draft.emit(
        e.ShotFired(shot.shooter.id, shot.weapon.id, "fire", shot.target.id, shot.shooter.shots + 1),
    )
    if not _hits(draft, shot):
        return
    victim = _victim(draft, shot)
    for name in _struck(draft.battle, shot, victim):
        blow = _blow(draft, shot, name, victim)
        if wound(draft, blow):
            remove(draft, blow)


# --- what may be fired ------------------------------------------------------------------------------------------------


def _declared(draft: Draft, command: Shoot) -> Shot:
    _check_request(draft, command)
    battle, shooter = draft.battle, draft.fig(command.fig)
    weapon = _weapon(battle, shooter, command.weapon)
    assert command.target is not None  # _check_request saw to it
    target = enemy_target(battle, shooter, command.target, "MFD-22")
    gap = gap_between(shooter, target, command.distance)
    _check_contact(shooter, target, gap)
    _check_tape(draft, shooter, target, command.distance)
    _check_range(shooter, weapon, gap)
    return Shot(
        shooter=shooter,
        target=target,
        weapon=weapon,
        gap=gap,
        melee=_melee(battle, target, into_melee=command.into_melee),
        touched=_touched(battle, weapon, target, command),
    )


def _check_request(draft: Draft, command: Shoot) -> None:
    if command.mode is not None:
        invalid("MiniFig Death has no firing modes; aim with the action `aim`", "/mode")
    if command.point is not None:
        refuse("MFD-09", "one fires at figs and objects, not at points", ["muster an object and fire at that"])
    if command.target is None:
        invalid("say at what: a fig or an object", "/target")
    if command.modifiers and draft.by.role != "referee":
        forbidden("only the referee bends the modifiers (MFD-11)")


def _weapon(battle: Battle, shooter: Fig, name: str) -> MfdWeapon:
    weapon = shooter.weapon(name)
    assert isinstance(weapon, MfdWeapon)
    guns = [gun.id for gun in guns_of(shooter)]
    if weapon.kind not in GUNS:
        refuse("MFD-02", f"{name} is a close combat weapon; it is not fired", guns)
    if name in shooter.useless:
        refuse("MFD-09", f"{name} of {shooter.id} was ruled useless", guns)
    if shooter.shots and shooter.shot_with != name:
        refuse("MFD-09", f"{shooter.id} has fired {shooter.shot_with} in this turn; one weapon a turn")
    check_not_aimed(battle, shooter)
    cell = TABLE[weapon.kind].get(band_of(shooter.moved))
    if cell is None:
        moved = inches(shooter.moved)
        refuse("MFD-09", f'{shooter.id} moved {moved}"; a {weapon.kind} cannot be fired after that', _bands(weapon))
    if shooter.shots >= cell.shots:
        refuse("MFD-09", f"{shooter.id} has fired {shooter.shots} of {cell.shots} in this turn")
    return weapon


def _bands(weapon: MfdWeapon) -> list[str]:
    return [f'{band}: {cell.shots} up to {inches(cell.reach)}"' for band, cell in TABLE[weapon.kind].items()]


def _check_contact(shooter: Fig, target: Fig, gap: Gap) -> None:
    if shooter.engaged or (gap.contact and is_fig(shooter) and is_fig(target)):
        enemies = shooter.engaged or (target.id,)
        refuse("MFD-21", f"{shooter.id} is in contact with the enemy: that is close combat", [f"fight {enemies[0]}"])


def _check_tape(draft: Draft, shooter: Fig, target: Fig, tape: int | None) -> None:
    tolerance = draft.battle.mfd.tape_tolerance
    if tape is not None and draft.by.role != "referee" and not agrees(shooter, target, tape, tolerance):
        measured = inches(gap_between(shooter, target).measured)
        reason = f'{measured}" by the coordinates: a side\'s tape may differ by {inches(tolerance)}"'
        invalid(reason, "/distance", [measured])


def _check_range(shooter: Fig, weapon: MfdWeapon, gap: Gap) -> None:
    reach = TABLE[weapon.kind][band_of(shooter.moved)].reach
    if not within(gap.squared, reach):
        reason = f'{inches(gap.distance)}" is out of range: a {weapon.kind} reaches {inches(reach)}"'
        refuse("MFD-09", f"{reason} from a fig that {_how(shooter)}", [f'up to {inches(reach)}"'])


def _how(shooter: Fig) -> str:
    return {"still": "stood still", "moved": "moved", "ran": "ran"}[band_of(shooter.moved)]


def _melee(battle: Battle, target: Fig, *, into_melee: bool) -> tuple[str, ...]:
    melee = melee_of(battle, target.id)
    if melee and battle.mfd.fire_into_melee == "never":
        refuse("MFD-22", f"{target.id} is in a melee, and here nobody fires into one")
    if melee and not into_melee:
        reason = f"{target.id} is in a melee; half the hits strike one's own side there"
        refuse("MFD-22", reason, ["say into_melee"])
    if into_melee and not melee:
        invalid(f"{target.id} is in no melee", "/into_melee", ["false"])
    return melee


def _touched(battle: Battle, weapon: MfdWeapon, target: Fig, command: Shoot) -> frozenset[str] | None:
    """Whom the table says the blast touches; None leaves it to the coordinates."""
    if not command.touched:
        return None
    if weapon.kind != "big_explosive" or battle.mfd.blast_radius is None:
        invalid("only an explosive big weapon touches others, and only where blasts have a radius", "/touched")
    names = [t.fig for t in command.touched]
    for n, name in enumerate(names):
        if not battle.fig(name, f"/touched/{n}/fig").in_play:
            invalid(f"{name} is out of the battle", f"/touched/{n}/fig")
        if name in names[:n]:
            invalid(f"{name} is named twice", f"/touched/{n}/fig")
    return frozenset(t.fig for t in command.touched if t.under) | {target.id}


# --- what is seen -----------------------------------------------------------------------------------------------------


def _seen(draft: Draft, shot: Shot, command: Shoot) -> str:
    """The cover word of the target (MFD-13 to 15), after noting all that was said about cover."""
    words = WORDS["mfd"]
    said = {"/cover": command.cover} if command.cover else {}
    for pointer, word in (said | {f"/sight/{name}": word for name, word in command.sight.items()}).items():
        if word not in words:
            invalid(f"MiniFig Death has no cover word {word!r}", pointer, words)
    beside = set(shot.melee) | set(_struck(draft.battle, shot, shot.target.id))
    seen = sight_of(draft.battle, shot.shooter, shot.target, command.cover)
    draft.sights[seen.fig] = seen
    for name, word in command.sight.items():
        draft.battle.fig(name, f"/sight/{name}")
        if name == shot.target.id or name not in beside:
            invalid("say the target's cover in `cover`, and that of others whom the shot may strike", f"/sight/{name}")
        draft.sights[name] = e.Sight(name, word, "declared")
    return seen.cover


# --- the rolls --------------------------------------------------------------------------------------------------------


def _hits(draft: Draft, shot: Shot) -> bool:
    thrown = draft.throw("to_hit", 1, 6)
    needed, face = shot.shooter.mfd.to_hit, thrown.faces[0]
    hit = hits(draft.battle.mfd, face, sum(m.value for m in draft.modifiers), needed)
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
            # MFD-18: in contact it always touches; the roll only says whether it does any harm.
            outcome="hit" if hit else "grazed" if shot.gap.contact else "miss",
            melee=False,
            rules=("MFD-09", "MFD-18") if shot.gap.contact else ("MFD-09",),
        )
    )
    return hit


def _victim(draft: Draft, shot: Shot) -> str:
    """Whom a hit strikes: the target or, in a melee, a fig of a side that the die chooses (MFD-22)."""
    if not shot.melee:
        return shot.target.id
    own = [name for name in shot.melee if draft.fig(name).side == shot.shooter.side]
    side_die = ()
    pool = list(shot.melee)
    if own:
        # The die counts sides, not heads; where nobody is one's own there is nothing to choose.
        thrown = draft.throw("victim_side", 1, 6)
        side_die = (thrown,)
        pool = own if thrown.faces[0] <= 3 else [name for name in shot.melee if name not in own]
    victim, drawn = draft.draw("victim", pool)
    draft.emit(
        e.VictimDrawn(
            fig=shot.shooter.id,
            target=shot.target.id,
            pool=tuple(pool),
            dice=(*side_die, *drawn),
            victim=victim,
            rule="MFD-22",
        )
    )
    return victim


def _struck(battle: Battle, shot: Shot, victim: str) -> list[str]:
    """Whom a hit on `victim` harms, in the order of ids: a blast everybody within its radius (MFD-06)."""
    radius = battle.mfd.blast_radius
    if shot.weapon.kind != "big_explosive" or radius is None:
        return [victim]
    if shot.touched is not None:
        return sorted(shot.touched | {victim})
    centre = battle.figs[victim].at
    return sorted(f.id for f in battle.figs.values() if f.in_play and within(squared(centre, f.at), radius))


def _blow(draft: Draft, shot: Shot, name: str, victim: str) -> Blow:
    rule = "MFD-09"
    if name != victim:
        rule = "MFD-06"
    elif shot.melee:
        rule = "MFD-22"
    aimed_at = name == shot.target.id
    distance = shot.gap.distance if aimed_at else gap_between(shot.shooter, draft.fig(name)).distance
    return Blow(by=shot.shooter, victim=name, weapon=shot.weapon, distance=distance, rule=rule)
