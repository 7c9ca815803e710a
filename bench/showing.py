"""Showing: rows as a table. Law: what falls short says so."""

from collections.abc import Sequence

from rich.table import Table

from bench.rows import Row

_SAID = {True: "yes", False: "[bold]NO[/]", None: ""}


def number(value: float | None) -> str:
    """A number with the digits that matter."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def table(title: str, rows: Sequence[Row]) -> Table:
    """The rows, one a line."""
    shown = Table(title=title, title_justify="left")
    shown.add_column("what", overflow="fold")
    for name in ("figure", "floor", "ratio", "wanted", "reached", "rounds"):
        shown.add_column(name, justify="right", no_wrap=name != "wanted")
    shown.add_column("unit")
    shown.add_column("the floor is", overflow="fold")
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        wanted = str(row.wanted) if row.wanted else ""
        told = (number(row.figure), number(row.floor), ratio, wanted, _SAID[row.reached], str(row.rounds))
        shown.add_row(row.name, *told, row.unit, row.floor_is)
    return shown
