"""The laws of the rules: pure, complete, and in no trust of whoever asks. On tables of both systems in mid-play."""

from decimal import Decimal
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from domain import events as e
from domain.battle import Battle
from domain.commands import COMMAND, Command, command_from
from domain.decider import decide
from domain.dice import MOST_DICE, DiceWanted
from domain.draft import REFEREE, SPECTATOR, Seat
from domain.evolve import evolve, evolved
from domain.refusals import Refused
from replays.roller import ReplayTape
from tests.laws.game import Body, effort
from tests.laws.play import Chance, asked, attempt, ideas, next_idea, seeds, table_after, tables
from tests.spec import Script

seats = st.sampled_from([REFEREE, SPECTATOR, Seat("side", "red"), Seat("side", "blue"), Seat("side", "green")])


def bytes_of(battle: Battle) -> bytes:
    """Everything that a table holds."""
    return msgspec.json.encode(battle)


def some_idea(battle: Battle, seed: int) -> Body:
    """Any idea, legal or not."""
    every = [idea for kind in ideas(battle).values() for idea in kind]
    return every[seed % len(every)]


# --- law 1: decide is pure, evolve has no rules ---


@given(tables, seeds)
@effort(60)
def test_law_1_decide_says_the_same_twice_and_changes_nothing(battle: Battle, seed: int) -> None:
    before, figs = bytes_of(battle), dict(battle.figs)
    idea = next_idea(battle, seed)
    first, again = attempt(battle, idea, seed), attempt(battle, idea, seed)
    assert first == again
    assert first is not None
    assert bytes_of(battle) == before
    assert all(battle.figs[name] is fig for name, fig in figs.items())


@given(tables, seeds)
@effort(60)
def test_law_1_evolve_needs_nothing_but_the_events_and_never_raises_on_them(battle: Battle, seed: int) -> None:
    found = attempt(battle, next_idea(battle, seed), seed)
    assert found is not None
    assert evolved(battle, found[0].events) == found[0].battle


@given(tables, seeds)
@effort(40)
def test_law_1_a_fact_survives_its_bytes(battle: Battle, seed: int) -> None:
    found = attempt(battle, next_idea(battle, seed), seed)
    assert found is not None
    read = [msgspec.json.decode(msgspec.json.encode(event), type=type(event)) for event in found[0].events]
    assert evolved(battle, read) == found[0].battle


@given(tables)
@effort(20)
def test_law_1_an_event_that_says_nothing_of_the_table_leaves_the_very_same_table(battle: Battle) -> None:
    for event in (e.TurnEnded(1, "red"), e.BattleClosed("over"), e.UndoRefused(1, "blue")):
        assert evolve(battle, event) is battle


# --- law 2: an action is decided again from its own request and dice ---


@given(tables, seeds)
@effort(60)
def test_law_2_the_recorded_request_and_dice_decide_the_same_again(battle: Battle, seed: int) -> None:
    found = attempt(battle, next_idea(battle, seed), seed)
    assert found is not None
    head, *rest = found[0].events
    assert isinstance(head, e.ActionDeclared)
    request = msgspec.json.decode(msgspec.json.encode(head.request))
    tape = ReplayTape([throw for event in rest for throw in e.dice_of(event)])
    assert decide(battle, command_from(request), REFEREE, tape) == found[0]
    assert tape.exhausted


# --- law 4: every die on the tape stands in the events, in order, and no other ---


@given(tables, seeds)
@effort(60)
def test_law_4_the_dice_on_the_tape_are_the_dice_in_the_events(battle: Battle, seed: int) -> None:
    found = attempt(battle, next_idea(battle, seed), seed)
    assert found is not None
    decision, faces = found
    told = [throw for event in decision.events for throw in e.dice_of(event)]
    assert told == list(decision.thrown)
    assert tuple(face for throw in told for face in throw.faces) == faces


@given(tables, seeds, st.data())
@effort(40)
def test_law_4_a_tape_that_runs_dry_says_what_was_taken_and_leaves_nothing(
    battle: Battle, seed: int, data: st.DataObject
) -> None:
    idea, before = next_idea(battle, seed), bytes_of(battle)
    found = attempt(battle, idea, seed)
    assert found is not None
    decision, faces = found
    short = data.draw(st.integers(0, len(faces)))
    if short == len(faces):
        assert decide(battle, asked(idea), REFEREE, Script(faces)) == decision
        return
    with pytest.raises(DiceWanted) as dry:
        decide(battle, asked(idea), REFEREE, Script(faces[:short]))
    so_far = dry.value.so_far
    assert so_far == decision.thrown[: len(so_far)]
    wanted = decision.thrown[len(so_far)]
    assert (dry.value.wanted.purpose, dry.value.wanted.sides) == (wanted.purpose, wanted.sides)
    assert dry.value.wanted.count == len(wanted.faces)
    assert bytes_of(battle) == before


# --- law 7: a refusal comes before the first die, and leaves nothing ---


