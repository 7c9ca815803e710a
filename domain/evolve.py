"""Evolve: the table after an event. Law: no rule lives here, and it never raises on what `decide` produced.

Both systems share it: every event says what became of whom, and this page only writes it down.
"""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from domain import events as e
from domain.battle import Aim, Battle, Fig, Side, Wound
from domain.measures import Vector
from domain.policy import MfdPolicy, NmePolicy


def evolve(battle: Battle | None, event: e.Event) -> Battle:
    """The table after `event`; None stands for the empty table before `BattleStarted`."""
    if battle is None:
        assert isinstance(event, e.BattleStarted)
        return _started(event)
    write = _WRITES.get(type(event))
    return battle if write is None else write(battle, event)


def evolved(battle: Battle | None, events: Iterable[e.Event]) -> Battle:
    """The table after all of `events`."""
    for event in events:
        battle = evolve(battle, event)
    assert battle is not None
    return battle


def _started(event: e.BattleStarted) -> Battle:
    shape: type[NmePolicy | MfdPolicy] = NmePolicy if event.system == "nme" else MfdPolicy
    return Battle(
        system=event.system,
        rules=event.rules,
        title=event.title,
        width=event.width,
        height=event.height,
        dice=event.dice,
        policy=msgspec.convert(event.policy, shape),
        sides={s.id: Side(id=s.id, name=s.name, party=s.party) for s in event.sides},
        tags=event.tags,
    )


def _with(battle: Battle, name: str, **changes: Any) -> Battle:
    return replace(battle, figs={**battle.figs, name: replace(battle.figs[name], **changes)})


def _mustered(battle: Battle, event: e.FigMustered) -> Battle:
    fig = Fig(
        id=event.fig,
        name=event.name,
        side=event.side,
        x=event.x,
        y=event.y,
        facing=event.facing,
        base=event.base,
        vehicle=event.vehicle,
        profile=event.profile,
        weapons=event.weapons,
    )
    side = battle.sides[event.side]
    sides = {**battle.sides, side.id: replace(side, start=side.start + event.counts)}
    return replace(battle, figs={**battle.figs, fig.id: fig}, sides=sides)


def _placed(battle: Battle, event: e.TerrainPlaced) -> Battle:
    return replace(battle, terrain=(*battle.terrain, event.terrain))


def _turn_started(battle: Battle, event: e.TurnStarted) -> Battle:
    figs = {name: _rested(fig) if fig.side == event.side else fig for name, fig in battle.figs.items()}
    return replace(battle, turn=event.turn, side=event.side, phase="", figs=figs)


def _rested(fig: Fig) -> Fig:
    fresh = (fig.pace, fig.moved, fig.advanced, fig.shots, fig.aimed, fig.fought, fig.tested)
    if fresh == ("still", 0, False, 0, False, False, False):
        return fig
    return replace(
        fig,
        pace="still",
        moved=0,
        advanced=False,
        shots=0,
        shot_mode="",
        shot_with="",
        shot_at=(),
        aimed=False,
        fought=False,
        tested=False,
    )


def _phase(battle: Battle, event: e.PhaseStarted) -> Battle:
    return replace(battle, phase=event.phase)


def _moved(battle: Battle, event: e.FigMoved) -> Battle:
    return _with(
        battle, event.fig, x=event.to.x, y=event.to.y, moved=event.total, pace=event.pace, advanced=event.advanced
    )


def _turned(battle: Battle, event: e.FigTurned) -> Battle:
    return _with(battle, event.fig, facing=event.facing)


def _hid(battle: Battle, event: e.FigHid) -> Battle:
    return _with(battle, event.fig, hidden=True)


def _revealed(battle: Battle, event: e.FigRevealed) -> Battle:
    return _with(battle, event.fig, hidden=False)


def _aim_taken(battle: Battle, event: e.AimTaken) -> Battle:
    return _with(battle, event.fig, aim=Aim(event.target, event.turns), aimed=True)


def _aim_lost(battle: Battle, event: e.AimLost) -> Battle:
    return _with(battle, event.fig, aim=None)


def _failed(battle: Battle, event: e.WeaponFailed) -> Battle:
    return _with(battle, event.fig, useless=(*battle.figs[event.fig].useless, event.weapon))


def _shot(battle: Battle, event: e.ShotFired) -> Battle:
    fig = battle.figs[event.fig]
    return _with(
        battle,
        event.fig,
        shots=fig.shots + 1,
        shot_mode=event.mode,
        shot_with=event.weapon,
        shot_at=(*fig.shot_at, event.target) if event.target else fig.shot_at,
    )


def _awaited(battle: Battle, event: e.InjuryAwaited) -> Battle:
    wound = Wound(event.by, event.weapon, event.strength, event.critical, event.origin, event.distance)
    return _with(battle, event.fig, injuries=(*battle.figs[event.fig].injuries, wound))


