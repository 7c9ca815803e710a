"""Casualties: the referee's report. Law: only what still counts is reported; undone dice are shown as a number.

Who, by whom, with what, from where, how far, in which turn, phase and entry; then every fig and side.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import Field

from domain.battle import Battle, Fig
from domain.entry import Entry
from domain.record import Record
from projections.losses import Loss, LossEntry, Status, loss_entries, loss_of
from projections.strength import counts
from projections.tally import Count, Tallies, Tally, counts_of, summed
from projections.view import View
from projections.walk import along_line


class FigReport(View):
    """How a fig fared."""

    name: str
    side: str
    status: Status
    wounds: int = Field(description="wound markers")
    counts: bool = Field(description="false for an object")
    useless: tuple[str, ...] = Field(description="its weapons that cannot be used any more")
    tally: Tally
    history: tuple[LossEntry, ...] = Field(description="every entry that took it down or out, or put it back")


class SideReport(View):
    """How a force fared; objects count in its tally only."""

    name: str
    start: int = Field(description="figs at the muster")
    in_play: int = Field(description="figs that are not out")
    active: int
    pinned: int
    down: int
    out: int
    last_ditch: bool
    conceded: bool
    wounds: int = Field(description="wound markers on all of its figs")
    tally: Tally


class CasualtyReport(View):
    """Losses, figs, sides and totals, up to an entry."""

    battle: str
    system: Literal["nme", "mfd"]
    title: str
    seq: int = Field(description="the entry up to which this is told")
    turn: int
    phase: str
    status: str
    winner: str
    losses: tuple[Loss, ...] = Field(
        description="figs and objects that are down or out, in the order in which they fell"
    )
    figs: dict[str, FigReport]
    sides: dict[str, SideReport]
    totals: Tally
    dice_undone: int = Field(description="dice that were seen and then undone; nothing else here knows of them")


def casualty_report(battle_id: str, record: Record, entries: Sequence[Entry]) -> CasualtyReport:
    """The report by the whole log up to `record`; struck-out losses are left out."""
    tallies, histories = Tallies(), dict[str, list[LossEntry]]()
    for step in along_line(entries):
        tallies.add(counts_of(step.entry.body))
        for fig, entry in loss_entries(step):
            histories.setdefault(fig, []).append(entry)
    battle = record.battle
    fallen = [fig for fig in battle.figs.values() if fig.status in ("down", "out") and fig.id in histories]
    losses = sorted((loss_of(fig, histories[fig.id]) for fig in fallen), key=lambda loss: loss.seq)
    tallies.add(credit for loss in losses for credit in _credits(loss))
    figs = {fig.id: _fig(fig, tallies.of(fig.id), histories.get(fig.id, [])) for fig in battle.figs.values()}
    return CasualtyReport(
        battle=battle_id,
        system=battle.system,
        title=battle.title,
        seq=record.seq,
        turn=battle.turn,
        phase=battle.phase,
        status=record.status,
        winner=battle.winner,
        losses=tuple(losses),
        figs=figs,
        sides={side: _side(battle, side, figs) for side in battle.sides},
        totals=summed(fig.tally for fig in figs.values()),
        dice_undone=record.docket.dice_undone,
    )


def _credits(loss: Loss) -> Iterable[Count]:
    if loss.by is None:
        return
    if loss.friendly:
        yield loss.by, "friendly_fire"
    elif loss.status == "down":
        yield loss.by, "downs"
    else:
        yield loss.by, "kills" if loss.counts else "objects"


def _fig(fig: Fig, tally: Tally, history: list[LossEntry]) -> FigReport:
    return FigReport(
        name=fig.name,
        side=fig.side,
        status=fig.status,
        wounds=fig.wounds,
        counts=counts(fig),
        useless=fig.useless,
        tally=tally,
        history=tuple(history),
    )


def _side(battle: Battle, side: str, figs: dict[str, FigReport]) -> SideReport:
    force = battle.sides[side]
    own = [fig for fig in figs.values() if fig.side == side]
    stand = [fig.status for fig in own if fig.counts]
    return SideReport(
        name=force.name,
        start=force.start,
        in_play=len(stand) - stand.count("out"),
        active=stand.count("active"),
        pinned=stand.count("pinned"),
        down=stand.count("down"),
        out=stand.count("out"),
        last_ditch=force.last_ditch,
        conceded=force.conceded,
        wounds=sum(fig.wounds for fig in own),
        tally=summed(fig.tally for fig in own),
    )
