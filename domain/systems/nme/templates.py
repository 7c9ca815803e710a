"""Templates. Law: people lay the template and say whom it touches; the rules say what that does (NME-24, NME-27).

No to-hit roll and no critical: whoever is under it is hit, and whoever is within an inch of it is pinned.
"""

from collections.abc import Sequence

from domain import events as e
from domain.battle import Battle, NmeWeapon, Wound
from domain.commands import Touched
from domain.draft import Draft
from domain.measures import length
from domain.refusals import invalid
from domain.systems.nme.cover import saved
from domain.systems.nme.injuries import strength_of, wound
from domain.systems.nme.pinning import pin
from domain.systems.nme.targets import Line


def check_touched(battle: Battle, weapon: NmeWeapon, touched: Sequence[Touched]) -> None:
    """Refuse a list of touched figs that does not fit the weapon or the table."""
    if touched and weapon.template == "none":
        invalid(f"{weapon.id} has no template to touch anybody with", "/touched")
    for n, touch in enumerate(touched):
        pointer = f"/touched/{n}/fig"
        if not battle.fig(touch.fig, pointer).in_play:
            invalid(f"{touch.fig} is out of the battle", pointer)
        if touch.fig in [other.fig for other in touched[:n]]:
            invalid(f"{touch.fig} is named twice", pointer)


def lay(draft: Draft, weapon: NmeWeapon, line: Line, touched: Sequence[Touched]) -> None:
    """Lay the template: hits in the order of the request, then pins for everybody it touches, friend or foe."""
    if line.target is not None and not touched:
        # A template that is laid on a fig has it under it, unless the request says whom it touches.
        touched = (Touched(fig=line.target.id, under=True),)
    under = tuple(touch.fig for touch in touched if touch.under)
    near = tuple(touch.fig for touch in touched if not touch.under)
    firer = line.view.shooter.id
    draft.emit(e.TemplatePlaced(firer, weapon.id, weapon.template, line.at, under, near))
    # A flamer's template begins at its firer, whom his own flame does not burn.
    spared = {firer} if weapon.template == "flamer" else set()
    for name in under:
        if name not in spared:
            _engulf(draft, weapon, line, name)
    if draft.battle.nme.flamer_pins_firer:
        spared = set()
    for touch in touched:
        if touch.fig not in spared:
            pin(draft, touch.fig, "template", "NME-24", firer)


def _engulf(draft: Draft, weapon: NmeWeapon, line: Line, name: str) -> None:
    view, victim = line.view, draft.fig(name)
    sight = view.sight(victim)
    draft.sights[name] = sight
    if saved(draft, name, sight, view.shooter.id):
        return
    strength = strength_of(weapon.strength, draft.battle.nme, critical=False)
    distance = length(view.squared_to(victim))
    blow = Wound(view.shooter.id, weapon.id, strength, critical=False, origin=view.shooter.at, distance=distance)
    wound(draft, name, blow, "NME-24")
