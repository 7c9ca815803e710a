"""Turns, phases, seats, and how a battle ends: what both systems have in common."""

from itertools import pairwise
from typing import Any

import pytest

from domain import events as e
from domain.battle import Battle
from domain.draft import SPECTATOR, Seat
from domain.refusals import Refused
from domain.systems import VERSIONS, system_of
from tests.laws.fields import bricks, gangs
from tests.laws.game import Game, no
from tests.spec import given, kinds, only, played, refused, when

RED, BLUE, GREEN = (Seat("side", name) for name in ("red", "blue", "green"))
END: dict[str, Any] = {"do": "end_turn"}


def turns(battle: Battle, count: int) -> list[tuple[int, str]]:
    """The turns that follow when everybody ends theirs."""
    told = []
    for _ in range(count):
        battle = when(battle, **END).battle
        told.append((battle.turn, battle.side))
    return told


def without(*names: str) -> Battle:
    """A table of three sides with these figs out."""
    game = Game(bricks(3))
    for name in names:
        game.rules({"fig": name, "field": "status", "value": "out"})
    return game.record.battle


# --- whose turn it is ---


def test_sides_take_turns_in_order_and_turns_are_counted_through() -> None:
    assert turns(given(bricks(3)), 4) == [(2, "blue"), (3, "green"), (4, "red"), (5, "blue")]


def test_a_side_with_no_fig_in_play_is_passed_over() -> None:
    assert turns(without("b1", "b2"), 3) == [(2, "green"), (3, "red"), (4, "green")]


def test_a_side_whose_last_figs_lie_on_the_ground_keeps_its_turns() -> None:
    game = Game(gangs())
    for name, how in (("b1", "pinned"), ("b2", "down")):
        game.rules({"fig": name, "field": "status", "value": how})
    assert turns(game.record.battle, 2) == [(2, "blue"), (3, "red")]


def test_nothing_ends_by_itself_where_only_one_side_has_figs() -> None:
    battle = without("b1", "b2", "g1")
    assert battle.status == "playing"
    assert turns(battle, 2) == [(2, "red"), (3, "red")]


def test_a_side_that_conceded_is_passed_over() -> None:
    battle = when(given(bricks(3)), do="concede", side="blue").battle
    assert turns(battle, 2) == [(2, "green"), (3, "red")]


# --- phases ---


@pytest.mark.parametrize(
    ("body", "phases"),
    [(gangs(), ["recovery", "movement", "shooting"]), (bricks(), ["movement", "shooting", "close_combat"])],
    ids=["nme", "mfd"],
)
def test_phases_follow_in_order_and_the_last_ends_the_turn(body: dict[str, Any], phases: list[str]) -> None:
    battle = given(body)
    assert battle.phase == phases[0]
    for _, then in pairwise(phases):
        battle = when(battle, do="end_phase").battle
        assert (battle.phase, battle.side) == (then, "red")
    decision = when(battle, do="end_phase")
    assert kinds(decision) == ["TurnEnded", "TurnStarted", "PhaseStarted"]
    assert (decision.battle.phase, decision.battle.side) == (phases[0], "blue")


def test_ending_a_turn_goes_through_the_phases_that_are_left() -> None:
    decision = when(given(bricks()), **END)
    assert [event.phase for event in decision.events if isinstance(event, e.PhaseStarted)] == [
        "shooting",
        "close_combat",
        "movement",
    ]


def test_an_action_of_a_later_phase_ends_the_earlier_ones() -> None:
    shot = when(given(bricks()), dice=[1], do="shoot", fig="r1", weapon="gun", target="b1")
    assert kinds(shot)[0] == "PhaseStarted"
    assert shot.battle.phase == "shooting"


def test_there_is_no_way_back_to_an_earlier_phase() -> None:
    battle = when(given(bricks()), do="end_phase").battle
    refusal = refused(battle, do="move", fig="r1", to={"x": 10, "y": 9})
    assert (refusal.rule, refusal.legal) == ("TURN-02", ("shooting", "close_combat"))


@pytest.mark.parametrize(
    ("body", "command"),
    [
        (bricks(), {"do": "recover", "fig": "r1"}),
        (bricks(), {"do": "turn", "fig": "r1", "facing": 90}),
        (bricks(), {"do": "hide", "fig": "r1"}),
        (bricks(), {"do": "injure", "fig": "r1", "result": "iced"}),
        (gangs(), {"do": "aim", "fig": "r1", "target": "b1"}),
        (gangs(), {"do": "fight", "bouts": [{"fig": "r1", "target": "b1"}]}),
        (gangs(), {"do": "last_ditch", "side": "red"}),
    ],
    ids=str,
)
def test_a_system_refuses_what_it_does_not_know(body: dict[str, Any], command: dict[str, Any]) -> None:
    assert refused(given(body), **command).rule == "TURN-05"


# --- seats ---

MOVE: dict[str, Any] = {"do": "move", "fig": "r1", "to": {"x": 10, "y": 9}}


