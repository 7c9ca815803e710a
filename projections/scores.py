"""Scores: what each side and weapon of a battle comes to. Law: only what still counts; a loss has one cause, its last.

These are the numbers that add up across battles. They are those of the casualty report, told by weapon as well.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Literal

import msgspec

from domain import events as e
from domain.battle import Fig
from domain.entry import Entry
from domain.record import Record
from projections.losses import LossEntry, loss_entries
from projections.strength import counts
from projections.tally import counts_of
from projections.walk import along_line

Result = Literal["won", "drawn", "lost", "playing"]
BARE_HANDS: Final = ""
"""The weapon of who has none in hand."""


class Deeds(msgspec.Struct, frozen=True, kw_only=True):
    """What was done: shots fired (jammed ones too), blows struck, hits, and the figs that it took."""

    shots: int = 0
    blows: int = 0
    hits: int = 0
    criticals: int = 0
    jams: int = 0
    downs: int = 0
    kills: int = 0
    objects: int = 0
    friendly_fire: int = 0


class WeaponScore(Deeds, frozen=True):
    """What was done with a weapon."""

    weapon: str


class SideScore(Deeds, frozen=True):
    """What a side did and lost; `figs` at the muster, `figs_lost` are those that are out, `pins` those it caused."""

    side: str
    name: str
    result: Result
    figs: int
    figs_lost: int
    wounds: int
    pins: int = 0


class Score(msgspec.Struct, frozen=True):
    """A battle in numbers: its sides in turn order, and the weapons that were used."""

    sides: tuple[SideScore, ...]
    weapons: tuple[WeaponScore, ...]


def score(record: Record, entries: Sequence[Entry]) -> Score:
    """The score of a battle by its whole log up to `record`."""
    of_side: defaultdict[str, Counter[str]] = defaultdict(Counter)
    of_weapon: defaultdict[str, Counter[str]] = defaultdict(Counter)
    fates: dict[str, LossEntry] = {}
    battle = record.battle
    for step in along_line(entries):
        body = step.entry.body
        for fig, what in counts_of(body):
            of_side[battle.figs[fig].side if fig else ""][_WORDS.get(what, what)] += 1
        for weapon, what in _with_what(body):
            of_weapon[weapon][what] += 1
        fates.update(loss_entries(step))
    for fig, fate in fates.items():
        for word in _credit(battle.figs[fig], fate):
            assert fate.by is not None
            of_side[battle.figs[fate.by].side][word] += 1
            of_weapon[fate.weapon or BARE_HANDS][word] += 1
    return Score(
        tuple(_side(record, side, of_side[side]) for side in battle.sides),
        tuple(WeaponScore(weapon, **_kept(of_weapon[weapon], WeaponScore)) for weapon in sorted(of_weapon)),
    )


_WORDS: Final = {"pins_caused": "pins"}

_USES: dict[type, Callable[[Any], list[str]]] = {
    e.ShotFired: lambda _: ["shots"],
    e.WeaponFailed: lambda _: ["jams"],
    e.NmeHitRolled: lambda ev: ["hits"] * (ev.outcome == "hit") + ["criticals"] * ev.critical,
    e.MfdHitRolled: lambda ev: ["hits"] * (ev.outcome == "hit") + ["blows"] * ev.melee,
}
"""What an event says of a weapon, by its type."""


def _with_what(body: e.Event) -> Iterator[tuple[str, str]]:
    use = _USES.get(type(body))
    for word in use(body) if use is not None else ():
        yield getattr(body, "weapon", None) or BARE_HANDS, word


def _credit(fig: Fig, fate: LossEntry) -> Iterable[str]:
    """What a fig that is down or out now counts for, to whoever made it so."""
    if fig.status not in ("down", "out") or fate.by is None:
        return ()
    if fate.friendly:
        return ("friendly_fire",)
    if fate.status == "down":
        return ("downs",)
    return ("kills",) if counts(fig) else ("objects",)


def _side(record: Record, side: str, done: Counter[str]) -> SideScore:
    force = record.battle.sides[side]
    own = [fig for fig in record.battle.figs.values() if fig.side == side]
    return SideScore(
        side,
        force.name,
        _result(record, side),
        figs=force.start,
        figs_lost=sum(fig.status == "out" and counts(fig) for fig in own),
        wounds=sum(fig.wounds for fig in own),
        **_kept(done, SideScore),
    )


def _kept(done: Counter[str], of: type[msgspec.Struct]) -> dict[str, int]:
    return {name: done[name] for name in of.__struct_fields__ if name in done}


def _result(record: Record, side: str) -> Result:
    if record.status == "playing":
        return "playing"
    winner = record.battle.winner
    return "drawn" if not winner else "won" if winner == side else "lost"
