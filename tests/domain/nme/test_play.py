"""Laws of whole battles, under random play: refusals come before dice, dice stand in events, the table stays sound."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain import events as e
from domain.battle import Battle, Fig
from domain.commands import COMMAND, command_from
from domain.decider import decide
from domain.dice import DiceWanted, Roll, Throw
from domain.draft import REFEREE, Decision, Seat
from domain.evolve import evolved
from domain.measures import touching
from domain.refusals import Refused
from domain.systems.nme.targets import CLOSE
from tests.domain.nme.scenes import a, table
from tests.spec import Script

WOOD = {
    "id": "wood",
    "kind": "area",
    "points": [{"x": 12, "y": 16}, {"x": 17, "y": 16}, {"x": 17, "y": 22}, {"x": 12, "y": 22}],
    "cover": "cover",
}
WALL = {"id": "wall", "kind": "wall", "points": [{"x": 20, "y": 14}, {"x": 20, "y": 20}], "cover": "unseen"}
PLACES = [
    (8, 14),
    (8, 17),
    (9, 20),
    (13, 18),
    (19, 15),
    (21, 16),
    (22, 19),
    (25, 18),
    (15, 24),
    (17, 23),
    (2, 2),
    (34, 33),
    (33, 2),
    (2, 34),
]


class Hand:
    """Dice that fall as they like; what was asked and thrown is kept."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.thrown: list[Throw] = []

    def throw(self, roll: Roll) -> Throw:
        faces = tuple(self.chance.randint(1, roll.sides) for _ in range(roll.count))
        self.thrown.append(Throw(roll.purpose, roll.sides, faces))
        return self.thrown[-1]


def opened(chance: random.Random) -> Battle:
    """Some figs of two or three sides, close together."""
    sides = ["red", "blue", "green"][: chance.choice([2, 3, 3])]
    figs = []
    for n, (x, y) in enumerate(chance.sample(PLACES, chance.randint(4, 9))):
        side = sides[n % len(sides)]
        figs.append(a(f"{side}-{n}", x, y, leader=chance.random() < 0.2, juve=chance.random() < 0.2))
    if len(sides) == 3:  # strangers in combat, and somebody who looks on
        figs += [a("blue-99", 31, 30), a("green-99", 32, 30), a("red-99", 20, 31)]
    policy = {
        "bonus_dice": chance.choice(["explode", "once"]),
        "proximity_trigger": chance.choice(["visible_active", "visible_active", "any"]),
        "injury": chance.choice(["n_me_charts", "reported_by_players"]),
        "recovery_friend_within": chance.choice([2, 6]),
    } | {
        name: chance.random() < 0.5
        for name in ("critical_hits", "point_blank", "hidden_pinned_targetable", "pin_in_combat", "hit_pins")
    }
    return table(*figs, policy=policy, terrain=[WOOD, WALL], table={"width": 36, "height": 36})


def command(chance: random.Random, battle: Battle) -> dict[str, Any]:
    """Something that somebody might ask, more often sensible than not."""
    figs = list(battle.figs.values())
    mine = [f for f in figs if f.side == battle.side and f.status == "active"]
    fig = chance.choice(mine if mine and chance.random() < 0.9 else figs)
    other = chance.choice([f for f in figs if f.side != fig.side] if chance.random() < 0.9 else figs)
    usual = {"recovery": ["recover", "move", "hide"], "movement": ["move", "move", "move", "hide", "turn", "shoot"]}
    dos = usual.get(battle.phase, ["shoot"] * 5 + ["end_turn", "end_phase"])
    do = chance.choice(dos if chance.random() < 0.9 else ["move", "turn", "hide", "shoot", "recover", "end_turn"])
    if chance.random() < (0.8 if any(f.injuries for f in figs) else 0.02):
        do = "injure"
    word = chance.choice([None, None, "open", "cover", "unseen"])
    if do == "shoot":
        return shooting(chance, figs, fig, other)
    if do == "move":
        return {"do": do, "fig": fig.id, "to": step(chance, fig, other), "pace": pace_of(chance), "cover": word}
    if do == "injure":
        waiting = [f for f in figs if f.injuries] or figs
        result = chance.choice(["close", "clipped", "dropped", "iced"])
        return {"do": do, "fig": chance.choice(waiting).id, "result": result}
    if do == "recover":
        lying = [f for f in figs if f.status == "pinned" and f.side == battle.side] or figs
        return {"do": do, "fig": chance.choice(lying).id}
    if do == "turn":
        return {"do": do, "fig": fig.id, "toward": other.id}
    return {"do": do} | ({"fig": fig.id, "cover": word} if do == "hide" else {})


def pace_of(chance: random.Random) -> str | None:
    return chance.choice(["walk", "walk", "run", "charge", "charge", None])


def step(chance: random.Random, fig: Fig, other: Fig) -> dict[str, float]:
    """Up to an enemy, or anywhere near."""
    if chance.random() < 0.4:
        return {"x": other.x / 1000 + chance.choice([-1, 1]), "y": other.y / 1000}
    return {"x": round(fig.x / 1000 + chance.uniform(-4, 4)), "y": round(fig.y / 1000 + chance.uniform(-4, 4))}


def shooting(chance: random.Random, figs: list[Fig], fig: Fig, other: Fig) -> dict[str, Any]:
    """A shot at somebody or some place."""
    weapon = chance.choice(fig.weapons)
    aim = {"target": other.id} if chance.random() < 0.9 else {"point": step(chance, fig, other)}
    touched = [{"fig": f.id, "under": chance.random() < 0.5} for f in chance.sample(figs, min(3, len(figs)))]
    return {
        "do": "shoot",
        "fig": fig.id,
        "weapon": weapon.id,
        "mode": chance.choice([None, "aimed", "snap"]),
        "sight": {f.id: chance.choice(["open", "cover", "unseen"]) for f in figs if chance.random() < 0.2},
        "distance": chance.choice([None, None, None, 3, 10]),
        "touched": touched if weapon.id in {"blast", "flamer"} else [],
    } | aim


