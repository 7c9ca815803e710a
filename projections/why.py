"""Why: one entry explained. Law: the action, its dice, rules and causes, up to this entry and no further."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from domain import events as e
from domain.battle import Battle
from domain.entry import Entry
from domain.measures import Vector
from projections.causes import because, concerned
from projections.rolls import RollView, roll_view
from projections.rulebook import RULES
from projections.sentences import sentence
from projections.struck import StruckOut, strikings
from projections.view import View, degrees, to_inches
from projections.walk import Batch, absent, along_log
from projections.wording import COVER, fig_name


class SightView(View):
    """How well a fig was seen, and who says so."""

    fig: str
    cover: str
    by: str = Field(description="declared by people, shown by the terrain, or assumed since nobody said anything")
    text: str


class RuleLine(View):
    """A rule that had a say."""

    rule: str
    text: str = Field(description="what it means; empty for words of a referee that are no rule id")


class WhyView(View):
    """Why an entry is as it is."""

    battle: str
    seq: int
    type: str
    time: int
    actor: str
    turn: int
    phase: str
    side: str = Field(description="whose turn it was")
    sentence: str
    action: int = Field(description="the first entry of the action that it belongs to")
    last: int = Field(description="the action's last entry")
    do: str = Field(description="the action's word; empty for procedure")
    declared: str = Field(description="what was asked, in words; for procedure what it was")
    request: dict[str, Any] | None = Field(description="what was asked, lengths in inches, directions in degrees")
    sights: tuple[SightView, ...]
    rolls: tuple[RollView, ...] = Field(description="every roll of the action up to this entry, in order")
    rules: tuple[RuleLine, ...] = Field(description="the rules that led to this entry, in the order of their say")
    because: tuple[str, ...] = Field(description="the chain of causes; its last link is this entry")
    struck_out: StruckOut | None


def why(entries: Sequence[Entry], seq: int) -> WhyView:
    """Explain entry `seq` of a whole log; raises `Refused` (not-found) where there is none."""
    batch = next((batch for batch in along_log(entries) if batch.steps[-1].entry.seq >= seq >= 1), None)
    if batch is None:
        absent(f"there is no entry {seq}; the log ends at {entries[-1].seq}", [f"1 to {entries[-1].seq}"])
    return _explained(batch, seq, strikings(entries).get(batch.steps[0].entry.seq))


def _explained(batch: Batch, seq: int, struck: StruckOut | None) -> WhyView:
    first = batch.steps[0]
    steps = [step for step in batch.steps if step.entry.seq <= seq]
    entry, head, table = steps[-1].entry, first.entry.body, steps[-1].after
    asked = head if isinstance(head, e.ActionDeclared) else None
    return WhyView(
        battle=entry.battle,
        seq=entry.seq,
        type=entry.type,
        time=entry.time,
        actor=entry.actor,
        turn=table.turn,
        phase=table.phase,
        side=table.side,
        sentence=sentence(steps[-1].before, entry.body),
        action=entry.action,
        last=batch.steps[-1].entry.seq,
        do=batch.act.do if batch.act else "",
        declared=sentence(first.before, head),
        request=in_inches(asked.request) if asked else None,
        sights=tuple(_sight(table, sight) for sight in asked.sights) if asked else (),
        rolls=tuple(view for step in steps if (view := roll_view(step))),
        rules=_rules([step.entry.body for step in concerned(steps)]),
        because=because(steps),
        struck_out=struck,
    )


def in_inches(asked: Mapping[str, Any]) -> dict[str, Any]:
    """A request as it would be asked: lengths in inches, directions in degrees."""
    return {name: _asked(name, value) for name, value in asked.items()}


def _asked(name: str, value: Any) -> Any:
    if name == "facing" and value is not None:
        return degrees(Vector(**value))
    if name in ("inches", "distance") and value is not None:
        return to_inches(value)
    if name in ("to", "point", "toward") and isinstance(value, dict):
        return {axis: to_inches(thou) for axis, thou in value.items()}
    return value


def _sight(battle: Battle, sight: e.Sight) -> SightView:
    said = {"declared": "as people say", "terrain": "as the terrain shows", "assumed": "since nobody said otherwise"}
    text = f"{fig_name(battle, sight.fig)} is {COVER[sight.cover]}, {said[sight.by]}."
    return SightView(fig=sight.fig, cover=sight.cover, by=sight.by, text=text)


_IMPLIED: dict[type, tuple[str, ...]] = {
    e.AmmoRolled: ("NME-11", "NME-12"),
    e.FigHid: ("NME-09",),
    e.FigRevealed: ("NME-09",),
    e.FigRecovered: ("NME-25",),
    e.TemplatePlaced: ("NME-24", "NME-27"),
    e.AimTaken: ("MFD-19",),
    e.AimLost: ("MFD-19",),
    e.MeleeFought: ("MFD-23",),
    e.LastDitchCalled: ("MFD-28",),
}
"""Rules that an event follows without naming them, since it follows no others."""


def _rules(events: Sequence[e.Event]) -> tuple[RuleLine, ...]:
    named = dict.fromkeys(rule for event in events for rule in _named(event))
    return tuple(RuleLine(rule=rule, text=RULES.get(rule, "")) for rule in named)


def _named(event: e.Event) -> tuple[str, ...]:
    modifiers = () if isinstance(event, e.ActionDeclared) else getattr(event, "modifiers", ())
    one = getattr(event, "rule", "")
    turned = ("NME-08",) if isinstance(event, e.FigTurned) and event.reason == "target" else ()
    return (
        *(event.rules if isinstance(event, e.NmeHitRolled | e.MfdHitRolled) else ()),
        *((one,) if one else ()),
        *(modifier.rule for modifier in modifiers),
        *_IMPLIED.get(type(event), ()),
        *turned,
    )
