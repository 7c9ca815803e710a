"""Catch: from exceptions to problems. Law: whatever a request runs into becomes one of the closed list, here."""

from typing import Any, Final, get_args

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from api.faults import faults
from api.problems import Problem, busy, from_dice, from_refusal, invalid, not_found
from domain.commands import Command
from domain.dice import DiceWanted
from domain.procedure import ChangeAsked
from domain.refusals import Refused
from replays.notary import BadCosignature, Malformed
from replays.referee import Busy, KeyMisused
from replays.signedlog import CannotSign, LogForked, NoProof, OtherSize
from replays.store import Conflict, Damaged, OutcomeUnknown, StoreUnavailable


def _values(union: Any, tag: str) -> list[str]:
    models = get_args(get_args(union)[0])
    return [word for model in models for word in get_args(model.model_fields[tag].annotation)]


WORDS: Final = {"do": _values(Command, "do"), "system": ["nme", "mfd"], "field": _values(ChangeAsked, "field")}
"""The values of each discriminator."""


def problem_of(error: Exception) -> Problem | None:
    """What an exception is called among the problems; None where it is a fault of ours."""
    match error:
        case Problem():
            return error
        case Refused(refusal=refusal):
            return from_refusal(refusal)
        case DiceWanted():
            return from_dice(error)
        case RequestValidationError(body=body):
            return invalid(faults(error.errors(), body, WORDS))
        case KeyMisused():
            return Problem("key-reused", "this Idempotency-Key came before with another body or path")
        case Busy():
            return busy("the head of this battle moved again and again; nothing was written")
        case Conflict():
            return busy("somebody else was faster; nothing was written")
        case OutcomeUnknown():
            return busy("whether it was written is not known: send it again with the same Idempotency-Key", 5)
        case StoreUnavailable():
            return busy("the store cannot be used at the moment; nothing was written", 5)
        case _:
            return _of_the_log(error)


def _of_the_log(error: Exception) -> Problem | None:
    match error:
        case Damaged():
            return Problem("log-damaged", f"{error}; nothing was written")
        case LogForked(signed=signed, asked=asked):
            return Problem("log-forked", f"nothing is signed: {error}", signed=signed, asked=asked)
        case OtherSize(size=size):
            return Problem("other-size", str(error), size=size)
        case NoProof():
            return Problem("no-proof", str(error))
        case BadCosignature():
            return Problem("bad-cosignature", str(error))
        case Malformed():
            return Problem("malformed", str(error))
        case CannotSign():
            return busy("nothing can be signed at the moment", 5)
        case _:
            return None


_OF_THE_LOG: Final = (Damaged, LogForked, OtherSize, NoProof, BadCosignature, Malformed, CannotSign)
_CAUGHT: Final = (
    Problem,
    Refused,
    DiceWanted,
    RequestValidationError,
    KeyMisused,
    Busy,
    Conflict,
    StoreUnavailable,
    *_OF_THE_LOG,
)


def install(app: FastAPI) -> None:
    """Have the application answer in problems."""
    for kind in _CAUGHT:
        app.add_exception_handler(kind, _answer)
    app.add_exception_handler(HTTPException, _http)


async def _answer(request: Request, error: Exception) -> Response:
    if isinstance(error, StoreUnavailable | Damaged):
        request.app.state.house.log.error("store", said=str(error))
    elif isinstance(error, LogForked | CannotSign):
        request.app.state.house.log.error("signing", path=request.scope["path"], said=str(error))
    problem = problem_of(error)
    assert problem is not None
    request.scope["battlelog"]["problem"] = problem.kind
    return problem.response()


async def _http(request: Request, error: Exception) -> Response:
    """What the router itself says: no such path, or no such method on it."""
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        allowed = ", ".join(_methods(request))
        if request.method == "OPTIONS":
            return Response(status_code=204, headers={"Allow": allowed})
        return await _answer(request, Problem("method-not-allowed", f"use {allowed}", headers={"Allow": allowed}))
    if error.status_code == 404:
        return await _answer(request, not_found("there is nothing at this address"))
    return await _answer(request, Problem("invalid", "the request makes no sense", errors=[]))


def _methods(request: Request) -> list[str]:
    path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    found: set[str] = set()
    for route in iter_route_contexts(request.app.routes):
        regex, methods = getattr(route, "path_regex", None), getattr(route, "methods", None)
        if regex is not None and methods and regex.match(path):
            found |= set(methods)
    found = found or {"GET"}  # a file
    return sorted(found | {"OPTIONS"} | ({"HEAD"} if "GET" in found else set()))
