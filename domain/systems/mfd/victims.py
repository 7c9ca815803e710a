"""Victims: whom a hit strikes. Law: in a melee first a side and then a fig of it (MFD-22); under a blast all (MFD-06).

Whether either may happen at all is settled before the shot.
"""

from collections.abc import Sequence

from domain import events as e
from domain.battle import Battle, Fig, MfdWeapon
from domain.commands import Touched
from domain.contact import melee_of
from domain.dice import Throw
from domain.draft import Draft
from domain.measures import squared, within
from domain.refusals import invalid, refuse


def melee_fired_into(battle: Battle, target: Fig, *, into_melee: bool) -> tuple[str, ...]:
    """Everybody in the target's melee; refuses to fire into one unasked, or at all if the policy says so (MFD-22)."""
    melee = melee_of(battle, target.id)
    if melee and battle.mfd.fire_into_melee == "never":
        refuse("MFD-22", f"{target.id} is in a melee, and in this battle nobody fires into one")
    if melee and not into_melee:
        reason = f"{target.id} is in a melee; half of what hits there strikes one's own side"
        refuse("MFD-22", reason, ["say into_melee"])
    if into_melee and not melee:
        invalid(f"{target.id} is in no melee", "/into_melee", ["false"])
    return melee


def blast_named(battle: Battle, weapon: MfdWeapon, touched: Sequence[Touched]) -> frozenset[str] | None:
    """Whom the table says a blast strikes beside its target; None leaves it to the coordinates (MFD-06)."""
    if not touched:
        return None
    if not _blasts(battle, weapon):
        invalid("only an explosive big weapon touches others, and only where blasts have a radius", "/touched")
    names = [t.fig for t in touched]
    for n, name in enumerate(names):
        if not battle.fig(name, f"/touched/{n}/fig").in_play:
            invalid(f"{name} is out of the battle", f"/touched/{n}/fig")
        if name in names[:n]:
            invalid(f"{name} is named twice", f"/touched/{n}/fig")
    return frozenset(t.fig for t in touched if t.under)


def struck(battle: Battle, weapon: MfdWeapon, named: frozenset[str] | None, victim: str) -> list[str]:
    """Whom a hit on `victim` harms, in the order of ids: a blast all whose centres are within its radius (MFD-06)."""
    radius = battle.mfd.blast_radius
    if radius is None or not _blasts(battle, weapon):
        return [victim]
    if named is not None:
        return sorted(named | {victim})
    centre = battle.figs[victim].at
    return sorted(f.id for f in battle.figs.values() if f.in_play and within(squared(centre, f.at), radius))


def drawn_victim(draft: Draft, shooter: Fig, target: str, melee: Sequence[str]) -> str:
    """Whom a hit into a melee strikes: the die chooses a side, whatever the heads, and then a fig of it (MFD-22)."""
    own = [name for name in melee if draft.fig(name).side == shooter.side]
    others = [name for name in melee if name not in own]
    throws: tuple[Throw, ...] = ()
    pool = others
    if own:
        # Where nobody is one's own there is no side to choose.
        throws = (draft.throw("victim_side", 1, 6),)
        pool = own if throws[0].faces[0] <= 3 else others
    victim, drawn = draft.draw("victim", pool)
    draft.emit(
        e.VictimDrawn(
            fig=shooter.id,
            target=target,
            pool=tuple(pool),
            dice=throws + drawn,
            victim=victim,
            rule="MFD-22",
        )
    )
    return victim


def _blasts(battle: Battle, weapon: MfdWeapon) -> bool:
    return weapon.kind == "big_explosive" and battle.mfd.blast_radius is not None
