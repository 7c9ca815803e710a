"""The tape: how far a declared distance may differ from the coordinates, and what it counts for."""

import pytest

from domain.draft import REFEREE, Seat
from domain.events import NmeHitRolled
from tests.domain.nme.scenes import GROUND, MISS, PASS, RED, a, duel, shot, table
from tests.domain.nme.targeting import may, no
from tests.spec import inches, only, when


@pytest.mark.parametrize(("tape", "allowed"), [(20, True), (21, True), (19, True), (21.001, False), (18.999, False)])
def test_a_sides_tape_may_differ_by_an_inch(tape: float, allowed: bool) -> None:
    if allowed:
        rolled = only(shot(duel(20), *MISS, distance=tape), NmeHitRolled)
        assert (rolled.distance, rolled.measured) == (inches(tape), inches(20))
    else:
        refusal = no(duel(20), distance=tape)
        assert (refusal.kind, refusal.pointer, refusal.legal) == ("invalid", "/distance", ("20",))


def test_a_tape_is_compared_exactly() -> None:
    slanted = table(a("red-1", 10), a("blue-1", 20, 21))  # the root of 101: 10.0498...
    assert may(slanted, "blue-1", distance=11.049)
    assert no(slanted, distance=11.05).pointer == "/distance"
    assert may(slanted, "blue-1", distance=9.05)
    assert no(slanted, distance=9.049).pointer == "/distance"


@pytest.mark.parametrize(("by", "policy", "allowed"), [(REFEREE, 1, True), (RED, 9, True), (RED, 0, False)])
def test_the_referees_tape_is_free_and_the_policy_sets_the_others(by: Seat, policy: int, allowed: bool) -> None:
    battle = duel(20, tape_tolerance=policy)
    if allowed:
        assert only(shot(battle, 5, 5, 5, 6, by=by, distance=11), NmeHitRolled).outcome == "hit"
    else:
        assert no(battle, distance=11).pointer == "/distance"


def test_a_tape_to_a_point_counts_too() -> None:
    decision = when(duel(30), RED, dice=(*PASS, 5, 5, 1), **GROUND, point={"x": 20.5, "y": 20}, distance=10)
    rolled = only(decision, NmeHitRolled)
    assert (rolled.outcome, rolled.distance, rolled.measured) == ("hit", inches(10), inches(10.5))
