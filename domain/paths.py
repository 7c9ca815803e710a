"""Paths: the walk over all that dice can show. Law: the rules decide every path themselves, and no die is drawn.

A tape `Given` shows faces that are written down. Where it runs dry the walk forks: a `Fan` sorts all that the next dice
can show into lots that the rules treat alike, and one throw of each lot stands for it.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, ParamSpec, TypeVar

from domain.dice import DiceWanted, Roll, Tape, Throw, drawn
from domain.draft import Decision
from domain.refusals import invalid

P = ParamSpec("P")
T = TypeVar("T")

MOST_DECIDED: Final = 8_000
"""The rules are asked no more often than this about one action, on all its paths together."""

Faces = tuple[int, ...]


class Lot(NamedTuple):
    """Throws that come to the same: `throws` stands for them (more than one roll where each earns the next)."""

    throws: tuple[Faces, ...]
    chance: Fraction


class Fan(NamedTuple):
    """All that the next roll can show; `dice` is how many it is expected to take."""

    lots: tuple[Lot, ...]
    dice: Fraction


Peek = Callable[[Sequence[Faces]], Decision]
"""What it would come to if the next dice showed these faces, and the rest whatever the system says."""


class Given:
    """A tape of faces that are written down, and `rest` for all further ones; without it, it runs dry."""

    def __init__(self, faces: Sequence[Faces] = (), rest: Callable[[Roll], Faces] | None = None) -> None:
        self._faces = list(faces)
        self._rest = rest

    def throw(self, roll: Roll) -> Throw:
        """Show the next faces. Raises `DiceWanted`."""
        if self._faces:
            faces = self._faces.pop(0)
            assert len(faces) == roll.count, (faces, roll)
            return Throw(roll.purpose, roll.sides, faces)
        if self._rest is None:
            raise DiceWanted(roll)
        return Throw(roll.purpose, roll.sides, self._rest(roll))


def bounded(decide: Callable[P, T], enough: Callable[[], bool]) -> Callable[P, T]:
    """The same, up to `MOST_DECIDED` times, or until it is `enough`; from then on it raises `Refused`."""
    left = MOST_DECIDED

    def decided(*asked: P.args, **named: P.kwargs) -> T:
        nonlocal left
        left -= 1
        if left < 0 or enough():
            invalid("too much hangs together here to be told exactly", "", ["ask for a forecast instead"])
        return decide(*asked, **named)

    return decided


class Paths:
    """Every path of one action; `dice` counts those that are expected to fall on the paths that were walked."""

    def __init__(
        self,
        decided: Callable[[Tape], Decision],
        fan: Callable[[Roll, Sequence[Throw], Peek], Fan],
        rest: Callable[[Roll], Faces],
    ) -> None:
        self.dice = Fraction(0)
        self._decided = decided
        self._fan = fan
        self._rest = rest

    def walk(
        self, start: tuple[Faces, ...] = (), chance: Fraction = Fraction(1)
    ) -> Iterator[tuple[Decision, Fraction]]:
        """What each path comes to, and its chance; all of them begin with `start`."""
        waiting = [(start, chance)]
        while waiting:
            faces, share = waiting.pop()
            try:
                decision = self._decided(Given(faces))
            except DiceWanted as dry:
                fan = self._fan(dry.wanted, dry.so_far, self._peek(faces))
                self.dice += share * fan.dice
                forks = [(faces + lot.throws, share * lot.chance) for lot in fan.lots if lot.chance]
                waiting += reversed(forks)
            else:
                yield decision, share

    def _peek(self, faces: tuple[Faces, ...]) -> Peek:
        return lambda more: self._decided(Given((*faces, *more), self._rest))


def sorted_faces(sides: int, kind: Callable[[int], object]) -> Fan:
    """One die, with all faces of a kind in one lot."""
    lots: dict[object, list[int]] = {}
    for face in range(1, sides + 1):
        lots.setdefault(kind(face), []).append(face)
    return Fan(tuple(Lot(((faces[0],),), Fraction(len(faces), sides)) for faces in lots.values()), Fraction(1))


def drawn_evenly(pool: Sequence[str], sides: int) -> Fan:
    """A die that draws one of `pool`; where it has to be thrown again, all further throws are in the fractions."""
    first: dict[str, int] = {}
    for face in range(sides, 0, -1):
        name = drawn(pool, sides, face)
        if name is not None:
            first[name] = face
    again = sides % len(pool)
    lots = tuple(Lot(((first[name],),), Fraction(1, len(pool))) for name in pool)
    return Fan(lots, Fraction(sides, sides - again))
