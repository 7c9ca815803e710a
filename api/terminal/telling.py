"""Telling: a battle turn by turn. Law: in the order of the log; what was struck out stays, and is marked."""

from collections.abc import Iterator
from time import sleep
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.saying import heading, keys, result
from api.terminal.charmap import GROUND, MARKS, drawn
from api.terminal.lines import row_of
from api.terminal.printing import words
from api.terminal.stop import Stop
from domain import events as e
from domain.battle import Battle
from projections.turns import TurnHistory, TurnView
from projections.walk import Log, along_line
from projections.wording import SYSTEMS, inch, phase_name

WIDEST_MAP = 100
"""No map is wider than this, however wide the terminal is."""


class Manner(NamedTuple):
    """How a battle is told: one turn alone, with which maps, and how many lines a second (0: at once)."""

    turn: int | None = None
    maps: bool | None = None
    speed: float = 0


def tell(console: Console, log: Log, history: TurnHistory, manner: Manner) -> None:
    """Tell a battle."""
    turns = turns_of(history, manner.turn)
    ends = _ends(log)
    for text in _opening(log):
        console.print(text)
    for turn in turns:
        console.print()
        console.print(words(heading(log.record.battle, turn), "bold"))
        for row in _rows(log, turn):
            console.print(row)
            if manner.speed:
                sleep(1 / manner.speed)
        if manner.maps and turn.turn and turn is not turns[-1]:
            show_map(console, ends.get(turn.turn, log.record.battle))
    last = ends.get(turns[-1].turn, log.record.battle)
    console.print()
    if manner.maps is not False:
        show_map(console, last)
    show_figs(console, last)
    if manner.turn is None:
        console.print(words(result(log.record.battle), "bold"))


def turns_of(history: TurnHistory, only: int | None) -> list[TurnView]:
    """The turns that are told: all of them, or one alone."""
    found = [turn for turn in history.turns if only is None or turn.turn == only]
    if not found:
        raise Stop(f"there is no turn {only}: the log has turns 0 (the muster) to {history.turns[-1].turn}")
    return found


def _ends(log: Log) -> dict[int, Battle]:
    """The table as it stood when each turn of the line ended."""
    ends = {
        s.before.turn: s.before for s in along_line(log.entries) if s.before and isinstance(s.entry.body, e.TurnEnded)
    }
    return ends | {log.record.battle.turn: log.record.battle}


def _opening(log: Log) -> Iterator[Text]:
    battle, origin = log.record.battle, log.record.origin
    yield words(battle.title or log.battle, "bold")
    size = f"{inch(battle.width)} by {inch(battle.height)}"
    dice = "the service throws the dice" if battle.dice == "server" else "dice are thrown at the table"
    yield words(f"{SYSTEMS[battle.system]} on a table of {size}; {dice}. Battle {log.battle}.")
    if origin is not None:
        yield words(f"WHAT IF: this parts from battle {origin.parent} after entry {origin.at}.", "bold yellow")


def _rows(log: Log, turn: TurnView) -> Iterator[Table | Text]:
    for phase in turn.phases:
        if phase.phase:
            yield words(f"  {phase_name(phase.phase)}", "italic")
        for line in phase.lines:
            yield row_of(log.record.battle, line)


def show_map(console: Console, battle: Battle) -> None:
    """The table in letters, and what they mean."""
    console.print(Text("\n".join(drawn(battle, min(console.width, WIDEST_MAP))), no_wrap=True, overflow="crop"))
    marks = [f"{mark} {status}" for status, mark in MARKS.items() if mark.strip() and status != "out"]
    cover = dict.fromkeys(f"{GROUND[t.cover]} {t.id} ({t.cover})" for t in battle.terrain if t.kind == "area")
    walls = dict.fromkeys(f"| {t.id} ({t.cover})" for t in battle.terrain if t.kind == "wall")
    console.print(words("  ".join([*marks, "? hidden", *cover, *walls]), "dim"))


def show_figs(console: Console, battle: Battle) -> None:
    """Every fig: its key, how it is and where it stands."""
    table = Table(box=None, pad_edge=False)
    for title in ("key", "fig", "side", "is", "at"):
        table.add_column(title, overflow="fold")
    for name, key in keys(battle).items():
        fig = battle.figs[name]
        at = f"{fig.x / 1000:g}, {fig.y / 1000:g}" if fig.in_play else ""
        status = f"{fig.status}, hidden" if fig.hidden else fig.status
        table.add_row(key, words(fig.name), words(battle.sides[fig.side].name), status, at)
    console.print(table)
