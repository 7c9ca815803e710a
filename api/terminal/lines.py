"""Lines of the history in the terminal. Law: what was struck out is said to be, in words, not by its looks alone."""

from rich.table import Table

from api.saying import dice_of, may_fall, struck, verdicts
from api.terminal.printing import words
from domain.battle import Battle
from projections.lines import Line


def row_of(battle: Battle, line: Line, *, undo: bool = False) -> Table:
    """A line: its number, its sentence with the dice, and how it was struck out or who may take it back."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right", width=6, style="dim")
    grid.add_column(overflow="fold")
    said = words(line.sentence, "dim strike" if line.struck_out else "italic" if line.kind == "procedure" else "")
    if line.dice:
        said.append_text(words(f"  [{dice_of(line.dice)}]", "dim"))
    grid.add_row(str(line.seq), said)
    if line.struck_out:
        grid.add_row("", words(struck(battle, line.struck_out).replace("Struck out", "STRUCK OUT", 1), "red"))
    elif undo and may_fall(line):
        grid.add_row("", words(f"undo: {verdicts(battle, line.undo)}", "dim"))
    return grid
