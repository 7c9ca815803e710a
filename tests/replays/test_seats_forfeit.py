"""Forfeits: the worst dice there are for who withheld its link, whoever shoots, and for every kind of roll."""

from typing import Any

import pytest

from domain import events as e
from domain.dice import Purpose, Roll
from domain.draft import Seat
from domain.procedure import Ruling
from replays.audit.dicechain import ChainId, DiceStream, roll_key
from replays.forfeited import WorstTape
from replays.referee import Asked
from tests.laws.fields import bricks, gangs
from tests.laws.game import Body
from tests.replays.rooms import receipt
from tests.replays.seated import SHOT, Seats, level

MELEE: Body = {"do": "fight", "bouts": [{"fig": "r1", "target": "b1"}, {"fig": "b1", "target": "r1"}]}

WORST: dict[tuple[str, Purpose], tuple[int, int, tuple[int, ...], tuple[int, ...]]] = {
    ("nme", "ammo"): (2, 6, (1, 1), (6, 5)),
    ("nme", "to_hit"): (3, 6, (1, 1, 1), (5, 5, 5)),
    ("nme", "victim"): (1, 6, (1,), (1,)),
    ("nme", "save"): (1, 6, (6,), (1,)),
    ("nme", "injury"): (1, 6, (1,), (6,)),
    ("nme", "recovery"): (1, 6, (6,), (1,)),
    ("mfd", "to_hit"): (1, 6, (1,), (6,)),
    ("mfd", "damage"): (2, 6, (1, 1), (6, 6)),
    ("mfd", "victim_side"): (1, 6, (1,), (6,)),
    ("mfd", "victim"): (1, 3, (1,), (1,)),
}
"""By system and purpose: how many dice of how many sides; their faces if one's own side, or the other, withheld."""


@pytest.mark.parametrize(("system", "purpose"), WORST)
def test_the_worst_faces_of_every_purpose(system: str, purpose: Purpose) -> None:
    count, sides, own, other = WORST[system, purpose]
    for mine, faces in ((True, own), (False, other)):
        assert WorstTape(system, own=mine).throw(Roll(purpose, count, sides)).faces == faces


def withheld(body: Body, by: str, who: str, **command: Any) -> Seats:
    """A roll for which one side withheld its link."""
    policy = body.get("policy", {})
    game = Seats(body | level("all", **policy), red=8, blue=8)
    return forfeited(game, by, who, **command)


def forfeited(game: Seats, by: str, who: str, **command: Any) -> Seats:
    game.act(by, **command)
    game.release("blue" if who == "red" else "red")
    game.forfeit(who)
    assert game.record.pending is None
    assert game.found(e.DiceDrawn)[-1].source == "forfeit"
    assert game.findings == ()
    return game


def ruled(game: Seats, *changes: Body) -> None:
    """The referee puts things as they have to be."""
    ruling = Ruling.model_validate({"rule": "X", "reason": "y", "changes": changes})
    receipt(game.room.referee.rule(game.id, ruling, Asked(Seat("referee"))))


def test_nme_a_shooter_that_withholds_has_no_ammo() -> None:
    game = withheld(gangs(), "red", "red", **SHOT)
    assert not game.found(e.AmmoRolled)[0].passed
    assert not game.found(e.NmeHitRolled)


def test_nme_a_shooter_that_withholds_misses() -> None:
    sure = {"id": "sure", "er": 20, "strength": 3, "ammo_rating": 1}
    body = gangs()
    body["figs"][0]["weapons"] = [sure]
    game = withheld(body, "red", "red", **SHOT | {"weapon": "sure"})
    assert game.found(e.AmmoRolled)[0].passed
    assert game.found(e.NmeHitRolled)[0].outcome != "hit"


def test_nme_a_target_that_withholds_is_hit_as_badly_as_can_be() -> None:
    game = withheld(gangs(), "red", "blue", **SHOT | {"cover": "cover"})
    assert game.found(e.NmeHitRolled)[0].outcome == "hit"
    assert not any(save.saved for save in game.found(e.CoverSaveRolled))
    assert game.found(e.InjuryRolled)[0].face == 6
    assert not game.record.battle.figs["b1"].in_play or game.record.battle.figs["b1"].status == "down"


@pytest.mark.parametrize("who", ["red", "blue"])
def test_nme_recovery_is_lost_to_who_withholds_and_drawn_as_ever_where_it_has_no_fig_in_it(who: str) -> None:
    game = Seats(gangs(**level("all")), red=8, blue=8)
    ruled(game, {"fig": "r2", "field": "x", "value": 11.5})
    game.act("red", do="end_turn")
    ruled(game, {"fig": "r1", "field": "status", "value": "pinned"})
    game.act("blue", do="end_turn")
    forfeited(game, "red", who, do="recover", fig="r1")
    (rolled,), (drawn,) = game.found(e.RecoveryRolled), game.found(e.DiceDrawn)
    of, links = ChainId(bytes.fromhex(game.id)), {c.party: bytes.fromhex(c.link) for c in drawn.contributors}
    honest = DiceStream(roll_key(of, drawn.index, bytes.fromhex(drawn.link), links)).dice(1, 6)
    assert rolled.dice[0].faces == ((6,) if who == "red" else honest)


