"""Battles to measure on: long ones, played by the real rules with server dice."""

from itertools import count
from typing import Any

from domain.commands import COMMAND
from domain.draft import REFEREE
from domain.muster import NEW_BATTLE
from domain.refusals import Refused
from replays.referee import Asked, Receipt, Referee
from replays.store import Store


def referee_on(database: str) -> Referee:
    """A referee on a store of its own, with a clock that ticks."""
    ticks, ids = count(1_764_450_000_000, 1000), count(1)
    return Referee(
        Store.open(database),
        clock=lambda: next(ticks),
        new_id=lambda: f"{next(ids):032x}",
        new_secret=lambda: "not-a-secret",
    )


def opening() -> dict[str, Any]:
    """Two gangs of five, far enough apart that nobody falls: the battle can go on for ever."""
    figs = [
        {
            "id": f"{side}-{n}",
            "side": side,
            "x": 2 + 4 * n,
            "y": y,
            "facing": facing,
            "bs": 2,
            "weapons": ["lasgun", "stub-gun"],
        }
        for side, y, facing in (("red", 2, 90), ("blue", 46, 270))
        for n in range(5)
    ]
    return {"system": "nme", "sides": [{"id": "red"}, {"id": "blue"}], "figs": figs}


def play(referee: Referee, *, entries: int = 0, actions: int = 0, battle: str = "") -> str:
    """Play (on) until the log has so many entries, or so many actions were carried out."""
    if not battle:
        opened = referee.open(NEW_BATTLE.validate_python(opening()), Asked(REFEREE))
        assert isinstance(opened, Receipt)
        battle = opened.battle
    done = 0
    while True:
        for command in _turn(referee, battle):
            if (entries and referee.shelf.book(battle).head >= entries) or (actions and done >= actions):
                return battle
            try:
                referee.act(battle, COMMAND.validate_python(command), Asked(REFEREE))
            except Refused:
                continue
            done += 1


def _turn(referee: Referee, battle: str) -> list[dict[str, Any]]:
    table = referee.shelf.book(battle).record.battle
    step = 1000 if table.turn % 4 < 2 else -1000
    figs, enemy = list(table.figs_of(table.side)), next(iter(table.enemies_of(table.side)))
    moves = [{"do": "move", "fig": f.id, "to": {"x": (f.x + step) / 1000, "y": f.y / 1000}} for f in figs]
    shots = [{"do": "shoot", "fig": f.id, "weapon": "lasgun", "target": enemy.id} for f in figs]
    return [*moves, *shots, {"do": "end_turn"}]
