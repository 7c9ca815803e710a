"""The guard. Law: no body passes that is too large, is not JSON by its type, or has raw bytes that say two things.

`GuardedRoute` puts it before FastAPI's own reading, so that models still appear in the OpenAPI text; it also refuses
query parameters that nobody knows.
"""

import re
from collections.abc import Callable, Coroutine
from typing import Any, Final

from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Query
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from api.faults import MOST
from api.problems import Problem, invalid
from api.raw import parsed

_JSON_TYPE: Final = re.compile(r'application/json(?:\s*;\s*charset\s*=\s*"?utf-?8"?)?\s*;?\s*', re.IGNORECASE)
_AWAY: Final = 64 * 2**10
"""From this size on, parsing would hold up the event loop."""


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

    looked_at = staticmethod(guarded)
    """How a body is looked at."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        # The operation's id in the OpenAPI text: the name of its function.
        super().__init__(path, endpoint, **{**more, "generate_unique_id_function": lambda route: route.name})

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's own handler, behind the guard."""
        handle = super().get_route_handler()
        known = frozenset(p.alias for p in get_flat_params(self.dependant) if isinstance(p.field_info, Query))
        writes = bool((self.methods or set()) & {"POST", "PUT", "PATCH", "DELETE"})

        async def behind_guard(request: Request) -> Response:
            _check_query(request, known)
            if writes:
                request = await self.looked_at(request, request.app.state.house.settings.body_limit)
            return await handle(request)

        return behind_guard
