"""Raw bytes. Law: a body is looked at before any model sees it, and a number means exactly what its digits say.

Coding, depth, duplicate keys, lone surrogates, NaN, -0 and absurd numbers are refused here, each with its place; inches
leave as exact Decimals.
"""

import json
import re
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from api.faults import MOST, pointer
from api.problems import Problem, invalid

DEPTH: Final = 32
"""How deep arrays and objects may lie in each other; the deepest request of this service needs six."""

DIGITS: Final = 28
"""Characters in a number: as many as Decimal multiplies without rounding."""

VALUES: Final = 40_000
"""A body with more values than this is no request of this service; its faults would only be many."""

_STRUCTURE: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)


class Number(Decimal):
    """An exact number."""

    # pydantic reads a model off the attributes of any object that is not a builtin, as FastAPI asks it to, and a model
    # without a required field would find nothing amiss.
    __module__ = "builtins"


class Bad:
    """Stands in the parsed body where something was wrong."""

    def __init__(self, message: str) -> None:
        self.message = message


def parsed(raw: bytes) -> Any:
    """The body that these bytes hold. Raises `Problem`."""
    text = _text(raw)
    _check_shape(raw)
    try:
        body = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        said = error.msg[:1].lower() + error.msg[1:].removesuffix(" at").removesuffix(" starting")
        raise _no(f"this is not JSON: {said}, line {error.lineno}, column {error.colno}") from None
    found: list[dict[str, Any]] = []
    _look(body, [], found)
    if found:
        raise invalid(found)
    return body


def _no(message: str) -> Problem:
    return invalid([{"pointer": "", "message": message}])


def _text(raw: bytes) -> str:
    if raw.startswith(b"\xef\xbb\xbf"):
        raise _no("the body begins with a byte order mark; leave it out")
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise _no(f"the body is not UTF-8: byte {error.start} makes no sense") from None


def _check_shape(raw: bytes) -> None:
    opened = raw.count(b"[") + raw.count(b"{")
    if max(opened, raw.count(b",")) > VALUES:
        raise _no(f"the body holds more than {VALUES:,} values")
    if opened <= DEPTH:
        return
    depth = 0
    for found in _STRUCTURE.finditer(raw):
        mark = found.group()
        if mark in b"[{":
            depth += 1
            if depth > DEPTH:
                raise _no(f"arrays and objects lie more than {DEPTH} deep in each other")
        elif mark in b"]}":
            depth -= 1


def _whole(digits: str) -> int | Bad:
    if len(digits) > DIGITS:
        return Bad(f"a number has at most {DIGITS} characters")
    return Bad("write 0, not -0") if digits == "-0" else int(digits)


def _exact(digits: str) -> Decimal | Bad:
    if len(digits) > DIGITS:
        return Bad(f"a number has at most {DIGITS} characters")
    try:
        number = Number(digits)
    except InvalidOperation:
        return Bad("no number here is so large or so small")
    if number.is_zero():
        return Bad("write 0, not -0") if number.is_signed() else number
    # An exponent could be anything; nothing here is larger or smaller than a double.
    return number if abs(number.adjusted()) <= 308 else Bad("no number here is so large or so small")


def _constant(word: str) -> Bad:
    return Bad(f"{word} is no number in JSON")


def _object(pairs: list[tuple[str, Any]]) -> Any:
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        return Bad(f"the key {twice[:40]!r} stands twice in this object")
    return made


_DECODER: Final = json.JSONDecoder(
    parse_int=_whole, parse_float=_exact, parse_constant=_constant, object_pairs_hook=_object
)


def _look(value: Any, steps: list[str | int], found: list[dict[str, Any]]) -> None:
    """Note what is wrong, with its pointer; the depth is bounded already."""
    if len(found) >= MOST:
        return
    match value:
        case Bad(message=message):
            found.append({"pointer": pointer(steps), "message": message})
        case str() if not _is_text(value):
            found.append({"pointer": pointer(steps), "message": "text may not hold lone surrogates"})
        case dict():
            for name, inner in value.items():
                if not _is_text(name):
                    found.append({"pointer": pointer(steps), "message": "a key may not hold lone surrogates"})
                else:
                    _look(inner, [*steps, name], found)
        case list():
            for n, inner in enumerate(value):
                _look(inner, [*steps, n], found)
        case _:
            pass


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
