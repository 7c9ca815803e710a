"""Rendering: how a page goes out. Law: everything is escaped, nothing is run, and a "no" is a page with its own status.

A page needs one style sheet of ours and nothing else; its policy forbids the rest, scripts first of all.
"""

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from api.catch import problem_of
from api.problems import PROBLEMS, Problem
from domain.refusals import Refused
from replays.store import StoreUnavailable

POLICY: Final = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def _moment(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")


_TEMPLATES: Final = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,  # an upgrade in place must not reach the process that runs
)
_TEMPLATES.filters["moment"] = _moment


def page(
    request: Request, template: str, *, status: int = 200, headers: dict[str, str] | None = None, **values: Any
) -> Response:
    """A page made of a template."""
    html = _TEMPLATES.get_template(template).render(root=request.scope.get("root_path", ""), **values)
    common = {
        "Content-Security-Policy": POLICY,
        "Cache-Control": "private, no-cache",
        "Vary": "Authorization",
        "Referrer-Policy": "same-origin",
        "X-Content-Type-Options": "nosniff",
    }
    return HTMLResponse(html, status, common | (headers or {}))


def problem_page(request: Request, problem: Problem) -> Response:
    """A "no", for people."""
    meaning = PROBLEMS[problem.kind]
    return page(
        request, "problem.html", status=meaning.status, headers=problem.headers, meaning=meaning, problem=problem
    )


class PageRoute(APIRoute):
    """A route whose problems are pages."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """FastAPI's own handler, and what becomes of its refusals."""
        handle = super().get_route_handler()

        async def in_words(request: Request) -> Response:
            try:
                return await handle(request)
            except (Problem, Refused, RequestValidationError, StoreUnavailable) as error:
                problem = problem_of(error)
                assert problem is not None
                request.scope["battlelog"]["problem"] = problem.kind
                return problem_page(request, problem)

        return in_words
