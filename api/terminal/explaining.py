"""Explaining: why an entry is as it is, how two battles differ. Law: the projections' own words, and nothing more."""

from collections.abc import Iterable, Iterator
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.saying import dice_of, struck
from api.terminal.printing import out, show_json, words
from api.terminal.sources import log_of
from api.terminal.stop import Stop
from domain.battle import Battle
from projections.compare import Compared, Comparison, Difference, compare
from projections.rolls import ModifierView, RollView
from projections.why import WhyView, why
from projections.wording import fig_name, phase_name, seat_name, side_name


def explain(source: str, seq: int, data: str, *, as_json: bool) -> None:
    """Tell why an entry is as it is."""
    log = log_of(source, data, None)
    if not 1 <= seq <= len(log.entries):
        raise Stop(f"there is no entry {seq}: the log has entries 1 to {len(log.entries)}")
    told = why(log.entries, seq)
    if as_json:
        show_json(told)
    else:
        _show_why(out(), log.record.battle, told)


def _show_why(console: Console, battle: Battle, told: WhyView) -> None:
    console.print(words(told.sentence, "bold"))
    if told.struck_out:
        console.print(words(struck(battle, told.struck_out).replace("Struck out", "STRUCK OUT", 1), "red"))
    for line in _facts(battle, told):
        console.print(words(line))
    _listed(console, "How it came to that", told.because)
    if told.rolls:
        console.print()
        console.print(_rolls(battle, told.rolls))
    _listed(console, "What was seen", [sight.text for sight in told.sights])
    _listed(console, "The rules that had a say", [f"{rule.rule}: {rule.text}" for rule in told.rules])


def _facts(battle: Battle, told: WhyView) -> Iterator[str]:
    turn = f"Turn {told.turn}{f' of {side_name(battle, told.side)}' if told.side else ''}"
    phase = f", {phase_name(told.phase)}" if told.phase else ""
    yield f"{turn}{phase}; entry {told.seq}, {told.type}, by {seat_name(battle, told.actor)}."
    yield f"Entries {told.action} to {told.last}: {told.declared}"


def _listed(console: Console, title: str, lines: Iterable[str]) -> None:
    several = list(lines)
    if several:
        console.print()
        console.print(words(title, "bold"))
        for line in several:
            console.print(words(f"  {line}"))


def _rolls(battle: Battle, rolls: Iterable[RollView]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("entry", "who", "dice", "needed", "modifiers", "result"):
        table.add_column(title, overflow="fold", justify="right" if title == "entry" else "left")
    for roll in rolls:
        who = f"{'for ' if roll.rolled_for else ''}{fig_name(battle, roll.fig)}"
        modifiers = "; ".join(map(_modifier, roll.modifiers))
        cells = (who, dice_of(roll.throws), roll.needed, modifiers, roll.result)
        table.add_row(str(roll.seq), *map(words, cells))
    return table


def _modifier(modifier: ModifierView) -> str:
    return f"{modifier.value:+d} {modifier.reason or modifier.rule} ({modifier.rule})"


def compare_logs(first: str, second: str, data: str, *, as_json: bool) -> None:
    """Tell where two battles part, and how their tables differ now."""
    told = compare(log_of(first, data, None), log_of(second, data, None))
    if as_json:
        show_json(told)
    else:
        _show_comparison(out(), told)


def _show_comparison(console: Console, told: Comparison) -> None:
    for name, one in (("A", told.a), ("B", told.b)):
        console.print(words(_line(name, one), "bold"))
    parted = f"They part after entry {told.parted_at}." if told.parted_at else "They share no entry."
    console.print(words(f"{parted}{' Their tables are the same.' if told.same_table else ''}"))
    rows = list(_rows(told))
    if rows:
        table = Table(box=None, pad_edge=False)
        for title in ("what", "differs in", "A", "B"):
            table.add_column(title, overflow="fold")
        for row in rows:
            table.add_row(*row)
        console.print()
        console.print(table)


def _line(name: str, one: Compared) -> str:
    more = f"{one.entries_after} entries of its own" if one.entries_after else "nothing of its own"
    return f"{name}: {one.title or one.battle}, entry {one.seq}, turn {one.turn}, {one.status}; {more}"


def _rows(told: Comparison) -> Iterator[tuple[Text, ...]]:
    yield from _cells("the table", told.table)
    for side, differs in told.sides.items():
        yield from _cells(f"side {side}", differs)
    for fig in told.figs.values():
        yield from _cells(fig.name, fig.differs)


def _cells(what: str, differs: Iterable[Difference]) -> Iterator[tuple[Text, ...]]:
    for difference in differs:
        cells = (what, difference.field.replace("_", " "), _value(difference.a), _value(difference.b))
        yield tuple(map(words, cells))


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(_value, value)) or "nobody"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_value(inner)}" for name, inner in value.items())
    return "none" if value is None or value == "" else f"{value:g}" if isinstance(value, float) else str(value)
