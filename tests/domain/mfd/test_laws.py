"""Laws that hold whatever is played: random battles, and a naive second reading of the rules for shots."""

from collections.abc import Callable
from decimal import Decimal, localcontext
from random import Random
from typing import Any

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from domain.battle import Battle, Fig
from domain.commands import COMMAND, Command, command_from, request_of
from domain.contact import melee_of
from domain.decider import decide
from domain.dice import DiceWanted, Roll, Throw
from domain.draft import REFEREE, Decision, Seat
from domain.events import MfdHitRolled, dice_of
from domain.evolve import evolved
from domain.measures import squared, touching
from domain.refusals import Refused
from domain.systems.mfd.gap import agrees
from tests.domain.mfd.field import Row, armoury, duel, field, fig, shot, tried
from tests.spec import Script, refused


class Chance:
    """Dice thrown at random; it keeps every face."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.faces: list[int] = []

    def throw(self, roll: Roll) -> Throw:
        faces = tuple(self.random.randint(1, roll.sides) for _ in range(roll.count))
        self.faces += faces
        return Throw(roll.purpose, roll.sides, faces)


# --- random play ------------------------------------------------------------------------------------------------------

KINDS = ("ccw", "pistol", "rifle", "big_solid", "big_explosive")

SWITCHES: dict[str, list[Any]] = {
    "penetration": ["gt", "ge"],
    "natural_rules": ["none", "one_misses_six_hits"],
    "cover_family": ["exclusive", "adding"],
    "contact_stacks": [False, True],
    "melee_uses_proximity": [False, True],
    "size_steps": ["doubling", "linear"],
    "aim_same_turn": [False, True],
    "aim_cap": [None, 0, 2],
    "aim_lost_on": [["move", "retarget", "fire", "melee"], []],
    "blast_radius": [None, 1, 3],
    "fire_into_melee": ["explicit_flag", "explicit_flag", "never"],
    "last_ditch_percent": [10, 60, 100],
    "last_ditch_cancels_unseen": [True, False],
}


def crowd(chance: Random) -> Battle:
    """Three sides crowded on a small part of the table, under any switches."""
    spots = chance.sample([(x, y) for x in range(10, 17) for y in range(10, 15)], 12)
    figs = [armoury("red", 42), armoury("blue", 44), armoury("green", 46)]
    for n, (x, y) in enumerate(spots):
        side = ("red", "blue", "green")[n % 3]
        kinds = KINDS if n < 3 else KINDS[:3]
        traits: list[Row] = [{}, {}, {"cannot_dodge": True}, {"height": 16}, {"armour": 2}, {"to_hit": 2}]
        traits += [{"kind": "object"}] if n > 5 else []
        figs.append(fig(f"{side}-{n}", x, y, *chance.sample(kinds, chance.randint(1, 2)), **chance.choice(traits)))
    big = [f for f in figs if sum(w["kind"].startswith("big") for w in f["weapons"]) > 1]
    for one in big:
        one["weapons"] = one["weapons"][:1]
    policy = {name: chance.choice(values) for name, values in SWITCHES.items()}
    return field(*figs, sides=("red", "blue", "green"), **policy)


def thought_of(chance: Random, battle: Battle) -> Row:
    """An action that somebody might think of in this phase, often allowed and sometimes absurd."""
    astray = chance.random() < 0.05
    mine = list(battle.figs) if astray else [f.id for f in battle.figs_of(battle.side) if f.mfd.kind == "fig"]
    theirs = list(battle.figs) if astray else [f.id for f in battle.enemies_of(battle.side)]
    who = battle.figs[chance.choice(mine or list(battle.figs))]
    whom = chance.choice(theirs or list(battle.figs))
    acts: dict[str, list[Callable[[Random, Battle, Fig, str], Row]]] = {
        "movement": [moving, moving, moving, firing, ditching, ending],
        "shooting": [firing, firing, firing, aiming, aiming, fighting, ending],
        "close_combat": [fighting, fighting, fighting, ending],
    }
    return chance.choice(acts[battle.phase])(chance, battle, who, whom)


def moving(chance: Random, _: Battle, who: Fig, __: str) -> Row:
    x, y = who.x / 1000 + chance.randint(-3, 3), who.y / 1000 + chance.randint(-3, 3)
    return {"do": "move", "fig": who.id, "to": {"x": round(x, 3), "y": round(y, 3)}}


def firing(chance: Random, battle: Battle, who: Fig, whom: str) -> Row:
    into = bool(melee_of(battle, whom)) if chance.random() < 0.9 else chance.random() < 0.5
    weapon = chance.choice([w.id for w in who.weapons])
    words = ["none", "none", "partial", "full", "unseen", "open", None]
    return shot(weapon, whom, who.id, into_melee=into, cover=chance.choice(words))


def aiming(chance: Random, _: Battle, who: Fig, whom: str) -> Row:
    return {"do": "aim", "fig": who.id, "target": who.aim.target if who.aim and chance.random() < 0.6 else whom}


def fighting(chance: Random, battle: Battle, who: Fig, whom: str) -> Row:
    engaged = [f.id for f in battle.figs_of(battle.side) if f.engaged and not f.fought]
    name = chance.choice(engaged) if engaged and chance.random() < 0.9 else who.id
    melee = list(melee_of(battle, name) or (name,))
    chance.shuffle(melee)
    bouts = [{"fig": one, "target": chance.choice(battle.figs[one].engaged or (whom,))} for one in melee]
    return {"do": "fight", "bouts": bouts if chance.random() < 0.9 else bouts[:1]}


def ditching(_: Random, battle: Battle, __: Fig, ___: str) -> Row:
    return {"do": "last_ditch", "side": battle.side}


def ending(chance: Random, _: Battle, __: Fig, ___: str) -> Row:
    return {"do": chance.choice(["end_phase", "end_turn"])}


def sound(battle: Battle) -> None:
    """What is true of every table."""
    for one in battle.figs.values():
        assert one.moved <= 10_000
        assert one.aim is None or one.in_play
        assert one.aim is None or battle.figs[one.aim.target].in_play
        for name in one.engaged:
            other = battle.figs[name]
            assert one.in_play
            assert other.in_play
            assert one.side != other.side
            assert one.id in other.engaged
            assert one.mfd.kind == other.mfd.kind == "fig"
            assert touching(one.at, one.base, other.at, other.base)


@settings(max_examples=300, deadline=None)
@for_all(st.integers(0, 2**32))
def test_refused_only_before_the_first_die_and_every_die_in_the_events(seed: int) -> None:
    chance = Random(seed)
    battle = crowd(chance)
    sound(battle)
    for step in range(30):
        command = COMMAND.validate_python(thought_of(chance, battle))
        by = REFEREE if step % 2 else Seat("side", battle.side)
        decision = lawful(battle, command, by, Chance(seed + step))
        if decision is not None:
            battle = decision.battle
            sound(battle)


def lawful(battle: Battle, command: Command, by: Seat, chance: Chance) -> Decision | None:
    """The decision, or None for a refusal; both keep the laws."""
    try:
        decision = decide(battle, command, by, chance)
    except Refused:
        assert not chance.faces, "refused after a die had been thrown"
        return None
    assert [face for ev in decision.events for t in dice_of(ev) for face in t.faces] == chance.faces
    assert evolved(battle, decision.events) == decision.battle
    again = Script(chance.faces)
    assert decide(battle, command_from(request_of(command)), by, again) == decision
    assert not again.left
    if chance.faces:
        with pytest.raises(DiceWanted):
            decide(battle, command, by, Script(chance.faces[:-1]))
    return decision


# --- a second reading of the rules, as plain as can be ----------------------------------------------------------------

MODIFIER = {"none": 0, "partial": -1, "full": -3, "unseen": -6}


def expected(weapon: str, moved: float, far: float, cover: str, at: Row) -> int | None:
    """The sum of the modifiers of a shot, or None where it is not allowed."""
    table = {
        "pistol": [(0, 10, 0), (5, 10, 0), (10, 10, -3)],
        "rifle": [(0, 20, 0), (5, 15, 0)],
        "big_solid": [(0, 20, 0)],
        "big_explosive": [(0, 20, 0)],
    }
    for most, reach, running in table.get(weapon, []):
        if moved <= most:
            size = {True: 0, at["height"] >= 8: 1, at["height"] >= 16: 2, at["height"] >= 32: 3}[True]
            near = 1 if far < 3 else 0
            dodge = 1 if at["cannot_dodge"] else 0
            return running + MODIFIER[cover] + near + dodge + size if far <= reach else None
    return None


@settings(max_examples=150, deadline=None)
@for_all(
    st.sampled_from(["ccw", "pistol", "rifle", "big_solid", "big_explosive"]),
    st.sampled_from([0, 0.001, 3, 5, 5.001, 8, 10]),
    st.sampled_from([1.5, 2.999, 3, 9.999, 10, 10.001, 15, 15.001, 20, 20.001]),
    st.sampled_from(list(MODIFIER)),
    st.fixed_dictionaries({"cannot_dodge": st.booleans(), "height": st.sampled_from([4, 7, 8, 15, 16, 31, 32])}),
)
def test_mfd_08_to_20_shots_are_those_of_the_second_reading(
    weapon: str, moved: float, far: float, cover: str, at: Row
) -> None:
    battle = duel(weapon, far, moved=moved, at=at)
    sum_ = expected(weapon, moved, far, cover, at)
    if sum_ is None:
        assert refused(battle, **shot(weapon, cover=cover)).rule in {"MFD-02", "MFD-09"}
        return
    assert sum(m.value for m in tried(battle, **shot(weapon, cover=cover)).modifiers) == sum_
    for face in range(1, 7):
        decision = decide(battle, COMMAND.validate_python(shot(weapon, cover=cover)), REFEREE, Script([face, 1, 1, 1]))
        (roll,) = (e for e in decision.events if isinstance(e, MfdHitRolled))
        assert (roll.outcome == "hit") is (face + sum_ >= 3)


@settings(max_examples=150, deadline=None)
@for_all(st.integers(-3000, 3000), st.integers(-3000, 3000), st.integers(0, 4000), st.integers(0, 2000))
def test_a_tape_agrees_as_exact_numbers_say(x: int, y: int, tape: int, tolerance: int) -> None:
    if abs(x) < 1000 and abs(y) < 1000:
        x = 1500
    battle = field(fig("red-1", 20, 20), fig("blue-1", 20 + x / 1000, 20 + y / 1000))
    red, blue = battle.fig("red-1"), battle.fig("blue-1")
    with localcontext() as context:
        context.prec = 60
        exact = Decimal(squared(red.at, blue.at)).sqrt()
        assert agrees(red, blue, tape, tolerance) is (abs(exact - tape) <= tolerance)