@pytest.mark.parametrize(
    ("by", "command", "kind", "rule"),
    [
        (SPECTATOR, MOVE, "forbidden", "SEAT-01"),
        (SPECTATOR, END, "forbidden", "SEAT-01"),
        (BLUE, MOVE, "not-your-fig", "SEAT-02"),
        (BLUE, END, "not-your-fig", "SEAT-02"),
        (BLUE, MOVE | {"fig": "b1"}, "rule-refused", "TURN-01"),
        (RED, MOVE | {"fig": "b1"}, "not-your-fig", "SEAT-02"),
        (BLUE, {"do": "concede", "side": "red"}, "not-your-fig", "SEAT-02"),
        (RED, {"do": "end_battle"}, "forbidden", "SEAT-01"),
        (RED, END | {"waive": "spare them"}, "forbidden", "SEAT-01"),
        (RED, {"do": "end_phase", "waive": "spare them"}, "forbidden", "SEAT-01"),
        (BLUE, {"do": "last_ditch", "side": "red"}, "not-your-fig", "SEAT-02"),
        (BLUE, {"do": "fight", "bouts": [{"fig": "b1", "target": "r1"}]}, "not-your-fig", "SEAT-02"),
        (RED, MOVE | {"fig": "x1"}, "invalid", "UNKNOWN"),
        (RED, {"do": "fight", "bouts": [{"fig": "r1", "target": "x1"}]}, "invalid", "UNKNOWN"),
        (RED, {"do": "concede", "side": "pink"}, "invalid", "UNKNOWN"),
        (Seat("referee"), {"do": "end_battle", "winner": "pink"}, "invalid", "UNKNOWN"),
    ],
    ids=str,
)
def test_who_may_not(by: Seat, command: dict[str, Any], kind: str, rule: str) -> None:
    refusal = refused(given(bricks()), by, **command)
    assert (refusal.kind, refusal.rule) == (kind, rule)


def test_an_injury_is_reported_by_whom_it_concerns_and_by_nobody_else() -> None:
    body = gangs(3, policy={"injury": "reported_by_players"})
    shot = {"do": "shoot", "fig": "r1", "weapon": "stub-gun", "target": "b1", "dice": [1, 2, 5, 5]}
    battle = played(given(body), shot)
    report: dict[str, Any] = {"do": "injure", "fig": "b1", "result": "close"}
    assert refused(battle, GREEN, **report).kind == "not-your-fig"
    assert refused(battle, SPECTATOR, **report).kind == "forbidden"
    for by in (RED, BLUE, Seat("referee")):
        assert only(when(battle, by, **report), e.ActionDeclared).side == "blue"


def test_the_referee_may_act_for_the_side_in_turn_and_only_for_that() -> None:
    battle = given(bricks())
    assert when(battle, **MOVE).events[0] == when(battle, RED, **MOVE).events[0]
    assert refused(battle, **MOVE | {"fig": "b1"}).rule == "TURN-01"


def test_an_unknown_name_is_answered_with_the_known_ones_and_its_place() -> None:
    refusal = refused(given(bricks()), do="fight", bouts=[{"fig": "r1", "target": "b1"}, {"fig": "x", "target": "r1"}])
    assert (refusal.pointer, refusal.legal) == ("/bouts/1/fig", ("r1", "r-wall", "b1", "b2"))


def test_a_fig_that_is_out_does_nothing_any_more() -> None:
    battle = without("r1")
    assert refused(battle, **MOVE).rule == "TURN-03"


# --- the end ---


def test_a_concession_among_two_ends_the_battle() -> None:
    decision = when(given(bricks()), BLUE, do="concede", side="blue", reason="enough")
    assert decision.events[1:] == (
        e.SideConceded("blue", "enough"),
        e.BattleEnded("red", "blue conceded", "concession"),
    )
    assert (decision.battle.status, decision.battle.winner) == ("ended", "red")


def test_a_concession_in_ones_own_turn_hands_the_turn_on() -> None:
    decision = when(given(bricks(3)), RED, do="concede", side="red")
    assert kinds(decision) == ["SideConceded", "TurnEnded", "TurnStarted", "PhaseStarted"]
    assert (decision.battle.status, decision.battle.side) == ("playing", "blue")
    assert decision.battle.figs["r1"].status == "active"


def test_nobody_concedes_twice() -> None:
    battle = when(given(bricks(3)), do="concede", side="blue").battle
    refusal = refused(battle, do="concede", side="blue")
    assert (refusal.rule, refusal.legal) == ("TURN-06", ("red", "green"))


def test_the_last_of_three_wins() -> None:
    battle = played(given(bricks(3)), {"do": "concede", "side": "red"}, {"do": "concede", "side": "green"})
    assert (battle.status, battle.winner) == ("ended", "blue")


@pytest.mark.parametrize(("winner", "said"), [("blue", "blue"), (None, "")])
def test_the_referee_ends_it_for_a_winner_or_for_nobody(winner: str | None, said: str) -> None:
    decision = when(given(bricks()), do="end_battle", winner=winner, reason="time")
    assert decision.events[1:] == (e.BattleEnded(said, "time", "referee"),)


@pytest.mark.parametrize("command", [MOVE, END, {"do": "end_battle"}, {"do": "concede", "side": "red"}], ids=str)
def test_nothing_is_done_after_the_end(command: dict[str, Any]) -> None:
    battle = when(given(bricks()), do="end_battle").battle
    assert refused(battle, **command).kind == "battle-over"


# --- versions ---


def test_every_version_of_the_rules_is_found_by_its_name_and_no_other() -> None:
    assert {rules: system_of(rules).rules for rules in VERSIONS} == {"nme.1": "nme.1", "mfd.1": "mfd.1"}
    with pytest.raises(Refused):
        system_of("nme.0")
    assert no(lambda: system_of("chess.1")).pointer == "/rules"
