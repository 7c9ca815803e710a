"""Injuries: the charts, what hits do to figs (NME-21b), and injuries that players report."""

import pytest

from domain import events as e
from domain.battle import Battle, Status, Wound
from domain.draft import REFEREE, Decision
from domain.measures import Point
from domain.systems.nme.injuries import injury
from tests.domain.nme.scenes import BLUE, RED, a, duel, put, shot, table
from tests.spec import inches, kinds, only, played, refused, when

C, P, D, I = "close", "clipped", "dropped", "iced"  # noqa: E741 - as in the chart


@pytest.mark.parametrize(
    ("strength", "column"),
    [
        (1, (C, C, C, P, P, P)),
        (2, (C, C, P, P, P, D)),
        (3, (C, P, P, P, D, D)),
        (4, (P, P, P, D, D, I)),
        (5, (P, P, D, D, I, I)),
        (6, (P, D, D, I, I, I)),
    ],
)
def test_the_strength_charts(strength: int, column: tuple[str, ...]) -> None:
    assert tuple(injury(strength, face) for face in range(1, 7)) == column


def struck(face: int, strength: int = 4, status: Status = "active", **policy: object) -> Decision:
    """blue-1, 3" away, is hit with that strength."""
    gun = {"id": "gun", "er": 15, "strength": strength, "ammo_rating": 4}
    battle = table(a("red-1", 10, weapons=[gun]), a("blue-1", 13), policy=dict(policy))
    return shot(put(battle, "blue-1", status=status, pinned_turn=1 if status == "pinned" else 0), 5, 1, 1, face)


def test_nme_21b_every_hit_pins_a_survivor() -> None:
    close = struck(1, strength=3)
    assert kinds(close)[-3:] == ["FigHit", "InjuryRolled", "FigPinned"]
    assert only(close, e.FigPinned) == e.FigPinned("blue-1", "hit", "NME-21b", "red-1")
    assert close.battle.figs["blue-1"].wounds == 0


def test_nme_21b_a_clipped_fig_bears_a_wound() -> None:
    clipped = struck(1)
    assert only(clipped, e.InjuryRolled).wounds == 1
    fig = clipped.battle.figs["blue-1"]
    assert (fig.status, fig.wounds, fig.pinned_turn) == ("pinned", 1, 1)


def test_nme_21b_unless_the_policy_says_that_hits_do_not_pin() -> None:
    decision = struck(1, hit_pins=False)
    assert kinds(decision)[-1] == "InjuryRolled"
    assert decision.battle.figs["blue-1"].status == "active"


@pytest.mark.parametrize(
    ("face", "status", "after", "events"),
    [
        (4, "active", "down", ["FigDowned"]),
        (6, "active", "out", ["FigRemoved"]),
        (1, "pinned", "pinned", []),
        (4, "pinned", "down", ["FigDowned"]),
        (6, "pinned", "out", ["FigRemoved"]),
        (1, "down", "down", []),
        (4, "down", "down", []),
        (6, "down", "out", ["FigRemoved"]),
    ],
)
def test_what_each_result_does(face: int, status: Status, after: Status, events: list[str]) -> None:
    decision = struck(face, status=status)
    names = kinds(decision)
    assert names[names.index("InjuryRolled") + 1 :] == events
    fig = decision.battle.figs["blue-1"]
    assert (fig.status, fig.wounds) == (after, 1 if face == 1 else 0)


def fight() -> Battle:
    """Blue fights green; red looks on from 15"."""
    return table(a("red-1", 10), a("blue-1", 25), a("green-1", 26))


def test_nme_21b_nobody_is_pinned_in_combat() -> None:
    decision = shot(fight(), 5, 5, 5, 1, 1)
    assert kinds(decision)[-3:] == ["VictimDrawn", "FigHit", "InjuryRolled"]
    assert decision.battle.figs["blue-1"].engaged == ("green-1",)


@pytest.mark.parametrize(("face", "status"), [(5, "down"), (6, "down")])
def test_who_goes_down_leaves_the_combat(face: int, status: str) -> None:
    decision = shot(fight(), 5, 5, 5, 1, face)
    assert kinds(decision)[-2:] == ["FigDowned", "MeleeLeft"]
    assert decision.battle.figs["blue-1"].status == status
    assert decision.battle.figs["green-1"].engaged == ()


def test_who_is_iced_leaves_the_combat() -> None:
    decision = shot(fight(), 5, 5, 5, 2, 6, weapon="heavy")
    assert kinds(decision)[-2:] == ["FigRemoved", "MeleeLeft"]
    assert decision.battle.figs["blue-1"].engaged == ()


def test_strength_above_the_cap_is_looked_up_at_the_cap() -> None:
    rolled = only(struck(6, strength=6, strength_cap=2), e.InjuryRolled)
    assert (rolled.strength, rolled.result) == (2, "dropped")


