"""Asking: the request at the head of every action, in plain English. Law: what was asked, not what came of it.

Requests are read as the log keeps them: lengths in thou, directions as vectors.
"""

from collections.abc import Callable, Mapping
from typing import Any

from domain import events as e
from domain.battle import Battle
from domain.measures import Point, Vector, length, squared
from projections.view import degrees
from projections.wording import (
    PACES,
    counted,
    fig_name,
    inch,
    listed,
    phase_name,
    saying,
    side_name,
    spot,
    weapon_name,
)

Asked = Mapping[str, Any]


def _move(battle: Battle, asked: Asked) -> str:
    verb = PACES[asked.get("pace") or "still"]
    tape = asked.get("inches")
    costs = "" if tape is None else f", which counts as {inch(tape)}"
    return f"{fig_name(battle, asked['fig'])} {verb} to {spot(asked['to'])}{costs}."


def _turn(battle: Battle, asked: Asked) -> str:
    toward, facing = asked.get("toward"), asked.get("facing")
    if isinstance(toward, str):
        where = f"toward {fig_name(battle, toward)}"
    elif toward is not None:
        where = f"toward {spot(toward)}"
    else:
        where = f"to {degrees(Vector(**facing)):g} degrees" if facing else "on the spot"
    return f"{fig_name(battle, asked['fig'])} turns {where}."


def _hide(battle: Battle, asked: Asked) -> str:
    return f"{fig_name(battle, asked['fig'])} looks for a place to hide."


def _aim(battle: Battle, asked: Asked) -> str:
    return f"{fig_name(battle, asked['fig'])} takes aim at {fig_name(battle, asked['target'])} for this turn."


def _shoot(battle: Battle, asked: Asked) -> str:
    mode = f" ({asked['mode']})" if asked.get("mode") else ""
    into = ", into the melee" if asked.get("into_melee") else ""
    with_what = f"with {weapon_name(asked['weapon'])}{mode}"
    return (
        f"{fig_name(battle, asked['fig'])} shoots at {_mark(battle, asked)} {with_what}{into}, {_away(battle, asked)}."
    )


def _mark(battle: Battle, asked: Asked) -> str:
    return fig_name(battle, asked["target"]) if asked.get("target") else f"the ground at {spot(asked['point'])}"


def _away(battle: Battle, asked: Asked) -> str:
    tape = asked.get("distance")
    if tape is not None:
        return f"{inch(tape)} away by the tape"
    target = asked.get("target")
    mark = battle.figs[target].at if target else Point(asked["point"]["x"], asked["point"]["y"])
    return f"{inch(length(squared(battle.figs[asked['fig']].at, mark)))} away"


def _fight(battle: Battle, asked: Asked) -> str:
    bouts = [f"{fig_name(battle, b['fig'])} at {fig_name(battle, b['target'])}" for b in asked["bouts"]]
    return f"In the melee {counted(len(bouts), 'blow')} {'is' if len(bouts) == 1 else 'are'} struck: {listed(bouts)}."


def _recover(battle: Battle, asked: Asked) -> str:
    return f"{fig_name(battle, asked['fig'])} tries to get up."


def _injure(battle: Battle, asked: Asked) -> str:
    return f"The players say what the hit did to {fig_name(battle, asked['fig'])}: {asked['result']}."


def _last_ditch(battle: Battle, asked: Asked) -> str:
    return f"{side_name(battle, asked['side'])} calls last ditch, to fight to the death."


def _end_phase(battle: Battle, asked: Asked) -> str:
    return f"The {phase_name(battle.phase)} phase of {side_name(battle, battle.side)} ends{_waived(asked)}."


def _end_turn(battle: Battle, asked: Asked) -> str:
    return f"Turn {battle.turn}, the turn of {side_name(battle, battle.side)}, ends{_waived(asked)}."


def _waived(asked: Asked) -> str:
    waive = asked.get("waive")
    return f"; the referee waives the advance{saying(waive)}" if waive else ""


def _concede(battle: Battle, asked: Asked) -> str:
    return f"{side_name(battle, asked['side'])} concedes{saying(asked.get('reason', ''))}."


def _end_battle(battle: Battle, asked: Asked) -> str:
    winner = asked.get("winner")
    result = f"for {side_name(battle, winner)}" if winner else "as a draw"
    return f"The referee calls the battle {result}{saying(asked.get('reason', ''))}."


ASKS: dict[str, Callable[[Battle, Asked], str]] = {
    "move": _move,
    "turn": _turn,
    "hide": _hide,
    "aim": _aim,
    "shoot": _shoot,
    "fight": _fight,
    "recover": _recover,
    "injure": _injure,
    "last_ditch": _last_ditch,
    "end_phase": _end_phase,
    "end_turn": _end_turn,
    "concede": _concede,
    "end_battle": _end_battle,
}
"""The sentence of each request, by its `do`."""


def _declared(battle: Battle, event: e.ActionDeclared) -> str:
    return ASKS[event.do](battle, event.request)


SAYS: dict[type, Callable[[Any, Any], str]] = {e.ActionDeclared: _declared}
