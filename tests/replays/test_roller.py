"""The tapes: what they hand out, in which order, and what they refuse."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.dice import FACES, MOST_DICE, DiceWanted, Purpose, Roll, Tape, Throw
from replays.audit.dicechain import Chain, ChainId, TooManyDice, roll_key
from replays.roller import (
    BadFace,
    DryTape,
    RecordedTape,
    ReplayTape,
    StreamTape,
    TableTape,
    TapeMismatch,
    new_seed,
    remaining,
)

VECTORS: Final[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "vectors" / "dice.json").read_text(encoding="utf-8")
)
KEY: Final = bytes.fromhex(VECTORS["server_only_n0"][0]["key"])
AMMO: Final = Roll("ammo", 2, 6)
TO_HIT: Final = Roll("to_hit", 3, 6)
INJURY: Final = Roll("injury", 1, 10)

purposes: st.SearchStrategy[Purpose] = st.sampled_from(get_args(Purpose))
rolls = st.builds(Roll, purposes, st.integers(1, 9), st.sampled_from(FACES))


@st.composite
def throws(draw: st.DrawFn) -> Throw:
    roll = draw(rolls)
    faces = draw(st.lists(st.integers(1, roll.sides), min_size=roll.count, max_size=roll.count))
    return Throw(roll.purpose, roll.sides, tuple(faces))


def asked(throw: Throw) -> Roll:
    return Roll(throw.purpose, len(throw.faces), throw.sides)


# --- new_seed ---


def test_a_seed_is_32_bytes_never_seen_before() -> None:
    drawn = [new_seed() for _ in range(100)]
    assert {len(seed) for seed in drawn} == {32}
    assert len(set(drawn)) == 100


def test_a_fresh_seed_makes_a_chain_whose_links_throw_dice() -> None:
    of = ChainId(bytes(16))
    key = roll_key(of, 1, Chain(of, new_seed(), 1).link(1))
    assert all(1 <= face <= 6 for face in StreamTape(key).throw(TO_HIT).faces)


# --- StreamTape ---


@pytest.mark.parametrize("vector", VECTORS["server_only_n0"], ids=lambda vector: f"i{vector['i']}")
def test_rounds_of_one_action_read_on_in_one_stream(vector: dict[str, Any]) -> None:
    tape = StreamTape(bytes.fromhex(vector["key"]))
    faces = [face for count, sides in vector["groups"] for face in tape.throw(Roll("to_hit", count, sides)).faces]
    assert faces == vector["dice"]
    assert tape.dice == len(vector["dice"])


def test_stream_is_used_from_its_first_die_on() -> None:
    tape = StreamTape(KEY)
    assert (tape.used, tape.dice) == (False, 0)
    tape.throw(INJURY)
    assert (tape.used, tape.dice) == (True, 1)


@given(st.binary(min_size=32, max_size=32), st.lists(rolls, max_size=8))
def test_same_key_answers_the_same_rolls_with_the_same_dice(key: bytes, asks: list[Roll]) -> None:
    first, again = StreamTape(key), StreamTape(key)
    answers = [first.throw(roll) for roll in asks]
    assert answers == [again.throw(roll) for roll in asks]
    assert [asked(answer) for answer in answers] == asks
    assert all(1 <= face <= answer.sides for answer in answers for face in answer.faces)


# --- TableTape ---


def test_table_dice_are_handed_out_in_the_order_in_which_they_lay() -> None:
    tape = TableTape([6, 5, 1, 2, 3, 10])
    assert tape.throw(AMMO) == Throw("ammo", 6, (6, 5))
    assert tape.throw(TO_HIT) == Throw("to_hit", 6, (1, 2, 3))
    assert tape.throw(INJURY) == Throw("injury", 10, (10,))
    assert tape.left == 0


@pytest.mark.parametrize("lying", [[], [1], [1, 2]])
def test_too_few_dice_are_wanted_with_those_that_are_there_already(lying: list[int]) -> None:
    tape = TableTape([6, 5, *lying])
    tape.throw(AMMO)
    with pytest.raises(DiceWanted) as dry:
        tape.throw(TO_HIT)
    assert dry.value.wanted == Roll("to_hit", TO_HIT.count - len(lying), 6)
    here = (Throw("to_hit", 6, tuple(lying)),) if lying else ()
    assert dry.value.so_far == (Throw("ammo", 6, (6, 5)), *here)
    assert tape.left == len(lying)


@pytest.mark.parametrize(("face", "sides"), [(0, 6), (7, 6), (-1, 6), (11, 10), (101, 100), (3, 2)])
def test_a_face_that_the_die_has_not_is_named_with_its_place(face: int, sides: int) -> None:
    tape = TableTape([6, 5, 1, face])
    tape.throw(AMMO)
    with pytest.raises(BadFace) as bad:
        tape.throw(Roll("save", 2, sides))
    assert (bad.value.value, bad.value.position, bad.value.sides) == (face, 3, sides)
    assert str(bad.value).endswith(f" die is a {face}; a d{sides} has no such face")


def test_a_bad_face_is_told_before_more_dice_are_asked_for() -> None:
    with pytest.raises(BadFace):
        TableTape([7]).throw(AMMO)


def test_a_face_is_judged_by_the_die_that_it_answers() -> None:
    assert TableTape([10]).throw(INJURY).faces == (10,)
    with pytest.raises(BadFace):
        TableTape([10]).throw(Roll("save", 1, 6))


def test_dice_nobody_asked_for_are_left() -> None:
    tape = TableTape((1, 2, 3, 4, 5))
    assert tape.left == 5
    tape.throw(AMMO)
    assert tape.left == 3


@given(st.lists(throws(), max_size=6))
def test_a_client_that_answers_roll_by_roll_ends_with_the_same_throws(lying: list[Throw]) -> None:
    sent: list[int] = []
    for step, answer in enumerate(lying):
        tape = TableTape(sent)
        assert [tape.throw(asked(throw)) for throw in lying[:step]] == lying[:step]
        with pytest.raises(DiceWanted) as dry:
            tape.throw(asked(answer))
        assert (dry.value.wanted, dry.value.so_far) == (asked(answer), tuple(lying[:step]))
        sent.extend(answer.faces)
    tape = TableTape(sent)
    assert [tape.throw(asked(throw)) for throw in lying] == lying
    assert tape.left == 0


# --- remaining, RecordedTape ---


def test_queues_are_kept_by_purpose_and_sides() -> None:
    parent = [Throw("to_hit", 6, (1, 2)), Throw("save", 6, (3,)), Throw("to_hit", 10, (9,)), Throw("to_hit", 6, (4,))]
    assert remaining(parent, []) == {("to_hit", 6): (1, 2, 4), ("save", 6): (3,), ("to_hit", 10): (9,)}


def test_the_branch_moves_on_by_as_many_dice_as_it_threw_whatever_they_showed() -> None:
    parent = [Throw("to_hit", 6, (1, 2, 3)), Throw("save", 6, (5,)), Throw("to_hit", 6, (4,))]
    used = [Throw("to_hit", 6, (6, 6)), Throw("to_hit", 6, (6,))]
    assert remaining(parent, used[:1]) == {("to_hit", 6): (3, 4), ("save", 6): (5,)}
    assert remaining(parent, used) == {("to_hit", 6): (4,), ("save", 6): (5,)}


def test_a_branch_that_threw_more_than_was_recorded_has_nothing_left() -> None:
    parent = [Throw("to_hit", 6, (1, 2)), Throw("save", 6, (5,))]
    used = [Throw("to_hit", 6, (1, 2, 6)), Throw("save", 6, (5,)), Throw("injury", 10, (1,))]
    assert remaining(parent, used) == {}


@given(st.lists(throws(), max_size=8), st.lists(rolls, max_size=8), st.integers(0, 8))
def test_one_tape_or_a_new_one_for_every_action_hands_out_the_same(
    parent: list[Throw], asks: list[Roll], actions: int
) -> None:
    whole = RecordedTape(remaining(parent, []), StreamTape(KEY))
    expected = [whole.throw(roll) for roll in asks]
    used: list[Throw] = []
    fresh = StreamTape(KEY)
    for roll in asks[:actions]:
        used.append(RecordedTape(remaining(parent, used), fresh).throw(roll))
    rest = RecordedTape(remaining(parent, used), fresh)
    assert used + [rest.throw(roll) for roll in asks[actions:]] == expected


def test_recorded_faces_go_to_rolls_of_the_same_purpose_and_die_only() -> None:
    tape = RecordedTape({("to_hit", 6): (6, 5, 4), ("ammo", 6): (1, 2)}, DryTape())
    assert tape.throw(TO_HIT).faces == (6, 5, 4)
    assert tape.throw(AMMO).faces == (1, 2)
    tape = RecordedTape({("to_hit", 6): (6,), ("injury", 6): (5,)}, TableTape([10, 9]))
    assert tape.throw(INJURY).faces == (10,)
    assert tape.throw(Roll("to_hit", 1, 10)).faces == (9,)


def test_a_recording_that_ends_in_the_middle_of_a_roll_goes_on_with_fresh_dice() -> None:
    fresh, alone = StreamTape(KEY), StreamTape(KEY)
    tape = RecordedTape({("to_hit", 6): (6, 5)}, fresh)
    assert tape.throw(Roll("to_hit", 4, 6)) == Throw("to_hit", 6, (6, 5, *alone.throw(AMMO).faces))
    assert fresh.dice == 2
    assert tape.throw(INJURY) == alone.throw(INJURY)
    assert fresh.dice == 3


def test_fresh_dice_stay_untouched_while_the_recording_lasts() -> None:
    fresh = StreamTape(KEY)
    RecordedTape({("to_hit", 6): (6, 5, 4)}, fresh).throw(TO_HIT)
    assert not fresh.used


def test_a_dry_recording_wants_only_the_dice_that_are_not_recorded() -> None:
    tape = RecordedTape({("ammo", 6): (1, 1), ("to_hit", 6): (6,)}, DryTape())
    tape.throw(AMMO)
    with pytest.raises(DiceWanted) as dry:
        tape.throw(TO_HIT)
    assert dry.value.wanted == Roll("to_hit", 2, 6)
    assert dry.value.so_far == (Throw("ammo", 6, (1, 1)),)


def test_an_impossible_recorded_face_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="d6 for to_hit"):
        RecordedTape({("to_hit", 6): (1, 7)}, DryTape())


# --- ReplayTape ---


@given(st.lists(throws(), max_size=8))
def test_the_same_questions_get_the_recorded_answers(log: list[Throw]) -> None:
    tape = ReplayTape(log)
    for throw in log:
        assert not tape.exhausted
        assert tape.throw(asked(throw)) == throw
    assert tape.exhausted


LOG: Final = (Throw("ammo", 6, (6, 5)), Throw("to_hit", 6, (1, 2, 3)))


@pytest.mark.parametrize(
    "wanted",
    [Roll("save", 3, 6), Roll("to_hit", 2, 6), Roll("to_hit", 4, 6), Roll("to_hit", 3, 10)],
    ids=["purpose", "fewer", "more", "sides"],
)
def test_another_question_than_the_recorded_one_is_a_mismatch(wanted: Roll) -> None:
    tape = ReplayTape(LOG)
    tape.throw(AMMO)
    with pytest.raises(TapeMismatch) as mismatch:
        tape.throw(wanted)
    assert (mismatch.value.at, mismatch.value.wanted, mismatch.value.recorded) == (1, wanted, LOG[1])
    assert str(mismatch.value) == (
        f"throw 1: the rules want {wanted.count}d{wanted.sides} for {wanted.purpose}, "
        "recorded: 3d6 for to_hit, faces [1, 2, 3]"
    )


def test_a_question_past_the_end_of_the_recording_is_a_mismatch() -> None:
    tape = ReplayTape(LOG)
    tape.throw(AMMO)
    tape.throw(TO_HIT)
    with pytest.raises(TapeMismatch, match=r"throw 2: .* recorded: no more throws") as mismatch:
        tape.throw(INJURY)
    assert (mismatch.value.at, mismatch.value.recorded) == (2, None)


@pytest.mark.parametrize("face", [0, 7])
def test_a_forged_log_cannot_answer_with_a_face_that_the_die_has_not(face: int) -> None:
    with pytest.raises(TapeMismatch):
        ReplayTape([Throw("ammo", 6, (1, face))]).throw(AMMO)


def test_dice_that_the_rules_did_not_ask_for_are_seen() -> None:
    tape = ReplayTape(LOG)
    tape.throw(AMMO)
    assert not tape.exhausted


# --- DryTape and the laws of every tape ---


def test_a_dry_run_says_what_is_wanted_and_shows_no_die() -> None:
    with pytest.raises(DiceWanted) as dry:
        DryTape().throw(TO_HIT)
    assert (dry.value.wanted, dry.value.so_far) == (TO_HIT, ())


MANY: Final[dict[str, Callable[[], Tape]]] = {
    "stream": lambda: StreamTape(KEY),
    "table": lambda: TableTape([6] * 2 * MOST_DICE),
    "recorded": lambda: RecordedTape({("to_hit", 6): (6,) * 2 * MOST_DICE}, DryTape()),
    "recorded then stream": lambda: RecordedTape({("to_hit", 6): (6,) * 500}, StreamTape(KEY)),
}


@pytest.mark.parametrize("make", MANY.values(), ids=MANY.keys())
def test_an_endless_run_of_bonus_dice_ends_at_the_most_dice_of_an_action(make: Callable[[], Tape]) -> None:
    tape = make()
    for _ in range(MOST_DICE // 10):
        assert len(tape.throw(Roll("to_hit", 10, 6)).faces) == 10
    with pytest.raises(TooManyDice) as refused:
        tape.throw(Roll("to_hit", 1, 6))
    assert refused.value.wanted == MOST_DICE + 1


@pytest.mark.parametrize("make", MANY.values(), ids=MANY.keys())
@pytest.mark.parametrize("roll", [Roll("to_hit", 0, 6), Roll("to_hit", -1, 6), Roll("to_hit", 1, 7)])
def test_dice_that_do_not_exist_are_never_thrown(make: Callable[[], Tape], roll: Roll) -> None:
    with pytest.raises(ValueError, match="no such dice"):
        make().throw(roll)


SHORT: Final[dict[str, Callable[[], Tape]]] = {
    "stream": lambda: StreamTape(KEY),
    "table": lambda: TableTape([1, 2, 3]),
    "recorded": lambda: RecordedTape({("to_hit", 6): (1, 2, 3)}, DryTape()),
    "replay": lambda: ReplayTape([Throw("to_hit", 6, (1, 2, 3))]),
}


@pytest.mark.parametrize("make", SHORT.values(), ids=SHORT.keys())
def test_a_tape_that_raises_stands_where_it_stood(make: Callable[[], Tape]) -> None:
    tape = make()
    with pytest.raises((DiceWanted, TapeMismatch, TooManyDice)):
        tape.throw(Roll("to_hit", MOST_DICE + 1 if isinstance(tape, StreamTape) else 4, 6))
    assert tape.throw(TO_HIT) == make().throw(TO_HIT)
