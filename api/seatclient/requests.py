"""Requests as they are signed. Law: the client makes of a body what the service makes of it, by the same models."""

import re
from typing import Any, Final

from pydantic import BaseModel, TypeAdapter, ValidationError

from api.routes.procedure import Closing
from api.routes.undo import Answer, RedoAsked, UndoAsked
from domain.commands import COMMAND
from domain.procedure import DisputeAsked, Resolution, Ruling
from domain.rolls import Confirm, Forfeit, Join, Renew
from domain.words import logged

_ANSWER: Final[TypeAdapter[Any]] = TypeAdapter(Answer)
_KINDS: Final[dict[str, TypeAdapter[Any]]] = {
    r"actions": COMMAND,
    r"undo": TypeAdapter(UndoAsked),
    r"undo/[1-9][0-9]*": _ANSWER,
    r"redo": TypeAdapter(RedoAsked),
    r"rulings": TypeAdapter(Ruling),
    r"disputes": TypeAdapter(DisputeAsked),
    r"disputes/[1-9][0-9]*/resolve": TypeAdapter(Resolution),
    r"close": TypeAdapter(Closing),
    r"seats/[^/]+/join": TypeAdapter(Join),
    r"rolls/[1-9][0-9]*/confirm": TypeAdapter(Confirm),
    r"rolls/[1-9][0-9]*/forfeit": TypeAdapter(Forfeit),
    r"dice/renew": TypeAdapter(Renew),
}
"""What is signed, by its path after `/v1/battles/{id}/`."""


class BadRequest(Exception):  # noqa: N818 - told to whoever typed it
    """A body, or a kind of request, that makes no sense."""


def signed_part(kind: str, body: bytes) -> dict[str, Any]:
    """The normalised request that is signed for a body in JSON. Raises `BadRequest`."""
    shape = next((shape for pattern, shape in _KINDS.items() if re.fullmatch(pattern, kind)), None)
    if shape is None:
        raise BadRequest(f"{kind} is no request that a seat signs: actions, undo, undo/N, redo, rolls/N/confirm, ...")
    try:
        asked: BaseModel = shape.validate_json(body)
    except ValidationError as no:
        first = no.errors(include_url=False)[0]
        where = ".".join(str(step) for step in first["loc"])
        raise BadRequest(f"{where + ': ' if where else ''}{first['msg']}") from None
    request, dice = logged(asked, without={"dice"}), getattr(asked, "dice", None)
    return request if dice is None else {**request, "dice": list(dice)}
