"""Totals: standings, and what weapons did, across battles. Law: summed from rows that are a fold of each battle's log.

A player is who the muster names a side after. What-ifs never count, and private battles are told to nobody here.
"""

from collections.abc import Sequence
from typing import Final, Literal

from msgspec.structs import asdict
from pydantic import BaseModel, Field

from domain.entry import Entry
from domain.record import Record
from projections.scores import score
from replays.projector import Projector, Rows
from replays.shelf import Shelf
from replays.store import Filter, SideTotal, Store, WeaponTotal

VERSION: Final = 1
"""The shape of the rows: goes up when a number comes to mean something else, and has them all made anew."""


class Counts(BaseModel):
    """What was done, in numbers; an action that was struck out counts nowhere."""

    shots: int = Field(description="shots fired, jammed ones too")
    blows: int = Field(description="blows struck in melee")
    hits: int = Field(description="to-hit rolls that hit")
    criticals: int
    jams: int = Field(description="weapons that failed for good")
    downs: int = Field(description="enemy figs that are down by it")
    kills: int = Field(description="enemy figs that are out by it; objects do not count")
    objects: int = Field(description="enemy objects that are out by it")
    friendly_fire: int = Field(description="own figs that are down or out by it")


class Player(Counts):
    """A name under which sides fought, over all their battles."""

    name: str = Field(description="the name that the muster gave the side")
    battles: int
    won: int
    drawn: int
    lost: int
    playing: int = Field(description="battles that have not ended")
    figs: int = Field(description="figs at the musters; objects do not count")
    figs_lost: int = Field(description="figs that are out")
    wounds: int = Field(description="wound markers on its figs")
    pins: int = Field(description="pins that it caused")


class Weapon(Counts):
    """A weapon, over all battles in which it was used."""

    system: Literal["nme", "mfd"]
    weapon: str = Field(description="its id; bare hands are an empty one")
    battles: int = Field(description="battles in which it was used")


class LeftOut(BaseModel):
    """A battle that cannot be told, and is in no sum."""

    battle: str
    seq: int = Field(description="the entry that it cannot be read beyond; 0 if that cannot be told")
    reason: str


class Standing(BaseModel):
    """How far the sums have come."""

    behind: int = Field(description="entries that are stored and not yet in the sums")
    left_out: list[LeftOut] = Field(description="battles that cannot be told; `battlelog rebuild` tries them again")
    next: int | None = Field(description="`after` of the next page; null on the last")


class Standings(Standing):
    """Players: who won most first, then who drew most, lost least, and took more figs than it lost."""

    players: list[Player]


class Arsenal(Standing):
    """Weapons: what was used most first."""

    weapons: list[Weapon]


def fold(battle: str, record: Record, entries: Sequence[Entry], generation: int) -> Rows:
    """A battle's rows, in the order of their ids."""
    told = score(record, entries)
    sides = sorted(told.sides, key=lambda one: one.side)
    return (
        [SideTotal(battle=battle, generation=generation, seq=record.seq, **asdict(one)) for one in sides],
        [WeaponTotal(battle=battle, generation=generation, seq=record.seq, **asdict(one)) for one in told.weapons],
    )


def projector(store: Store, shelf: Shelf | None = None) -> Projector:
    """Who keeps the totals of a store."""
    return Projector(store, fold, VERSION, shelf=shelf)


def standings(store: Store, wanted: Filter, limit: int, after: int) -> Standings:
    """A page of players."""
    rows = store.totals.players(wanted, limit + 1, after)
    players = [Player.model_validate(row) for row in rows[:limit]]
    return Standings(players=players, **_standing(store, after, limit, len(rows)).model_dump())


def arsenal(store: Store, wanted: Filter, limit: int, after: int) -> Arsenal:
    """A page of weapons."""
    rows = store.totals.weapons(wanted, limit + 1, after)
    weapons = [Weapon.model_validate(row) for row in rows[:limit]]
    return Arsenal(weapons=weapons, **_standing(store, after, limit, len(rows)).model_dump())


def _standing(store: Store, after: int, limit: int, found: int) -> Standing:
    was = store.totals.tracked()
    aside = store.totals.left_out(_MOST_TOLD)
    return Standing(
        behind=store.totals.newest() - (was.position if was else 0),
        left_out=[LeftOut(battle=row.battle, seq=row.seq, reason=row.reason) for row in aside],
        next=after + limit if found > limit else None,
    )


_MOST_TOLD: Final = 100
"""Battles that are named as left out."""
