"""What a request asks for, and what a batch in a log says was asked. Law: the same words for the same deed.

Where people may write a reason or a title, the clients write the key there. An action has no such place: its words are
the request as the log normalises it, so that two alike can only be counted.
"""

from typing import Any, Final

from pydantic import ValidationError

from domain.commands import COMMAND, request_of
from replays.codec import canonical
from tests.history.past import Request

NONSENSE: Final = "nonsense"


def asked(request: Request) -> str:
    """The words of a request."""
    try:
        said = _asked(request.path, request.body)
    except (ValidationError, KeyError, TypeError):
        return NONSENSE
    return _words(request.battle, request.seat, said)


def _asked(path: str, body: Any) -> list[Any]:
    match path.split("/"):
        case ["battles"]:
            return ["open", body["title"]]
        case ["branches"]:
            return ["branch", body["title"]]
        case ["actions"]:
            return ["act", request_of(COMMAND.validate_python(body))]
        case ["undo"]:
            return ["undo", body["to_before"], body["reason"]]
        case ["redo"]:
            return ["redo", body["reason"]]
        case ["undo", number]:
            return ["withdraw", int(number)] if "withdraw" in body else ["answer", int(number), body["agree"]]
        case ["rulings"]:
            return ["ruling", body["rule"], body["reason"], [[c["fig"], c["field"]] for c in body["changes"]]]
        case ["disputes"]:
            return ["dispute", body["about"], body["reason"]]
        case ["disputes", number, "resolve"]:
            return ["resolve", int(number), next(iter(body))]
        case _:
            return [path]


def written(entry: dict[str, Any]) -> str:
    """The words of a batch, by its first entry."""
    return _words(entry["battle"], entry["actor"], _written(entry["type"], entry["body"]))


def _written(kind: str, body: Any) -> list[Any]:  # noqa: C901 - one line for each kind of batch
    match kind:
        case "BattleStarted":
            return ["open", body["title"]]
        case "BranchOpened":
            return ["branch", body["title"]]
        case "ActionDeclared":
            return ["act", body["request"]]
        case "UndoAsked" if body["what"] == "redo":
            return ["redo", body["reason"]]
        case "UndoAsked" | "ActionsUndone":
            return ["undo", body["to_before"], body["reason"]]
        case "ActionsRestored":
            return ["redo", body["reason"]]
        case "UndoAgreed" | "UndoRefused":
            return ["answer", body["request"], kind == "UndoAgreed"]
        case "UndoWithdrawn":
            return ["withdraw", body["request"]]
        case "RulingMade":
            return ["ruling", body["rule"], body["reason"], [[c["fig"], c["field"]] for c in body["changes"]]]
        case "DisputeOpened":
            return ["dispute", body["about"], body["reason"]]
        case "DisputeClosed":
            return ["resolve", body["dispute"], body["how"]]
        case _:
            return [kind]


def _words(battle: str, seat: str, said: list[Any]) -> str:
    # A battle or a branch is opened under an id that nobody knew when it was asked for.
    place = [] if said[0] in {"open", "branch"} else [battle]
    return canonical([*place, "" if said[0] == "open" else seat, *said]).decode()
