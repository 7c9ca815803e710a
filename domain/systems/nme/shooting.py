"""Shooting. Law: one call is one shot, from its declaration to its last consequence, in the order of the rulebook.

Everything that can be refused is refused before the first die; the dice fall in a fixed order: ammo, to-hit rounds,
victim, save, injury. Two snap shots are two shots, each with its own target, facing and ammo roll (NME-01).
"""

from typing import Literal

from domain import events as e
from domain.battle import Fig, NmeWeapon, Wound
from domain.commands import Shoot
from domain.contact import melee_of
from domain.draft import Draft
from domain.measures import Vector
from domain.refusals import invalid, refuse
from domain.systems.nme.cover import check_word, saved
from domain.systems.nme.hits import Result, ammo_holds, bonus_dice, dice_to_hit, judged
from domain.systems.nme.injuries import strength_of, wound
from domain.systems.nme.pinning import pin
from domain.systems.nme.targets import Line, choose
from domain.systems.nme.templates import check_touched, lay

Mode = Literal["aimed", "snap"]


def shoot(draft: Draft, command: Shoot) -> None:
    """Fire one shot at a fig or a point."""
    _check_form(draft, command)
    fig, mode = draft.fig(command.fig), command.mode or "snap"
    # Who can shoot
    _check_able(fig)  # NME-03
    _check_allowance(fig, mode)  # NME-01, NME-02
    weapon = _ready_weapon(fig, command.weapon)  # NME-03, NME-04, NME-13
    check_touched(draft.battle, weapon, command.touched)
    # Choosing a target
    line = choose(draft, fig, command)  # NME-05 to 07, NME-09, NME-10, NME-26
    _face(draft, fig, line)  # NME-08
    _fire(draft, fig, weapon, mode, line)
    # Ammo roll
    if not _ammo_lasts(draft, fig, weapon):  # NME-11 to 13
        return
    # Roll to hit
    if weapon.template != "none":
        lay(draft, weapon, line, command.touched)  # NME-24, NME-27
        return
    roll = _roll_to_hit(draft, fig, weapon, mode, line)  # NME-14 to 19, NME-28 to 30
    if line.target is None:
        return
    if roll.outcome == "hit":
        _hit(draft, weapon, line, roll)  # NME-20, NME-26
    elif roll.outcome == "near_miss":
        pin(draft, line.target.id, "near_miss", "NME-21", fig.id)  # NME-21, NME-22


def _check_form(draft: Draft, command: Shoot) -> None:
    """Refuse a request that no N:ME shot can mean."""
    if (command.target is None) == (command.point is None):
        invalid("name what is shot at: either a target or a point", "/target", ["target", "point"])
    if command.into_melee:
        invalid("into_melee is for MiniFig Death; N:ME tells by itself who is in combat", "/into_melee")
    if command.modifiers:
        invalid("N:ME has no to-hit modifiers", "/modifiers")
    check_word(command.cover, "/cover")
    if command.cover is not None and command.target is None:
        invalid("a point has no cover; say by fig, in `sight`, who is in cover", "/cover")
    for name, word in command.sight.items():
        pointer = f"/sight/{name}"
        draft.battle.fig(name, pointer)
        check_word(word, pointer)
        if name == command.target and command.cover not in {None, word}:
            invalid(f"{name} is said to be {word} and {command.cover}", pointer)


def _check_able(fig: Fig) -> None:
    if fig.status != "active":
        refuse("NME-03", f"{fig.id} is {fig.status}; an inactive fig may not shoot", ["shoot with an active fig"])
    if not fig.weapons:
        refuse("NME-03", f"{fig.id} has no missile weapon", ["shoot with a fig that has one"])
    if fig.engaged:
        refuse("NME-03", f"{fig.id} is in combat with {', '.join(fig.engaged)}", ["shoot with a fig out of combat"])
    if fig.pace in {"run", "charge"}:
        refuse("NME-03", f"{fig.id} has moved at a {fig.pace} in this turn", ["shoot with a fig that did not"])
    if fig.nme.bs == 0:
        refuse("NME-14", f"{fig.id} has no dice to shoot with: its BS is 0", ["shoot with another fig"])


def _check_allowance(fig: Fig, mode: Mode) -> None:
    """One aimed or two snap shots for who stood still (NME-01), one snap shot for who walked (NME-02)."""
    still = fig.pace == "still"
    rule = "NME-01" if still else "NME-02"
    allowance = 2 if still and fig.shot_mode != "aimed" else 1
    if fig.shots >= allowance:
        refuse(rule, f"{fig.id} has fired all its shots of this turn", ["shoot with another fig"])
    if mode == "aimed" and not still:
        refuse(rule, f"{fig.id} has moved, and may only fire a snap shot", ["snap"])
    if mode == "aimed" and fig.shots:
        refuse(rule, f"{fig.id} has fired a snap shot, and may only fire another one", ["snap"])


