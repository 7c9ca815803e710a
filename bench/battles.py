"""Battles to measure on: long ones, played by the real rules with server dice."""

from collections.abc import Iterator
from itertools import count, islice
from typing import Any, NamedTuple

import msgspec

from domain.commands import COMMAND
from domain.draft import REFEREE
from domain.muster import NEW_BATTLE
from domain.refusals import Refused
from replays.referee import Asked, Receipt, Referee
from replays.store import Store

Doc = dict[str, Any]


class Acted(NamedTuple):
    """An action that was carried out: what was asked, and the lines (topic and bytes) that it became."""

    asked: Doc
    lines: list[tuple[str, bytes]]


def referee_on(database: str | Store) -> Referee:
    """A referee on a store of its own, or on one that is open, with a clock that ticks."""
    ticks, ids = count(1_764_450_000_000, 1000), count(1)
    return Referee(
        Store.open(database) if isinstance(database, str) else database,
        clock=lambda: next(ticks),
        new_id=lambda: f"{next(ids):032x}",
        new_secret=lambda: "not-a-secret",
    )


def opening() -> Doc:
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


def begun(referee: Referee) -> str:
    """A battle of that opening."""
    opened = referee.open(NEW_BATTLE.validate_python(opening()), Asked(REFEREE))
    assert isinstance(opened, Receipt)
    return opened.battle


def play(referee: Referee, *, entries: int = 0, actions: int = 0, battle: str = "") -> str:
    """Play (on) until the log has so many entries, or so many actions were carried out."""
    battle = battle or begun(referee)
    going, done = moves(referee, battle), 0
    while not ((entries and referee.shelf.book(battle).head >= entries) or (actions and done >= actions)):
        next(going)
        done += 1
    return battle


def moves(referee: Referee, battle: str) -> Iterator[Acted]:
    """Play on, action by action, without an end; what the rules refuse is left out."""
    while True:
        for command in _turn(referee, battle):
            try:
                receipt = referee.act(battle, COMMAND.validate_python(command), Asked(REFEREE))
            except Refused:
                continue
            assert isinstance(receipt, Receipt)
            yield Acted(command, [(_topic(data), data) for data in receipt.data])


def acted(actions: int) -> list[Acted]:
    """So many actions of a battle that was played in memory, to be asked again of another one of the same opening."""
    referee = referee_on(":memory:")
    found = list(islice(moves(referee, begun(referee)), actions))
    referee.store.close()
    return found


def _topic(data: bytes) -> str:
    line = msgspec.json.decode(data)
    return f"{line['type']}/{line['v']}"


def _turn(referee: Referee, battle: str) -> list[Doc]:
    table = referee.shelf.book(battle).record.battle
    step = 1000 if table.turn % 4 < 2 else -1000
    figs, enemy = list(table.figs_of(table.side)), next(iter(table.enemies_of(table.side)))
    walks = [{"do": "move", "fig": f.id, "to": {"x": (f.x + step) / 1000, "y": f.y / 1000}} for f in figs]
    shots = [{"do": "shoot", "fig": f.id, "weapon": "lasgun", "target": enemy.id} for f in figs]
    return [*walks, *shots, {"do": "end_turn"}]
