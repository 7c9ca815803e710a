"""Odds in words: a sentence for each outcome, and shares that sum to 1 in fractions and in decimals."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from domain.battle import Battle
from domain.commands import COMMAND
from domain.draft import REFEREE
from domain.odds import Branch, Fate, Odds
from domain.systems.chances import odds_of
from domain.systems.mfd.odds import RULES as MFD_RULES
from domain.systems.nme.odds import RULES as NME_RULES
from projections.foretold import ROLLS
from projections.odds_view import OddsView, odds_view
from projections.rulebook import RULES
from tests.domain.mfd.field import field, fig, fight
from tests.domain.nme.scenes import BLAST, SHOOT, a, duel, put, table
from tests.spec import played


def told(battle: Battle, **command: Any) -> OddsView:
    asked = COMMAND.validate_python(command)
    return odds_view("b" * 32, 1, battle, asked, odds_of(battle, asked, REFEREE))


def test_a_crowd_under_a_template_is_told_by_how_many_fall() -> None:
    crowd = [a(f"blue-{n}", 17, y=10 + 2 * n) for n in range(7)]
    touched = [{"fig": f"blue-{n}", "under": True} for n in range(7)]
    view = told(
        table(a("red-1", 10, y=16, weapons=[BLAST]), *crowd),
        **SHOOT | {"weapon": "blast", "target": "blue-3", "touched": touched},
    )
    sentences = {one.outcome: one.sentence for one in view.outcomes}
    assert sentences["template; fallen: 0"] == "The weapon fires, and its template lies. No figs go down or out."
    assert sentences["template; fallen: 1"].endswith("1 fig goes down or out.")
    assert sentences["template; fallen: 7"].endswith("7 figs go down or out.")
    assert all(len(fates) == 4 for fates in view.figs.values()), "close, clipped, dropped, and untouched by a jam"


def test_a_round_in_which_nobody_hits_says_so() -> None:
    battle = played(
        field(fig("red-1", 10, 20, "ccw"), fig("blue-1", 13, 20)),
        {"do": "move", "fig": "red-1", "to": {"x": 12, "y": 20}},
    )
    sentences = {one.outcome: one.sentence for one in told(battle, **fight("red-1>blue-1", "blue-1>red-1")).outcomes}
    assert sentences["fight"] == "All strike at once. Nobody falls."
    both = "All strike at once. blue-1 is out of the battle. red-1 is out of the battle."
    assert sentences["fight; blue-1: out; red-1: out"] == both


def test_a_test_to_get_up_is_told() -> None:
    battle = put(table(a("red-1", 10), a("red-2", 11.5), a("blue-1", 40)), "red-1", status="pinned", pinned_turn=-1)
    view = told(battle, do="recover", fig="red-1")
    assert {one.outcome for one in view.outcomes} == {"recovery; red-1: gets up", "recovery; red-1: lies still"}
    assert {one.sentence for one in view.outcomes} == {
        "The test is rolled. red-1 gets up.",
        "The test is rolled. red-1 does not get up.",
    }


@pytest.mark.parametrize("parts", [3, 7, 11, 36, 10**13])
def test_decimals_sum_to_one_whatever_the_fractions(parts: int) -> None:
    few = min(parts, 12)
    shares = [Fraction(1, parts)] * (few - 1)
    shares.append(1 - sum(shares, Fraction(0)))
    fate = Fate("red-1", ("pinned",), "pinned", ("NME-21",))
    branches = tuple(
        Branch((word,), (), share, ({(fate,): Fraction(1)},)) for word, share in zip(ROLLS, shares, strict=False)
    )
    view = odds_view(
        "b" * 32, 1, duel(7), COMMAND.validate_python({"do": "end_turn"}), Odds(branches, Fraction(0), None)
    )
    assert len(view.outcomes) == few
    assert sum(Decimal(str(one.decimal)) for one in view.outcomes) == 1
    assert sum(Fraction(one.chance) for one in view.outcomes) == 1


def test_every_roll_of_both_systems_has_a_sentence_and_rules_of_the_rulebook() -> None:
    rolls = {" ".join(words) for words in NME_RULES} | set(MFD_RULES) | {"certain"}
    assert rolls == set(ROLLS)
    assert {rule for rules in (*NME_RULES.values(), *MFD_RULES.values()) for rule in rules} <= set(RULES)
