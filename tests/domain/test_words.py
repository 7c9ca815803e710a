"""Whatever comes in is bounded before any rule looks at it; what comes out of the log passes unchanged."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ConfigDict, TypeAdapter, ValidationError

from domain.commands import COMMAND, command_from, request_of
from domain.measures import Vector, facing_of
from domain.words import FROM_LOG, Asked, BattleId, Facing, Id, Inches, Length, Place, Plain, Said, Seq, Text, logged

CONFIG = ConfigDict(strict=True, arbitrary_types_allowed=True)


def taken(kind: Any, value: object) -> Any:
    return TypeAdapter(kind, config=CONFIG).validate_python(value)


def refuses(kind: Any, value: object) -> bool:
    with pytest.raises(ValidationError) as caught:
        taken(kind, value)
    return bool(str(caught.value))


# --- lengths ---


@pytest.mark.parametrize(
    ("inches", "thou"),
    [
        (4, 4000),
        (7.5, 7500),
        (0.001, 1),
        (-0.001, -1),
        (1000, 1_000_000),
        (-1000, -1_000_000),
        (Decimal("7.250"), 7250),
        (Decimal("1E+2"), 100_000),
        (Decimal("0.0010000000000000000000000000000000"), 1),
        (-0.0, 0),
    ],
)
def test_inches_become_thou(inches: object, thou: int) -> None:
    assert taken(Inches, inches) == thou


@pytest.mark.parametrize(
    "value",
    [
        0.0001,
        7.0005,
        0.1 + 0.2,
        Decimal("4.0000000000000000000000000000000001"),
        Decimal("1e-1000000"),
        1000.001,
        -1001,
        10**30,
        Decimal("1000.0000000000000000000000000000001"),
        Decimal("1E+1000000"),
        Decimal("-1E+9999999"),
        float("nan"),
        float("inf"),
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("-Infinity"),
        True,
        False,
        "4",
        "",
        None,
        [4],
        {"x": 4},
    ],
    ids=repr,
)
def test_what_is_no_length_is_refused_in_words(value: object) -> None:
    assert refuses(Inches, value)


@given(st.integers(-1_000_000, 1_000_000))
def test_every_thou_is_a_length_however_it_is_written(thou: int) -> None:
    assert taken(Inches, Decimal(thou) / 1000) == thou
    assert taken(Inches, thou / 1000) == thou


@given(st.decimals(allow_nan=True, allow_infinity=True) | st.floats() | st.integers())
def test_a_number_is_a_length_exactly_if_it_is_a_whole_thou_on_the_table(value: Decimal | float) -> None:
    exact = Decimal(str(value))
    good = exact.is_finite() and -1000 <= exact <= 1000 and exact == exact.quantize(Decimal("0.001"))
    if good:
        assert taken(Inches, value) == exact * 1000
    else:
        assert refuses(Inches, value)


def test_some_lengths_have_no_direction() -> None:
    assert taken(Length, 0) == 0
    assert refuses(Length, -0.001)


# --- facings ---


@pytest.mark.parametrize("degrees", [0, 1, 45, 90, 359, 360])
def test_a_facing_is_whole_degrees(degrees: int) -> None:
    assert taken(Facing, degrees) == facing_of(degrees)


@pytest.mark.parametrize(
    "value", [-1, 361, 10**20, 45.0, 45.5, Decimal(45), True, "45", None, {"x": 1, "y": 0}], ids=repr
)
def test_what_is_no_facing_is_refused(value: object) -> None:
    assert refuses(Facing, value)


# --- names and texts ---


@pytest.mark.parametrize("name", ["a", "red-1", "0", "-", "a" * 40], ids=ascii)
def test_an_id_is_plain(name: str) -> None:
    assert taken(Id, name) == name


@pytest.mark.parametrize(
    "name", ["", "Red", "red_1", "red 1", "a" * 41, "r\u00e9d", "red\n", "\nred", "red\x00", 1, None]
)
def test_what_is_no_id_is_refused(name: object) -> None:
    assert refuses(Id, name)


@pytest.mark.parametrize("battle", ["", "0" * 31, "0" * 33, "A" * 32, "g" * 32, "0" * 32 + "\n"], ids=ascii)
def test_a_battle_is_32_hex_digits(battle: str) -> None:
    assert taken(BattleId, "0" * 32) == "0" * 32
    assert refuses(BattleId, battle)


@pytest.mark.parametrize("text", ["", "why not", "\u00e9\u4e16\U0001f3b2", "x" * 500, "<script>"], ids=ascii)
def test_text_is_free(text: str) -> None:
    assert taken(Text, text) == text


@pytest.mark.parametrize(
    "text",
    ["x" * 501, "a\x00b", "a\nb", "a\tb", "\x7f", "\x9f", "\u202e", "\u2066", "\ud800", 1, None, b"bytes"],
    ids=ascii,
)
def test_text_holds_no_control_characters_and_is_not_too_long(text: object) -> None:
    assert refuses(Text, text)


def test_a_reason_has_to_say_something() -> None:
    assert taken(Said, "x") == "x"
    assert refuses(Said, "")


# --- numbers ---


@pytest.mark.parametrize("value", [0, -1, 2**53, 1.0, "1", True])
def test_a_seq_is_a_number_from_one(value: object) -> None:
    assert taken(Seq, 2**53 - 1) == 2**53 - 1
    assert refuses(Seq, value)


@pytest.mark.parametrize("value", [-21, 21, 1.0, 0.5, "1", True])
def test_a_modifier_is_a_small_whole_number(value: object) -> None:
    assert [taken(Plain, n) for n in (-20, 20)] == [-20, 20]
    assert refuses(Plain, value)


def test_a_place_has_two_lengths_and_nothing_else() -> None:
    assert Place.model_validate({"x": 1, "y": 2.5}).y == 2500
    for body in ({"x": 1}, {"x": 1, "y": 2, "z": 3}, [1, 2], {"x": 1, "y": "2"}):
        with pytest.raises(ValidationError):
            Place.model_validate(body)


def test_what_is_asked_is_frozen() -> None:
    place = Place.model_validate({"x": 1, "y": 2})
    with pytest.raises(ValidationError):
        place.x = 3  # type: ignore[misc]


# --- out of the log and back ---

REQUESTS: list[dict[str, Any]] = [
    {"do": "move", "fig": "r1", "to": {"x": 1.5, "y": 2}, "inches": 4},
    {"do": "turn", "fig": "r1", "facing": 30},
    {"do": "turn", "fig": "r1", "toward": {"x": 3, "y": 4.125}},
    {"do": "turn", "fig": "r1", "toward": "b1"},
    {"do": "hide", "fig": "r1", "cover": "cover"},
    {"do": "aim", "fig": "r1", "target": "b1"},
    {
        "do": "shoot",
        "fig": "r1",
        "weapon": "gun",
        "point": {"x": 1, "y": 2},
        "sight": {"b1": "cover"},
        "distance": 9.75,
        "modifiers": [{"value": -2, "reason": "dark"}],
        "touched": [{"fig": "b1", "under": True}],
    },
    {"do": "fight", "bouts": [{"fig": "r1", "target": "b1"}]},
    {"do": "recover", "fig": "r1"},
    {"do": "injure", "fig": "r1", "result": "iced"},
    {"do": "last_ditch", "side": "red"},
    {"do": "end_phase", "waive": "nowhere to go"},
    {"do": "end_turn"},
    {"do": "concede", "side": "red"},
    {"do": "end_battle", "winner": "red", "reason": "time"},
]


def test_there_is_a_request_of_every_kind() -> None:
    wanted = {"move", "turn", "hide", "aim", "shoot", "fight", "recover", "injure", "last_ditch", "end_phase"}
    assert {request["do"] for request in REQUESTS} == wanted | {"end_turn", "concede", "end_battle"}


@pytest.mark.parametrize("body", REQUESTS, ids=str)
def test_a_request_comes_out_of_the_log_as_it_went_in(body: dict[str, Any]) -> None:
    command = COMMAND.validate_python(body | {"dice": [1, 2]})
    kept = request_of(command)
    assert "dice" not in kept
    again = command_from(kept)
    assert again == command.model_copy(update={"dice": None})
    assert request_of(again) == kept


def test_the_log_keeps_thou_integer_vectors_and_every_default() -> None:
    turn = COMMAND.validate_python({"do": "turn", "fig": "r1", "facing": 90})
    move = COMMAND.validate_python({"do": "move", "fig": "r1", "to": {"x": 1.5, "y": 2}})
    assert request_of(turn) == {"do": "turn", "fig": "r1", "facing": {"x": 0, "y": 1_000_000}, "toward": None}
    assert request_of(move)["to"] == {"x": 1500, "y": 2000}
    assert request_of(move)["pace"] is None


def test_a_length_in_the_log_is_whole() -> None:
    assert TypeAdapter(Inches).validate_python(1_000_000, context=FROM_LOG) == 1_000_000
    for value in (1.5, "1", True, Decimal(1), 1_000_001):
        with pytest.raises(ValidationError):
            TypeAdapter(Inches).validate_python(value, context=FROM_LOG)


def test_vectors_are_written_as_their_members() -> None:
    class Looking(Asked):
        at: Vector

    assert logged(Looking(at=Vector(3, 4)), without=set()) == {"at": {"x": 3, "y": 4}}


@pytest.mark.parametrize(
    "body",
    [
        {"do": "fly", "fig": "r1"},
        {"fig": "r1"},
        {"do": "end_turn", "hp": 3},
        {"do": "fight", "bouts": []},
        {"do": "move", "fig": "r1"},
        {"do": "shoot", "fig": "r1", "weapon": "gun", "into_melee": 1},
        {"do": "shoot", "fig": "r1", "weapon": "gun", "cover": "thick"},
        {"do": "shoot", "fig": "r1", "weapon": "gun", "modifiers": [{"value": 1, "reason": "x"}] * 11},
        {"do": "shoot", "fig": "r1", "weapon": "gun", "touched": [{"fig": f"f{n}", "under": True} for n in range(201)]},
        {"do": "end_turn", "dice": [0]},
        {"do": "end_turn", "dice": [101]},
        {"do": "end_turn", "dice": ["1"]},
        {"do": "end_turn", "dice": [True]},
        {"do": "end_turn", "dice": [1] * 1001},
        [],
        None,
    ],
    ids=str,
)
def test_a_request_out_of_bounds_is_refused(body: object) -> None:
    with pytest.raises(ValidationError):
        COMMAND.validate_python(body)
