"""Canonical JSON, read strictly with the standard library. Law: one value has one spelling, and only that one is read.

RFC 8785 in the narrow profile of docs/format.md, section 2. The bytes that were read are compared with the bytes that
would be written, which leaves no second spelling: no other order or escape, no space, no key twice, no -0.
`read_objects` does the same for many objects at once, and says of which it is not sure; `read_object` then decides.
"""

import json
import re
from collections.abc import Sequence
from typing import Any, Final, NoReturn

MOST_BYTES: Final = 65_000
"""No entry is longer."""

MOST_NUMBER: Final = 2**53 - 1
"""Integers are not larger than this, nor smaller than its negative."""

_KEY: Final = re.compile(r"[A-Za-z0-9_-]{1,40}").fullmatch
_WRITER: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
# What was just read holds no ring, so that nobody has to look for one.
_AGAIN: Final = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False
)


def canonical(value: object) -> bytes:
    """The canonical bytes of plain values that keep to the profile; `ValueError` for a lone surrogate."""
    return _WRITER.encode(value).encode()


def read_object(data: bytes) -> dict[str, Any]:
    """The object that these bytes spell; `ValueError` says how they are not canonical."""
    if len(data) > MOST_BYTES:
        raise ValueError(f"it has {len(data)} bytes, more than {MOST_BYTES}")
    try:
        value = _DECODE(data.decode())
        again = canonical(value)
    except (json.JSONDecodeError, UnicodeError, RecursionError) as fault:
        raise ValueError(_plainly(fault)) from None
    if not isinstance(value, dict):
        raise ValueError("it is no object")  # noqa: TRY004 - it is what was read that is wrong
    if again != data:
        ends = data.endswith(b"\r")
        raise ValueError("its line ends were changed" if ends else "it is not in canonical form")
    return value


def read_objects(lines: Sequence[bytes]) -> list[dict[str, Any]] | None:
    """The objects that these lines spell, without line feeds; None if `read_object` might refuse one of them.

    Each line is read alone and to its end, and an object says itself where it ends: so what is written again is the
    same, line by line, if it is the same as a whole.
    """
    data = b"\n".join(lines)
    if max(map(len, lines), default=0) > MOST_BYTES or data.count(b"\n") != len(lines) - 1 or _doubtful(data):
        return None
    try:
        texts = data.decode().split("\n")
        values = []
        for text in texts:
            value, end = _READ(text)
            if end != len(text) or type(value) is not dict:
                return None
            values.append(value)
        return values if _AGAIN.encode(values) == f"[{','.join(texts)}]" else None
    except (ValueError, RecursionError):
        return None


def read_loosely(data: bytes) -> dict[str, Any]:
    """The object that any JSON reader might see, to say more of bytes that are not canonical; empty if none."""
    try:
        value = json.loads(data[:MOST_BYTES])
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _doubtful(data: bytes) -> bool:
    """Whether a key may be misspelled, or a number too large; a string that looks like one is doubtful, too.

    A key stands behind a brace or a comma, a number behind a bracket, a comma or a colon. Without the signs that a key
    may have, nothing stands between the quotes of a key.
    """
    signs = data.translate(_SIGNS)
    if b'"":' in data or _LONG_KEY in signs or b":" + _LONG_NUMBER in signs or b"," + _LONG_NUMBER in signs:
        return True
    bare = data.translate(_BARE, _IN_KEYS)
    return b',"?' in bare or b',",' in bare


def _plainly(fault: Exception) -> str:
    """What a reader of JSON tripped over, in words of our own."""
    match fault:
        case json.JSONDecodeError():
            return f"it is no JSON from its character {fault.pos + 1} on"
        case UnicodeDecodeError():
            return f"it is no UTF-8 from its byte {fault.start + 1} on"
        case UnicodeError():
            return "half a character stands in it, a lone surrogate"
        case _:
            return "it is nested too deeply"


def _keys(value: dict[str, Any]) -> dict[str, Any]:
    for key in value:
        if not _KEY(key):
            raise ValueError(f"no key is spelled {key[:60]!r}")
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
_READ: Final = json.JSONDecoder(parse_float=_no_float, parse_constant=_no_float).raw_decode

_IN_KEYS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_SIGNS: Final = bytes(ord("k") if sign in _IN_KEYS else ord(",") if sign in b"[" else sign for sign in range(256))
_LONG_KEY: Final = b"k" * 41 + b'":'
_LONG_NUMBER: Final = b"k" * 16
_BARE: Final = bytes(sign if sign in b'"' else ord(",") if sign in b"{," else ord("?") for sign in range(256))
