"""Why: one entry explained by its action, dice, rules and causes; the rulebook knows every rule that is named."""

import re

import pytest

from domain import events as e
from domain.refusals import Refused
from projections.rulebook import HOUSE, MFD, NME, RULES
from projections.told import told
from projections.why import WhyView, why
from tests.projections.fields import bricks, fire, gang, shot
from tests.projections.play import played
from tests.projections.tale import Tale


def why_of(tale: Tale, kind: type[e.Event]) -> WhyView:
    """Why the latest entry of that kind is as it is."""
    return why(tale.entries, next(x.seq for x in reversed(tale.entries) if isinstance(x.body, kind)))


def test_a_pin_by_a_near_miss_is_explained_link_by_link() -> None:
    tale = Tale(gang())
    fired = shot(tale, 6, 5, 2, 1, cover="open")
    found = why_of(tale, e.FigPinned)
    assert found.because == (
        "ammo roll 1, 2 passed",
        '6 5 2 1: 2 hits reach 10"',
        'Ganger (blue-1) at 12"',
        "one more hit would have reached",
        "Ganger (blue-1) pinned (NME-21)",
    )
    assert (found.action, found.last, found.do) == (fired, len(tale.entries), "shoot")
    assert found.declared == 'Sarge (red-1) shoots at Ganger (blue-1) with the autogun (snap), 12" away.'
    assert [sight.text for sight in found.sights] == ["Ganger (blue-1) is in the open, as people say."]
    assert [(roll.type, [throw.faces for throw in roll.throws]) for roll in found.rolls] == [
        ("AmmoRolled", [(1, 2)]),
        ("HitRolled", [(6, 5, 2), (1,)]),
    ]
    assert {"NME-11", "NME-12", "NME-14", "NME-15", "NME-16", "NME-17", "NME-21"} == {r.rule for r in found.rules}
    assert all(rule.text for rule in found.rules)
    assert found.struck_out is None


def test_only_what_happened_up_to_the_entry_explains_it() -> None:
    tale = Tale(gang())
    shot(tale, 5, 5, 5, 5)
    ammo = why_of(tale, e.AmmoRolled)
    assert [roll.type for roll in ammo.rolls] == ["AmmoRolled"]
    assert ammo.because == ("ammo roll 1, 2 passed",)
    assert "NME-17" not in {rule.rule for rule in ammo.rules}


def test_the_request_is_shown_as_it_would_be_asked() -> None:
    tale = Tale(gang())
    shot(tale, 1, 1, 1, distance=11.5)
    request = why_of(tale, e.ShotFired).request
    assert request is not None
    assert (request["distance"], request["target"], request["mode"]) == (11.5, "blue-1", "snap")
    tale = Tale(gang())
    tale.act("red", do="move", fig="red-1", to={"x": 12.5, "y": 20})
    moved = why_of(tale, e.FigMoved)
    assert moved.request is not None
    assert moved.request["to"] == {"x": 12.5, "y": 20.0}
    tale.act("red", do="turn", fig="red-1", facing=45)
    turned = why_of(tale, e.FigTurned)
    assert turned.request is not None
    assert turned.request["facing"] == 45


def test_a_minifig_roll_shows_each_modifier_with_its_rule_and_reason() -> None:
    tale = Tale(bricks())
    fire(tale, 4, 1, cover="partial")
    found = why_of(tale, e.MfdHitRolled)
    (roll,) = found.rolls
    assert [modifier.model_dump() for modifier in roll.modifiers] == [
        {"rule": "MFD-13", "value": -1, "reason": "the target is partly behind cover"}
    ]
    assert (roll.needed, roll.result) == ("3 or more, with all modifiers", "3: hit")
    assert [rule.rule for rule in found.rules] == ["MFD-09", "MFD-13"]
    assert found.because == (
        "Red One (r1) rolls 4 -1 (the target is partly behind cover) = 3",
        "3 needed",
        "a hit on Blue One (b1)",
    )


