"""Raw bytes: what JSON allows and this service does not, each at its place."""

import contextlib
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.faults import pointer
from api.problems import Problem
from api.raw import DEPTH, DIGITS, VALUES, Number, parsed

BAD: dict[str, tuple[bytes, str]] = {
    "byte order mark": (b"\xef\xbb\xbf{}", ""),
    "not utf-8": (b'{"a": "\xff"}', ""),
    "utf-16": ('{"a": 1}'.encode("utf-16"), ""),
    "duplicate key": (b'{"a": 1, "a": 1}', ""),
    "duplicate key inside": (b'{"a": [{"b": 1}, {"c": 1, "c": 2}]}', "/a/1"),
    "duplicate key in another spelling": (b'{"a": {"b": 1, "\\u0062": 1}}', "/a"),
    "lone surrogate": (b'{"a/b": ["\\ud800"]}', "/a~1b/0"),
    "lone low surrogate": (b'{"a": "x\\udc00y"}', "/a"),
    "lone surrogate in a key": (b'{"a": {"\\ud800": 1}}', "/a"),
    "nan": (b'{"a": NaN}', "/a"),
    "infinity": (b'{"a": Infinity}', "/a"),
    "minus infinity": (b'{"a": -Infinity}', "/a"),
    "negative zero": (b'{"a": -0}', "/a"),
    "negative zero as a fraction": (b'{"a": -0.0}', "/a"),
    "negative zero with an exponent": (b'{"a": -0e7}', "/a"),
    "ten thousand digits": (b'{"a": ' + b"7" * 10_000 + b"}", "/a"),
    "ten thousand decimals": (b'{"a": 0.' + b"7" * 10_000 + b"}", "/a"),
    "an absurd exponent": (b'{"a": 1e999999999}', "/a"),
    "an absurd small exponent": (b'{"a": 1e-999999999}', "/a"),
    "an exponent that no library takes": (b'{"a": 1e99999999999999999999}', "/a"),
    "control character": (b'{"a": "\x01"}', ""),
    "nothing but space": (b" \n", ""),
    "half an object": (b'{"a": 1', ""),
    "two values": (b"{} {}", ""),
    "single quotes": (b"{'a': 1}", ""),
    "a comment": (b"{} // so", ""),
    "a trailing comma": (b'{"a": 1,}', ""),
    "leading zero": (b'{"a": 01}', ""),
    "plus sign": (b'{"a": +1}', ""),
    "no digit after the point": (b'{"a": 1.}', ""),
    "too deep": (b"[" * (DEPTH + 1) + b"]" * (DEPTH + 1), ""),
    "far too deep": (b'{"a":' * 100_000, ""),
    "too many values": (b"[" + b"1," * (VALUES + 1) + b"1]", ""),
    "too many objects": (b"[" + b"{}" * (VALUES + 1) + b"]", ""),
}


@pytest.mark.parametrize(("raw", "place"), BAD.values(), ids=BAD.keys())
def test_refused(raw: bytes, place: str) -> None:
    with pytest.raises(Problem) as caught:
        parsed(raw)
    assert caught.value.kind == "invalid"
    (error,) = caught.value.members["errors"]
    assert error["pointer"] == place
    assert error["message"]


def test_everything_wrong_is_told_at_once() -> None:
    with pytest.raises(Problem) as caught:
        parsed(b'{"a": [NaN, -0], "b": {"c": 1, "c": 1}, "d": "\\ud800"}')
    assert [e["pointer"] for e in caught.value.members["errors"]] == ["/a/0", "/a/1", "/b", "/d"]


def test_but_not_more_than_helps() -> None:
    with pytest.raises(Problem) as caught:
        parsed(b"[" + b"-0," * 500 + b"-0]")
    assert len(caught.value.members["errors"]) == 20


def test_numbers_are_what_their_digits_say() -> None:
    body = parsed(b'[1, 10.250, 1e2, 1E-3, 0, 0.0, 123456789012345678901234567, "\\ud83d\\ude00"]')
    assert body[:4] == [1, Decimal("10.250"), Decimal(100), Decimal("0.001")]
    assert [type(value) for value in body[:4]] == [int, Number, Number, Number]
    assert body[4:] == [0, Decimal("0.0"), 123456789012345678901234567, "\U0001f600"]


def test_brackets_in_text_are_no_structure() -> None:
    text = '"' + "[{" * 100 + '\\" ' + "[" * 100
    assert parsed(json.dumps({"a": text}).encode()) == {"a": text}
    assert parsed(b"[" * DEPTH + b"]" * DEPTH)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=30,
)


@given(_JSON, st.booleans())
def test_whatever_is_good_comes_through_as_it_is(value: Any, ascii_only: bool) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_only).encode()
    if b"-0" not in raw:
        assert parsed(raw) == value


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_whatever_comes_is_parsed_or_refused(raw: bytes) -> None:
    with contextlib.suppress(Problem):
        assert parsed(raw) == json.loads(raw, parse_float=Decimal)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-1000, max_value=1000))
def test_a_length_loses_nothing(length: Decimal) -> None:
    text = str(length)
    if len(text) <= DIGITS and not (length.is_zero() and length.is_signed()):
        assert parsed(text.encode()) == length


def test_pointers_are_escaped() -> None:
    assert pointer(["a/b", 0, "c~d"]) == "/a~1b/0/c~0d"
