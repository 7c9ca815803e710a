"""Shooting: from the trigger to who is hit, in plain English. Law: every face is named, and what was needed."""

from collections.abc import Callable
from typing import Any

from domain import events as e
from domain.battle import Battle
from projections.wording import added, counted, faces, fig_name, inch, listed, range_of, spot, weapon_name, weapon_of

_SHOTS = {1: "first", 2: "second", 3: "third", 4: "fourth"}
_OUTCOMES = {"hit": "a hit", "grazed": "it touches, but does no harm (MFD-18)", "miss": "a miss"}


def _fired(battle: Battle, event: e.ShotFired) -> str:
    mode = {"aimed": "an aimed shot", "snap": "a snap shot", "fire": "a shot"}[event.mode]
    mark = f" at {fig_name(battle, event.target)}" if event.target else ""
    shot = f"{mode} with {weapon_name(event.weapon)}{mark}"
    return f"{fig_name(battle, event.fig)} fires {shot}, its {_SHOTS.get(event.shot, f'{event.shot}th')} of this turn."


def _ammo(_: Battle, event: e.AmmoRolled) -> str:
    first, second = event.faces
    weapon = weapon_name(event.weapon)
    if not event.passed:
        why = f"a double below the rating of {event.rating}, {weapon} does not fire"
    elif first == second:
        why = f"a double, but not below the rating of {event.rating}, {weapon} fires"
    else:
        why = f"no double, {weapon} fires"
    return f"Ammo roll {first}, {second}: {why} (NME-12)."


def _failed(battle: Battle, event: e.WeaponFailed) -> str:
    weapon = weapon_of(event.weapon, fig_name(battle, event.fig))
    return f"Out of ammo: {weapon} is useless for the rest of the battle ({event.rule})."


def _nme_hit(battle: Battle, event: e.NmeHitRolled) -> str:
    mark = fig_name(battle, event.target) if event.target else "the point on the ground"
    where = f"{mark} at {range_of(event.distance, event.measured)}"
    return f"{faces(event.faces)}: {_reach(event)}; {where} {_result(event)}."


def _reach(event: e.NmeHitRolled) -> str:
    bonus = len(event.faces) - len(event.dice[0].faces)
    dice = "1 bonus die" if bonus == 1 else f"{bonus} bonus dice"
    extra = f" ({dice} for {'a six' if bonus == 1 else 'sixes'})" if bonus else ""
    if event.point_blank:
        return f"no hits{extra}, but at point blank the highest die counts and reaches {inch(event.accuracy)} (NME-29)"
    reach = f" {'reaches' if event.hits == 1 else 'reach'} {inch(event.accuracy)}" if event.hits else ""
    return f"{counted(event.hits, 'hit')}{extra}{reach}"


def _result(event: e.NmeHitRolled) -> str:
    if event.outcome == "near_miss":
        return "is missed by one hit (NME-21)"
    if event.outcome == "miss":
        return "is missed (NME-17)"
    if not event.critical:
        return "is hit (NME-29)" if event.point_blank else "is hit (NME-17)"
    if event.point_blank:
        return "is hit critically, nearer than the die shows, at double strength (NME-30)"
    return "is hit critically, the sixes alone reach it, at double strength (NME-28)"


def _mfd_hit(battle: Battle, event: e.MfdHitRolled) -> str:
    what = f"with {weapon_name(event.weapon)}"
    if event.melee:
        deed = f"{fig_name(battle, event.fig)} strikes at {fig_name(battle, event.target)} {what}"
    else:
        away = f"from {range_of(event.distance, event.measured)}"
        deed = f"{fig_name(battle, event.fig)} shoots at {fig_name(battle, event.target)} {what} {away}"
    total = event.face + sum(m.value for m in event.modifiers)
    makes = f"{added(event.modifiers)} makes {total}" if event.modifiers else ""
    return f"{deed}: the die shows {event.face}{makes}, {event.needed} or more is needed, {_OUTCOMES[event.outcome]}."


def _victim(battle: Battle, event: e.VictimDrawn) -> str:
    pool = listed(fig_name(battle, fig) for fig in event.pool)
    shown = faces(face for throw in event.dice for face in throw.faces)
    how = f"by a die of {shown}" if shown else "without a die"
    return f"The shot goes into a combat: of {pool} it strikes {fig_name(battle, event.victim)}, {how} ({event.rule})."


def _save(battle: Battle, event: e.CoverSaveRolled) -> str:
    result = "the cover stops the shot" if event.saved else "the cover does not help"
    who = fig_name(battle, event.fig)
    return f"{who} is in cover and rolls {event.face}, {event.needed} or more saves: {result} ({event.rule})."


def _template(battle: Battle, event: e.TemplatePlaced) -> str:
    under = listed(fig_name(battle, fig) for fig in event.under) if event.under else "nobody"
    near = listed(fig_name(battle, fig) for fig in event.near) if event.near else "nobody"
    where = f"The {event.template} template of {fig_name(battle, event.fig)} lies at {spot(event.point)}"
    return f'{where}: {under} under it, {near} within 1" of its edge (NME-24).'


SAYS: dict[type, Callable[[Any, Any], str]] = {
    e.ShotFired: _fired,
    e.AmmoRolled: _ammo,
    e.WeaponFailed: _failed,
    e.NmeHitRolled: _nme_hit,
    e.MfdHitRolled: _mfd_hit,
    e.VictimDrawn: _victim,
    e.CoverSaveRolled: _save,
    e.TemplatePlaced: _template,
}