def _ready_weapon(fig: Fig, name: str) -> NmeWeapon:
    weapon = fig.weapon(name)
    assert isinstance(weapon, NmeWeapon)
    useful = [w.id for w in fig.weapons if w.id not in fig.useless]
    if name in fig.useless:
        refuse("NME-13", f"{name} of {fig.id} is useless for the rest of the battle", useful)
    if weapon.move_or_fire and fig.pace != "still":
        swift = [w.id for w in fig.weapons if w.id in useful and isinstance(w, NmeWeapon) and not w.move_or_fire]
        refuse("NME-04", f"{fig.id} has moved, and {name} can move or fire but not both", swift)
    return weapon


def _face(draft: Draft, fig: Fig, line: Line) -> None:
    """Turn to the target; this is no movement (NME-08), and no news where the fig looks that way already."""
    now, new = fig.facing, Vector(line.at.x - fig.x, line.at.y - fig.y)
    aligned = now.x * new.y == now.y * new.x and now.x * new.x + now.y * new.y > 0
    if not aligned:
        draft.emit(e.FigTurned(fig.id, new, "target"))


def _fire(draft: Draft, fig: Fig, weapon: NmeWeapon, mode: Mode, line: Line) -> None:
    """The shot counts from here on, even if the weapon jams (NME-01), and it gives the shooter away (NME-09)."""
    target = None if line.target is None else line.target.id
    draft.emit(e.ShotFired(fig.id, weapon.id, mode, target, fig.shots + 1))
    if fig.hidden:
        draft.emit(e.FigRevealed(fig.id, "shot"))


def _ammo_lasts(draft: Draft, fig: Fig, weapon: NmeWeapon) -> bool:
    thrown = draft.throw("ammo", 2, 6)  # NME-11
    passed = ammo_holds(thrown.faces, weapon.ammo_rating)  # NME-12
    draft.emit(e.AmmoRolled(fig.id, weapon.id, (thrown,), thrown.faces, weapon.ammo_rating, passed))
    if not passed:
        draft.emit(e.WeaponFailed(fig.id, weapon.id, "NME-13"))
    return passed


def _roll_to_hit(draft: Draft, fig: Fig, weapon: NmeWeapon, mode: Mode, line: Line) -> Result:
    policy = draft.battle.nme
    rounds = [draft.throw("to_hit", dice_to_hit(fig.nme.bs, mode), 6)]  # NME-14, NME-19
    while more := bonus_dice([r.faces for r in rounds], policy):  # NME-15
        rounds.append(draft.throw("to_hit", more, 6))
    faces = tuple(face for r in rounds for face in r.faces)
    result = judged(faces, weapon, line.squared, policy)  # NME-16 to 18, NME-21, NME-22, NME-28 to 30
    rules = ["NME-14", *(["NME-15"] if len(rounds) > 1 else []), *(["NME-19"] if mode == "aimed" else [])]
    draft.emit(
        e.NmeHitRolled(
            fig=fig.id,
            weapon=weapon.id,
            mode=mode,
            target=None if line.target is None else line.target.id,
            point=line.at if line.target is None else None,
            dice=tuple(rounds),
            faces=faces,
            hits=result.hits,
            sixes=result.sixes,
            effective_range=weapon.er,
            accuracy=result.accuracy,
            distance=line.distance,
            measured=line.measured,
            outcome=result.outcome,
            critical=result.critical,
            point_blank=result.point_blank,
            rules=tuple(sorted({*rules, *result.rules})),
        )
    )
    return result


def _hit(draft: Draft, weapon: NmeWeapon, line: Line, roll: Result) -> None:
    """Whom the hit strikes, whether cover stops it, and what it does."""
    assert line.target is not None
    shooter = line.view.shooter
    victim = _victim(draft, shooter.id, line.target.id)
    sight = line.view.sight(draft.fig(victim))
    draft.sights[victim] = sight
    if saved(draft, victim, sight, shooter.id):  # NME-20
        return
    strength = strength_of(weapon.strength, draft.battle.nme, critical=roll.critical)  # NME-28
    blow = Wound(shooter.id, weapon.id, strength, roll.critical, shooter.at, line.distance)
    wound(draft, victim, blow, "NME-29" if roll.point_blank else "NME-17")


def _victim(draft: Draft, shooter: str, target: str) -> str:
    """In a combat everybody is equally likely to be the one who is hit (NME-26)."""
    pool = melee_of(draft.battle, target)
    if not pool:
        return target
    victim, dice = draft.draw("victim", pool)
    draft.emit(e.VictimDrawn(shooter, target, pool, dice, victim, "NME-26"))
    return victim