def played_out(seed: int, actions: int = 120) -> Iterator[tuple[Battle, Decision]]:
    """A battle of random actions: each table with what came of it. Refusals come before the first die."""
    chance = random.Random(seed)
    battle = opened(chance)
    asked = command(chance, battle)
    for _ in range(actions):
        hand = Hand(chance)
        try:
            decision = decide(battle, COMMAND.validate_python(asked), REFEREE, hand)
        except Refused as refused:
            assert not hand.thrown, "refused after a die was thrown"
            targets = [name for name in refused.refusal.legal if "target" in asked and name in battle.figs]
            asked = asked | {"target": chance.choice(targets)} if targets else command(chance, battle)
            continue
        assert list(decision.thrown) == hand.thrown
        yield battle, decision
        battle = decision.battle
        asked = command(chance, battle)


SEEDS = st.integers(0, 2**32)


def check_dice(decision: Decision) -> None:
    """Law 4: every die on the tape stands in the events, in order, and no other."""
    assert [t for event in decision.events for t in e.dice_of(event)] == list(decision.thrown)


def check_again(battle: Battle, decision: Decision) -> None:
    """Law 2: the action, decided again from its own request and dice, is the same."""
    head = decision.events[0]
    assert isinstance(head, e.ActionDeclared)
    script = Script([face for t in decision.thrown for face in t.faces])
    assert decide(battle, command_from(head.request), REFEREE, script) == decision
    assert not script.left
    assert evolved(battle, decision.events) == decision.battle


def check_table(battle: Battle) -> None:
    """Combat is mutual, between active enemies in contact, none of whom hides; and no such contact is missed."""
    for fig in battle.figs.values():
        for other in battle.figs.values():
            meets = (
                fig.side != other.side
                and fig.status == other.status == "active"
                and touching(fig.at, fig.base, other.at, other.base)
            )
            assert (other.id in fig.engaged) == meets, (fig.id, other.id)
        assert not (fig.engaged and fig.hidden)
        assert fig.shots <= 2
        assert (fig.pinned_turn > 0) == (fig.status == "pinned")
        assert not (fig.injuries and battle.nme.injury == "n_me_charts")


def check_shot(battle: Battle, decision: Decision) -> None:
    """Nobody shoots who may not, and nobody is shot at who may not be."""
    for event in decision.events:
        if isinstance(event, e.ShotFired):
            shooter = battle.figs[event.fig]
            assert shooter.status == "active"
            assert not shooter.engaged
            assert shooter.pace in {"still", "walk"}
            assert event.mode == "snap" or (shooter.pace == "still" and event.shot == 1)
            if event.target:
                target = battle.figs[event.target]
                assert target.side != shooter.side
                assert target.in_play
                assert not target.hidden
        if isinstance(event, e.NmeHitRolled) and event.target and battle.figs[event.target].status != "active":
            assert event.distance <= CLOSE
        if isinstance(event, e.FigPinned):
            assert battle.figs[event.fig].status == "active"


@settings(max_examples=120, deadline=None)
@given(SEEDS)
def test_laws_of_play(seed: int) -> None:
    for battle, decision in played_out(seed):
        check_dice(decision)
        check_again(battle, decision)
        check_table(decision.battle)
        check_shot(battle, decision)


def test_random_play_reaches_every_event_of_nme() -> None:
    seen = {type(event).__name__ for seed in range(150) for _, d in played_out(seed) for event in d.events}
    assert seen >= {
        "FigMoved", "FigTurned", "FigHid", "FigRevealed", "ShotFired", "AmmoRolled", "WeaponFailed", "NmeHitRolled",
        "VictimDrawn", "CoverSaveRolled", "TemplatePlaced", "FigHit", "InjuryRolled", "InjuryReported",
        "InjuryAwaited", "FigPinned", "RecoveryRolled", "FigRecovered", "FigDowned", "FigRemoved", "MeleeJoined",
        "MeleeLeft",
    }  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_dice_come_one_roll_at_a_time(seed: int) -> None:
    """At a table the same action is asked again with more dice, until nothing more is wanted."""
    for battle, decision in played_out(seed, 60):
        head = decision.events[0]
        assert isinstance(head, e.ActionDeclared)
        asked = command_from(head.request)
        faces: list[int] = []
        for n, thrown in enumerate(decision.thrown):
            with pytest.raises(DiceWanted) as dry:
                decide(battle, asked, REFEREE, Script(faces))
            assert dry.value.so_far == decision.thrown[:n]
            assert dry.value.wanted == Roll(thrown.purpose, len(thrown.faces), thrown.sides)
            faces += thrown.faces
        assert decide(battle, asked, REFEREE, Script(faces)) == decision


def test_an_endless_run_of_sixes_ends() -> None:
    """NME-15 has no limit; the guard of a thousand dice is the one refusal that comes after dice."""
    battle = table(a("red-1", 10, bs=10), a("blue-1", 60))
    asked = COMMAND.validate_python({"do": "shoot", "fig": "red-1", "weapon": "gun", "target": "blue-1"})
    with pytest.raises(Refused) as refused:
        decide(battle, asked, Seat("side", "red"), Script([1, 2] + [6] * 2000))
    assert refused.value.refusal.rule == "NME-15"
