"""Dice. Law: the rules ask, somebody else throws.

A `Roll` is a question, a `Throw` its answer with every face in order. A `Tape` answers questions; one that has run
dry raises `DiceWanted`, which says what is wanted next. Nothing here draws a random number.
"""

from collections.abc import Sequence
from typing import Final, Literal, Protocol

import msgspec

Purpose = Literal["ammo", "to_hit", "victim_side", "victim", "save", "damage", "injury", "recovery"]

FACES: Final = (2, 3, 4, 6, 8, 10, 12, 20, 100)
"""Dice that exist, by their number of sides."""

MOST_DICE: Final = 1000
"""The most dice that one action may ask for; the guard that ends an endless run of bonus dice (NME-15)."""


class Roll(msgspec.Struct, frozen=True, gc=False):
    """A question: throw `count` dice of `sides` sides for `purpose`."""

    purpose: Purpose
    count: int
    sides: int


class Throw(msgspec.Struct, frozen=True, gc=False):
    """An answer: every face, in the order in which the dice were thrown."""

    purpose: Purpose
    sides: int
    faces: tuple[int, ...]


class DiceWanted(Exception):  # noqa: N818 - not an error: the sans-I/O word for "need data"
    """The tape has run dry: `wanted` says which dice the rules ask for next, `so_far` which were taken."""

    def __init__(self, wanted: Roll, so_far: tuple[Throw, ...] = ()) -> None:
        super().__init__(f"{wanted.count}d{wanted.sides} for {wanted.purpose}")
        self.wanted = wanted
        self.so_far = so_far


class Tape(Protocol):
    """Whoever throws: real dice read from a table, the committed chain of the server, or a recording."""

    def throw(self, roll: Roll) -> Throw:
        """Answer `roll` with exactly `roll.count` faces in 1..`roll.sides`, or raise `DiceWanted`."""
        ...


def draw_die(pool: int) -> int:
    """Sides of the die that draws one of `pool` evenly: the smallest that `pool` divides, else d100 (decision 2.4)."""
    return next((sides for sides in FACES if sides % pool == 0), 100)


def drawn(pool: Sequence[str], sides: int, face: int) -> str | None:
    """Whom `face` of a `sides`-sided die picks out of `pool` (in order), or None where the die is thrown again."""
    share = sides // len(pool)
    return pool[(face - 1) // share] if face <= share * len(pool) else None
