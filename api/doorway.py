"""The doorway. Law: what comes in gets an id, a clock and its turn; what goes out has its headers and one log line.

Nothing gets past it but an answer: what nobody caught is logged here, and whoever asked hears no more than "our fault".
"""

import re
from collections.abc import Callable
from time import perf_counter
from typing import Any, Final

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.house import House
from api.problems import Problem

_POLICY: Final = "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
_DOCS_POLICY: Final = f"{_POLICY}; img-src 'self' data:; style-src 'self' 'unsafe-inline'"
"""Swagger UI sets styles on its elements."""

_ALWAYS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
_SANE: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_FREE: Final = {"/healthz", "/readyz", "/metrics"}
"""Whoever watches the service is never told to slow down."""


class Visitor:
    """One request on its way in, and what is known of it on its way out."""

    def __init__(self, scope: Scope, send: Send, identity: str) -> None:
        self.scope = scope
        self.identity = identity
        self.started = perf_counter()
        self.status = 0
        self.live = False
        self.head_only = scope["method"] == "HEAD"
        self._send = send

    async def reply(self, message: Message) -> None:
        """Send a piece of the answer, with the headers that all have, and no body that nobody asked for."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers.update(_ALWAYS)
            headers["X-Request-ID"] = self.identity
            in_docs = self.scope["path"].startswith("/docs")
            headers.setdefault("Content-Security-Policy", _DOCS_POLICY if in_docs else _POLICY)
            self.live = headers.get("content-type", "").startswith("text/event-stream")
        elif message["type"] == "http.response.body" and self.head_only:
            message = {**message, "body": b""}
        await self._send(message)

    @property
    def route(self) -> str:
        """The route's own path, so that ids make no labels."""
        route = getattr(self.scope.get("route"), "path", None)
        return route if route is not None else "static" if self.status < 400 else "none"


class Doorway:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, house: House, new_id: Callable[[], str]) -> None:
        self._app = app
        self._house = house
        self._new_id = new_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        given = headers.get(b"x-request-id", b"")
        visitor = Visitor(scope, send, given.decode() if _SANE.fullmatch(given) else self._new_id())
        notes: dict[str, Any] = {"head_only": visitor.head_only, "send": send}
        scope["battlelog"] = notes
        if visitor.head_only:
            scope["method"] = "GET"
        try:
            await self._pass(visitor, headers.get(b"authorization"), receive)
        except ClientDisconnect:
            visitor.status = visitor.status or 499
        except Exception as error:  # noqa: BLE001 - the last net: logged, and answered without a word of it
            self._log_failure(visitor, error, headers.get(b"authorization"))
            if not visitor.status:
                await Problem("internal", "something went wrong here").response()(scope, receive, visitor.reply)
        finally:
            self._note(visitor, notes)

    async def _pass(self, visitor: Visitor, authorization: bytes | None, receive: Receive) -> None:
        scope = visitor.scope
        if scope["path"] not in _FREE:
            address = scope["client"][0] if scope.get("client") else ""
            secret = authorization.decode("latin-1") if authorization else None
            problem = self._house.limiter.check(address, secret)
            if problem is not None:
                scope["battlelog"]["problem"] = problem.kind
                await problem.response()(scope, receive, visitor.reply)
                return
        await self._app(scope, receive, visitor.reply)

    def _note(self, visitor: Visitor, notes: dict[str, Any]) -> None:
        scope, seconds = visitor.scope, perf_counter() - visitor.started
        method = "HEAD" if visitor.head_only else scope["method"]
        self._house.metrics.answered(method, visitor.route, visitor.status, None if visitor.live else seconds)
        self._house.log.info(
            "request",
            id=visitor.identity,
            method=method[:20],
            path=scope["path"][:200],
            route=visitor.route,
            status=visitor.status,
            problem=notes.get("problem"),
            seat=notes.get("seat"),
            ms=round(seconds * 1000, 2),
        )

    def _log_failure(self, visitor: Visitor, error: Exception, authorization: bytes | None) -> None:
        # Only where it happened: the text of an exception may repeat what the request said.
        places = []
        trace = error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            places.append(f"{code.co_filename}:{trace.tb_lineno} {code.co_qualname}")
            trace = trace.tb_next
        said = str(error)[:500]
        secret = authorization.decode("latin-1").rpartition(" ")[2] if authorization else ""
        if secret:
            said = said.replace(secret, "[secret]")
        self._house.log.error(
            "failure", id=visitor.identity, kind=type(error).__qualname__, said=said, places=places[-15:]
        )
