"""Injuries. Law: N:ME has no wound roll; a hit is looked up in the chart of its strength, or the players report it.

The charts and what their words do lie outside the document (rules 3B): they go by the house ids INJURY-01 and -02.
"""

from collections.abc import Mapping
from typing import Literal

from domain import events as e
from domain.battle import Battle, Wound
from domain.commands import Action, Concede, EndBattle, Injure
from domain.contact import part
from domain.draft import Draft
from domain.policy import NmePolicy
from domain.refusals import refuse
from domain.systems.nme.pinning import pin

Result = Literal["close", "clipped", "dropped", "iced"]

CHARTS: Mapping[int, tuple[Result, Result, Result, Result, Result, Result]] = {
    1: ("close", "close", "close", "clipped", "clipped", "clipped"),
    2: ("close", "close", "clipped", "clipped", "clipped", "dropped"),
    3: ("close", "clipped", "clipped", "clipped", "dropped", "dropped"),
    4: ("clipped", "clipped", "clipped", "dropped", "dropped", "iced"),
    5: ("clipped", "clipped", "dropped", "dropped", "iced", "iced"),
    6: ("clipped", "dropped", "dropped", "iced", "iced", "iced"),
}
"""By strength: the results of 1 to 6 on the die."""


def injury(strength: int, face: int) -> Result:
    """What a hit of that strength does on that face."""
    return CHARTS[strength][face - 1]


def strength_of(base: int, policy: NmePolicy, *, critical: bool) -> int:
    """The strength of a hit: a critical doubles it (NME-28), and the charts end at the cap."""
    full = 2 * base if critical else base
    return min(full, policy.strength_cap) if policy.injury == "n_me_charts" else full


def wound(draft: Draft, name: str, blow: Wound, rule: str) -> None:
    """A hit that no cover stopped: it is applied, and its injury rolled or awaited."""
    draft.emit(e.FigHit(name, blow.by, blow.weapon, blow.strength, blow.critical, blow.distance, rule))
    if draft.battle.nme.injury == "reported_by_players":
        draft.emit(
            e.InjuryAwaited(name, blow.by, blow.weapon, blow.strength, blow.critical, blow.origin, blow.distance)
        )
        _pin_by_hit(draft, name, blow)
        return
    thrown = draft.throw("injury", 1, 6)
    face = thrown.faces[0]
    result = injury(blow.strength, face)
    draft.emit(e.InjuryRolled(name, blow.by, blow.strength, (thrown,), face, result, _wounds(result)))
    _suffer(draft, name, result, blow, "INJURY-01")


def injure(draft: Draft, command: Injure) -> None:
    """The players report what the oldest open hit on a fig did."""
    battle = draft.battle
    waiting = _waiting(battle)
    if battle.nme.injury != "reported_by_players":
        refuse("TURN-07", "in this battle injuries are rolled on the charts, not reported")
    if command.fig not in waiting:
        refuse("TURN-07", f"no injury of {command.fig} waits for a report", waiting)
    blow = draft.fig(command.fig).injuries[0]
    draft.emit(e.InjuryReported(command.fig, blow.by, command.result, _wounds(command.result)))
    _suffer(draft, command.fig, command.result, blow, "INJURY-02")


def check_pending(battle: Battle, command: Action) -> None:
    """Refuse whatever has to wait until the players have reported every injury (TURN-07)."""
    waiting = _waiting(battle)
    if waiting and not isinstance(command, Injure | Concede | EndBattle):
        refuse("TURN-07", f"first report the injury of {', '.join(waiting)}", [f"injure {name}" for name in waiting])


def _waiting(battle: Battle) -> list[str]:
    return [fig.id for fig in battle.figs.values() if fig.in_play and fig.injuries]


def _wounds(result: Result) -> int:
    return int(result == "clipped")


def _suffer(draft: Draft, name: str, result: Result, blow: Wound, rule: str) -> None:
    # A fig that is down already stays down, whatever hits it, until it is iced.
    if result == "iced":
        draft.emit(e.FigRemoved(name, "injury", rule, blow.by, blow.weapon, blow.origin, blow.distance))
        part(draft, name)
    elif result != "dropped":
        _pin_by_hit(draft, name, blow)
    elif draft.fig(name).status != "down":
        draft.emit(e.FigDowned(name, "injury", rule, blow.by, blow.weapon, blow.origin, blow.distance))
        part(draft, name)


def _pin_by_hit(draft: Draft, name: str, blow: Wound) -> None:
    if draft.battle.nme.hit_pins:
        pin(draft, name, "hit", "NME-21b", blow.by)
