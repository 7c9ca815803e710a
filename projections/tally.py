"""Tally: what a fig did and suffered, in numbers. Law: one event adds to one number a fig; tallies add up to sides."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pydantic import Field

from domain import events as e
from projections.view import View

Count = tuple[str, str]
"""A fig (or nobody, as an empty string) and the number that goes up by one."""


class Tally(View):
    """Numbers of a fig, of a side, or of the whole battle."""

    shots: int = Field(default=0, description="shots fired, jammed ones too")
    blows: int = Field(default=0, description="blows struck in melee")
    hits: int = Field(default=0, description="to-hit rolls that hit, shots and blows")
    near_misses: int = Field(default=0, description="shots that missed by one hit (N:ME)")
    touches: int = Field(default=0, description="shots in contact that did no harm (MiniFig Death)")
    criticals: int = 0
    jams: int = Field(default=0, description="weapons that failed for good")
    hits_dealt: int = Field(default=0, description="figs hit, under templates and blasts too, after any cover save")
    hits_taken: int = 0
    saves: int = Field(default=0, description="hits that its cover stopped")
    damage_rolls: int = Field(default=0, description="rolled for its hits (MiniFig Death)")
    penetrations: int = Field(default=0, description="damage rolls that got through the armour")
    injury_rolls: int = Field(default=0, description="injuries that its hits caused, rolled or reported (N:ME)")
    pins_suffered: int = 0
    pins_caused: int = 0
    downs: int = Field(default=0, description="enemy figs that are down now by its hand")
    kills: int = Field(default=0, description="enemy figs that are out now by its hand; objects do not count")
    objects: int = Field(default=0, description="enemy objects that are out now by its hand")
    friendly_fire: int = Field(default=0, description="own figs that are down or out now by its hand")


def counts_of(event: e.Event) -> list[Count]:
    """What an event adds to whose numbers."""
    count = _COUNTS.get(type(event))
    return [] if count is None else [(fig, what) for fig, what in count(event) if what]


_OUTCOMES = {"hit": "hits", "near_miss": "near_misses", "grazed": "touches", "miss": ""}

_COUNTS: dict[type, Callable[[Any], list[Count]]] = {
    e.ShotFired: lambda ev: [(ev.fig, "shots")],
    e.WeaponFailed: lambda ev: [(ev.fig, "jams")],
    e.NmeHitRolled: lambda ev: [(ev.fig, _OUTCOMES[ev.outcome]), (ev.fig, "criticals" if ev.critical else "")],
    e.MfdHitRolled: lambda ev: [(ev.fig, _OUTCOMES[ev.outcome]), (ev.fig, "blows" if ev.melee else "")],
    e.CoverSaveRolled: lambda ev: [(ev.fig, "saves" if ev.saved else "")],
    e.FigHit: lambda ev: [(ev.fig, "hits_taken"), (ev.by, "hits_dealt")],
    e.DamageRolled: lambda ev: [(ev.by, "damage_rolls"), (ev.by, "penetrations" if ev.penetrated else "")],
    e.InjuryRolled: lambda ev: [(ev.by, "injury_rolls")],
    e.InjuryReported: lambda ev: [(ev.by, "injury_rolls")],
    e.FigPinned: lambda ev: [(ev.fig, "pins_suffered"), (ev.by, "pins_caused")],
    e.RulingMade: lambda ev: [
        (change.fig, "pins_suffered") for change in ev.changes if (change.field, change.after) == ("status", "pinned")
    ],
}
"""What each event adds, by its type; the empty word adds nothing."""


class Tallies:
    """Tallies of many figs while a log is read."""

    def __init__(self) -> None:
        self._of: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, counts: Iterable[Count]) -> None:
        """Add ones."""
        for fig, what in counts:
            self._of[fig][what] += 1

    def of(self, fig: str) -> Tally:
        """The tally of one fig."""
        return Tally(**self._of[fig])


def summed(tallies: Iterable[Tally]) -> Tally:
    """Several tallies as one."""
    total: Counter[str] = Counter()
    for tally in tallies:
        numbers: Mapping[str, Any] = tally.model_dump()
        total.update(numbers)
    return Tally(**total)