@pytest.mark.parametrize(("who", "hit"), [("red", False), ("blue", True)])
def test_mfd_a_shot(who: str, hit: bool) -> None:
    game = withheld(bricks(), "red", who, do="shoot", fig="r1", weapon="gun", target="b1")
    assert (game.found(e.MfdHitRolled)[0].outcome == "hit") is hit
    assert all(damage.penetrated for damage in game.found(e.DamageRolled))


def in_melee(body: Body) -> Seats:
    """The battle, with b1 in contact with r1."""
    game = Seats(body, red=8, blue=8)
    figs = game.record.battle.figs
    touching = figs["r1"].y + (figs["r1"].base + figs["b1"].base) // 2
    ruled(game, {"fig": "b1", "field": "y", "value": touching / 1000})
    assert game.record.battle.figs["b1"].engaged
    return game


@pytest.mark.parametrize(("who", "falls", "stands"), [("red", "r1", "b1"), ("blue", "b1", "r1")])
@pytest.mark.parametrize("by", ["red", "referee"])
def test_mfd_in_a_melee_who_withholds_strikes_badly_and_is_struck_well(
    by: str, who: str, falls: str, stands: str
) -> None:
    game = in_melee(bricks(**level("all")))
    forfeited(game, by, who, **MELEE)
    assert {x.fig: x.outcome for x in game.found(e.MfdHitRolled)} == {falls: "miss", stands: "hit"}
    assert not game.record.battle.figs[falls].in_play
    assert game.record.battle.figs[stands].in_play


def test_mfd_in_a_melee_blows_that_land_in_spite_of_it_do_no_harm() -> None:
    body = bricks(**level("all", base_to_hit=1))
    game = in_melee(body)
    forfeited(game, "red", "blue", **MELEE)
    assert {x.fig: x.outcome for x in game.found(e.MfdHitRolled)} == {"r1": "hit", "b1": "hit"}
    assert {x.fig: (x.penetrated, set(x.faces)) for x in game.found(e.DamageRolled)}["r1"] == (False, {1})
    assert game.record.battle.figs["r1"].in_play


@pytest.mark.parametrize("who", ["red", "blue"])
def test_mfd_a_hit_into_a_melee_strikes_who_withheld(who: str) -> None:
    body = bricks(**level("all"))
    body["figs"].append({"id": "r3", "side": "red", "x": 16, "y": 10, "weapons": [{"id": "sure", "kind": "rifle"}]})
    sure = {"into_melee": True, "modifiers": [{"value": 9, "reason": "sure"}]}
    game = forfeited(in_melee(body), "referee", who, do="shoot", fig="r3", weapon="sure", target="b1", **sure)
    assert game.record.battle.figs[game.found(e.VictimDrawn)[0].victim].side == who


@pytest.mark.parametrize(("who", "victims"), [("red", []), ("blue", ["b1"]), ("green", ["g1"])])
def test_nme_a_hit_into_a_combat_strikes_who_withheld(who: str, victims: list[str]) -> None:
    body = gangs(3, **level("all"))
    sure = {"id": "sure", "er": 20, "strength": 3, "ammo_rating": 1}
    body["figs"][0]["weapons"] = [sure]
    game = Seats(body, red=8, blue=8, green=8)
    ruled(
        game,
        {"fig": "g1", "field": "x", "value": 10},
        {"fig": "g1", "field": "y", "value": 19},
        {"fig": "b2", "field": "y", "value": 40},
    )
    game.act("red", **SHOT | {"weapon": "sure"})
    game.release(*[name for name in game.players if name != who])
    game.forfeit(who)
    assert [drawn.victim for drawn in game.found(e.VictimDrawn)] == victims
    assert game.findings == ()


def test_a_large_pool_is_no_endless_draw() -> None:
    tape = WorstTape("mfd", own=False, victim=(7, 7))
    assert tape.throw(Roll("victim", 1, 100)).faces == (85,)


def test_where_both_withhold_the_referee_can_still_end_it_and_who_acts_has_the_worst() -> None:
    game = Seats(gangs(**level("all")), red=8, blue=8)
    game.act("red", **SHOT)
    game.forfeit("blue")
    assert game.waits.missing == (1,)
    assert game.refused(lambda: game.forfeit("blue")).rule == "DICE-03"
    game.forfeit("red")
    assert not game.found(e.AmmoRolled)[0].passed
    assert game.found(e.DiceDrawn)[-1].contributors == ()
    game.undo(game.record.tip.seq if game.record.tip else 0)
    game.roll("red", **SHOT)
    assert game.findings == ()