def test_a_loss_in_melee_is_explained_by_the_blow_that_did_it() -> None:
    tale = Tale(bricks())
    tale.act("red", do="end_turn")
    tale.act("blue", do="move", fig="b2", to={"x": 14, "y": 10})
    bouts = [{"fig": "b2", "target": "r2"}, {"fig": "r2", "target": "b2"}]
    tale.act("blue", do="fight", bouts=bouts, dice=[6, 6, 5, 5, 6])
    assert why_of(tale, e.FigRemoved).because == (
        "Red Two (r2) rolls 6",
        "4 needed",
        "a hit on Blue Two (b2)",
        "Blue Two (b2) hit by bare hands (MFD-23)",
        "damage 6 against armour 5: through (MFD-24)",
        "Blue Two (b2) out of the battle (MFD-24)",
    )


def test_of_two_who_struck_at_a_fig_only_the_one_who_felled_it_is_named() -> None:
    tale = Tale(bricks())
    tale.rule({"fig": "r2", "field": "x", "value": 10}, {"fig": "r2", "field": "y", "value": 17})
    tale.act("red", do="move", fig="r1", to={"x": 10, "y": 15})
    bouts = [{"fig": "r1", "target": "b1"}, {"fig": "r2", "target": "b1"}, {"fig": "b1", "target": "r1"}]
    tale.act("red", do="fight", bouts=bouts, dice=[6, 6, 1, 1, 1, 6])
    because = why_of(tale, e.FigRemoved).because
    assert because[0] == "Red Two (r2) rolls 6"
    assert not any("Red One" in link for link in because)


def test_under_a_template_each_fig_has_its_own_chain() -> None:
    tale = Tale(gang())
    touched = [{"fig": "red-2", "under": True}, {"fig": "boss", "under": False}]
    point = {"x": 13, "y": 21}
    tale.act("red", do="shoot", fig="red-1", weapon="flamer", point=point, touched=touched, dice=[1, 2, 6])
    assert why_of(tale, e.FigPinned).because == (
        "ammo roll 1, 2 passed",
        'Boss within 1" of it',
        "Boss pinned (NME-24)",
    )
    assert why_of(tale, e.FigRemoved).because[1] == "Thug (red-2) under the template"


def test_a_jam_and_a_recovery_have_their_causes() -> None:
    tale = Tale(gang())
    tale.act("red", do="shoot", fig="red-1", weapon="autogun", target="blue-1", dice=[3, 3])
    assert why_of(tale, e.WeaponFailed).because == (
        "ammo roll 3, 3 a double below the rating of 4",
        "the autogun useless for the rest of the battle (NME-13)",
    )
    tale.rule({"fig": "red-2", "field": "status", "value": "pinned"})
    for side in ("red", "blue", "red"):
        tale.act(side, do="end_turn")
    assert why_of(tale, e.FigRecovered).because == ("its turn was missed", "Thug (red-2) up again (NME-25)")
    tale.rule({"fig": "red-1", "field": "status", "value": "pinned"})
    tale.act("blue", do="end_turn")
    tale.act("red", do="recover", fig="red-1", dice=[3])
    (roll,) = why_of(tale, e.FigRecovered).rolls
    assert (roll.fig, roll.needed, roll.result) == ("red-1", "3 or less", "passed")
    assert why_of(tale, e.FigRecovered).because == (
        "the test rolls 3, 3 or less needed: passed",
        "test passed",
        "Sarge (red-1) up again (NME-25)",
    )


def test_point_blank_and_cover_stand_in_the_chain() -> None:
    tale = Tale(gang())
    tale.rule({"fig": "blue-1", "field": "x", "value": 12.5})
    shot(tale, 3, 2, 2, 4, cover="cover")
    assert why_of(tale, e.FigPinned).because == (
        "ammo roll 1, 2 passed",
        '3 2 2: no hits, but at point blank the highest die reaches 3"',
        'Ganger (blue-1) at 2.5"',
        "a critical hit (NME-30)",
        "Ganger (blue-1) in cover rolls 4, 4 needed: the cover stops it",
        "Ganger (blue-1) pinned (NME-20)",
    )


