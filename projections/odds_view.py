"""Odds in words: what may come of an action, and how likely it is. Law: fractions are exact, and all of them sum to 1.

The decimals are rounded to twelve places so that they, too, sum to 1 as they are written.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Final, Literal

from pydantic import Field

from domain.battle import Battle
from domain.commands import Action, request_of
from domain.odds import Fate, Odds
from projections.foretold import ROLLS, plain, sentence_of, words_of
from projections.sentences.asking import ASKS
from projections.view import View

PLACES: Final = 10**12
"""Decimals are told in such parts."""


class Share(View):
    """A chance."""

    chance: str = Field(description="exactly, as a fraction in lowest terms", examples=["5/36"])
    decimal: float = Field(description="to twelve places; those of a list sum to 1 as they are written")


class OutcomeView(Share):
    """One thing that may come of it."""

    outcome: str = Field(description="its words, such as `hit; ganger: dropped, down`", examples=["jam"])
    sentence: str
    rules: tuple[str, ...] = Field(description="the rules that make it so")
    figs: dict[str, str] = Field(description="how each fig stands then of which it tells")


class RollView(Share):
    """One thing that the roll itself may come to, whatever becomes of anybody."""

    outcome: str = Field(examples=["near miss"])
    sentence: str


class FateView(Share):
    """One thing that may become of a fig."""

    outcome: str = Field(description="its words, such as `dropped, down`; `untouched` leaves it as it is")
    status: Literal["active", "pinned", "down", "out"]


class DiceAhead(View):
    """The dice that will fall."""

    expected: str = Field(description="how many on average, exactly", examples=["101/12"])
    decimal: float
    purpose: str | None = Field(description="what the first roll is for; null where no die falls")
    count: int | None
    sides: int | None


class OddsView(View):
    """What may come of an action, before it is rolled."""

    battle: str
    seq: int = Field(description="the last entry of the table on which it is asked")
    do: str
    action: str = Field(description="what is asked, in words")
    rolls: tuple[RollView, ...] = Field(description="what the roll may come to, the likeliest first; sums to exactly 1")
    outcomes: tuple[OutcomeView, ...] = Field(
        description="what all the dice may come to, the likeliest first; sums to exactly 1. Of more than 64 "
        "combinations only those who fall are told, or only how many"
    )
    figs: dict[str, tuple[FateView, ...]] = Field(description="each fig that the dice may touch, by itself")
    dice: DiceAhead


def odds_view(name: str, seq: int, battle: Battle, command: Action, odds: Odds) -> OddsView:
    """The answer to whoever asks."""
    asked, told, first = request_of(command), odds.outcomes(), odds.first
    shares = _shares([chance for chance, _ in told.values()])
    return OddsView(
        battle=name,
        seq=seq,
        do=asked["do"],
        action=ASKS[asked["do"]](battle, asked),
        rolls=tuple(_rolls(odds)),
        outcomes=tuple(
            OutcomeView(
                outcome=words_of(outcome),
                sentence=sentence_of(battle, outcome),
                chance=share.chance,
                decimal=share.decimal,
                rules=rules,
                figs={fate.fig: fate.status for fate in outcome.fates},
            )
            for (outcome, (_, rules)), share in zip(told.items(), shares, strict=True)
        ),
        figs={fig: tuple(_fates(battle, fig, fates.items())) for fig, fates in odds.figs().items()},
        dice=DiceAhead(
            expected=str(odds.dice),
            decimal=round(float(odds.dice), 3),
            purpose=first.purpose if first else None,
            count=first.count if first else None,
            sides=first.sides if first else None,
        ),
    )


def _rolls(odds: Odds) -> Iterable[RollView]:
    told: dict[str, Fraction] = {}
    for branch in odds.branches:
        word = " ".join(branch.words)
        told[word] = told.get(word, Fraction(0)) + branch.chance
    likely = sorted((row for row in told.items() if row[1]), key=lambda row: -row[1])
    for (word, _), share in zip(likely, _shares([chance for _, chance in likely]), strict=True):
        outcome = word.replace("_", " ")
        yield RollView(outcome=outcome, sentence=ROLLS[word], chance=share.chance, decimal=share.decimal)


def _fates(battle: Battle, fig: str, fates: Iterable[tuple[Fate, Fraction]]) -> Iterable[FateView]:
    told: dict[tuple[str, Literal["active", "pinned", "down", "out"]], Fraction] = {}
    for fate, chance in fates:
        key = (", ".join(plain(fate.words)), fate.status)
        told[key] = told.get(key, Fraction(0)) + chance
    untouched = ("untouched", battle.figs[fig].status)
    told[untouched] = 1 - sum(told.values(), Fraction(0))
    likely = sorted((row for row in told.items() if row[1]), key=lambda row: -row[1])
    for ((outcome, status), _), share in zip(likely, _shares([chance for _, chance in likely]), strict=True):
        yield FateView(outcome=outcome, status=status, chance=share.chance, decimal=share.decimal)


def _shares(chances: Sequence[Fraction]) -> list[Share]:
    """Chances that sum to 1, with decimals that do: what rounding down left over goes where it was largest."""
    parts = [chance * PLACES for chance in chances]
    whole = [int(part) for part in parts]
    for n in sorted(range(len(parts)), key=lambda n: whole[n] - parts[n])[: PLACES - sum(whole)]:
        whole[n] += 1
    return [Share(chance=str(c), decimal=n / PLACES) for c, n in zip(chances, whole, strict=True)]