def _injured(battle: Battle, event: e.InjuryRolled) -> Battle:
    return _with(battle, event.fig, wounds=battle.figs[event.fig].wounds + event.wounds) if event.wounds else battle


def _reported(battle: Battle, event: e.InjuryReported) -> Battle:
    fig = battle.figs[event.fig]
    return _with(battle, event.fig, wounds=fig.wounds + event.wounds, injuries=fig.injuries[1:])


def _pinned(battle: Battle, event: e.FigPinned) -> Battle:
    return _with(battle, event.fig, status="pinned", pinned_turn=battle.turn)


def _tested(battle: Battle, event: e.RecoveryRolled) -> Battle:
    return _with(battle, event.fig, tested=True)


def _recovered(battle: Battle, event: e.FigRecovered) -> Battle:
    return _with(battle, event.fig, status="active", pinned_turn=0)


def _downed(battle: Battle, event: e.FigDowned) -> Battle:
    return _with(battle, event.fig, status="down", pinned_turn=0, hidden=False)


def _removed(battle: Battle, event: e.FigRemoved) -> Battle:
    return _with(battle, event.fig, status="out", pinned_turn=0, hidden=False, aim=None, injuries=())


def _joined(battle: Battle, event: e.MeleeJoined) -> Battle:
    return _engage(battle, event.fig, event.others, joining=True)


def _left(battle: Battle, event: e.MeleeLeft) -> Battle:
    return _engage(battle, event.fig, event.others, joining=False)


def _engage(battle: Battle, name: str, others: tuple[str, ...], *, joining: bool) -> Battle:
    figs = dict(battle.figs)
    for one, many in ((name, others), *((other, (name,)) for other in others)):
        now = set(figs[one].engaged)
        now = now | set(many) if joining else now - set(many)
        figs[one] = replace(figs[one], engaged=tuple(sorted(now)))
    return replace(battle, figs=figs)


def _fought(battle: Battle, event: e.MeleeFought) -> Battle:
    figs = {**battle.figs, **{name: replace(battle.figs[name], fought=True) for name in event.figs}}
    return replace(battle, figs=figs)


def _last_ditch(battle: Battle, event: e.LastDitchCalled) -> Battle:
    side = battle.sides[event.side]
    return replace(battle, sides={**battle.sides, side.id: replace(side, last_ditch=True)})


def _conceded(battle: Battle, event: e.SideConceded) -> Battle:
    side = battle.sides[event.side]
    return replace(battle, sides={**battle.sides, side.id: replace(side, conceded=True)})


def _ruled(battle: Battle, event: e.RulingMade) -> Battle:
    for change in event.changes:
        battle = _with(battle, change.fig, **_ruled_fields(battle, change))
    return battle


def _ruled_fields(battle: Battle, change: e.Change) -> dict[str, Any]:
    fig = battle.figs[change.fig]
    match change.field:
        case "facing":
            return {"facing": msgspec.convert(change.after, Vector)}
        case "aim":
            return {"aim": None if change.after is None else msgspec.convert(change.after, Aim)}
        case "weapon":
            name = change.after["id"]
            kept = tuple(w for w in fig.useless if w != name)
            return {"useless": kept if change.after["usable"] else (*kept, name)}
        case "status":
            fields: dict[str, Any] = {"status": change.after, "pinned_turn": battle.turn * (change.after == "pinned")}
            if change.after == "out":
                fields |= {"aim": None, "hidden": False, "injuries": ()}
            return fields
        case plain:
            return {plain: change.after}


def _branched(battle: Battle, event: e.BranchOpened) -> Battle:
    return replace(battle, title=event.title, dice=event.mode, tags=dict.fromkeys(battle.tags, ""))


def _ended(battle: Battle, event: e.BattleEnded) -> Battle:
    return replace(battle, status="ended", winner=event.winner)


_WRITES: dict[type, Callable[[Battle, Any], Battle]] = {
    e.FigMustered: _mustered,
    e.TerrainPlaced: _placed,
    e.TurnStarted: _turn_started,
    e.PhaseStarted: _phase,
    e.FigMoved: _moved,
    e.FigTurned: _turned,
    e.FigHid: _hid,
    e.FigRevealed: _revealed,
    e.AimTaken: _aim_taken,
    e.AimLost: _aim_lost,
    e.WeaponFailed: _failed,
    e.ShotFired: _shot,
    e.InjuryAwaited: _awaited,
    e.InjuryRolled: _injured,
    e.InjuryReported: _reported,
    e.FigPinned: _pinned,
    e.RecoveryRolled: _tested,
    e.FigRecovered: _recovered,
    e.FigDowned: _downed,
    e.FigRemoved: _removed,
    e.MeleeJoined: _joined,
    e.MeleeLeft: _left,
    e.MeleeFought: _fought,
    e.LastDitchCalled: _last_ditch,
    e.SideConceded: _conceded,
    e.RulingMade: _ruled,
    e.BranchOpened: _branched,
    e.BattleEnded: _ended,
}
"""Events that are not listed leave the table as it is."""
