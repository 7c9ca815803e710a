"""The character map: a table in letters. Law: plain ASCII, so that it reads the same in any terminal, pipe or mail.

A fig is its key and a mark: `A ` stands, `A~` is pinned, `A_` is down, `A?` hides. Sides differ by capitals and small
letters (a third and later sides have digits); the key of each is told beside the map.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from api.saying import keys
from domain.battle import Battle, Fig
from domain.measures import INCH, Point, inside, length, squared

MARKS: Final = {"active": " ", "pinned": "~", "down": "_", "out": "x"}
"""How a fig stands."""

GROUND: Final = {"open": ".", "none": ".", "cover": ":", "partial": ":", "full": "%", "unseen": "#"}
"""What an area looks like, by the cover that it gives."""

WALL: Final = "|"
MOST_ROWS: Final = 60
"""No map is higher than this."""

CELL: Final = 2
"""Characters in a cell: letters are about twice as high as they are wide, so that a cell is square."""


def drawn(battle: Battle, width: int) -> list[str]:
    """The table in lines of at most `width` characters, the highest y first; figs that are out are not on it."""
    step = max(_step(battle.width, max(1, (width - 2) // CELL)), _step(battle.height, MOST_ROWS))
    columns, rows = -(-battle.width // step), -(-battle.height // step)
    cells = [[_ground(battle, _centre(column, row, step)) for column in range(columns)] for row in range(rows)]
    for column, row in _walls(battle, step):
        if 0 <= column < columns and 0 <= row < rows:
            cells[row][column] = f"{WALL} "
    for name, key in keys(battle).items():
        fig = battle.figs[name]
        if fig.in_play:
            column, row = min(fig.x // step, columns - 1), min(fig.y // step, rows - 1)
            cells[row][column] = f"{key}{_mark(fig)}" if cells[row][column][0] in _EMPTY else "**"
    edge = "+" + "-" * (columns * CELL) + "+"
    return [edge, *(f"|{''.join(row)}|" for row in reversed(cells)), edge]


_EMPTY: Final = frozenset(f" {WALL}{''.join(GROUND.values())}")


def _mark(fig: Fig) -> str:
    return "?" if fig.hidden else MARKS[fig.status]


def _step(long: int, cells: int) -> int:
    """Thou to a cell: whole inches, as few as fit."""
    return INCH * max(1, -(-long // (INCH * cells)))


def _centre(column: int, row: int, step: int) -> Point:
    return Point(column * step + step // 2, row * step + step // 2)


def _ground(battle: Battle, at: Point) -> str:
    under = [GROUND[t.cover] for t in battle.terrain if t.kind == "area" and inside(t.points, at)]
    return (under[-1] if under else " ") * CELL


def _walls(battle: Battle, step: int) -> Iterator[tuple[int, int]]:
    """The cells that walls run through, looked at every quarter of a cell."""
    for wall in (piece for piece in battle.terrain if piece.kind == "wall"):
        for a, b in pairwise(wall.points):
            parts = 1 + 4 * length(squared(a, b)) // step
            for n in range(parts):
                yield (a.x + (b.x - a.x) * n // parts) // step, (a.y + (b.y - a.y) * n // parts) // step
