"""N:ME figs and weapons. Law: every number says where it comes from; only the stub gun is the document's (NME-18)."""

from typing import Annotated, Literal

from pydantic import Field

from domain.battle import NmeProfile, NmeWeapon
from domain.recruit import Recruit
from domain.refusals import unknown
from domain.words import Asked, Id, Length


class NmeWeaponIn(Asked):
    """A weapon; `er` is its effective range in inches, a multiple of 5 (NME-18)."""

    id: Id
    er: Annotated[Length, Field(multiple_of=5000, ge=5000, le=100_000)]
    strength: Annotated[int, Field(ge=1, le=6)]
    ammo_rating: Annotated[int, Field(ge=1, le=7)]
    move_or_fire: bool = False
    template: Literal["none", "blast", "flamer"] = "none"
    provenance: Literal["document", "rulebook", "placeholder", "table"] = "table"


class NmeRecruit(Recruit):
    """An N:ME fig; `weapons` are weapons in full or names out of the catalogue."""

    bs: Annotated[int, Field(ge=0, le=10)]
    initiative: Annotated[int, Field(ge=0, le=10)] = 3
    move: Length = Field(default=4, validate_default=True)
    run: Length = Field(default=8, validate_default=True)
    charge: Length = Field(default=8, validate_default=True)
    leader: bool = False
    juve: bool = False
    weapons: Annotated[tuple[NmeWeaponIn | Id, ...], Field(strict=False, max_length=10)] = ()

    def profile(self) -> NmeProfile:
        """What the fig can do."""
        return NmeProfile(
            bs=self.bs,
            initiative=self.initiative,
            move=self.move,
            run=self.run,
            charge=self.charge,
            leader=self.leader,
            juve=self.juve,
        )

    def arms(self, pointer: str) -> tuple[NmeWeapon, ...]:
        """Its weapons; refuses a name that the catalogue does not have."""
        return tuple(_weapon(w, f"{pointer}/weapons/{n}") for n, w in enumerate(self.weapons))


def _weapon(asked: NmeWeaponIn | str, pointer: str) -> NmeWeapon:
    if isinstance(asked, str):
        if asked not in CATALOGUE:
            unknown("catalogue weapon", asked, CATALOGUE, pointer)
        return CATALOGUE[asked]
    return NmeWeapon(**asked.model_dump())


def _row(
    name: str,
    er: int,
    strength: int,
    ammo: int,
    provenance: Literal["document", "placeholder"] = "placeholder",
    template: Literal["none", "blast", "flamer"] = "none",
    *,
    move_or_fire: bool = False,
) -> NmeWeapon:
    return NmeWeapon(name, er * 1000, strength, ammo, move_or_fire, template, provenance)


CATALOGUE: dict[str, NmeWeapon] = {
    row.id: row
    for row in (
        _row("stub-gun", 10, 3, 4, "document"),
        _row("autogun", 15, 3, 4),
        _row("lasgun", 15, 3, 2),
        _row("boltgun", 15, 4, 6),
        _row("heavy-stubber", 20, 4, 4, move_or_fire=True),
        _row("flamer", 10, 4, 4, template="flamer"),
        _row("frag-grenade", 10, 3, 4, template="blast"),
    )
}
"""Weapons by name. The stub gun's range and strength are the document's; the other rows are placeholders for a demo."""
