"""The action table. Law: it is the authority on who may fire what, how often and how far (MFD-08, MFD-09); all is data.

Its limits are inclusive (MFD-10). Beside it stand the damage dice of each kind of weapon.
"""

from collections.abc import Mapping
from typing import Final, Literal

import msgspec

from domain.battle import WeaponKind
from domain.measures import INCH

Band = Literal["still", "moved", "ran"]
"""How a fig has moved in its turn: 0", up to 5", up to 10" (MFD-08)."""

WALK: Final = 5 * INCH
RUN: Final = 10 * INCH


class Cell(msgspec.Struct, frozen=True):
    """How often one kind of weapon may be fired in one band, and how far."""

    shots: int
    reach: int


class Damage(msgspec.Struct, frozen=True):
    """The dice of a kind of weapon, and the rule that says so."""

    count: int
    sides: int
    rule: str


TABLE: Final[Mapping[WeaponKind, Mapping[Band, Cell]]] = {
    "ccw": {},
    "pistol": {
        "still": Cell(2, 10 * INCH),
        "moved": Cell(1, 10 * INCH),
        "ran": Cell(1, 10 * INCH),
    },
    "rifle": {"still": Cell(1, 20 * INCH), "moved": Cell(1, 15 * INCH)},
    "big_solid": {"still": Cell(1, 20 * INCH)},
    "big_explosive": {"still": Cell(1, 20 * INCH)},
}
"""MFD-09: from an empty place of the table nothing can be fired. The -3 of a runner stands in it too, but is counted
once: it is MFD-12, among the modifiers."""

DAMAGE: Final[Mapping[WeaponKind, Damage]] = {
    "ccw": Damage(2, 6, "MFD-02"),
    "pistol": Damage(1, 6, "MFD-03"),
    "rifle": Damage(1, 10, "MFD-05"),
    "big_solid": Damage(3, 6, "MFD-06"),
    "big_explosive": Damage(1, 10, "MFD-06"),
}

BARE_HANDS: Final = Damage(1, 6, "MFD-24")


def band_of(moved: int) -> Band:
    """The band of a fig that has moved so far in its turn, whatever it said (MFD-08, MFD-10)."""
    if moved == 0:
        return "still"
    return "moved" if moved <= WALK else "ran"
