"""Requests: what was signed, and what was written. Law: a signature covers what stands in the log, or nothing.

A signed request may stand beside what came of it (`RequestSigned.request`); then each of its members has to be found
there again. `kind` is the path of the request below the battle's own (docs/format.md, 8).
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from replays.audit.dicechain import SERVER
from replays.audit.verify.line import Line, faces_of, throws_of
from replays.audit.verify.trail import Trail

Request = dict[str, Any]
Match = Callable[[Trail, Sequence[Line], Request, str], bool]

ACTIONS: Final = ("ActionDeclared", "RollRequested", "DiceTyped")
"""What an action is headed by."""

_EXACT: Final = frozenset({"x", "y", "status", "hidden"})


def covers(trail: Trail, batch: Sequence[Line], kind: str, request: Request | None) -> bool:
    """Whether a request of that kind is what the batch carries out; None: the batch's head holds it."""
    for pattern, match in _KINDS:
        found = pattern.fullmatch(kind)
        if found is not None:
            word = found[1] if found.lastindex else ""
            if request is None:
                return kind == "actions" and _acted(trail, batch, dict(batch[0].body.get("request", {})), word)
            return match(trail, batch, request, word)
    return False


def _acted(trail: Trail, batch: Sequence[Line], request: Request, _word: str) -> bool:
    head = batch[0]
    asked = {name: value for name, value in request.items() if name != "dice"}
    if head.type not in ACTIONS or asked != head.body["request"]:
        return False
    if trail.mode != "table":
        return "dice" not in request
    thrown = head.body["faces"] if head.type == "DiceTyped" else faces_of(throws_of(batch))
    return bool(request.get("dice", []) == thrown)


def _undone(_trail: Trail, batch: Sequence[Line], request: Request, _word: str) -> bool:
    body = batch[0].body
    undo = batch[0].type == "ActionsUndone" or (batch[0].type == "UndoAsked" and body.get("what") == "undo")
    return undo and _same(request, body, "to_before", "reason")


def _redone(_trail: Trail, batch: Sequence[Line], request: Request, _word: str) -> bool:
    body = batch[0].body
    redo = batch[0].type == "ActionsRestored" or (batch[0].type == "UndoAsked" and body.get("what") == "redo")
    return redo and _same(request, body, "reason")


def _answered(_trail: Trail, batch: Sequence[Line], request: Request, word: str) -> bool:
    said = "UndoWithdrawn" if "withdraw" in request else "UndoAgreed" if request.get("agree") is True else "UndoRefused"
    return batch[0].type == said and batch[0].body["request"] == int(word)


def _ruled(_trail: Trail, batch: Sequence[Line], request: Request, _word: str) -> bool:
    if batch[0].type != "RulingMade" or not _same(request, batch[0].body, "about", "rule", "reason"):
        return False
    asked, made = request.get("changes", []), batch[0].body["changes"]
    return len(asked) == len(made) and all(_changed(a, m) for a, m in zip(asked, made, strict=True))


def _changed(asked: Request, made: Request) -> bool:
    exact = made["field"] not in _EXACT or asked["value"] == made["after"]
    return exact and (asked["fig"], asked["field"]) == (made["fig"], made["field"])


def _disputed(_trail: Trail, batch: Sequence[Line], request: Request, _word: str) -> bool:
    return batch[0].type == "DisputeOpened" and _same(request, batch[0].body, "about", "reason")


def _resolved(_trail: Trail, batch: Sequence[Line], request: Request, word: str) -> bool:
    head = batch[0]
    if head.type != "DisputeClosed" or (head.body["dispute"], head.body["by"]) != (int(word), head.actor):
        return False
    how = request.get(head.body["how"])
    return how == head.body["ruling"] if head.body["how"] == "ruling" else how is True


def _closed(_trail: Trail, batch: Sequence[Line], request: Request, _word: str) -> bool:
    return batch[0].type == "BattleClosed" and _same(request, batch[0].body, "reason")


def _forfeited(trail: Trail, batch: Sequence[Line], request: Request, word: str) -> bool:
    seat = trail.seats.get(str(request.get("seat")))
    same = batch[0].type == "RollForfeited" and _same(request, batch[0].body, "reason")
    return same and seat is not None and (batch[0].body["request"], batch[0].body["party"]) == (int(word), seat.party)


def _confirmed(_trail: Trail, batch: Sequence[Line], request: Request, word: str) -> bool:
    same = batch[0].type in ("DiceConfirmed", "DiceContested") and _same(request, batch[0].body, "faces")
    return same and batch[0].body["request"] == int(word)


def _renewed(_trail: Trail, batch: Sequence[Line], request: Request, _word: str) -> bool:
    head = batch[0]
    if head.type == "RollForfeited":
        return head.body["party"] == SERVER and _same(request, head.body, "reason")
    return head.type == "DiceAnchored" and request.keys() == {"reason"}


def _joined(_trail: Trail, batch: Sequence[Line], request: Request, word: str) -> bool:
    body = batch[0].body
    same = batch[0].type == "SeatJoined" and body["seat"] == word
    return same and _same(request, body, "key", "epoch", "length", "anchor", "proof")


def _same(request: Request, body: Request, *members: str) -> bool:
    """Whether what was asked stands there; what nobody said is empty."""
    return all((request.get(m) or None) == (body.get(m) or None) for m in members)


_KINDS: Final[tuple[tuple[re.Pattern[str], Match], ...]] = tuple(
    (re.compile(pattern), match)
    for pattern, match in (
        ("actions", _acted),
        ("undo", _undone),
        ("redo", _redone),
        ("undo/([0-9]{1,9})", _answered),
        ("rulings", _ruled),
        ("disputes", _disputed),
        ("disputes/([0-9]{1,9})/resolve", _resolved),
        ("close", _closed),
        ("rolls/([0-9]{1,9})/forfeit", _forfeited),
        ("rolls/([0-9]{1,9})/confirm", _confirmed),
        ("dice/renew", _renewed),
        ("seats/(referee|side:[a-z0-9-]{1,40})/join", _joined),
    )
)
