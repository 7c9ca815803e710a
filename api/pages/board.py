"""The board: a table as shapes, in inches. Law: y grows upwards on a table and downwards on a page; turned only here.

A side is told by its shape, a fig by its letter, and how it stands by shape and word; colour only helps. Where much of
a table is empty, the part in which something stands is drawn, and the board says which part that is.
"""

from collections.abc import Iterable, Sequence
from math import ceil, cos, floor, hypot, pi, sin
from typing import Final, NamedTuple

from api.pages.labels import Box, Words, around, beside, round_about
from api.saying import keys
from domain import events as e
from domain.battle import Battle, Fig
from domain.entry import Entry
from domain.measures import INCH, Point

CORNERS: Final = (0, 4, 3, 5, 6, 8, 7, 9)
"""By side, in turn order: a circle, a square, a triangle and so on; a battle has no more than eight sides."""

GRID: Final = 6
"""Inches between two lines of the grid."""

MARGIN: Final = 3
"""Inches that are drawn round what stands at the edge of the part that is shown."""

MOST_SHOWN: Final = 0.7
"""A table is drawn whole if what would be shown of it is more than this part."""

LARGE: Final = 26
"""A drawing that is higher than this has larger letters, or nobody could read them."""


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
    word_x: float = 0
    word_y: float = 0


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
    shown: Box
    cropped: str
    letters: float
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
    figs = sorted(battle.figs.values(), key=lambda fig: fig.in_play)
    marks = [_mark(turned, battle, fig, sides.index(fig.side), letters[fig.id]) for fig in figs]
    trails = tuple(_trails(turned, battle, last))
    width, height = battle.width / INCH, battle.height / INCH
    shown = _shown(battle, marks, trails, turned)
    size = 0.8 if max(shown.bottom - shown.top, 0.7 * (shown.right - shown.left)) > LARGE else 0.5
    words = Words(shown, [_box(mark) for mark in marks])
    return Board(
        width=width,
        height=height,
        shown=shown,
        cropped="" if shown == Box(0, 0, width, height) else _part(shown, height),
        letters=size,
        columns=tuple(x for x in range(GRID, ceil(width) + 1, GRID) if shown.left <= x <= shown.right),
        rows=tuple(y for y in range(GRID, ceil(height) + 1, GRID) if shown.top <= height - y <= shown.bottom),
        marks=tuple(_worded(mark, words, size) for mark in marks),
        ground=tuple(_ground(turned, battle, words, size)),
        trails=trails,
    )


def _shown(battle: Battle, marks: Sequence[Mark], trails: Sequence[Trail], turned: "_Turned") -> Box:
    """The whole table; or where most of it is empty, the part with all figs, terrain and trails, in whole inches."""
    whole = Box(0, 0, battle.width / INCH, battle.height / INCH)
    ground = [turned(point) for piece in battle.terrain for point in piece.points]
    ends = [end for trail in trails for end in ((trail.x1, trail.y1), (trail.x2, trail.y2))]
    found = [*((mark.x, mark.y) for mark in marks), *ground, *ends]
    if not found:
        return whole
    full = around(found).grown(MARGIN)
    part = Box(
        max(0, floor(full.left)),
        max(0, floor(full.top)),
        min(whole.right, ceil(full.right)),
        min(whole.bottom, ceil(full.bottom)),
    )
    return part if part.size < MOST_SHOWN * whole.size else whole


def _part(shown: Box, height: float) -> str:
    low, high = height - shown.bottom, height - shown.top
    return f"x {shown.left:g} to {shown.right:g} and y {low:g} to {high:g}"


def _box(mark: Mark) -> Box:
    reach = 0.4 if mark.status == "out" else mark.radius * 1.15
    return Box(mark.x, mark.y, mark.x, mark.y).grown(reach)


def _worded(mark: Mark, words: Words, letters: float) -> Mark:
    """The mark, with a place for its word."""
    if not mark.word:
        return mark
    size = letters * 1.1
    x, y = words.placed(mark.word, size, list(beside(mark.x, mark.y, mark.radius * 1.15, mark.word, size)))
    return mark._replace(word_x=x, word_y=y)


class _Turned(NamedTuple):
    height: int

    def __call__(self, at: Point) -> tuple[float, float]:
        return at.x / INCH, (self.height - at.y) / INCH


def _ground(turned: _Turned, battle: Battle, words: Words, letters: float) -> Iterable[Ground]:
    for piece in battle.terrain:
        places = [turned(point) for point in piece.points]
        points = " ".join(f"{x:g},{y:g}" for x, y in places)
        middle = tuple(sum(axis) / len(places) for axis in zip(*places, strict=True))
        x, y = words.placed(
            piece.id, letters, [(middle[0], middle[1]), *round_about(around(places), piece.id, letters)]
        )
        yield Ground(piece.id, piece.kind, piece.cover, points, x, y)


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
    )


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
