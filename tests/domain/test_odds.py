"""Odds of both systems: who may ask, which versions have them, and what is too much to be told exactly."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.battle import Battle
from domain.commands import COMMAND
from domain.decider import decide
from domain.draft import REFEREE, SPECTATOR, Seat
from domain.odds import Branch, Fate, Odds
from domain.paths import MOST_DECIDED
from domain.refusals import Refusal, Refused
from domain.systems import VERSIONS
from domain.systems.chances import CHANCES, asked_as, odds_of
from tests.domain.every_face import foretold, told
from tests.domain.mfd.field import duel as mfd_duel
from tests.domain.mfd.field import fight
from tests.domain.nme.scenes import BLAST, SHOOT, a, duel, put, table
from tests.laws.game import effort
from tests.laws.play import Chance, asked, ideas, seeds, tables

BLUE, RED = Seat("side", "blue"), Seat("side", "red")


def test_every_rules_version_has_odds() -> None:
    assert set(CHANCES) == set(VERSIONS)


@pytest.mark.parametrize("seat", [SPECTATOR, BLUE, RED])
def test_whoever_may_read_asks_as_the_side_whose_act_it_is(seat: Seat) -> None:
    for fig, side in (("red-1", RED), ("blue-1", BLUE)):
        assert asked_as(duel(7), COMMAND.validate_python(SHOOT | {"fig": fig}), seat) == side
    assert asked_as(mfd_duel("pistol"), COMMAND.validate_python(fight("blue-1>red-1")), seat) == RED
    assert asked_as(duel(7), COMMAND.validate_python({"do": "concede", "side": "blue"}), seat) == BLUE
    assert asked_as(duel(7), COMMAND.validate_python({"do": "end_turn"}), seat) == RED


def test_the_referee_asks_as_the_referee() -> None:
    assert asked_as(duel(7), COMMAND.validate_python(SHOOT), REFEREE) == REFEREE


def test_what_hangs_together_too_much_is_refused_and_never_guessed() -> None:
    names = [f"{side}-{n}" for side in ("blue", "green") for n in range(1, 5)]
    figs = [a(name, 17 + n % 4, y=16 + 2 * (n // 4)) for n, name in enumerate(names)]
    battle = table(a("red-1", 10, weapons=[BLAST]), *figs)
    for name in names:
        other = "green" if name.startswith("blue") else "blue"
        battle = put(battle, name, engaged=tuple(f"{other}-{n}" for n in range(1, 5)))
    touched = [{"fig": name, "under": True} for name in names]
    with pytest.raises(Refused, match="too much hangs together") as caught:
        odds_of(battle, COMMAND.validate_python(SHOOT | {"weapon": "blast", "touched": touched}), REFEREE)
    assert caught.value.refusal.kind == "invalid"


def melees(count: int) -> tuple[Battle, dict[str, Any]]:
    """Fours who fight each other, all of them under one blast; and the shot."""
    figs = [
        a(f"{side}-{n}{ring}", 15 + 5 * (n % 8) + dx, y=6 + 5 * (n // 8) + dy)
        for n in range(count)
        for side, ring, dx, dy in (
            ("blue", "", 0, 0),
            ("green", "n", 0, 1),
            ("green", "e", 1, 0),
            ("green", "s", 0, -1),
        )
    ]
    touched = [{"fig": fig["id"], "under": True} for fig in figs]
    sight = {fig["id"]: "cover" for fig in figs}
    blast = BLAST | {"er": 60}
    return table(a("red-1", 10, weapons=[blast]), *figs), SHOOT | {
        "weapon": "blast", "target": "blue-0", "touched": touched, "sight": sight,
    }  # fmt: skip


def test_the_bound_is_one_for_the_whole_action_however_many_combats_it_touches() -> None:
    for count in (1, 4):
        battle, asked = melees(count)
        assert len(odds_of(battle, COMMAND.validate_python(asked), REFEREE).branches[1].blocks) == count
    looks = 0

    def counted() -> bool:
        nonlocal looks
        looks += 1
        return False

    battle, asked = melees(40)
    with pytest.raises(Refused, match="too much hangs together") as caught:
        odds_of(battle, COMMAND.validate_python(asked), REFEREE, counted)
    assert caught.value.refusal.legal == ("ask for a forecast instead",)
    assert looks == MOST_DECIDED


@pytest.mark.parametrize("after", [2, 9, 60])
def test_what_takes_too_long_is_given_up_in_the_middle(after: int) -> None:
    looks = iter([False] * after + [True])
    battle, asked = melees(2)
    with pytest.raises(Refused, match="too much hangs together"):
        odds_of(battle, COMMAND.validate_python(asked), REFEREE, lambda: next(looks))
    assert next(looks, None) is None


def test_a_template_on_twenty_figs_and_a_shot_into_a_combat_of_twelve_are_told() -> None:
    figs = [a(f"blue-{n}", 15 + n % 5 * 3, y=10 + n // 5 * 3) for n in range(20)]
    touched = [{"fig": fig["id"], "under": True} for fig in figs]
    laid = table(a("red-1", 10, weapons=[BLAST | {"er": 60}]), *figs)
    command = SHOOT | {"weapon": "blast", "target": "blue-15", "touched": touched}
    assert len(odds_of(laid, COMMAND.validate_python(command), REFEREE).figs()) == 20
    # In a row, each in contact with the next: one combat.
    row = [a(f"{side}-{n}", 16 + 2 * n + (side == "green")) for n in range(6) for side in ("blue", "green")]
    told = odds_of(table(a("red-1", 10), *row), COMMAND.validate_python(SHOOT | {"target": "blue-0"}), REFEREE)
    assert len(told.figs()) == 12
    assert sum(chance for chance, _ in told.outcomes().values()) == 1


def test_equal_outcomes_of_several_branches_are_one() -> None:
    out = Fate("rat", ("out",), "out", ("MFD-05",))
    half = Fraction(1, 2)
    branches = tuple(Branch(("hit",), (rule,), half, ({(out,): half, (): half},)) for rule in ("MFD-09", "MFD-22"))
    odds = Odds(branches, Fraction(2), None)
    told = {outcome.fates: told for outcome, told in odds.outcomes().items()}
    assert told == {(out,): (half, ("MFD-05", "MFD-09", "MFD-22")), (): (half, ("MFD-09", "MFD-22"))}
    assert odds.figs() == {"rat": {out: half}}


@effort(60)
@given(tables, st.data(), seeds)
def test_on_any_table_what_is_refused_has_no_odds_and_what_comes_was_foretold(
    battle: Battle, data: st.DataObject, seed: int
) -> None:
    kinds = ideas(battle)
    kind = data.draw(st.sampled_from([kind for kind in ("shoot", "fight", "recover", "move") if kind in kinds]))
    command = asked(data.draw(st.sampled_from(kinds[kind])))
    refusals: list[Refusal | None] = []
    for ask in (lambda: decide(battle, command, REFEREE, Chance(seed)), lambda: odds_of(battle, command, REFEREE)):
        try:
            ask()
            refusals.append(None)
        except Refused as no:
            refusals.append(no.refusal)
    assert refusals[0] == refusals[1]
    if refusals[0] is None:
        odds = odds_of(battle, command, REFEREE)
        outcomes = odds.outcomes()
        assert sum(chance for chance, _ in outcomes.values()) == 1
        assert all(sum(shares.values()) <= 1 for shares in odds.figs().values())
        if odds.first is not None and len(outcomes) < 64:
            for n in range(8):
                decision = decide(battle, command, REFEREE, Chance(seed + n))
                assert told(battle, decision) in foretold(battle, odds)
