"""Canonical JSON of the proof half: the same bytes as RFC 8785's other readers, and no second spelling."""

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from replays.audit.verify.canon import canonical, read_loosely, read_object
from replays.codec import canonical as codec_canonical

KEYS = st.from_regex("[A-Za-z0-9_-]{1,12}", fullmatch=True)
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=6)


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


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"1",
        b"{",
        b'{"a":1,"a":1}',
        b'{"a":1.0}',
        b'{"a":1e2}',
        b'{"a":-0}',
        b'{"a":9007199254740992}',
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a b":1}',
        b'{"":1}',
        b'{"a":"\\u0041"}',
        b'{"a":"\\/"}',
        b"\xff",
        b'{"a":"\\ud800"}',
        b'{"b":1,"a":1}',
        b'{"a":' + b"[" * 30_000 + b"]" * 30_000 + b"}",
        b'{"a":"' + b"x" * 65_000 + b'"}',
    ],
    ids=lambda data: repr(data[:20]),
)
def test_other_spellings_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_object(data)


def test_a_loose_reader_shows_what_it_can() -> None:
    assert read_loosely(b'{"a": 1.0}') == {"a": 1.0}
    assert read_loosely(b"[1]") == read_loosely(b"\xff") == read_loosely(b"{") == {}
    assert msgspec.json.decode(canonical({"a": "\u2028"})) == {"a": "\u2028"}
