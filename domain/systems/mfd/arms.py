"""MiniFig Death figs and weapons. Law: four kinds of weapon, and flavour has no effect (MFD-01)."""

from typing import Annotated, Final, Literal

from pydantic import Field

from domain.battle import Fig, MfdProfile, MfdWeapon, WeaponKind
from domain.policy import MfdPolicy
from domain.recruit import Recruit
from domain.words import Asked, Id, Length

BIG: Final[frozenset[WeaponKind]] = frozenset({"big_solid", "big_explosive"})
"""Big weapons (MFD-06)."""

GUNS: Final[frozenset[WeaponKind]] = BIG | {"pistol", "rifle"}
"""Whatever fires; a close combat weapon is no gun (MFD-02, MFD-07)."""


class MfdWeaponIn(Asked):
    """A weapon of one of the kinds; an explosive big weapon is a kind of its own (MFD-06)."""

    id: Id
    kind: Literal["ccw", "pistol", "rifle", "big_solid", "big_explosive"]


class MfdRecruit(Recruit):
    """A MiniFig Death fig or object; `height` in blocks, `move` in inches."""

    to_hit: Annotated[int, Field(ge=1, le=7)] | None = None
    armour: Annotated[int, Field(ge=0, le=40)] | None = None
    move: Length = Field(default=5, validate_default=True)
    height: Annotated[int, Field(ge=1, le=10_000)] = 4
    kind: Literal["fig", "object"] = "fig"
    cannot_dodge: bool = False
    weapons: Annotated[tuple[MfdWeaponIn, ...], Field(strict=False, max_length=10)] = ()

    def profile(self, policy: MfdPolicy) -> MfdProfile:
        """What the fig can do; the policy says what is usual, and an object never dodges (MFD-16)."""
        return MfdProfile(
            to_hit=policy.base_to_hit if self.to_hit is None else self.to_hit,
            armour=policy.armour if self.armour is None else self.armour,
            move=self.move,
            height=self.height,
            kind=self.kind,
            cannot_dodge=self.cannot_dodge or self.kind == "object",
        )

    def arms(self) -> tuple[MfdWeapon, ...]:
        """Its weapons."""
        return tuple(MfdWeapon(w.id, w.kind) for w in self.weapons)


def is_fig(fig: Fig) -> bool:
    """Whether it is a fig, who counts and fights, and not an object."""
    return fig.mfd.kind == "fig"


def working(fig: Fig) -> list[MfdWeapon]:
    """Its weapons, without any that a ruling made useless: of themselves they never fail."""
    return [w for w in fig.weapons if isinstance(w, MfdWeapon) and w.id not in fig.useless]


def guns_of(fig: Fig) -> list[MfdWeapon]:
    """The guns that it carries: pistols, rifles, big weapons."""
    return [w for w in working(fig) if w.kind in GUNS]


def big_guns_of(fig: Fig) -> list[MfdWeapon]:
    """The big weapons that it carries."""
    return [w for w in working(fig) if w.kind in BIG]


def blade_of(fig: Fig) -> MfdWeapon | None:
    """What it strikes with: a CCW, else the one that goes with a pistol (MFD-04); None is bare hands (MFD-24)."""
    for kind in ("ccw", "pistol"):
        for weapon in working(fig):
            if weapon.kind == kind:
                return weapon
    return None
