"""Compare: where two battles part, and how their tables differ. Law: only what differs is listed, each side by side.

A branch shares its parent's entries as they are, so two lines part where their entries first differ.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import astuple
from pydantic import Field

from domain.entry import Entry
from domain.record import Record
from projections.casualties import SideReport, casualty_report
from projections.figs import FigState, fig_state
from projections.strength import side_states
from projections.view import View
from projections.walk import Log

FIELDS = ("status", "x", "y", "facing", "wounds", "hidden", "engaged", "aim")
"""What is compared of a fig, beside which of its weapons are useless; the rest speaks of one turn only."""


class Difference(View):
    """One thing that differs: `a` and `b` are what it is on the two tables."""

    field: str
    a: Any
    b: Any


class FigDifference(View):
    """A fig that differs (or that one of the tables does not have)."""

    name: str
    side: str
    differs: tuple[Difference, ...]


class SideLosses(View):
    """A force on both tables; none where one of them does not have it."""

    a: SideReport | None
    b: SideReport | None


class Compared(View):
    """A table in a few words."""

    battle: str
    title: str
    seq: int
    turn: int
    side: str
    phase: str
    status: str
    winner: str
    entries_after: int = Field(description="entries behind the last common one")


class Comparison(View):
    """Two battles side by side."""

    parted_at: int = Field(description="the last entry that both share; 0 where they share none")
    same_table: bool = Field(description="whether nothing below differs")
    a: Compared
    b: Compared
    table: tuple[Difference, ...] = Field(description="system, turn, side, phase, status, winner, where they differ")
    sides: dict[str, tuple[Difference, ...]] = Field(description="by side: what differs of it")
    figs: dict[str, FigDifference] = Field(description="by fig: what differs of it")
    casualties: dict[str, SideLosses] = Field(description="by side: the casualty report of both")


def compare(a: Log, b: Log) -> Comparison:
    """Where two battles part, and how they differ now."""
    parted = last_common(a.entries, b.entries)
    table = tuple(_differences(_table(a.record), _table(b.record)))
    sides = dict(_differing_sides(a, b))
    figs = dict(_differing_figs(a, b))
    ours, theirs = (casualty_report(*log).sides for log in (a, b))
    return Comparison(
        parted_at=parted,
        same_table=not (table or sides or figs),
        a=_compared(a, parted),
        b=_compared(b, parted),
        table=table,
        sides=sides,
        figs=figs,
        casualties={side: SideLosses(a=ours.get(side), b=theirs.get(side)) for side in {**ours, **theirs}},
    )


def last_common(a: Sequence[Entry], b: Sequence[Entry]) -> int:
    """The seq of the last entry that two logs share, as it is; 0 where their first ones differ."""
    shared = 0
    for ours, theirs in zip(a, b, strict=False):
        # Entries of two readers are of two classes, and equal by what they hold.
        if ours is not theirs and astuple(ours) != astuple(theirs):
            break
        shared = ours.seq
    return shared


def _compared(log: Log, parted: int) -> Compared:
    return Compared(
        battle=log.battle,
        title=log.record.battle.title,
        seq=log.record.seq,
        entries_after=log.record.seq - parted,
        **{name: value for name, value in _table(log.record).items() if name != "system"},
    )


def _table(record: Record) -> dict[str, Any]:
    battle = record.battle
    return {
        "system": battle.system,
        "turn": battle.turn,
        "side": battle.side,
        "phase": battle.phase,
        "status": record.status,
        "winner": battle.winner,
    }


def _differences(a: dict[str, Any], b: dict[str, Any]) -> Iterator[Difference]:
    for field in {**a, **b}:
        if a.get(field) != b.get(field):
            yield Difference(field=field, a=a.get(field), b=b.get(field))


def _differing_sides(a: Log, b: Log) -> Iterator[tuple[str, tuple[Difference, ...]]]:
    ours, theirs = (
        {side: state.model_dump() for side, state in side_states(log.record.battle).items()} for log in (a, b)
    )
    for side in {**ours, **theirs}:
        differs = tuple(_differences(ours.get(side, {}), theirs.get(side, {})))
        if differs:
            yield side, differs


def _differing_figs(a: Log, b: Log) -> Iterator[tuple[str, FigDifference]]:
    ours, theirs = ({name: fig_state(fig) for name, fig in log.record.battle.figs.items()} for log in (a, b))
    for name in {**ours, **theirs}:
        one, other = ours.get(name), theirs.get(name)
        differs = tuple(_differences(_compared_fig(one), _compared_fig(other)))
        fig = one or other
        if differs and fig:
            yield name, FigDifference(name=fig.name, side=fig.side, differs=differs)


def _compared_fig(fig: FigState | None) -> dict[str, Any]:
    if fig is None:
        return {}
    useless = tuple(weapon.id for weapon in fig.weapons if not weapon.usable)
    return {**{field: getattr(fig, field) for field in FIELDS}, "useless": useless}
