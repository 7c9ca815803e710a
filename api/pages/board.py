"""The board: a table as shapes, in inches. Law: y grows upwards on a table and downwards on a page; turned only here.

A side is told by its shape, a fig by its letter, and how it stands by shape and word; colour only helps.
"""

from collections.abc import Iterable, Sequence
from math import cos, hypot, pi, sin
from typing import Final, NamedTuple

from api.saying import keys
from domain import events as e
from domain.battle import Battle, Fig
from domain.entry import Entry
from domain.measures import INCH, Point

CORNERS: Final = (0, 4, 3, 5, 6, 8, 7, 9)
"""By side, in turn order: a circle, a square, a triangle and so on; a battle has no more than eight sides."""

GRID: Final = 6
"""Inches between two lines of the grid."""


class Mark(NamedTuple):
    """A fig: `points` is empty for a circle, `nose` is where it looks, `word` says how it is unless it just stands."""

    fig: str
    key: str
    name: str
    side: int
    side_name: str
    status: str
    hidden: bool
    x: float
    y: float
    radius: float
    points: str
    nose: tuple[float, float] | None
    place: str
    word: str
    word_y: float


class Ground(NamedTuple):
    """A piece of terrain, and where its name stands."""

    id: str
    kind: str
    cover: str
    points: str
    x: float
    y: float


class Trail(NamedTuple):
    """What the last action did: a move or a shot, from one place to another."""

    kind: str
    x1: float
    y1: float
    x2: float
    y2: float


class Board(NamedTuple):
    """All that is drawn."""

    width: float
    height: float
    columns: tuple[int, ...]
    rows: tuple[int, ...]
    ground: tuple[Ground, ...]
    marks: tuple[Mark, ...]
    trails: tuple[Trail, ...]


def board_of(battle: Battle, last: Sequence[Entry]) -> Board:
    """The board of a table, with the trails of its `last` action."""
    turned = _Turned(battle.height)
    letters = keys(battle)
    sides = list(battle.sides)
    shown = sorted(battle.figs.values(), key=lambda fig: fig.in_play)
    return Board(
        width=battle.width / INCH,
        height=battle.height / INCH,
        columns=tuple(range(GRID, battle.width // INCH + 1, GRID)),
        rows=tuple(range(GRID, battle.height // INCH + 1, GRID)),
        ground=tuple(_ground(turned, battle)),
        marks=tuple(_mark(turned, battle, fig, sides.index(fig.side), letters[fig.id]) for fig in shown),
        trails=tuple(_trails(turned, battle, last)),
    )


class _Turned(NamedTuple):
    height: int

    def __call__(self, at: Point) -> tuple[float, float]:
        return at.x / INCH, (self.height - at.y) / INCH


def _ground(turned: _Turned, battle: Battle) -> Iterable[Ground]:
    for piece in battle.terrain:
        places = [turned(point) for point in piece.points]
        points = " ".join(f"{x:g},{y:g}" for x, y in places)
        x, y = (sum(axis) / len(places) for axis in zip(*places, strict=True))
        yield Ground(piece.id, piece.kind, piece.cover, points, round(x, 3), round(y, 3))


def _mark(turned: _Turned, battle: Battle, fig: Fig, side: int, key: str) -> Mark:
    x, y = turned(fig.at)
    radius = fig.base / INCH / 2
    return Mark(
        fig=fig.id,
        key=key,
        name=fig.name,
        side=side,
        side_name=battle.sides[fig.side].name,
        status=fig.status,
        hidden=fig.hidden,
        x=x,
        y=y,
        radius=radius,
        points=shape_of(side, x, y, radius),
        nose=_nose(x, y, radius, fig) if battle.system == "nme" and fig.status == "active" else None,
        place=f"{fig.x / INCH:g}, {fig.y / INCH:g}",
        word="hidden" if fig.hidden else fig.status if fig.status in ("pinned", "down") else "",
        word_y=y + (radius + 0.62 if _room_below(battle, fig) else -radius - 0.2),
    )


def _room_below(battle: Battle, fig: Fig) -> bool:
    """Whether a word below the fig would cover nobody else."""
    wide, deep = fig.base // 2 + INCH, fig.base + INCH
    others = (other for other in battle.figs.values() if other.in_play and other.id != fig.id)
    return not any(abs(other.x - fig.x) < wide and 0 <= fig.y - other.y < deep for other in others)


def shape_of(side: int, x: float = 0, y: float = 0, radius: float = 0.8) -> str:
    """A regular polygon about as large as the circle, standing on a side; empty for a circle."""
    corners = CORNERS[side % len(CORNERS)]
    reach = radius * (1.3 if corners == 3 else 1.2 if corners == 4 else 1.1)
    angles = (pi / 2 + pi * (2 * n + 1) / corners for n in range(corners))
    return " ".join(f"{x + reach * cos(angle):.3f},{y + reach * sin(angle):.3f}" for angle in angles)


def _nose(x: float, y: float, radius: float, fig: Fig) -> tuple[float, float]:
    long = hypot(fig.facing.x, fig.facing.y) or 1
    reach = radius + 0.5
    return round(x + reach * fig.facing.x / long, 3), round(y - reach * fig.facing.y / long, 3)


def _trails(turned: _Turned, battle: Battle, last: Sequence[Entry]) -> Iterable[Trail]:
    for entry in last:
        match entry.body:
            case e.FigMoved(start=start, to=to):
                yield Trail("move", *turned(start), *turned(to))
            case e.NmeHitRolled(target=None, fig=fig, point=point) if point is not None:
                yield Trail("shot", *turned(battle.figs[fig].at), *turned(point))
            case e.NmeHitRolled(fig=fig, target=target) if target is not None:
                yield Trail("shot", *turned(battle.figs[fig].at), *turned(battle.figs[target].at))
            case e.MfdHitRolled(fig=fig, target=target):
                yield Trail("shot", *turned(battle.figs[fig].at), *turned(battle.figs[target].at))
            case e.TemplatePlaced(fig=fig, point=point):
                yield Trail("shot", *turned(battle.figs[fig].at), *turned(point))
            case _:
                pass
