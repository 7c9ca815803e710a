"""Foretold: what may come of an action, in plain English. Law: a sentence for the roll, and one for each fig."""

from collections.abc import Iterable
from typing import Final

from domain.battle import Battle
from domain.odds import Outcome
from projections.wording import counted, fig_name, listed

ROLLS: Final = {
    "certain": "No die falls: it happens as it is asked.",
    "jam": "The ammunition fails, and the weapon is of no more use.",
    "miss": "The shot misses.",
    "near_miss": "The shot misses by one hit.",
    "grazed": "The shot touches, but does no harm.",
    "hit": "The shot hits.",
    "critical": "The shot hits critically, at double strength.",
    "point_blank": "The shot hits at point blank.",
    "point_blank critical": "The shot hits critically at point blank, at double strength.",
    "template": "The weapon fires, and its template lies.",
    "fight": "All strike at once.",
    "recovery": "The test is rolled.",
}
"""What a roll comes to."""

FATES: Final = {
    "saved": "is saved by its cover",
    "close": "has a close call",
    "clipped": "is clipped",
    "dropped": "is dropped",
    "iced": "is iced",
    "awaits_injury": "is hit, and the players say how badly",
    "unharmed": "is hit, but its armour holds",
    "pinned": "is pinned",
    "down": "goes down",
    "out": "is out of the battle",
    "lies_still": "does not get up",
    "gets_up": "gets up",
}
"""What becomes of a fig."""


def words_of(outcome: Outcome) -> str:
    """An outcome in its own words: `hit; ganger: dropped, down`."""
    fates = [f"{fate.fig}: {', '.join(plain(fate.words))}" for fate in outcome.fates]
    fallen = [] if outcome.fallen is None else [f"fallen: {outcome.fallen}"]
    return "; ".join([" ".join(plain(outcome.words)), *fates, *fallen])


def plain(words: Iterable[str]) -> list[str]:
    """Words as people write them."""
    return [word.replace("_", " ") for word in words]


def sentence_of(battle: Battle, outcome: Outcome) -> str:
    """An outcome in plain English."""
    fates = [(fig_name(battle, fate.fig), listed(FATES[word] for word in fate.words)) for fate in outcome.fates]
    told = [ROLLS[" ".join(outcome.words)], *(f"{name} {what}." for name, what in fates)]
    if outcome.fallen is not None:
        told.append(
            f"{counted(outcome.fallen, 'fig').capitalize()} {'goes' if outcome.fallen == 1 else 'go'} down or out."
        )
    elif not outcome.fates and outcome.words in {("template",), ("fight",)}:
        told.append("Nobody falls.")
    return " ".join(told)
