"""Hits: what dice amount to. Law: pure functions of faces and squared thou; nothing here knows a table.

A face of 5 or 6 is a Hit, and Hits are a distance: 5" each up to the weapon's effective range, 1" each beyond it.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

from domain.battle import NmeWeapon
from domain.measures import INCH, within
from domain.policy import NmePolicy

SCORE = 5
"""A face that is a Hit (NME-16)."""

STEP = 5 * INCH
"""What a Hit is worth up to the effective range (NME-17)."""

FARTHER = INCH
"""What a Hit is worth beyond it (NME-18)."""

POINT_BLANK = 4 * INCH
"""How close point blank is, at most (NME-29)."""


class Result(msgspec.Struct, frozen=True):
    """What a to-hit roll comes to; `accuracy` in thou, `rules` are the ids of those that made it so."""

    hits: int
    sixes: int
    accuracy: int
    outcome: Literal["hit", "near_miss", "miss"]
    critical: bool
    point_blank: bool
    rules: tuple[str, ...]


def ammo_holds(faces: Sequence[int], rating: int) -> bool:
    """Whether an ammo roll passes: only a double below the rating fails (NME-12)."""
    first, second = faces
    return first != second or first >= rating


def dice_to_hit(bs: int, mode: str) -> int:
    """How many dice the first round has: BS of them (NME-14), twice as many for an aimed shot (NME-19)."""
    return 2 * bs if mode == "aimed" else bs


def bonus_dice(rounds: Sequence[Sequence[int]], policy: NmePolicy) -> int:
    """How many more dice the rounds so far earn: one for each six of the latest (NME-15)."""
    if policy.bonus_dice == "once" and len(rounds) > 1:
        return 0
    return list(rounds[-1]).count(6)


def accuracy(hits: int, effective_range: int) -> int:
    """How far that many Hits reach, in thou (NME-17, NME-18)."""
    full = effective_range // STEP
    return STEP * hits if hits <= full else effective_range + FARTHER * (hits - full)


def reaches(hits: int, effective_range: int, squared: int) -> bool:
    """Whether that many Hits reach a target at that squared distance; exactly is enough (NME-17)."""
    return within(squared, accuracy(hits, effective_range))


def judged(faces: Sequence[int], weapon: NmeWeapon, squared: int, policy: NmePolicy) -> Result:
    """What all faces of a to-hit roll come to against a target at that squared distance."""
    hits, sixes = sum(face >= SCORE for face in faces), list(faces).count(6)
    # NME-29: without any Hit, and close enough, the highest die is the accuracy.
    point_blank = policy.point_blank and hits == 0 and within(squared, POINT_BLANK)
    reach = max(faces) * INCH if point_blank else accuracy(hits, weapon.er)
    hit = within(squared, reach)
    # NME-28: the sixes alone reach the target; NME-30: at point blank the highest die exceeds the distance.
    spot_on = squared < reach * reach if point_blank else reaches(sixes, weapon.er, squared)
    critical = policy.critical_hits and hit and spot_on
    near = not hit and reaches(hits + 1, weapon.er, squared)  # NME-21
    return Result(
        hits=hits,
        sixes=sixes,
        accuracy=reach,
        outcome="hit" if hit else "near_miss" if near else "miss",
        critical=critical,
        point_blank=point_blank,
        rules=tuple(
            rule
            for rule, counts in (
                ("NME-16", True),
                ("NME-17", not point_blank),
                ("NME-18", STEP * hits > weapon.er),
                ("NME-21", near),
                ("NME-22", near and squared < STEP * STEP),
                ("NME-28", critical and not point_blank),
                ("NME-29", point_blank),
                ("NME-30", critical and point_blank),
            )
            if counts
        ),
    )
