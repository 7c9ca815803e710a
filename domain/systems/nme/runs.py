"""Runs: all rolls to hit with so many dice, sorted by Hits. Law: closed forms in whole numbers; no run is cut short.

A die that shows a six earns another one (NME-15), so that it ends in a die that shows none. With n dice, the chance of
s sixes on N dice is a number of ways over 6^N, and each of the N - s others is a five with one way, no Hit with four.
Every series of bonus dice ends in such a sum: what is not short of a number of sixes is 1 less what is short of it.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import comb
from typing import Final, NamedTuple

from domain.dice import MOST_DICE
from domain.paths import Faces, Lot

OTHER_DICE: Final = 5
"""What a shot takes beside: two for ammo, a victim, a save, an injury."""


class Pattern(NamedTuple):
    """So many sixes on so many dice; `ways` of 6 to the power of `dice` come to it, times the others' own ways."""

    sixes: int
    dice: int
    ways: int

    @property
    def others(self) -> int:
        """The dice that show no six."""
        return self.dice - self.sixes


def to_hit(dice: int, need: int, *, explode: bool) -> list[Lot]:
    """Lots of a roll with so many dice: by sixes and Hits short of `need`, and without a Hit by the highest die.

    A roll that would take more dice than one action may throw counts among those that just fall short of that many.
    """
    need = min(need, MOST_DICE - OTHER_DICE - dice)
    patterns = [p for p in (_endless(dice, need) if explode else _once(dice)) if p.sixes < need]
    most = max((p.dice for p in patterns), default=dice)
    whole = 6**most
    ways: dict[tuple[int, ...], int] = {}
    shown: dict[tuple[int, ...], tuple[Pattern, int]] = {}
    short = 0
    for p in patterns:
        scale = p.ways * 6 ** (most - p.dice)
        short += scale * 5**p.others
        for kind, fives, share in _by_hits(p, need):
            ways[kind] = ways.get(kind, 0) + scale * share
            shown.setdefault(kind, (p, fives))
    lots = [Lot(_rounds(dice, *shown[kind], explode=explode), Fraction(n, whole)) for kind, n in ways.items() if n]
    if short < whole and need:
        spot_on = Pattern(need, dice + need if explode else dice + min(dice, need), 1)
        lots.append(Lot(_rounds(dice, spot_on, 0, explode=explode), Fraction(whole - short, whole)))
    return [*lots, *_blanks(dice)]


def expected(dice: int, *, explode: bool) -> Fraction:
    """How many dice a roll takes: each earns a sixth of another, and that one too where the run goes on."""
    return dice * (Fraction(6, 5) if explode else Fraction(7, 6))


def _endless(dice: int, need: int) -> Iterator[Pattern]:
    return (Pattern(s, dice + s, comb(dice + s - 1, s)) for s in range(need))


def _once(dice: int) -> Iterator[Pattern]:
    for first in range(dice + 1):
        for bonus in range(first + 1):
            yield Pattern(first + bonus, dice + first, comb(dice, first) * comb(first, bonus))


def _by_hits(p: Pattern, need: int) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """A kind of roll (0 enough Hits, 1 one short, 2 shorter), how many fives show it, and in how many ways."""
    others = p.others
    ways = [comb(others, fives) * 4 ** (others - fives) for fives in range(others + 1)]
    missing = need - p.sixes
    least = 1 if p.sixes == 0 else 0  # no Hit at all is told by the highest die
    if missing <= others:
        yield (0,), missing, sum(ways[missing:])
    if least <= missing - 1 <= others:
        yield (1,), missing - 1, ways[missing - 1]
    if least < missing - 1:
        yield (2,), least, sum(ways[least : missing - 1])


def _blanks(dice: int) -> Iterator[Lot]:
    for highest in range(1, 5):
        faces = (highest,) * dice
        yield Lot((faces,), Fraction(highest**dice - (highest - 1) ** dice, 6**dice))


def _rounds(dice: int, p: Pattern, fives: int, *, explode: bool) -> tuple[Faces, ...]:
    """One roll of that pattern, round by round: the sixes as early as they can be, then fives, then ones."""
    rounds: list[Faces] = []
    left, size = p.sixes, dice
    while size:
        last = not explode and len(rounds) == 1
        sixes = min(size, left) if explode or last else p.dice - dice
        shown = min(fives, size - sixes)
        rounds.append((6,) * sixes + (5,) * shown + (1,) * (size - sixes - shown))
        left, fives = left - sixes, fives - shown
        size = 0 if last else sixes
    return tuple(rounds)