def test_a_shot_at_the_ground_and_a_clear_miss_are_explained() -> None:
    tale = Tale(gang())
    tale.act("red", do="shoot", fig="red-1", weapon="autogun", point={"x": 40, "y": 20}, dice=[1, 2, 1, 2, 3])
    assert why_of(tale, e.NmeHitRolled).because == (
        "ammo roll 1, 2 passed",
        "1 2 3: no hits",
        'the point at 30"',
        "missed by more than one hit",
    )
    assert why_of(tale, e.NmeHitRolled).sentence == (
        '1 2 3: no hits; the point on the ground at 30" is missed (NME-17).'
    )


def test_a_reported_injury_leads_back_to_the_hit() -> None:
    tale = Tale(gang(policy={"injury": "reported_by_players"}))
    shot(tale, 5, 5, 5)
    tale.act("blue", do="injure", fig="blue-1", result="dropped")
    assert why_of(tale, e.FigDowned).because == (
        "Ganger (blue-1) hit at strength 3 by the autogun of Sarge (red-1)",
        "the players report: dropped",
        "Ganger (blue-1) down (INJURY-02)",
    )


def test_a_ruling_explains_itself_and_may_cite_what_is_no_rule() -> None:
    tale = Tale(gang())
    ruled = tale.rule({"fig": "boss", "field": "status", "value": "down"}, rule="fair play")
    found = why(tale.entries, ruled)
    assert found.because == ("the referee rules: Boss is down instead of active (fair play)",)
    assert [(rule.rule, rule.text) for rule in found.rules] == [("fair play", "")]
    assert (found.do, found.request) == ("ruling", None)


def test_a_struck_out_entry_says_so() -> None:
    tale = Tale(gang())
    fired = shot(tale, 1, 1, 1)
    undone = tale.undo(fired, reason="typed twice")
    found = why(tale.entries, fired + 2)
    assert found.struck_out is not None
    assert (found.struck_out.seq, found.struck_out.reason) == (undone, "typed twice")
    tale.redo()
    assert why(tale.entries, fired + 2).struck_out is None


@pytest.mark.parametrize("seq", [0, -1, 8])
def test_an_entry_that_is_not_there_is_not_found(seq: int) -> None:
    with pytest.raises(Refused) as caught:
        why(Tale(gang()).entries, seq)
    assert caught.value.refusal.kind == "not-found"


@pytest.mark.parametrize("kind", ["nme", "reported", "mfd"])
def test_every_entry_can_be_explained_and_every_rule_that_it_names_is_in_the_rulebook(kind: str) -> None:
    named = set()
    for start in range(6):
        tale = played(kind, list(range(start * 70, start * 70 + 60)))
        for entry in tale.entries:
            found = why(tale.entries, entry.seq)
            assert found.seq == entry.seq
            assert found.action <= entry.seq <= found.last
            named |= {rule.rule for rule in found.rules if not rule.text}
            named |= set(re.findall(r"[A-Z]+-\d+b?", found.sentence)) - set(RULES)
    assert not named


class TestRulebook:
    def test_holds_every_rule_of_both_systems(self) -> None:
        assert set(NME) == {f"NME-{n:02}" for n in range(1, 31)} | {"NME-21b"}
        assert set(MFD) == {f"MFD-{n:02}" for n in range(1, 29)}

    def test_holds_the_rules_of_the_house(self) -> None:
        assert {f"TURN-{n:02}" for n in range(1, 8)} | {"TABLE-01", "TABLE-02", "SEAT-01", "SEAT-02"} <= set(HOUSE)

    def test_each_rule_is_one_line_in_words_of_its_own(self) -> None:
        assert len(set(RULES.values())) == len(RULES)
        for text in RULES.values():
            assert text.endswith(".")
            assert 20 < len(text) < 120


def test_a_log_is_told_from_beginning_to_end() -> None:
    tale = Tale(gang())
    moved = tale.act("red", do="move", fig="red-1", to={"x": 12, "y": 20})
    tale.undo(moved, "red")
    lines = list(told(tale.entries))
    assert [line.seq for line in lines] == list(range(1, len(tale.entries) + 1))
    assert [line.seq for line in lines if line.struck_out] == [moved, moved + 1, moved + 2]
    assert (lines[-1].turn, lines[-1].side, lines[-1].actor) == (1, "red", "side:red")
    assert lines[-1].sentence == f"Action {moved} is struck out, saying 'typed wrong'."
