"""Summaries: a whole action in one line. Law: who did what, then what came of it, in the order in which it happened.

`Sarge shoots Ganger with the autogun: hit, pinned.` A consequence names its fig, but for the action's mark as long
as nobody else was named.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from domain import events as e
from domain.battle import Battle
from projections.sentences import sentence
from projections.sentences.acting import moved_how
from projections.wording import fig_name, listed, phase_name, side_name, spot, weapon_name

_HITS = {"hit": "hit", "near_miss": "near miss", "miss": "miss", "grazed": "touched without harm"}


def summary(before: Battle, events: Sequence[e.Event]) -> str:
    """What an action was and what came of it; `before` is the table before its first event."""
    head = events[0]
    if not isinstance(head, e.ActionDeclared):
        return sentence(before, head)
    asked = head.request
    mark = str(asked.get("target") or asked.get("fig") or "")
    told = [event for event in events[1:] if head.do == "move" or not isinstance(event, e.MeleeLeft)]
    came: list[str] = []
    for event in told:
        said = _came_of(before, event, mark)
        came += [said] if said else []
        if said and type(event) in _FATES and _whose(event, mark) != mark:
            # From here on nobody could tell whom a word without a name is about.
            mark = ""
    deed = _DEEDS[head.do](before, asked, events)
    return f"{deed}: {', '.join(came)}." if came else f"{deed}."


def _move(battle: Battle, asked: Mapping[str, Any], events: Sequence[e.Event]) -> str:
    moves = [moved_how(battle, event) for event in events if isinstance(event, e.FigMoved)]
    return moves[0] if moves else f"{fig_name(battle, asked['fig'])} moves"


def _shoot(battle: Battle, asked: Mapping[str, Any], _: Sequence[e.Event]) -> str:
    mark = fig_name(battle, asked["target"]) if asked.get("target") else f"at {spot(asked['point'])}"
    return f"{fig_name(battle, asked['fig'])} shoots {mark} with {weapon_name(asked['weapon'])}"


def _fight(battle: Battle, asked: Mapping[str, Any], _: Sequence[e.Event]) -> str:
    figs = dict.fromkeys(name for bout in asked["bouts"] for name in (bout["fig"], bout["target"]))
    return f"{listed(fig_name(battle, name) for name in figs)} fight"


def _of_fig(deed: str) -> Callable[[Battle, Mapping[str, Any], Sequence[e.Event]], str]:
    return lambda battle, asked, _: deed.format(fig_name(battle, asked["fig"]))


_DEEDS: dict[str, Callable[[Battle, Mapping[str, Any], Sequence[e.Event]], str]] = {
    "move": _move,
    "turn": _of_fig("{} turns"),
    "hide": _of_fig("{} hides"),
    "aim": lambda b, asked, _: f"{fig_name(b, asked['fig'])} aims at {fig_name(b, asked['target'])}",
    "shoot": _shoot,
    "fight": _fight,
    "recover": _of_fig("{} tries to get up"),
    "injure": _of_fig("The injury of {} is reported"),
    "last_ditch": lambda b, asked, _: f"{side_name(b, asked['side'])} calls last ditch",
    "end_phase": lambda b, *_: f"The {phase_name(b.phase)} phase of {side_name(b, b.side)} ends",
    "end_turn": lambda b, *_: f"The turn of {side_name(b, b.side)} ends",
    "concede": lambda b, asked, _: f"{side_name(b, asked['side'])} concedes",
    "end_battle": lambda *_: "The referee ends the battle",
}
"""What each action is, by its `do`."""


def _came_of(battle: Battle, event: e.Event, mark: str) -> str:
    """A consequence in a few words; empty where it goes without saying."""
    kind = type(event)
    if kind in _FACTS:
        return _FACTS[kind](battle, event)
    said = _FATES[kind](battle, event) if kind in _FATES else ""
    fig = _whose(event, mark)
    return said if not said or fig == mark else f"{fig_name(battle, fig)} {said}"


def _whose(event: e.Event, mark: str) -> str:
    return str(getattr(event, "fig", mark))


def _struck_at(battle: Battle, event: e.MfdHitRolled) -> str:
    if not event.melee:
        return _HITS[event.outcome]
    verb = "hits" if event.outcome == "hit" else "misses"
    return f"{fig_name(battle, event.fig)} {verb} {fig_name(battle, event.target)}"


def _others(battle: Battle, event: e.MeleeJoined | e.MeleeLeft) -> str:
    return listed(fig_name(battle, other) for other in event.others)


_FACTS: dict[type, Callable[[Battle, Any], str]] = {
    e.WeaponFailed: lambda _, ev: f"{weapon_name(ev.weapon)} fails for good",
    e.NmeHitRolled: lambda _, ev: "critical hit" if ev.critical else _HITS[ev.outcome],
    e.MfdHitRolled: _struck_at,
    e.VictimDrawn: lambda b, ev: f"the shot strikes {fig_name(b, ev.victim)}",
    e.TurnStarted: lambda b, ev: f"turn {ev.turn}, of {side_name(b, ev.side)}, begins",
    e.BattleEnded: lambda b, ev: f"{side_name(b, ev.winner)} wins" if ev.winner else "a draw",
}
"""What is worth a word and says by itself whom it is about, by the type of the event."""

_FATES: dict[type, Callable[[Battle, Any], str]] = {
    e.CoverSaveRolled: lambda _, ev: "saved by cover" if ev.saved else "not saved by cover",
    e.DamageRolled: lambda _, ev: "" if ev.penetrated else "saved by armour",
    e.InjuryRolled: lambda _, ev: ev.result,
    e.InjuryReported: lambda _, ev: ev.result,
    e.InjuryAwaited: lambda *_: "injury to be reported",
    e.FigPinned: lambda *_: "pinned",
    e.RecoveryRolled: lambda _, ev: "test passed" if ev.passed else "test failed",
    e.FigRecovered: lambda *_: "up again",
    e.FigRevealed: lambda *_: "hidden no longer",
    e.FigDowned: lambda *_: "down",
    e.FigRemoved: lambda *_: "out of the battle",
    e.MeleeJoined: lambda b, ev: f"in combat with {_others(b, ev)}",
    e.MeleeLeft: lambda b, ev: f"out of combat with {_others(b, ev)}",
    e.AimLost: lambda *_: "loses its aim",
}
"""What becomes of a fig, which is named in front where it is not plainly the action's mark."""
