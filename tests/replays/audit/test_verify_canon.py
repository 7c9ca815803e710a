"""Canonical JSON of the proof half: the same bytes as RFC 8785's other readers, and no second spelling."""

import json

import msgspec
import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from replays.audit.verify.canon import canonical, read_loosely, read_object, read_objects
from replays.codec import canonical as codec_canonical
from tests.recorded_battles import RECORDED

KEYS = st.from_regex("[A-Za-z0-9_-]{1,12}", fullmatch=True)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=6)
# What a reader by whole pieces could mistake for a quote, an end or a number.
ODD = st.text('ab-_09"\\\\:,{}[] \u00e9', max_size=4) | st.sampled_from(
    ["k" * 40, "k" * 41, ":1234567890123456", "side:red"]
)
ODD_NUMBERS = st.sampled_from([0, -1, 10**15 - 1, -(10**15), 2**53 - 1, 1 - 2**53, 2**53, -(2**53), 10**30])
ODD_VALUES = st.recursive(
    st.none() | ODD_NUMBERS | ODD,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ODD, inner, max_size=3),
    max_leaves=8,
)
ODD_OBJECTS = st.dictionaries(ODD, ODD_VALUES, max_size=4)


@given(OBJECTS)
def test_three_writers_agree_and_it_is_read_again(value: dict[str, object]) -> None:
    data = canonical(value)
    assert data == rfc8785.dumps(value)  # type: ignore[arg-type]
    assert data == codec_canonical(value)
    assert read_object(data) == value
    assert b"\n" not in data


@given(OBJECTS, st.data())
def test_a_byte_more_or_less_is_no_second_spelling(value: dict[str, object], data: st.DataObject) -> None:
    spelled = canonical(value)
    at = data.draw(st.integers(0, len(spelled)))
    for other in (spelled[:at] + b" " + spelled[at:], spelled[:at] + spelled[at + 1 :]):
        try:
            again = read_object(other)
        except ValueError:
            continue
        assert canonical(again) == other  # it says something else, in its own one spelling


OTHERS = [
    b"",
    b"[]",
    b"1",
    b"{",
    b'{"a":1,"a":1}',
    b'{"a":1.0}',
    b'{"a":1e2}',
    b'{"a":-0}',
    b'{"a":9007199254740992}',
    b'{"a":-9007199254740992}',
    b'{"a":[9007199254740992]}',
    b'{"a":[1,9007199254740992]}',
    b'{"a":NaN}',
    b'{"a":Infinity}',
    b'{"a b":1}',
    b'{"":1}',
    b'{",":1}',
    b'{"a,b":1}',
    b'{"a":0,"b c":1}',
    b'{"a":0,"b,c":1}',
    b'{"a":[{"b":0,"c d":1}]}',
    b'{"a:b":1}',
    b'{"a":0,"{b":1}',
    b'{"a\\"b":1}',
    b'{"a\\\\":1}',
    b'{"\xc3\xa9":1}',
    b'{"' + b"k" * 41 + b'":1}',
    b'{"a":"\\u0041"}',
    b'{"a":"\\/"}',
    b"\xff",
    b'{"a":"\\ud800"}',
    b'{"b":1,"a":1}',
    b'{"a":' + b"[" * 30_000 + b"]" * 30_000 + b"}",
    b'{"a":"' + b"x" * 65_000 + b'"}',
]


@pytest.mark.parametrize("data", OTHERS, ids=lambda data: repr(data[:20]))
def test_other_spellings_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_object(data)


@pytest.mark.parametrize("data", OTHERS, ids=lambda data: repr(data[:20]))
def test_other_spellings_are_not_read_among_others(data: bytes) -> None:
    good = b'{"a":1}'
    assert read_objects([good, good]) == [{"a": 1}, {"a": 1}]
    assert read_objects([good, data, good]) is None


@given(st.lists(OBJECTS, min_size=1, max_size=5))
def test_objects_are_read_together_as_one_by_one(values: list[dict[str, object]]) -> None:
    assert read_objects([canonical(value) for value in values]) in (values, None)


@settings(max_examples=500)
@given(st.lists(ODD_OBJECTS, min_size=1, max_size=3), st.data())
def test_what_is_read_together_would_be_read_one_by_one(values: list[dict[str, object]], data: st.DataObject) -> None:
    lines = [canonical(value) for value in values]
    at = data.draw(st.integers(0, len(lines) - 1))
    cut = data.draw(st.integers(0, len(lines[at])))
    how = data.draw(st.sampled_from(["as it is", "a space", "a byte less", "in two"]))
    if how == "a space":
        lines[at] = lines[at][:cut] + b" " + lines[at][cut:]
    elif how == "a byte less":
        lines[at] = lines[at][:cut] + lines[at][cut + 1 :]
    elif how == "in two":
        lines[at : at + 1] = [lines[at][:cut], lines[at][cut:]]
    read = read_objects(lines)
    if read is not None:
        assert read == [read_object(line) for line in lines]


def test_usual_entries_are_read_together() -> None:
    for path in RECORDED.glob("*.jsonl"):
        entries = path.read_bytes().splitlines()
        parts = [entries[at : at + 16] for at in range(0, len(entries), 16)]
        read = [read_objects(part) for part in parts]
        assert all(
            some is None or some == [json.loads(entry) for entry in part]
            for some, part in zip(read, parts, strict=True)
        )
        assert 2 * sum(some is not None for some in read) > len(parts)  # else reading them together is no gain


@pytest.mark.parametrize(
    "lines",
    [
        [b'{"a":1},{"b":1}', b'{"c":[{}', b"{}]}"],
        [b'{"a":1}\n{"b":1}', b'{"c":1}'],
        [b'{"a":1}', b'{"a":1} '],
        [b'{"a":[1', b"2]}"],
        [b'{"a":"', b'"}'],
        [],
    ],
)
def test_lines_that_are_objects_only_together_are_none(lines: list[bytes]) -> None:
    assert read_objects(lines) is None


def test_a_loose_reader_shows_what_it_can() -> None:
    assert read_loosely(b'{"a": 1.0}') == {"a": 1.0}
    assert read_loosely(b"[1]") == read_loosely(b"\xff") == read_loosely(b"{") == {}
    assert msgspec.json.decode(canonical({"a": "\u2028"})) == {"a": "\u2028"}
