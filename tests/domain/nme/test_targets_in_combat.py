"""Shooting into combat: who is hit is drawn, and never where a friend fights (NME-26)."""

from typing import Any

import pytest

from domain.battle import Battle
from domain.events import ActionDeclared, NmeHitRolled, Sight, VictimDrawn
from tests.domain.nme.scenes import a, shot, table
from tests.domain.nme.targeting import no
from tests.spec import inches, only


def strangers(**policy: Any) -> Battle:
    """Blue and green fight each other 15" away from red; green-2 fights along."""
    figs = (a("red-1", 10), a("blue-1", 25), a("green-1", 26), a("green-2", 25, 21), a("blue-2", 45))
    return table(*figs, policy=policy)


@pytest.mark.parametrize(("face", "victim"), [(1, "blue-1"), (2, "green-1"), (3, "green-2")])
def test_nme_26_all_combatants_are_equally_likely_to_be_hit(face: int, victim: str) -> None:
    decision = shot(strangers(), 5, 6, 5, 2, face, 1)
    drawn = only(decision, VictimDrawn)
    assert (drawn.pool, drawn.victim) == (("blue-1", "green-1", "green-2"), victim)
    assert [(t.sides, t.faces) for t in drawn.dice] == [(3, (face,))]
    assert only(decision, NmeHitRolled).distance == inches(15)  # to the one named, whoever is hit


def test_nme_26_the_cover_is_that_of_the_one_drawn() -> None:
    decision = shot(strangers(), 5, 6, 5, 2, 2, 4, sight={"green-1": "cover"})
    assert [t.purpose for t in decision.thrown] == ["ammo", "to_hit", "to_hit", "victim", "save"]
    head = decision.events[0]
    assert isinstance(head, ActionDeclared)
    assert Sight("green-1", "cover", "declared") in head.sights


def test_nme_26_nobody_is_drawn_for_a_miss() -> None:
    decision = shot(strangers(), 5, 5, 1)
    assert not any(isinstance(event, VictimDrawn) for event in decision.events)


def test_nme_26_never_where_a_friend_fights() -> None:
    fight = table(a("red-1", 10), a("red-2", 31), a("blue-1", 30), a("blue-2", 50))
    refusal = no(fight)
    assert (refusal.rule, refusal.legal) == ("NME-26", ("blue-2",))


def test_nme_26_a_friend_anywhere_in_the_same_combat_forbids_it() -> None:
    chain = table(a("red-1", 10), a("blue-1", 30), a("green-1", 31), a("blue-2", 32), a("red-2", 33))
    assert no(chain).rule == "NME-26"
    assert no(chain, "green-1").legal == ()


def test_nme_26_not_while_enemies_within_ten_inches_bind() -> None:
    battle = table(a("red-1", 10), a("blue-1", 16), a("green-1", 17), a("blue-2", 19, 21))
    assert (no(battle).rule, no(battle).legal) == ("NME-06", ("blue-2",))
