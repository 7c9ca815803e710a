"""Plain text in. Law: what was signed is taken byte for byte; whatever else comes is refused as the guard would."""

from starlette.requests import Request

from api.guard import GuardedRequest, GuardedRoute, read
from api.problems import Problem

KIND = "text/plain"


async def plain(request: Request, limit: int) -> GuardedRequest:
    """The request with its text in `raw`. Raises `Problem`."""
    passed = GuardedRequest(request.scope, request.receive)
    passed.raw = await read(request, limit)
    kinds = request.headers.getlist("content-type")
    is_plain = len(kinds) == 1 and kinds[0].partition(";")[0].strip().lower() == KIND
    if not is_plain or request.headers.get("content-encoding", "identity").lower() != "identity":
        raise Problem("unsupported-media-type", "send the lines as text/plain, not compressed")
    return passed


class PlainRoute(GuardedRoute):
    """A route whose body is text: no model reads it."""

    looked_at = staticmethod(plain)
