"""Problems. Law: the one place with status codes; every "no" is RFC 9457, of a closed list, and tells no internals.

`type` is a reference such as `/problems/rule-refused`, which this service answers with a page that explains it.
"""

from typing import Any, Final, NamedTuple

import msgspec
from starlette.responses import Response

from domain.dice import DiceWanted, Roll, Throw
from domain.refusals import Refusal


class Meaning(NamedTuple):
    """What a problem is called, its status code, and what it means to whoever meets it."""

    status: int
    title: str
    text: str


PROBLEMS: Final[dict[str, Meaning]] = {
    "rule-refused": Meaning(
        409,
        "The rules do not allow it",
        "`rule` is the id of the rule that says no, `reason` says why in plain words, `legal` what would be allowed.",
    ),
    "dice-wanted": Meaning(
        409,
        "Dice are wanted",
        "The dice of this battle are thrown at the table. `wanted` says which to throw next, `so_far` repeats those "
        "that were read. Send the same action again with all faces in `dice`, in order. Nothing was written.",
    ),
    "undo-refused": Meaning(
        409,
        "It cannot be taken back",
        "`rule` is a word of a closed list that says why an undo or redo is refused, `reason` says it in plain words.",
    ),
    "battle-over": Meaning(
        409,
        "The battle is over",
        "The battle has ended, and the referee may reopen it by undoing its end; or it is closed, and nothing is "
        "written any more.",
    ),
    "stale": Meaning(
        412,
        "The battle has moved on",
        "Somebody wrote since you looked. `head` is the present seq: read the battle again and decide again.",
    ),
    "not-found": Meaning(404, "Not found", "There is no such battle, branch, fig, entry, dispute or page."),
    "not-your-fig": Meaning(403, "Not your fig", "A side may only act for its own figs; the referee may for any."),
    "forbidden": Meaning(403, "Not for this seat", "The seat that your secret opens may not do this."),
    "unauthorized": Meaning(
        401,
        "No seat",
        "Send `Authorization: Bearer <secret>` with the secret of a seat of this battle. Secrets are shown once, when "
        "the battle (or the branch) is opened; the referee can have new ones made.",
    ),
    "invalid": Meaning(
        422,
        "The request makes no sense",
        "`errors` names each bad field: by JSON pointer (RFC 6901) in the body, or by the name of the query parameter "
        "or the header.",
    ),
    "key-reused": Meaning(
        422,
        "The key belongs to another request",
        "This `Idempotency-Key` came before with another body or path. Use a new key for a new request.",
    ),
    "malformed": Meaning(
        400, "It cannot be read", "An index, a size, a tile or a signature line is not written as it has to be."
    ),
    "other-size": Meaning(
        409,
        "The log has another size",
        "Somebody wrote since you looked. `size` is how many entries the log has now: get its checkpoint again.",
    ),
    "no-proof": Meaning(
        422, "There is no such proof", "What is asked for is not in the log, or the larger size came first."
    ),
    "bad-cosignature": Meaning(
        403,
        "No signature of a seat",
        "The signature is of a key that no seat of this battle has shown, or it does not hold for the present head.",
    ),
    "log-forked": Meaning(
        409,
        "The log contradicts what was signed before",
        "The service remembers what it has signed, and this log does not extend it: its file was put back from a "
        "backup, or somebody wrote to it by another way. Nothing is signed until the operator has looked into it. "
        "`signed` and `asked` are both checkpoints. Whoever holds the signed one can show what was lost. The operator "
        "reads 'After a restore' in docs/operations.md: it says what was lost, and how the loss is accepted.",
    ),
    "too-large": Meaning(413, "Too large", "The body is larger than this service accepts."),
    "unsupported-media-type": Meaning(
        415, "JSON only", "Send the body as `Content-Type: application/json`, in UTF-8 and not compressed."
    ),
    "too-many-requests": Meaning(429, "Slow down", "Wait as many seconds as `Retry-After` says, then go on."),
    "method-not-allowed": Meaning(405, "Not here", "`Allow` lists the methods that this resource knows."),
    "busy": Meaning(
        503,
        "Try again",
        "The battle's head kept moving, too many follow it or ask for odds or a forecast, or the store cannot be "
        "reached. Nothing was written.",
    ),
    "log-damaged": Meaning(
        500,
        "The stored log of this battle cannot be read",
        "An entry is damaged or altered, or a newer release wrote it. Nothing is written to this battle until it can "
        "be read again; no other battle is touched. The operator puts back a good copy, or starts the newer release; "
        "`battlelog rebuild --check` names every battle like this.",
    ),
    "internal": Meaning(
        500, "Our fault", "Something went wrong here. Name the `X-Request-ID` of the answer when you report it."
    ),
}
"""The closed list. What the rules refuse (`domain.refusals`) goes by the same names."""

