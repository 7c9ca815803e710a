"""Labels: where words go on the board. Law: a word that would lie on a fig or another word moves aside, if it can.

Places are in inches as the page has them, y downwards; the width of a word is reckoned, since nobody measures it here.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

_HIGH: Final = 0.72
"""The height of a line, in parts of the size of its letters."""
_WIDE: Final = 0.56
"""The width of a letter, likewise."""
_GAP: Final = 0.15


class Box(NamedTuple):
    """A part of the board, `top` above `bottom`."""

    left: float
    top: float
    right: float
    bottom: float

    def shared(self, other: "Box") -> float:
        """How much of it another one covers."""
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        return wide * high if wide > 0 and high > 0 else 0.0

    def grown(self, by: float) -> "Box":
        """It, and so much more on every side."""
        return Box(self.left - by, self.top - by, self.right + by, self.bottom + by)

    @property
    def size(self) -> float:
        """Its area."""
        return (self.right - self.left) * (self.bottom - self.top)


def around(points: Iterable[tuple[float, float]]) -> Box:
    """The smallest box that holds all of several points."""
    xs, ys = zip(*points, strict=True)
    return Box(min(xs), min(ys), max(xs), max(ys))


class Words:
    """The words of a board; each is put where it hides the least of what is there already."""

    def __init__(self, within: Box, figs: Iterable[Box]) -> None:
        self._within = within
        self._taken = list(figs)

    def placed(self, text: str, size: float, places: Sequence[tuple[float, float]]) -> tuple[float, float]:
        """The best of several places for the middle of a word's base line; the earlier of two that are as good."""
        boxes = [_box(text, size, *place) for place in places]
        best = min(range(len(places)), key=lambda n: self._hidden(boxes[n]))
        self._taken.append(boxes[best])
        return round(places[best][0], 3), round(places[best][1], 3)

    def _hidden(self, box: Box) -> float:
        outside = box.size - box.shared(self._within)
        return round(sum(box.shared(other) for other in self._taken) + 2 * outside, 6)


def _box(text: str, size: float, x: float, y: float) -> Box:
    half = len(text) * size * _WIDE / 2
    return Box(x - half, y - size * _HIGH, x + half, y + size * 0.15)


def round_about(box: Box, text: str, size: float) -> Iterator[tuple[float, float]]:
    """Places for a word in and about a piece of terrain: its middle first, then inside, then outside its edges."""
    middle, half = (box.left + box.right) / 2, len(text) * size * _WIDE / 2
    inner_top, inner_bottom = box.top + size * _HIGH + _GAP, box.bottom - _GAP
    yield middle, (box.top + box.bottom) / 2
    for y in (inner_top, inner_bottom):
        yield from ((x, y) for x in (middle, box.left + half + _GAP, box.right - half - _GAP))
    for y in (box.top - _GAP, box.bottom + size * _HIGH + _GAP):
        yield from ((x, y) for x in (middle, box.left + half, box.right - half))
    yield from ((x, (box.top + box.bottom) / 2) for x in (box.left - half - _GAP, box.right + half + _GAP))


def beside(x: float, y: float, reach: float, text: str, size: float) -> Iterator[tuple[float, float]]:
    """Places for a word at a fig: below it, above it, and to its sides."""
    half = len(text) * size * _WIDE / 2 + _GAP
    yield x, y + reach + size * _HIGH + _GAP / 2
    yield x, y - reach - _GAP
    yield x + reach + half, y + size * 0.3
    yield x - reach - half, y + size * 0.3
