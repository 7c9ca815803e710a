"""Procedure: rulings, disputes, branches, the end. Law: the referee's word is kept with its reason, before and after.

Rulings that change something are strikable acts; everything else here is procedure, never struck and never in the way.
"""

from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec
from pydantic import Discriminator, Field

from domain import events as e
from domain.battle import Fig
from domain.contact import meet, part
from domain.docket import Dispute
from domain.draft import Draft, NoDice, Seat
from domain.places import check_place, on_table, table_size
from domain.record import Record, line_of
from domain.refusals import Refusal, Refused, battle_over, forbidden, invalid, refuse, unknown
from domain.rolls import check_settled
from domain.systems import system_of
from domain.words import Asked, Facing, Id, Inches, Said, Seq, Text

MOST_DISPUTES = 100
"""No battle has more open disputes than this."""


class PlaceChange(Asked):
    """Put a fig elsewhere."""

    fig: Id
    field: Literal["x", "y"]
    value: Inches


class FacingChange(Asked):
    """Turn a fig."""

    fig: Id
    field: Literal["facing"]
    value: Facing


class StatusChange(Asked):
    """Say how a fig is."""

    fig: Id
    field: Literal["status"]
    value: Literal["active", "pinned", "down", "out"]


class Usable(Asked):
    """A weapon of the fig, and whether it can be used."""

    id: Id
    usable: bool


class WeaponChange(Asked):
    """Say whether a weapon can be used."""

    fig: Id
    field: Literal["weapon"]
    value: Usable


class AimGiven(Asked):
    """At whom a fig aims, and for how many turns."""

    target: Id
    turns: Annotated[int, Field(ge=1, le=1000)]


class AimChange(Asked):
    """Say at whom a fig aims."""

    fig: Id
    field: Literal["aim"]
    value: AimGiven | None


class HiddenChange(Asked):
    """Say whether a fig hides."""

    fig: Id
    field: Literal["hidden"]
    value: bool


ChangeAsked = Annotated[
    PlaceChange | FacingChange | StatusChange | WeaponChange | AimChange | HiddenChange, Discriminator("field")
]


class Ruling(Asked):
    """A referee's decision: the entry it is about, the rule it cites, the reason, and what it changes."""

    about: Seq | None = None
    rule: Annotated[Text, Field(min_length=1, max_length=80)]
    reason: Said
    changes: Annotated[tuple[ChangeAsked, ...], Field(strict=False, max_length=100)] = ()


class DisputeAsked(Asked):
    """A question about one entry."""

    about: Seq
    reason: Said


class Resolution(Asked):
    """How a dispute is settled: exactly one of these."""

    ruling: Seq | None = None
    agreed: Literal[True] | None = None
    withdrawn: Literal[True] | None = None


def rule(record: Record, ruling: Ruling, by: Seat) -> tuple[e.Event, ...]:
    """The batch of a ruling: what it changes, and the melees that this joins or parts. Raises `Refused`."""
    if by.role != "referee":
        forbidden("only the referee makes rulings; open a dispute instead")
    _known_seq(record, ruling.about, "/about")
    if ruling.changes and record.battle.status == "ended":
        battle_over("the battle has ended; undo its end before changing the table")
    if ruling.changes:
        check_settled(record)
    draft = Draft(record.battle, by, NoDice(), system_of(record.battle.rules))
    changes = []
    for n, asked in enumerate(ruling.changes):
        fig = draft.battle.fig(asked.fig, f"/changes/{n}/fig")
        changes.append(_change(draft, fig, asked, f"/changes/{n}"))
        draft.emit(e.RulingMade(ruling.about, ruling.rule, ruling.reason, (changes[-1],)))
    draft.events.clear()
    for name in dict.fromkeys(change.fig for change in changes):
        _settle(draft, name)
    return (e.RulingMade(ruling.about, ruling.rule, ruling.reason, tuple(changes)), *draft.events)


def _settle(draft: Draft, name: str) -> None:
    fig = draft.fig(name)
    if not on_table(draft.battle, fig.at):
        refuse("TABLE-01", f"{fig.id} would stand off the table", [table_size(draft.battle)])
    if not fig.in_play:
        part(draft, name)
        for other in draft.battle.figs.values():
            if other.aim is not None and other.aim.target == name:
                draft.emit(e.AimLost(other.id, name, "target_lost"))
        return
    check_place(draft.battle, fig, fig.at)
    if draft.system.fights(fig):
        meet(draft, name)
    else:
        part(draft, name)


