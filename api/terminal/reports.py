"""Reports: casualties and the turn history in the terminal. Law: the projections' own words, at any width."""

from collections.abc import Iterator

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from api.saying import heading, lost, may_fall, verdicts
from api.terminal.lines import row_of
from api.terminal.printing import words
from domain.battle import Battle
from projections.casualties import CasualtyReport
from projections.turns import TurnHistory
from projections.wording import counted, fig_name, phase_name, side_name


def show_casualties(console: Console, battle: Battle, report: CasualtyReport) -> None:
    """The referee's report: losses in the order in which they fell, then sides and figs."""
    console.print(words(f"{report.title or report.battle}, after entry {report.seq}, turn {report.turn}", "bold"))
    if not report.losses:
        console.print("Nobody is down or out.")
    for loss in report.losses:
        console.print(Padding(words(lost(battle, loss)), (0, 0, 0, 2)))
    console.print()
    console.print(_sides(report))
    console.print()
    console.print(_figs(battle, report))
    if report.dice_undone:
        dice = "1 die was" if report.dice_undone == 1 else f"{report.dice_undone} dice were"
        console.print(words(f"{dice} seen and then undone; nothing above counts what came of it.", "dim"))


def _sides(report: CasualtyReport) -> Table:
    table = _table("side", "start", "active", "pinned", "down", "out", "wounds", "jams")
    for side in report.sides.values():
        notes = " (last ditch)" if side.last_ditch else " (conceded)" if side.conceded else ""
        numbers = (side.start, side.active, side.pinned, side.down, side.out, side.wounds, side.tally.jams)
        table.add_row(words(f"{side.name}{notes}"), *map(str, numbers))
    return table


def _figs(battle: Battle, report: CasualtyReport) -> Table:
    table = _table("fig", "is", "shots and blows", "hits", "hits taken", "times pinned", "downs", "kills")
    for name, fig in report.figs.items():
        tally = fig.tally
        numbers = (
            tally.shots + tally.blows,
            tally.hits,
            tally.hits_taken,
            tally.pins_suffered,
            tally.downs,
            tally.kills,
        )
        table.add_row(words(fig_name(battle, name)), fig.status, *map(str, numbers))
    return table


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(first, overflow="fold")
    for title in others:
        table.add_column(title, overflow="fold", justify="left" if title == "is" else "right")
    return table


def show_turns(console: Console, battle: Battle, history: TurnHistory) -> None:
    """Every line of the history, and who may take it back."""
    for turn in history.turns:
        console.print(words(heading(battle, turn), "bold"))
        for phase in turn.phases:
            if phase.phase:
                console.print(words(f"  {phase_name(phase.phase)}", "italic"))
            for line in phase.lines:
                console.print(row_of(battle, line, undo=True))
    for told in _pending(battle, history):
        console.print(words(told))


def _pending(battle: Battle, history: TurnHistory) -> Iterator[str]:
    lines = [line for turn in history.turns for phase in turn.phases for line in phase.lines if line.undo]
    fixed = dict.fromkeys(verdicts(battle, line.undo) for line in lines if not may_fall(line))
    if fixed:
        yield f"Actions without a word on undo stay as they are: {'; '.join(fixed)}."
    if history.redo is not None:
        actions = ", ".join(map(str, history.redo.actions))
        yield f"A redo would restore {actions}: {verdicts(battle, history.redo.seats)}."
    if history.request is not None:
        asked = history.request
        by = side_name(battle, asked.by)
        yield f"Request {asked.number} of {by} waits for an answer: {asked.what}, from {asked.to_before} on."
    yield f"{counted(history.undos, 'undo')} so far, {history.dice_undone} dice seen and undone."
