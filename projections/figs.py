"""Figs as people see them. Law: everything the table knows of a fig, in inches, and what brought it about.

`fig_view` tells a fig's story by the entries that still count; what was struck out is no part of it.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Discriminator, Field

from domain.battle import Fig, Wound
from domain.entry import Entry
from domain.record import Record
from projections.arms import MfdProfileView, MfdWeaponView, NmeProfileView, NmeWeaponView, profile_view, weapon_view
from projections.sentences import sentence
from projections.view import FacingView, PlaceView, View, facing_view, place_view, to_inches
from projections.walk import absent, along_line


class AimView(View):
    """At whom a fig aims, and for how many turns."""

    target: str
    turns: int


class WoundView(View):
    """A hit whose injury the players have yet to report."""

    by: str
    weapon: str
    strength: int
    critical: bool
    origin: PlaceView = Field(description="where the shot came from")
    distance: float


class FigState(View):
    """One fig on the table. From `pace` to `tested` it speaks of its side's latest turn."""

    name: str
    side: str
    status: Literal["active", "pinned", "down", "out"]
    x: float
    y: float
    facing: FacingView
    base: float = Field(description="diameter in inches")
    vehicle: bool
    profile: Annotated[NmeProfileView | MfdProfileView, Discriminator("system")]
    weapons: tuple[Annotated[NmeWeaponView | MfdWeaponView, Discriminator("system")], ...]
    wounds: int = Field(description="wound markers")
    pinned_turn: int = Field(description="the turn in which it was pinned; 0 when it is not")
    hidden: bool
    engaged: tuple[str, ...] = Field(description="enemies it is in combat with")
    aim: AimView | None
    injuries: tuple[WoundView, ...] = Field(description="hits that wait for the players' report")
    pace: Literal["still", "walk", "run", "charge"]
    moved: float = Field(description="inches that its moves of this turn count")
    advanced: bool = Field(description="whether its last move went toward the closest enemy (MFD-26)")
    shots: int
    shot_mode: str
    shot_with: str
    shot_at: tuple[str, ...]
    aimed: bool
    fought: bool
    tested: bool


class Made(View):
    """An entry that changed a fig."""

    seq: int
    action: int
    time: int
    actor: str
    type: str
    sentence: str


class FigView(View):
    """One fig at a moment, and the entries on the line that made it so."""

    battle: str
    seq: int = Field(description="the entry up to which this is told")
    fig: str
    state: FigState
    made_by: tuple[Made, ...] = Field(description="what changed it, oldest first; struck-out entries are left out")


def fig_view(battle_id: str, record: Record, entries: Sequence[Entry], fig: str) -> FigView:
    """A fig's state and the entries that made it so; raises `Refused` (not-found) for an unknown one."""
    found = record.battle.figs.get(fig)
    if found is None:
        absent(f"there is no fig {fig!r} in this battle", record.battle.figs)
    made = []
    for entry, before, after in along_line(entries):
        if after.figs.get(fig) != (before.figs.get(fig) if before else None):
            made.append(
                Made(
                    seq=entry.seq,
                    action=entry.action,
                    time=entry.time,
                    actor=entry.actor,
                    type=entry.type,
                    sentence=sentence(before, entry.body),
                )
            )
    return FigView(battle=battle_id, seq=record.seq, fig=fig, state=fig_state(found), made_by=tuple(made))


def fig_state(fig: Fig) -> FigState:
    """A fig as it stands."""
    return FigState(
        name=fig.name,
        side=fig.side,
        status=fig.status,
        x=to_inches(fig.x),
        y=to_inches(fig.y),
        facing=facing_view(fig.facing),
        base=to_inches(fig.base),
        vehicle=fig.vehicle,
        profile=profile_view(fig.profile),
        weapons=tuple(weapon_view(weapon, usable=weapon.id not in fig.useless) for weapon in fig.weapons),
        wounds=fig.wounds,
        pinned_turn=fig.pinned_turn,
        hidden=fig.hidden,
        engaged=fig.engaged,
        aim=AimView(target=fig.aim.target, turns=fig.aim.turns) if fig.aim else None,
        injuries=tuple(_wound(wound) for wound in fig.injuries),
        pace=fig.pace,
        moved=to_inches(fig.moved),
        advanced=fig.advanced,
        shots=fig.shots,
        shot_mode=fig.shot_mode,
        shot_with=fig.shot_with,
        shot_at=fig.shot_at,
        aimed=fig.aimed,
        fought=fig.fought,
        tested=fig.tested,
    )


def _wound(wound: Wound) -> WoundView:
    return WoundView(
        by=wound.by,
        weapon=wound.weapon,
        strength=wound.strength,
        critical=wound.critical,
        origin=place_view(wound.origin),
        distance=to_inches(wound.distance),
    )