# Injuries that players report


def reported(*dice: int, **policy: object) -> Battle:
    """blue-1 was hit at 7" and waits for its injury."""
    return shot(duel(7, injury="reported_by_players", **policy), *(dice or (5, 5, 1))).battle


def test_a_hit_waits_for_the_players() -> None:
    decision = shot(duel(7, injury="reported_by_players"), 5, 5, 1)
    assert kinds(decision)[-3:] == ["FigHit", "InjuryAwaited", "FigPinned"]
    assert only(decision, e.InjuryAwaited) == e.InjuryAwaited(
        "blue-1", "red-1", "gun", 3, False, Point(10_000, 20_000), inches(7)
    )
    assert only(decision, e.FigPinned).rule == "NME-21b"


def test_nothing_else_goes_on_until_it_is_reported() -> None:
    waiting = reported()
    for command in (
        {"do": "shoot", "fig": "red-1", "weapon": "gun", "target": "blue-1"},
        {"do": "move", "fig": "red-1", "to": {"x": 1, "y": 1}},
        {"do": "end_turn"},
        {"do": "end_phase"},
        {"do": "recover", "fig": "red-1"},
    ):
        refusal = refused(waiting, **command)
        assert (refusal.rule, refusal.legal) == ("TURN-07", ("injure blue-1",))
    assert when(waiting, do="end_battle").battle.status == "ended"
    assert when(waiting, do="concede", side="red").battle.status == "ended"


@pytest.mark.parametrize(
    ("result", "status", "wounds", "events"),
    [
        ("close", "pinned", 0, []),
        ("clipped", "pinned", 1, []),
        ("dropped", "down", 0, ["FigDowned"]),
        ("iced", "out", 0, ["FigRemoved"]),
    ],
)
def test_what_a_report_does(result: str, status: str, wounds: int, events: list[str]) -> None:
    decision = when(reported(), BLUE, do="injure", fig="blue-1", result=result)
    assert kinds(decision) == ["InjuryReported", *events]
    assert only(decision, e.InjuryReported).by == "red-1"
    fig = decision.battle.figs["blue-1"]
    assert (fig.status, fig.wounds, fig.injuries) == (status, wounds, ())
    assert when(decision.battle, do="end_turn").battle.turn == 2


def test_a_report_keeps_by_whom_with_what_and_from_where() -> None:
    decision = when(reported(), RED, do="injure", fig="blue-1", result="dropped")
    assert only(decision, e.FigDowned) == e.FigDowned(
        "blue-1", "injury", "INJURY-02", "red-1", "gun", Point(10_000, 20_000), inches(7)
    )


def test_without_hit_pins_a_reported_hit_pins_nobody() -> None:
    waiting = reported(hit_pins=False)
    assert waiting.figs["blue-1"].status == "active"
    assert when(waiting, do="injure", fig="blue-1", result="clipped").battle.figs["blue-1"].status == "active"


def test_only_an_open_injury_is_reported() -> None:
    battle = duel(7, injury="reported_by_players")
    refusal = refused(battle, do="injure", fig="blue-1", result="close")
    assert (refusal.rule, refusal.legal) == ("TURN-07", ())
    assert refused(reported(), do="injure", fig="red-1", result="close").legal == ("blue-1",)


def test_where_the_charts_hold_nothing_is_reported() -> None:
    refusal = refused(duel(7), REFEREE, do="injure", fig="blue-1", result="iced")
    assert (refusal.rule, refusal.reason) == (
        "TURN-07",
        "in this battle injuries are rolled on the charts, not reported",
    )


def test_who_is_ruled_out_of_the_battle_keeps_nobody_waiting() -> None:
    gone = put(reported(), "blue-1", status="out")
    assert when(gone, do="end_turn").battle.turn == 2
    assert refused(gone, do="injure", fig="blue-1", result="close").rule == "TURN-07"


def test_the_oldest_injury_is_reported_first() -> None:
    waiting = reported()
    later = Wound("red-9", "other", 4, critical=True, origin=Point(0, 0), distance=9000)
    twice = put(waiting, "blue-1", injuries=(*waiting.figs["blue-1"].injuries, later))
    first = when(twice, do="injure", fig="blue-1", result="dropped")
    assert only(first, e.InjuryReported).by == "red-1"
    assert refused(first.battle, do="end_turn").rule == "TURN-07"
    then = when(first.battle, do="injure", fig="blue-1", result="iced")
    assert only(then, e.FigRemoved).by == "red-9"


def test_a_removed_fig_waits_for_nothing() -> None:
    waiting = reported()
    gone = when(waiting, do="injure", fig="blue-1", result="iced").battle
    assert played(gone, {"do": "end_turn"}).side == "red"