def _change(draft: Draft, fig: Fig, asked: ChangeAsked, pointer: str) -> e.Change:
    before: Any
    after: Any
    match asked:
        case WeaponChange(value=value):
            carried = [weapon.id for weapon in fig.weapons]
            if value.id not in carried:
                unknown(f"weapon of {fig.id}", value.id, carried, f"{pointer}/value/id")
            before = {"id": value.id, "usable": value.id not in fig.useless}
            after = {"id": value.id, "usable": value.usable}
        case AimChange(value=value):
            if value is not None:
                draft.battle.fig(value.target, f"{pointer}/value/target")
            before = msgspec.to_builtins(fig.aim)
            after = None if value is None else {"target": value.target, "turns": value.turns}
        case FacingChange(value=value):
            before, after = msgspec.to_builtins(fig.facing), msgspec.to_builtins(value)
        case StatusChange(value=value):
            if draft.battle.system == "mfd" and value in ("pinned", "down"):
                invalid(f"a MiniFig Death fig is never {value}", f"{pointer}/value", ["active", "out"])
            before, after = fig.status, value
        case _:
            before, after = getattr(fig, asked.field), asked.value
    if before == after:
        invalid(f"{asked.field} of {fig.id} is that already", f"{pointer}/value", ["leave it out"])
    return e.Change(fig.id, asked.field, before, after)


def _known_seq(record: Record, seq: int | None, pointer: str) -> None:
    if seq is not None and seq > record.seq:
        invalid(f"there is no entry {seq}; the log ends at {record.seq}", pointer)


def dispute(record: Record, asked: DisputeAsked, by: Seat) -> tuple[e.Event, ...]:
    """Open a dispute about an entry; anybody seated may. Raises `Refused`."""
    if by.role == "spectator" or (by.role == "side" and by.side not in record.battle.sides):
        forbidden("only who has a seat may dispute an entry")
    _known_seq(record, asked.about, "/about")
    disputes = record.docket.disputes
    if sum(d.status == "open" for d in disputes.values()) >= MOST_DISPUTES:
        refuse("DISPUTE-01", f"{MOST_DISPUTES} disputes are open already", ["resolve some of them first"])
    return (e.DisputeOpened(len(disputes) + 1, asked.about, asked.reason),)


def resolve(
    record: Record, number: int, how: Resolution, by: Seat, is_ruling: Callable[[int], bool]
) -> tuple[e.Event, ...]:
    """Settle a dispute: by a ruling (referee), agreed (the side in question), or withdrawn (who opened it, or he)."""
    found = record.docket.disputes.get(number)
    if found is None:
        raise Refused(
            Refusal(
                "not-found",
                "DISPUTE-02",
                f"there is no dispute {number}",
                tuple(str(n) for n in record.docket.disputes),
            )
        )
    if by.role == "spectator":
        forbidden("only who has a seat may resolve a dispute")
    if found.status != "open":
        refuse("DISPUTE-03", f"dispute {number} is closed already ({found.status})", ["open a new one"])
    if [how.ruling is not None, how.agreed is not None, how.withdrawn is not None].count(True) != 1:
        invalid("say exactly one of ruling, agreed, withdrawn", "", ['{"withdrawn": true}'])
    if how.ruling is not None:
        if by.role != "referee":
            forbidden("only the referee settles a dispute by a ruling")
        if not is_ruling(how.ruling):
            invalid(f"entry {how.ruling} is no ruling", "/ruling", ["make the ruling first and name its seq"])
        return (e.DisputeClosed(number, "ruling", how.ruling, by.actor),)
    if how.agreed:
        _may_agree(record, found, by)
    if how.withdrawn and by.role == "side" and by.actor != found.by:
        forbidden(f"only {found.by} or the referee may withdraw dispute {number}")
    return (e.DisputeClosed(number, "agreed" if how.agreed else "withdrawn", None, by.actor),)


def _may_agree(record: Record, found: Dispute, by: Seat) -> None:
    """Agreeing is for the side whose act is in question; where it is nobody's, for any side but the one that asks."""
    if by.role != "side":
        forbidden("the referee settles a dispute by a ruling, or has it withdrawn; agreeing is for the sides")
    if by.actor == found.by:
        forbidden("who opened a dispute withdraws it; agreeing is for the other side")
    whose = next((act.side for act in line_of(record) if act.seq <= found.about <= act.last), "")
    if whose and f"side:{whose}" not in (by.actor, found.by):
        forbidden(f"it is about an act of {whose}: {whose} may agree, or the referee rules")


def close(record: Record, by: Seat, reason: str) -> tuple[e.Event, ...]:
    """Close the battle for good (decision 1.9). Raises `Refused`."""
    if by.role != "referee":
        forbidden("only the referee closes a battle")
    if record.battle.status != "ended":
        refuse("TURN-08", "a battle is closed after it has ended", ["end_battle first"])
    waiting = [str(d.dispute) for d in record.docket.disputes.values() if d.status == "open"]
    if waiting:
        refuse("DISPUTE-04", f"disputes are still open: {', '.join(waiting)}", ["resolve them first"])
    return (e.BattleClosed(reason),)


def may_branch(record: Record, by: Seat) -> None:
    """Refuse a what-if on a live tournament table (`policy.what_if: after`), but to the referee."""
    if record.battle.policy.what_if == "after" and record.status == "playing" and by.role != "referee":
        forbidden("on this table what-ifs open when the battle has ended (policy what_if: after)")
