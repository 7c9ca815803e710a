"""The gap between two figs. Law: centre to centre, in squares; a tape laid on the table wins over the coordinates."""

import msgspec

from domain.battle import Fig
from domain.measures import INCH, length, squared, touching, within

POINT_BLANK = 3 * INCH
"""Nearer than this is close (MFD-17)."""


class Gap(msgspec.Struct, frozen=True):
    """How far apart two figs are: `squared` is what the rules go by, `measured` what the coordinates say (thou)."""

    squared: int
    measured: int
    contact: bool

    @property
    def distance(self) -> int:
        """What the rules go by, in thou."""
        return length(self.squared)

    @property
    def close(self) -> bool:
        """Whether it is less than 3", strictly (MFD-17)."""
        return self.squared < POINT_BLANK**2


def gap_between(a: Fig, b: Fig, tape: int | None = None) -> Gap:
    """The gap between two figs; `tape` is what somebody read off the table."""
    exact = squared(a.at, b.at)
    return Gap(
        squared=exact if tape is None else tape**2,
        measured=length(exact),
        contact=touching(a.at, a.base, b.at, b.base),
    )


def agrees(a: Fig, b: Fig, tape: int, tolerance: int) -> bool:
    """Whether a tape differs from the coordinates by no more than the tolerance."""
    exact = squared(a.at, b.at)
    return within(exact, tape + tolerance) and not (tape > tolerance and exact < (tape - tolerance) ** 2)
