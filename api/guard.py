"""The guard. Law: a body is looked at as raw bytes before any model sees it, and a number means what its digits say.

Size, coding, depth, duplicate keys, lone surrogates, NaN, -0 and absurd numbers are refused here; inches leave as exact
Decimals. `GuardedRoute` puts the guard before FastAPI's own reading, so that models still appear in the OpenAPI text.
"""

import json
import re
from collections.abc import Callable, Coroutine
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Query
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from api.faults import MOST, pointer
from api.problems import Problem, invalid

DEPTH: Final = 32
"""How deep arrays and objects may lie in each other; the deepest request of this service needs six."""

DIGITS: Final = 28
"""Characters in a number: as many as Decimal multiplies without rounding."""

VALUES: Final = 40_000
"""A body with more values than this is no request of this service; its faults would only be many."""

_JSON_TYPE: Final = re.compile(r'application/json(?:\s*;\s*charset\s*=\s*"?utf-?8"?)?\s*;?\s*', re.IGNORECASE)
_STRUCTURE: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_AWAY: Final = 64 * 2**10
"""From this size on, parsing would hold up the event loop."""


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
        number = Decimal(digits)
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


class GuardedRequest(Request):
    """A request whose body was read and looked at; `raw` is what it sent."""

    raw: bytes = b""
    value: Any = None

    async def body(self) -> bytes:
        """The bytes as they came."""
        return self.raw

    async def json(self) -> Any:
        """What the guard made of them."""
        return self.value


async def read(request: Request, limit: int) -> bytes:
    """The body, never more of it than `limit`. Raises `Problem`."""
    too_large = Problem("too-large", f"the body may have at most {limit:,} bytes", headers={"Connection": "close"})
    declared = request.headers.get("content-length", "0")
    if declared.isdecimal() and int(declared[:20]) > limit:
        raise too_large
    raw = bytearray()
    async for chunk in request.stream():
        raw += chunk
        if len(raw) > limit:
            raise too_large
    return bytes(raw)


async def guarded(request: Request, limit: int) -> GuardedRequest:
    """The request with its body looked at. Raises `Problem`."""
    passed = GuardedRequest(request.scope, request.receive)
    passed.raw = await read(request, limit)
    if passed.raw:
        if request.headers.get("content-encoding", "identity").lower() != "identity":
            raise Problem("unsupported-media-type", "send the body as it is, not compressed")
        kinds = request.headers.getlist("content-type")
        if len(kinds) != 1 or not _JSON_TYPE.fullmatch(kinds[0]):
            raise Problem("unsupported-media-type", "send the body as application/json, in UTF-8")
        large = len(passed.raw) > _AWAY
        passed.value = await run_in_threadpool(parsed, passed.raw) if large else parsed(passed.raw)
    return passed


def _check_query(request: Request, known: frozenset[str]) -> None:
    """Refuse a parameter that is not known: `?dryrun=1` must not write."""
    given = [name for name, _ in request.query_params.multi_items()]
    listed = ", ".join(sorted(known)) or "none"
    faults = [
        {"parameter": name[:100], "message": f"there is no such parameter here; known: {listed}"}
        for name in dict.fromkeys(given)
        if name not in known
    ]
    faults += [
        {"parameter": name, "message": "is given twice"} for name in dict.fromkeys(given) if given.count(name) > 1
    ]
    if faults:
        raise invalid(faults[:MOST])


class GuardedRoute(APIRoute):
    """A route whose request passes the guard first."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's own handler, behind the guard."""
        handle = super().get_route_handler()
        known = frozenset(p.alias for p in get_flat_params(self.dependant) if isinstance(p.field_info, Query))
        writes = bool((self.methods or set()) & {"POST", "PUT", "PATCH", "DELETE"})

        async def behind_guard(request: Request) -> Response:
            _check_query(request, known)
            if writes:
                request = await guarded(request, request.app.state.house.settings.body_limit)
            return await handle(request)

        return behind_guard
