"""Measures. Law: integers only, and exactly ten inches is exactly ten inches.

Lengths are whole thousandths of an inch (thou). Distances are compared as squares, so nothing is ever rounded before a
rule looks at it; directions are integer vectors, not angles.
"""

from decimal import Decimal
from math import isqrt
from typing import Final

import msgspec

INCH: Final = 1000
"""Thou in an inch."""

TOUCH: Final = 50
"""How far, in thou, two bases may be apart (or overlap) and still count as touching: people place figs by hand."""

# fmt: off
_COSINES: Final = (
    1_000_000, 999_848, 999_391, 998_630, 997_564, 996_195, 994_522, 992_546, 990_268, 987_688,
    984_808, 981_627, 978_148, 974_370, 970_296, 965_926, 961_262, 956_305, 951_057, 945_519,
    939_693, 933_580, 927_184, 920_505, 913_545, 906_308, 898_794, 891_007, 882_948, 874_620,
    866_025, 857_167, 848_048, 838_671, 829_038, 819_152, 809_017, 798_636, 788_011, 777_146,
    766_044, 754_710, 743_145, 731_354, 719_340, 707_107, 694_658, 681_998, 669_131, 656_059,
    642_788, 629_320, 615_661, 601_815, 587_785, 573_576, 559_193, 544_639, 529_919, 515_038,
    500_000, 484_810, 469_472, 453_990, 438_371, 422_618, 406_737, 390_731, 374_607, 358_368,
    342_020, 325_568, 309_017, 292_372, 275_637, 258_819, 241_922, 224_951, 207_912, 190_809,
    173_648, 156_434, 139_173, 121_869, 104_528, 87_156, 69_756, 52_336, 34_899, 17_452,
    0,
)
# fmt: on
"""cos of 0..90 whole degrees, in millionths; committed so that every machine faces the same way."""


class Point(msgspec.Struct, frozen=True, gc=False):
    """A place on the table, in thou from its lower left corner."""

    x: int
    y: int


class Vector(msgspec.Struct, frozen=True, gc=False):
    """A direction; only where it points counts, never how long it is."""

    x: int
    y: int


def facing_of(degrees: int) -> Vector:
    """Direction of a whole number of degrees, counter-clockwise from +x."""
    quarter, rest = divmod(degrees % 360, 90)
    x, y = _COSINES[rest], _COSINES[90 - rest]
    for _ in range(quarter):
        x, y = -y, x
    return Vector(x, y)


def squared(a: Point, b: Point) -> int:
    """Squared distance between two points, in square thou."""
    return (a.x - b.x) ** 2 + (a.y - b.y) ** 2


def length(squared_thou: int) -> int:
    """A squared distance as thou, rounded up: what is shown never says that a far target is within a limit."""
    root = isqrt(squared_thou)
    return root if root * root == squared_thou else root + 1


def within(squared_thou: int, limit: int) -> bool:
    """Whether a squared distance is at most `limit` thou (limits are inclusive, MFD-10, NME-17)."""
    return squared_thou <= limit * limit


def in_arc(at: Point, facing: Vector, other: Point, radius: int) -> bool:
    """Whether a base of `radius` thou round `other` shows in the half plane ahead of `at` (NME-07); its edge counts."""
    dot = facing.x * (other.x - at.x) + facing.y * (other.y - at.y)
    return dot >= 0 or dot * dot <= radius * radius * (facing.x**2 + facing.y**2)


def touching(a: Point, a_base: int, b: Point, b_base: int) -> bool:
    """Whether two round bases (diameters in thou) are in contact, give or take `TOUCH`."""
    return 4 * squared(a, b) <= (a_base + b_base + 2 * TOUCH) ** 2


def overlapping(a: Point, a_base: int, b: Point, b_base: int) -> bool:
    """Whether one round base (diameters in thou) stands on another by more than `TOUCH`."""
    reach = a_base + b_base - 2 * TOUCH
    return reach > 0 and 4 * squared(a, b) < reach * reach


def inches(thou: int) -> str:
    """Thou as people write inches: 10500 is `10.5`."""
    return f"{Decimal(thou) / INCH:.3f}".rstrip("0").rstrip(".")


def orientation(a: Point, b: Point, c: Point) -> int:
    """Sign of the turn a, b, c: 1 left, -1 right, 0 straight."""
    area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
    return (area > 0) - (area < 0)


def _on(a: Point, b: Point, p: Point) -> bool:
    return min(a.x, b.x) <= p.x <= max(a.x, b.x) and min(a.y, b.y) <= p.y <= max(a.y, b.y)


def crosses(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether the segments a-b and c-d meet; touching counts."""
    abc, abd = orientation(a, b, c), orientation(a, b, d)
    cda, cdb = orientation(c, d, a), orientation(c, d, b)
    if abc != abd and cda != cdb:
        return True
    return (
        (abc == 0 and _on(a, b, c))
        or (abd == 0 and _on(a, b, d))
        or (cda == 0 and _on(c, d, a))
        or (cdb == 0 and _on(c, d, b))
    )


def inside(polygon: tuple[Point, ...], p: Point) -> bool:
    """Whether `p` lies in the polygon or on its edge."""
    odd = False
    for a, b in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        turn = orientation(a, b, p)
        if turn == 0 and _on(a, b, p):
            return True
        if (a.y > p.y) != (b.y > p.y) and turn == (1 if b.y > a.y else -1):
            odd = not odd
    return odd


def near_segment(a: Point, b: Point, p: Point, reach: int) -> bool:
    """Whether `p` is at most `reach` thou from the segment a-b."""
    run = squared(a, b)
    along = (p.x - a.x) * (b.x - a.x) + (p.y - a.y) * (b.y - a.y)
    if along <= 0 or run == 0:
        return within(squared(a, p), reach)
    if along >= run:
        return within(squared(b, p), reach)
    off = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x)
    return off * off <= reach * reach * run
