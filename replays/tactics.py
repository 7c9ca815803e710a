"""Tactics: how a forecast has every side play. Law: plain, the same for all, and named, so that it can be repeated.

Figs act in the order of the muster, each against the nearest enemy that still stands. N:ME: pinned figs test to get up;
who has a foe in sight and in the effective range of its gun stands and fires an aimed shot; others turn to it, walk up
and snap. MiniFig Death: who has a foe in reach of its gun stands and fires all its shots, or aims where no die could
hit; others walk up, and figs without a gun run into contact; then every melee is fought. Nobody calls last ditch.
"""

from typing import Final

from domain.battle import Fig, NmeWeapon
from domain.contact import melee_of
from domain.measures import in_arc, squared, within
from domain.sightlines import sight_of
from domain.systems.mfd.arms import guns_of
from domain.systems.mfd.gap import gap_between
from domain.systems.mfd.modifiers import hits, shot_modifiers
from domain.systems.mfd.table import RUN, TABLE, WALK
from replays.playing import Play, stands

TACTICS: Final = "nearest-1"
"""The name of these tactics; if they change, so does the name."""

MOST_TRIED: Final = 3
"""At how many of the nearest foes a fig tries to shoot before it lets it be."""

APART: Final = 500
"""How far, in thou, who comes to shoot stays away from the base of its foe."""

TOUCHING: Final = 10
"""And who comes to fight."""


def play_turn(play: Play) -> None:
    """Play the turn of the side in turn to its end."""
    play.report()
    if play.battle.system == "nme":
        _nme(play)
    else:
        _mfd(play)
    if not play.do(do="end_turn"):
        # MFD-26: a fig that is hemmed in cannot do its duty.
        play.do(do="end_turn", waive="a forecast goes on")


# --- N:ME -------------------------------------------------------------------------------------------------------------


def _nme(play: Play) -> None:
    for fig in play.own("pinned"):
        play.roll(do="recover", fig=fig.id)
    for fig in play.own("active"):
        _nme_moves(play, fig)
    for fig in play.own("active"):
        _nme_shoots(play, fig)


def _nme_moves(play: Play, fig: Fig) -> None:
    foe = next(iter(play.foes(fig, 1)), None)
    if fig.engaged or foe is None:
        return
    if not in_arc(fig.at, fig.facing, foe.at, 0):
        play.do(do="turn", fig=fig.id, toward=foe.id)
    reach = max((gun.er for gun in _useful(fig)), default=0)
    if not (within(squared(fig.at, foe.at), reach) and play.sees(fig, foe)):
        play.walk(fig, foe, fig.nme.move, APART)


def _nme_shoots(play: Play, fig: Fig) -> None:
    if fig.engaged:
        return
    mode, foes = "aimed" if fig.pace == "still" else "snap", play.foes(fig, MOST_TRIED)
    for gun in _useful(fig):
        if any(play.roll(do="shoot", fig=fig.id, weapon=gun.id, target=foe.id, mode=mode) for foe in foes):
            return


def _useful(fig: Fig) -> list[NmeWeapon]:
    """The guns that still fire, templates last: where they lie is more than a forecast knows."""
    guns = [gun for gun in fig.weapons if isinstance(gun, NmeWeapon) and gun.id not in fig.useless]
    return sorted(guns, key=lambda gun: gun.template != "none")


# --- MiniFig Death ----------------------------------------------------------------------------------------------------


def _mfd(play: Play) -> None:
    for fig in play.own("active"):
        _mfd_moves(play, fig)
    for fig in play.own("active"):
        _mfd_shoots(play, fig)
    for fig in play.own("active"):
        if fig.engaged and not fig.fought:
            figs = play.battle.figs
            bouts = [{"fig": name, "target": figs[name].engaged[0]} for name in melee_of(play.battle, fig.id)]
            play.roll(do="fight", bouts=bouts)


def _mfd_moves(play: Play, fig: Fig) -> None:
    foe = next(iter(play.foes(fig, 1)), None)
    if fig.engaged or foe is None:
        return
    guns, ditch = guns_of(fig), play.battle.sides[fig.side].last_ditch
    reach = max((TABLE[gun.kind]["still"].reach for gun in guns), default=0)
    if ditch or not (guns and within(squared(fig.at, foe.at), reach)):
        far = min(WALK, fig.mfd.move) if guns or ditch else min(RUN, 2 * fig.mfd.move)
        play.walk(fig, foe, far, APART if guns else TOUCHING)


def _mfd_shoots(play: Play, fig: Fig) -> None:
    foes = [foe for foe in play.foes(fig, MOST_TRIED) if not foe.engaged]
    if fig.engaged or not foes or not guns_of(fig):
        return
    if not _could_hit(play, fig, foes[0]) and play.do(do="aim", fig=fig.id, target=foes[0].id):
        return
    for gun in guns_of(fig):
        for foe in foes:
            while stands(play.battle.figs[foe.id]) and play.roll(do="shoot", fig=fig.id, weapon=gun.id, target=foe.id):
                pass


def _could_hit(play: Play, fig: Fig, foe: Fig) -> bool:
    battle = play.battle
    cover = sight_of(battle, fig, foe, None).cover
    net = sum(m.value for m in shot_modifiers(battle, fig, foe, gap_between(fig, foe), cover))
    return hits(battle.mfd, 6, net, fig.mfd.to_hit)
