"""Arms: profiles and weapons as people see them. Law: the numbers of the muster, in inches; each system has its own."""

from typing import Literal

from pydantic import Field

from domain.battle import MfdWeapon, NmeProfile, NmeWeapon, Profile, Weapon, WeaponKind
from projections.view import View, to_inches


class NmeProfileView(View):
    """What an N:ME fig can do; lengths in inches."""

    system: Literal["nme"] = "nme"
    bs: int
    initiative: int
    move: float
    run: float
    charge: float
    leader: bool
    juve: bool


class MfdProfileView(View):
    """What a MiniFig Death fig or object can do; `move` in inches, `height` in blocks."""

    system: Literal["mfd"] = "mfd"
    to_hit: int
    armour: int
    move: float
    height: int
    kind: Literal["fig", "object"]
    cannot_dodge: bool


class NmeWeaponView(View):
    """An N:ME weapon."""

    system: Literal["nme"] = "nme"
    id: str
    er: float = Field(description="effective range in inches")
    strength: int
    ammo_rating: int
    move_or_fire: bool
    template: Literal["none", "blast", "flamer"]
    provenance: Literal["document", "rulebook", "placeholder", "table"] = Field(
        description="where its numbers are from"
    )
    usable: bool = Field(description="false when it has failed or was ruled out")


class MfdWeaponView(View):
    """A MiniFig Death weapon."""

    system: Literal["mfd"] = "mfd"
    id: str
    kind: WeaponKind
    usable: bool = Field(description="false when it was ruled out")


def profile_view(profile: Profile) -> NmeProfileView | MfdProfileView:
    """A profile in inches."""
    if isinstance(profile, NmeProfile):
        return NmeProfileView(
            bs=profile.bs,
            initiative=profile.initiative,
            move=to_inches(profile.move),
            run=to_inches(profile.run),
            charge=to_inches(profile.charge),
            leader=profile.leader,
            juve=profile.juve,
        )
    return MfdProfileView(
        to_hit=profile.to_hit,
        armour=profile.armour,
        move=to_inches(profile.move),
        height=profile.height,
        kind=profile.kind,
        cannot_dodge=profile.cannot_dodge,
    )


def weapon_view(weapon: Weapon, *, usable: bool) -> NmeWeaponView | MfdWeaponView:
    """A weapon in inches."""
    if isinstance(weapon, MfdWeapon):
        return MfdWeaponView(id=weapon.id, kind=weapon.kind, usable=usable)
    assert isinstance(weapon, NmeWeapon)
    return NmeWeaponView(
        id=weapon.id,
        er=to_inches(weapon.er),
        strength=weapon.strength,
        ammo_rating=weapon.ammo_rating,
        move_or_fire=weapon.move_or_fire,
        template=weapon.template,
        provenance=weapon.provenance,
        usable=usable,
    )
