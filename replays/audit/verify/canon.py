"""Canonical JSON, read strictly with the standard library. Law: one value has one spelling, and only that one is read.

RFC 8785 in the narrow profile of docs/format.md, section 2. The bytes that were read are compared with the bytes that
would be written, which leaves no second spelling: no other order or escape, no space, no key twice, no -0.
"""

import json
import re
from typing import Any, Final, NoReturn

MOST_BYTES: Final = 65_000
"""No entry is longer."""

MOST_NUMBER: Final = 2**53 - 1
"""Integers are not larger than this, nor smaller than its negative."""

_KEY: Final = re.compile(r"[A-Za-z0-9_-]{1,40}").fullmatch
_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode
_seen: set[str] = set()


def canonical(value: object) -> bytes:
    """The canonical bytes of plain values that keep to the profile; `ValueError` for a lone surrogate."""
    return _ENCODE(value).encode()


def read_object(data: bytes) -> dict[str, Any]:
    """The object that these bytes spell; `ValueError` says how they are not canonical."""
    if len(data) > MOST_BYTES:
        raise ValueError(f"it has {len(data)} bytes, more than {MOST_BYTES}")
    try:
        value = _DECODE(data.decode())
        again = canonical(value)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("it is no object")  # noqa: TRY004 - it is what was read that is wrong
    if again != data:
        raise ValueError("it is not in canonical form")
    return value


def read_loosely(data: bytes) -> dict[str, Any]:
    """The object that any JSON reader might see, to say more of bytes that are not canonical; empty if none."""
    try:
        value = json.loads(data[:MOST_BYTES])
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _keys(value: dict[str, Any]) -> dict[str, Any]:
    if not value.keys() <= _seen:
        for key in value:
            if not _KEY(key):
                raise ValueError(f"no key is spelled {key[:60]!r}")
            if len(_seen) < 10_000:
                _seen.add(key)
    return value


def _integer(digits: str) -> int:
    number = int(digits) if len(digits) < 18 else MOST_NUMBER + 1
    if not -MOST_NUMBER <= number <= MOST_NUMBER:
        raise ValueError(f"the number {digits[:30]} is beyond 2^53 - 1")
    return number


def _no_float(digits: str) -> NoReturn:
    raise ValueError(f"the number {digits[:30]} is no integer")


_DECODE: Final = json.JSONDecoder(
    object_hook=_keys, parse_int=_integer, parse_float=_no_float, parse_constant=_no_float
).decode