@given(tables, seeds, seats)
@effort(100)
def test_law_7_decide_refuses_only_before_its_first_die(battle: Battle, seed: int, by: Seat) -> None:
    dice, before = Chance(seed), bytes_of(battle)
    try:
        decide(battle, asked(some_idea(battle, seed)), by, dice)
    except Refused:
        assert dice.faces == []
    assert bytes_of(battle) == before


def test_law_7_only_the_guard_against_endless_sixes_refuses_later() -> None:
    battle = table_after("nme", 2, [])
    shot = {"do": "shoot", "fig": "red-0", "weapon": "stub-gun", "target": "blue-0", "mode": "snap"}
    with pytest.raises(Refused) as caught:
        decide(battle, asked(shot), REFEREE, Script([1, 2] + [6] * MOST_DICE))
    assert caught.value.refusal.rule == "NME-15"


# --- law 8: nothing trusts the client ---

NAMES = st.sampled_from(
    ["red-0", "red-1", "blue-0", "blue-hut", "green-2", "red", "blue", "nobody", "", "RED-0", "a" * 41]
)
NUMBERS: st.SearchStrategy[Any] = st.sampled_from(
    [0, 1, 4, 7.5, -3, 0.001, 0.0005, 999, 1001, 2**70, -1e300, True, None, "4", Decimal("NaN"), Decimal("1E+9999999")],
) | st.sampled_from([float("nan"), float("inf"), 1e-300, [], {}])
PLACES: st.SearchStrategy[Any] = st.fixed_dictionaries({"x": NUMBERS, "y": NUMBERS}) | NAMES | st.none()
COVERS = st.sampled_from(["open", "cover", "unseen", "none", "partial", "full", "thick", "", None])
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "fig": NAMES,
    "to": PLACES,
    "pace": st.sampled_from(["walk", "run", "charge", "still", "fly", None]),
    "inches": NUMBERS,
    "facing": NUMBERS,
    "toward": PLACES,
    "target": NAMES,
    "weapon": st.sampled_from(["stub-gun", "old", "flamer", "frag-grenade", "pistol", "rifle", "ccw", "spoon"]),
    "point": PLACES,
    "mode": st.sampled_from(["aimed", "snap", "fire", None]),
    "cover": COVERS,
    "sight": st.dictionaries(NAMES, COVERS, max_size=3),
    "distance": NUMBERS,
    "into_melee": st.sampled_from([True, False, 1, "yes"]),
    "modifiers": st.lists(st.fixed_dictionaries({"value": NUMBERS, "reason": NAMES}), max_size=2),
    "touched": st.lists(st.fixed_dictionaries({"fig": NAMES, "under": st.booleans()}), max_size=3),
    "bouts": st.lists(st.fixed_dictionaries({"fig": NAMES, "target": NAMES}), max_size=4),
    "result": st.sampled_from(["close", "iced", "gone"]),
    "side": NAMES,
    "waive": st.sampled_from(["", "nowhere to go", "x" * 501, None]),
    "reason": st.sampled_from(["", "why not", "\x00", "\ud800", "x" * 501]),
    "winner": NAMES,
    "dice": st.none() | st.lists(NUMBERS, max_size=4),
}


def requests(do: str, fields: set[str]) -> st.SearchStrategy[Body]:
    """Requests of one kind, with any values in the fields that it has, and now and then one that it has not."""
    known = {name: FIELDS[name] for name in sorted(fields)}
    stray = st.dictionaries(st.sampled_from(["fig", "hp", "do"]), NAMES, max_size=1)
    return st.builds(lambda a, b: b | a | {"do": do}, st.fixed_dictionaries({}, optional=known), stray)


KINDS: dict[str, set[str]] = {
    get_args(kind.model_fields["do"].annotation)[0]: set(kind.model_fields) - {"do"}
    for kind in get_args(get_args(Command)[0])
}
hostile = st.one_of([requests(do, fields) for do, fields in KINDS.items()])


def test_every_field_of_every_command_is_tried() -> None:
    assert set().union(*KINDS.values()) == set(FIELDS)


def ask(battle: Battle, body: Body, by: Seat, seed: int) -> bool:
    """Whether it was decided; nothing but a no in words ever comes out of asking, and nothing stays behind."""
    before = bytes_of(battle)
    try:
        decision = decide(battle, COMMAND.validate_python(body), by, Chance(seed))
    except (ValidationError, Refused):
        return False
    finally:
        assert bytes_of(battle) == before
    assert evolved(battle, decision.events) == decision.battle
    return True


@given(tables, hostile, seats, seeds)
@effort(200)
def test_law_8_whatever_is_asked_is_decided_or_refused_in_words(
    battle: Battle, body: Body, by: Seat, seed: int
) -> None:
    decided = ask(battle, body, by, seed)
    assert not (decided and by == SPECTATOR)


@given(tables, seeds, seats, st.data())
@effort(200)
def test_law_8_a_good_request_may_be_bent_in_any_field(
    battle: Battle, seed: int, by: Seat, data: st.DataObject
) -> None:
    idea = next_idea(battle, seed)
    field = data.draw(st.sampled_from(sorted(KINDS[idea["do"]])))
    decided = ask(battle, idea | {field: data.draw(FIELDS[field])}, by, seed)
    assert not (decided and by == SPECTATOR)
