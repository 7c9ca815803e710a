"""The table: one immutable value. Law: it holds what is, never how it came about; look-ups refuse what is not there.

A new table shares every fig that did not change with the one before, so that keeping each of them is cheap.
All lengths are thou.
"""

from collections.abc import Iterator
from typing import Literal

import msgspec

from domain.measures import Point, Vector
from domain.policy import MfdPolicy, NmePolicy
from domain.refusals import unknown

Status = Literal["active", "pinned", "down", "out"]
Pace = Literal["still", "walk", "run", "charge"]
DiceMode = Literal["server", "table"]
Template = Literal["none", "blast", "flamer"]
WeaponKind = Literal["ccw", "pistol", "rifle", "big_solid", "big_explosive"]


class NmeProfile(msgspec.Struct, frozen=True, gc=False, tag="nme", tag_field="system"):
    """What an N:ME fig can do; lengths in thou."""

    bs: int
    initiative: int = 3
    move: int = 4000
    run: int = 8000
    charge: int = 8000
    leader: bool = False
    juve: bool = False


class MfdProfile(msgspec.Struct, frozen=True, gc=False, tag="mfd", tag_field="system"):
    """What a MiniFig Death fig (or object) can do; `height` in blocks, `move` in thou."""

    to_hit: int = 3
    armour: int = 5
    move: int = 5000
    height: int = 4
    kind: Literal["fig", "object"] = "fig"
    cannot_dodge: bool = False


class NmeWeapon(msgspec.Struct, frozen=True, gc=False, tag="nme", tag_field="system"):
    """An N:ME weapon; `er` is its effective range in thou, `provenance` says where its numbers come from."""

    id: str
    er: int
    strength: int
    ammo_rating: int
    move_or_fire: bool = False
    template: Template = "none"
    provenance: Literal["document", "rulebook", "placeholder", "table"] = "table"


class MfdWeapon(msgspec.Struct, frozen=True, gc=False, tag="mfd", tag_field="system"):
    """A MiniFig Death weapon: its kind says everything (MFD-01)."""

    id: str
    kind: WeaponKind


Profile = NmeProfile | MfdProfile
Weapon = NmeWeapon | MfdWeapon


class Aim(msgspec.Struct, frozen=True, gc=False):
    """At whom a fig has been aiming, and for how many turns (MFD-19)."""

    target: str
    turns: int


class Wound(msgspec.Struct, frozen=True, gc=False):
    """A hit whose injury the players still have to report; what a casualty report will want to know of it."""

    by: str
    weapon: str
    strength: int
    critical: bool
    origin: Point
    distance: int


class Fig(msgspec.Struct, frozen=True, gc=False):
    """One model. The fields from `pace` on speak of its side's latest turn and start afresh with its next."""

    id: str
    name: str
    side: str
    x: int
    y: int
    facing: Vector
    base: int
    vehicle: bool
    profile: Profile
    weapons: tuple[Weapon, ...]
    status: Status = "active"
    pinned_turn: int = 0
    wounds: int = 0
    useless: tuple[str, ...] = ()
    hidden: bool = False
    engaged: tuple[str, ...] = ()
    aim: Aim | None = None
    injuries: tuple[Wound, ...] = ()
    pace: Pace = "still"
    moved: int = 0
    advanced: bool = False
    shots: int = 0
    shot_mode: str = ""
    shot_with: str = ""
    shot_at: tuple[str, ...] = ()
    aimed: bool = False
    fought: bool = False
    tested: bool = False

    @property
    def at(self) -> Point:
        """Where its centre stands."""
        return Point(self.x, self.y)

    @property
    def is_object(self) -> bool:
        """Whether it is a thing that can be shot at, and no fig that takes turns (MFD-16)."""
        return isinstance(self.profile, MfdProfile) and self.profile.kind == "object"

    @property
    def in_play(self) -> bool:
        """Whether it is still on the table."""
        return self.status != "out"

    def weapon(self, name: str) -> Weapon:
        """Its weapon of that id; refuses one that it does not carry."""
        for weapon in self.weapons:
            if weapon.id == name:
                return weapon
        unknown(f"weapon of {self.id}", name, [w.id for w in self.weapons], "/weapon")

    @property
    def nme(self) -> NmeProfile:
        """Its profile, in a battle of N:ME."""
        assert isinstance(self.profile, NmeProfile)
        return self.profile

    @property
    def mfd(self) -> MfdProfile:
        """Its profile, in a battle of MiniFig Death."""
        assert isinstance(self.profile, MfdProfile)
        return self.profile


class Side(msgspec.Struct, frozen=True, gc=False):
    """A player's force; `start` is the number of its figs at the muster, `party` its number among the dice."""

    id: str
    name: str
    party: int
    start: int = 0
    last_ditch: bool = False
    conceded: bool = False


class Terrain(msgspec.Struct, frozen=True, gc=False):
    """A piece of terrain: an `area` (polygon) or a `wall` (line of points), and the cover word that it gives."""

    id: str
    kind: Literal["area", "wall"]
    points: tuple[Point, ...]
    cover: str


class Battle(msgspec.Struct, frozen=True, gc=False):
    """The whole table. Its dicts are never changed in place."""

    system: Literal["nme", "mfd"]
    rules: str
    title: str
    width: int
    height: int
    dice: DiceMode
    policy: NmePolicy | MfdPolicy
    sides: dict[str, Side]
    tags: dict[str, str] = {}
    figs: dict[str, Fig] = {}
    terrain: tuple[Terrain, ...] = ()
    turn: int = 0
    side: str = ""
    phase: str = ""
    status: Literal["playing", "ended"] = "playing"
    winner: str = ""

    def fig(self, name: str, pointer: str = "/fig") -> Fig:
        """The fig of that id; refuses an unknown one."""
        found = self.figs.get(name)
        if found is None:
            unknown("fig", name, self.figs, pointer)
        return found

    def side_of(self, name: str, pointer: str = "/side") -> Side:
        """The side of that id; refuses an unknown one."""
        found = self.sides.get(name)
        if found is None:
            unknown("side", name, self.sides, pointer)
        return found

    def figs_of(self, side: str) -> Iterator[Fig]:
        """The figs of a side that are still in play, in the order of the muster."""
        return (f for f in self.figs.values() if f.side == side and f.in_play)

    def enemies_of(self, side: str) -> Iterator[Fig]:
        """The figs of all other sides that are still in play, in the order of the muster."""
        return (f for f in self.figs.values() if f.side != side and f.in_play)

    @property
    def nme(self) -> NmePolicy:
        """The policy, in a battle of N:ME."""
        assert isinstance(self.policy, NmePolicy)
        return self.policy

    @property
    def mfd(self) -> MfdPolicy:
        """The policy, in a battle of MiniFig Death."""
        assert isinstance(self.policy, MfdPolicy)
        return self.policy

    def playing(self) -> list[str]:
        """The sides that have not conceded, in turn order."""
        return [s.id for s in self.sides.values() if not s.conceded]
