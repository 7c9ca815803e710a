"""Forecasting: exact odds and forecasts in the terminal. Law: the API's own figures; nothing is drawn or written.

The file or the store is its owner's: whoever reads it asks as the referee.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Final

from pydantic import ValidationError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from api.catch import WORDS
from api.faults import faults
from api.forecasts import ForecastView, Seen, forecast_view
from api.problems import Problem, invalid
from api.raw import parsed
from api.terminal.printing import out, show_json, words
from api.terminal.sources import log_of
from api.terminal.stop import FOUND_WRONG, Stop
from domain.battle import Battle
from domain.commands import COMMAND, Command
from domain.draft import REFEREE
from domain.entry import Entry
from domain.refusals import Refused
from domain.systems.chances import odds_of
from domain.timeline import recorded
from projections.odds_view import OddsView, odds_view
from projections.walk import Log
from replays.forecast import forecast
from replays.roller import new_seed

_SEED: Final = re.compile("[a-z0-9-]{1,64}").fullmatch

_DIGITS: Final = 18
"""A fraction with more digits than this is told as a decimal alone."""


def odds(source: str, action: str, data: str, at: int | None, *, as_json: bool) -> None:
    """Tell the exact chances of an action."""
    log, command = _moment(source, data, at), _command(action)
    battle = log.record.battle
    try:
        told = odds_view(log.battle, log.record.seq, battle, command, odds_of(battle, command, REFEREE))
    except Refused as no:
        legal = f"; legal would be: {', '.join(no.refusal.legal)}" if no.refusal.legal else ""
        raise Stop(f"{no.refusal.rule}: {no.refusal.reason}{legal}", FOUND_WRONG) from None
    if as_json:
        show_json(told)
    else:
        _show_odds(out(), told)


def _moment(source: str, data: str, at: int | None) -> Log:
    """The log up to the end of an action."""
    log = log_of(source, data, None)
    seq, entries = len(log.entries) if at is None else at, log.entries
    if not 1 <= seq <= len(entries):
        raise Stop(f"there is no entry {seq}: the log has entries 1 to {len(entries)}")
    if seq < len(entries) and entries[seq].action == entries[seq - 1].action:
        raise Stop(f"entry {seq} lies in the middle of an action; the nearest end is {_nearest_end(entries, seq)}")
    return Log(log.battle, recorded(None, entries[:seq]), entries[:seq])


def _nearest_end(entries: Sequence[Entry], seq: int) -> int:
    """As the API has it: the last end of an action before the entry, or that of the muster."""
    ends = [one.seq for one, after in pairwise(entries) if one.action != after.action]
    return max((end for end in ends if end <= seq), default=ends[0])


def _command(action: str) -> Command:
    try:
        body = parsed(action.encode())
    except Problem as no:
        raise Stop(f"the action cannot be read: {no.detail}") from None
    try:
        return COMMAND.validate_python(body)
    except ValidationError as wrong:
        errors = [{**error, "loc": ("body", *error["loc"])} for error in wrong.errors()]
        raise Stop(f"the action makes no sense: {invalid(faults(errors, body, WORDS)).detail}") from None


def _show_odds(console: Console, told: OddsView) -> None:
    console.print(words(told.action, "bold"))
    if told.dice.purpose is None:
        console.print(words(told.outcomes[0].sentence))
        return
    first = f"{told.dice.count}d{told.dice.sides} for {told.dice.purpose.replace('_', ' ')}"
    console.print(words(f"First {first}; {told.dice.decimal:g} dice are expected to fall in all."))
    for title, rows in (("The roll", told.rolls), ("And then", told.outcomes)):
        table = Table(box=None, pad_edge=False)
        for column in ("%", "exactly", title):
            table.add_column(column, overflow="fold", justify="left" if column == title else "right")
        for row in rows:
            exactly = row.chance if len(row.chance) <= _DIGITS else ""
            table.add_row(f"{100 * row.decimal:.2f}", exactly, words(row.sentence))
        console.print()
        console.print(table)


def foresee(source: str, data: str, at: int | None, games: int, turns: int, seed: str | None, *, as_json: bool) -> None:
    """Play a battle on many times, and tell how it went."""
    if seed is not None and not _SEED(seed):
        raise Stop("a seed is 1 to 64 of a-z, 0-9 and -")
    log = _moment(source, data, at)
    battle = log.record.battle
    with _bar(games) as seen:
        try:
            played = forecast(battle, seed or new_seed().hex(), games=games, turns=turns, seen=seen)
        except Refused as no:
            raise Stop(no.refusal.reason, FOUND_WRONG) from None
    told = forecast_view(log.battle, log.record.seq, battle, games, played)
    if as_json:
        show_json(told)
    else:
        _show_forecast(out(), battle, told)


@contextmanager
def _bar(games: int) -> Iterator[Callable[[int], None]]:
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("playing", total=games)
        yield lambda done: bar.update(task, completed=done)


def _show_forecast(console: Console, battle: Battle, told: ForecastView) -> None:
    console.print(words(f"{battle.title or told.battle}, from entry {told.seq} on", "bold"))
    games = f"{told.games} games of at most {told.turns} more turns, {told.turns_played} turns in all"
    console.print(words(f"{games}; seed {told.seed}, tactics {told.tactics}, rules {told.rules}."), soft_wrap=True)
    console.print()
    sides = [(side.name, side.wins, f"{side.left:g}") for side in told.sides.values()]
    console.print(_shares("wins", "figs left, mean", [*sides, ("undecided", told.undecided, "")]))
    console.print()
    figs = [(fig.name, fig.stands, f"{fig.down} down, {fig.out} out") for fig in told.figs.values()]
    console.print(_shares("still stands", "else, in how many games", figs))


def _shares(title: str, last: str, rows: Iterable[tuple[str, Seen, str]]) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in (title, "games", "%", "95 % interval", last):
        table.add_column(column, overflow="fold", justify="left" if column in (title, last) else "right")
    for name, seen, more in rows:
        between = f"{100 * seen.low:.1f} to {100 * seen.high:.1f}"
        table.add_row(words(name), str(seen.games), f"{100 * seen.share:.1f}", between, more)
    return table
