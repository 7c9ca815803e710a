"""Requests that were answered yes and no. Law: a no is the answer of a table that somebody else has made.

A request that goes to two services at once may be refused by one and carried out by the other, if the table changed in
between. It may not be refused because of what it has done itself. So each such request is asked again, as a dry run, of
every table that there was from the moment it was sent to the moment before it was carried out.
"""

from collections.abc import Callable, Iterator
from typing import Any

from api.routes.undo import Agreement
from domain.commands import COMMAND
from domain.draft import Seat
from domain.procedure import DisputeAsked, Ruling
from domain.procedure import Resolution as Resolved
from domain.refusals import Refused
from replays.asking import Asked, BranchAsked
from replays.referee import Referee
from replays.store import Sealed
from tests.history.laws import Finding, Logs
from tests.history.logs import Log
from tests.history.past import Answer, Past, Request
from tests.replays.rooms import Room


def unjustified(past: Past, logs: Logs) -> Iterator[Finding]:
    """Where a request was refused by what it had done."""
    for request in past.requests:
        done, log = request.done, logs.get(request.battle)
        if done is None or log is None or not any(400 <= answer.status < 500 for answer in request.answers):
            continue
        if not any(refused_at(log, head, request) for head in _heads(past, log, request, done)):
            text = f"{request.where} was refused and carried out, and no table before that refuses it"
            yield Finding("both", done.battle, done.action, text)


def both_ways(past: Past) -> int:
    """How many requests were answered yes and no."""
    return sum(r.done is not None and any(400 <= a.status < 500 for a in r.answers) for r in past.requests)


def _heads(past: Past, log: Log, request: Request, done: Answer) -> list[int]:
    """The heads that the battle had from when the request was sent until it was carried out."""
    answers = (answer for other in past.requests for answer in other.answers if answer.battle == log.battle)
    known = max((answer.seq for answer in answers if answer.at < request.asked), default=0)
    # A branch's own first entry follows on no head of the battle that it was asked of: all later ones count, too.
    last = done.action - 1 if done.battle == log.battle else log.head
    return [end for end in sorted(log.ends) if known <= end <= last]


def refused_at(log: Log, head: int, request: Request) -> bool:
    """Whether the rules refuse a request on the table after an entry."""
    if request.if_match not in (None, head):
        return True
    room = Room()
    try:
        room.store.append(log.battle, [_sealed(log, seq) for seq in range(1, head + 1)])
        _ask(room.referee, log.battle, request)
    except Refused:
        return True
    finally:
        room.store.close()
    return False


def _sealed(log: Log, seq: int) -> Sealed:
    entry = log.entries[seq - 1]
    return Sealed(seq, entry["type"], entry["v"], log.lines[seq - 1])


def _ask(referee: Referee, battle: str, request: Request) -> object:
    body: Any = request.body
    asked = Asked(Seat.of(request.seat), dry_run=True)
    match request.path.split("/"):
        case ["undo"]:
            return referee.undo(battle, body["to_before"], body["reason"], asked)
        case ["redo"]:
            return referee.redo(battle, body["reason"], asked)
        case ["undo", number] if "withdraw" in body:
            return referee.withdraw(battle, int(number), asked)
        case ["undo", number]:
            said = Agreement.model_validate(body)
            return referee.answer(battle, int(number), said.head, asked, agree=said.agree)
        case ["disputes", number, "resolve"]:
            return referee.resolve(battle, int(number), Resolved.model_validate(body), asked)
        case [path]:
            return _PLAIN[path](referee, battle, body, asked)
        case _:
            raise ValueError(f"no request of these clients goes to {request.path}")


_PLAIN: dict[str, Callable[[Referee, str, Any, Asked], object]] = {
    "actions": lambda referee, battle, body, asked: referee.act(battle, COMMAND.validate_python(body), asked),
    "rulings": lambda referee, battle, body, asked: referee.rule(battle, Ruling.model_validate(body), asked),
    "disputes": lambda referee, battle, body, asked: referee.dispute(battle, DisputeAsked.model_validate(body), asked),
    "branches": lambda referee, battle, body, asked: referee.branch(battle, BranchAsked.model_validate(body), asked),
}
