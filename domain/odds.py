"""Odds: the words of exact chances. Law: fractions, never floats; what comes of dice is read off the rules' own events.

A `Branch` is what a shot, a test or a round comes to; its `blocks` are the fates that hang on it, block by block, each
independent of the others. Vocabulary for both systems; no rule is made here.
"""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any, Final, NamedTuple

import msgspec

from domain import events as e
from domain.battle import Status
from domain.dice import Roll
from domain.draft import Decision

MOST_TOLD: Final = 64
"""A branch with more outcomes than this tells only who falls, or if need be only how many."""

ONE: Final = Fraction(1)

FALLS: Final = frozenset({"down", "out"})


class Fate(msgspec.Struct, frozen=True):
    """What becomes of a fig, in the order in which it happens; how it stands then, and by which rules."""

    fig: str
    words: tuple[str, ...]
    status: Status
    rules: tuple[str, ...]

    @property
    def falls(self) -> bool:
        """Whether it goes down or out."""
        return not FALLS.isdisjoint(self.words)


Fates = tuple[Fate, ...]
Block = Mapping[Fates, Fraction]
"""The fates of some figs, with chances that sum to 1."""


class Branch(NamedTuple):
    """What is rolled comes to these words, by these rules; `blocks` are the fates that follow."""

    words: tuple[str, ...]
    rules: tuple[str, ...]
    chance: Fraction
    blocks: tuple[Block, ...] = ()


class Outcome(NamedTuple):
    """One thing that may come of it. `fallen` counts those who fall, where there are too many fates to tell."""

    words: tuple[str, ...]
    fates: Fates
    fallen: int | None


class Odds(NamedTuple):
    """All that may come of an action; `dice` is how many are expected to fall, `first` the first roll."""

    branches: tuple[Branch, ...]
    dice: Fraction
    first: Roll | None

    def outcomes(self) -> dict[Outcome, tuple[Fraction, tuple[str, ...]]]:
        """Every outcome with its chance and its rules, the likeliest first; the chances sum to 1."""
        found: dict[Outcome, tuple[Fraction, tuple[str, ...]]] = {}
        for branch in self.branches:
            for fates, fallen, chance in _told(branch.blocks):
                outcome = Outcome(branch.words, fates, fallen)
                before, rules = found.get(outcome, (Fraction(0), ()))
                named = sorted({*rules, *branch.rules, *(rule for fate in fates for rule in fate.rules)})
                found[outcome] = (before + branch.chance * chance, tuple(named))
        likely = [(outcome, told) for outcome, told in found.items() if told[0]]
        return dict(sorted(likely, key=lambda row: -row[1][0]))

    def figs(self) -> dict[str, dict[Fate, Fraction]]:
        """The fates of each fig that the dice may touch; what is missing to 1 leaves it as it is."""
        found: dict[str, dict[Fate, Fraction]] = {}
        for branch in self.branches:
            for fates, chance in (pair for block in branch.blocks for pair in block.items()):
                for fate in fates:
                    shares = found.setdefault(fate.fig, {})
                    shares[fate] = shares.get(fate, Fraction(0)) + branch.chance * chance
        return {fig: shares for fig, shares in found.items() if any(shares.values())}


def _told(blocks: tuple[Block, ...]) -> Iterator[tuple[Fates, int | None, Fraction]]:
    for told in (blocks, tuple(_falling(block) for block in blocks)):
        if prod(len(block) for block in told) <= MOST_TOLD:
            for several in product(*(block.items() for block in told)):
                yield tuple(f for fates, _ in several for f in fates), None, prod((p for _, p in several), start=ONE)
            return
    yield from (((), fallen, chance) for fallen, chance in _counted(blocks).items())


def _falling(block: Block) -> Block:
    falling: dict[Fates, Fraction] = {}
    for fates, chance in block.items():
        those = tuple(fate for fate in fates if fate.falls)
        falling[those] = falling.get(those, Fraction(0)) + chance
    return falling


def _counted(blocks: tuple[Block, ...]) -> dict[int, Fraction]:
    counts = {0: ONE}
    for block in blocks:
        more: dict[int, Fraction] = {}
        for (so_far, chance), (fates, share) in product(counts.items(), _falling(block).items()):
            fallen = so_far + len(fates)
            more[fallen] = more.get(fallen, Fraction(0)) + chance * share
        counts = more
    return counts


_SAYS: Final[Mapping[type, Callable[[Any], tuple[str, str, str]]]] = {
    e.CoverSaveRolled: lambda event: (event.fig, "saved" if event.saved else "", event.rule),
    e.InjuryRolled: lambda event: (event.fig, event.result, "INJURY-01"),
    e.InjuryAwaited: lambda event: (event.fig, "awaits_injury", "INJURY-02"),
    e.FigPinned: lambda event: (event.fig, "pinned", event.rule),
    e.FigDowned: lambda event: (event.fig, "down", event.rule),
    e.FigRemoved: lambda event: (event.fig, "out", event.rule),
    e.RecoveryRolled: lambda event: (event.fig, "" if event.passed else "lies_still", event.rule),
    e.FigRecovered: lambda event: (event.fig, "gets_up", "NME-25"),
}
"""Of every event that says what becomes of a fig: the fig, the word and the rule."""


def fates_of(decision: Decision) -> Fates:
    """What became of each fig, in the order in which it was first touched."""
    words: dict[str, dict[str, None]] = {}
    rules: dict[str, dict[str, None]] = {}
    for event in decision.events:
        says = _SAYS.get(type(event))
        if says is not None:
            fig, word, rule = says(event)
            words.setdefault(fig, {}).update({word: None} if word else {})
            rules.setdefault(fig, {}).update({rule: None})
    figs = decision.battle.figs
    return tuple(Fate(fig, tuple(said), figs[fig].status, tuple(rules[fig])) for fig, said in words.items() if said)