CONTENT_TYPE: Final = "application/problem+json"


class Problem(Exception):  # noqa: N818 - an answer on its way, not a fault
    """A "no" of this service, with the members that it carries beside the common ones."""

    def __init__(self, kind: str, detail: str, *, headers: dict[str, str] | None = None, **members: Any) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind
        self.detail = detail
        self.headers = headers or {}
        self.members = members

    @property
    def status(self) -> int:
        """The status code."""
        return PROBLEMS[self.kind].status

    def response(self) -> Response:
        """The answer."""
        meaning = PROBLEMS[self.kind]
        body = {
            "type": f"/problems/{self.kind}",
            "title": meaning.title,
            "status": meaning.status,
            "detail": self.detail,
            **self.members,
        }
        headers = {"Cache-Control": "no-store", **self.headers}
        return Response(msgspec.json.encode(body), meaning.status, headers, CONTENT_TYPE)


def unauthorized(detail: str) -> Problem:
    """Nobody whom this battle knows."""
    return Problem("unauthorized", detail, headers={"WWW-Authenticate": 'Bearer realm="battlelog"'})


def not_found(detail: str) -> Problem:
    """There is no such thing."""
    return Problem("not-found", detail)


def busy(detail: str, seconds: int = 1) -> Problem:
    """Not now."""
    return Problem("busy", detail, headers={"Retry-After": str(seconds)})


def invalid(errors: list[dict[str, Any]]) -> Problem:
    """Bad fields: each with `pointer`, `parameter` or `header`, and a `message`."""
    where = [next((str(e[k]) for k in ("pointer", "parameter", "header") if e.get(k)), "the body") for e in errors]
    said = [f"{place}: {error['message']}" for place, error in zip(where, errors, strict=True)]
    more = f" (and {len(said) - 3} more)" if len(said) > 3 else ""
    return Problem("invalid", "; ".join(said[:3]) + more, errors=errors)


def from_refusal(refusal: Refusal) -> Problem:
    """What the rules, or the procedure, refuse."""
    legal = list(refusal.legal)
    if refusal.kind == "invalid":
        return invalid([{"pointer": refusal.pointer, "message": refusal.reason} | ({"legal": legal} if legal else {})])
    if refusal.kind == "stale":
        return Problem("stale", refusal.reason, head=int(legal[0]))
    return Problem(refusal.kind, refusal.reason, rule=refusal.rule, reason=refusal.reason, legal=legal)


def from_dice(dry: DiceWanted) -> Problem:
    """Which dice have to be thrown at the table."""
    roll = dry.wanted
    detail = f"throw {roll.count}d{roll.sides} for {roll.purpose.replace('_', ' ')} and send all faces in order"
    return Problem("dice-wanted", detail, wanted=[rolled(roll)], so_far=[thrown(t) for t in dry.so_far])


def rolled(roll: Roll) -> dict[str, Any]:
    """A roll that is wanted."""
    return {"purpose": roll.purpose, "count": roll.count, "sides": roll.sides}


def thrown(throw: Throw) -> dict[str, Any]:
    """A throw that was read."""
    return {"purpose": throw.purpose, "sides": throw.sides, "faces": list(throw.faces)}
