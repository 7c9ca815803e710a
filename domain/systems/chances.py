"""Chances: the exact odds of an action, before it is rolled. Law: odds are rules, and go by the battle's version.

The action is decided first with no die at all: what is refused is refused in the same words, and what needs no die is
certain. Nothing is drawn and nothing is written.
"""

from collections.abc import Callable
from fractions import Fraction

from domain.battle import Battle
from domain.commands import Action, Fight
from domain.decider import decide
from domain.dice import DiceWanted
from domain.draft import Seat
from domain.odds import Branch, Odds
from domain.paths import Given, bounded
from domain.question import Question
from domain.refusals import invalid
from domain.systems import system_of
from domain.systems.mfd import MFD_1
from domain.systems.mfd.odds import chances as mfd_chances
from domain.systems.nme import NME_1
from domain.systems.nme.odds import chances as nme_chances

CHANCES: dict[str, Callable[[Question], tuple[list[Branch], Fraction]]] = {
    NME_1.rules: nme_chances,
    MFD_1.rules: mfd_chances,
}
"""Who knows the odds of each rules version."""


def _never() -> bool:
    return False


def odds_of(battle: Battle, command: Action, by: Seat, enough: Callable[[], bool] = _never) -> Odds:
    """The odds of a command of seat `by`. Raises `Refused` as the action itself would, or where it takes too much.

    `enough` is asked before each look at the rules, and says whether it has taken too long by now.
    """
    if command.dice is not None:
        invalid("the odds are those before any die has fallen", "/dice", ["leave dice out"])
    system = system_of(battle.rules)
    question = Question(battle, command, by, system, bounded(decide, enough))
    try:
        question.decided(Given())
    except DiceWanted as dry:
        branches, dice = CHANCES[battle.rules](question)
        return Odds(tuple(branches), dice, dry.wanted)
    return Odds((Branch(("certain",), (), Fraction(1)),), Fraction(0), None)


def asked_as(battle: Battle, command: Action, seat: Seat) -> Seat:
    """The seat as which the odds are worked out: whoever may read may ask, and asks as the side whose act it is."""
    if seat.role == "referee":
        return seat
    fig = battle.figs.get(getattr(command, "fig", ""))
    side = fig.side if fig is not None else getattr(command, "side", battle.side)
    return Seat("side", battle.side if isinstance(command, Fight) else side)
