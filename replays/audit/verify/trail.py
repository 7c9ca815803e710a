"""The trail: what is known before each batch. Law: it judges nothing; the checks do, and each can be taken out alone.

Commitments, open rolls, seats and agreements, followed through the log as the entries tell it. An undo puts none of it
back.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from replays.audit.dicechain import SERVER
from replays.audit.verify.line import Line
from replays.audit.verify.standing import Chain, Consent, Waiting


@dataclass(slots=True)
class Trail:
    """What the log has said so far."""

    mode: str = ""
    branch: str = ""
    policy: dict[str, Any] = field(default_factory=dict)
    sides: dict[str, int] = field(default_factory=dict)
    conceded: set[str] = field(default_factory=set)
    server: Chain = field(default_factory=lambda: Chain("", SERVER, "", -1, 0, b""))
    seats: dict[str, Chain] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    anchors: set[str] = field(default_factory=set)
    people: dict[str, str] = field(default_factory=dict)
    waiting: Waiting | None = None
    consent: Consent | None = None
    dice: dict[int, int] = field(default_factory=dict)
    struck: set[int] = field(default_factory=set)

    def of_party(self, party: int) -> Chain | None:
        """The seat that plays as that party."""
        for seat in self.seats.values():
            if seat.party == party:
                return seat
        return None

    def asks(self, switch: str, otherwise: str) -> str:
        """What the policy says; in a what-if, what it says if nobody has said anything."""
        return otherwise if self.branch else str(self.policy.get(switch, otherwise))

    def advance(self, batch: Sequence[Line]) -> None:
        """Follow one batch."""
        head, thrown = batch[0], 0
        for line in batch:
            follow = _FOLLOW.get(line.type)
            if follow is not None:
                follow(self, line)
            for throw in line.throws:
                thrown += len(throw["faces"])
        if thrown:
            self.dice[head.doc["action"]] = thrown
        if head.type == "ActionDeclared" or (head.type == "RulingMade" and head.body["changes"]):
            if self.consent is not None:
                self.consent.agreed.clear()
            if head.type == "ActionDeclared":
                self.waiting = None


def _started(trail: Trail, line: Line) -> None:
    trail.mode = line.body["dice"]
    trail.policy = line.body["policy"]
    trail.sides = {side["id"]: side["party"] for side in line.body["sides"]}


def _anchored(trail: Trail, line: Line) -> None:
    body = line.body
    trail.server = Chain("", SERVER, "", body["epoch"], body["length"], bytes.fromhex(body["anchor"]))
    trail.anchors.add(body["anchor"])


def _drawn(trail: Trail, line: Line) -> None:
    trail.server.opened = trail.server.asked = line.body["index"]
    trail.server.link = bytes.fromhex(line.body["link"])


def _joined(trail: Trail, line: Line) -> None:
    body = line.body
    anchor = bytes.fromhex(body["anchor"])
    chain = Chain(body["seat"], body["party"], body["key"], body["epoch"], body["length"], anchor)
    trail.seats[body["seat"]] = chain
    trail.keys.setdefault(body["key"], body["seat"])
    if body["anchor"]:
        trail.anchors.add(body["anchor"])


def _named(trail: Trail, line: Line) -> None:
    trail.people[line.body["seat"]] = line.body["person"]


def _awaits(trail: Trail, line: Line) -> None:
    trail.waiting = Waiting(line)
    for party in line.body.get("parties", ()):
        seat = trail.of_party(party)
        if seat is not None:
            seat.asked += 1


def _released(trail: Trail, line: Line) -> None:
    party, link = line.body["party"], bytes.fromhex(line.body["link"])
    seat = trail.of_party(party)
    if seat is not None:
        seat.link, seat.opened = link, seat.asked
    if trail.waiting is not None:
        trail.waiting.released[party] = link


def _forfeited(trail: Trail, line: Line) -> None:
    if line.body["party"] == SERVER:
        trail.waiting = None  # void
    elif trail.waiting is not None:
        trail.waiting.forfeited.add(line.body["party"])


def _contested(trail: Trail, _line: Line) -> None:
    if trail.waiting is not None:
        trail.waiting.contested = True


def _confirmed(trail: Trail, line: Line) -> None:
    if trail.waiting is not None:
        trail.waiting.confirmed = line.body["faces"]


def _asked(trail: Trail, line: Line) -> None:
    trail.consent = Consent(line.body["request"])


def _agreed(trail: Trail, line: Line) -> None:
    if trail.consent is not None and trail.consent.request == line.body["request"]:
        trail.consent.agreed.add(line.body["side"])


def _dropped(trail: Trail, _line: Line) -> None:
    trail.consent = None


def _undone(trail: Trail, line: Line) -> None:
    trail.struck |= set(line.body["actions"])
    if trail.consent is not None and trail.consent.request == line.body["request"]:
        trail.consent = None


def _restored(trail: Trail, line: Line) -> None:
    trail.struck -= set(line.body["actions"])
    if trail.consent is not None and trail.consent.request == line.body["request"]:
        trail.consent = None


def _opened(trail: Trail, line: Line) -> None:
    body = line.body
    trail.branch, trail.mode = body["dice"], body["mode"]
    trail.server = Chain("", SERVER, "", 0, 0, bytes.fromhex(body["commitment"]))
    trail.seats, trail.people, trail.waiting, trail.consent = {}, {}, None, None


def _conceded(trail: Trail, line: Line) -> None:
    trail.conceded.add(line.body["side"])


_FOLLOW = {
    "BattleStarted": _started,
    "DiceAnchored": _anchored,
    "DiceDrawn": _drawn,
    "SeatJoined": _joined,
    "SeatNamed": _named,
    "RollRequested": _awaits,
    "DiceTyped": _awaits,
    "LinkReleased": _released,
    "RollForfeited": _forfeited,
    "DiceContested": _contested,
    "DiceConfirmed": _confirmed,
    "UndoAsked": _asked,
    "UndoAgreed": _agreed,
    "UndoRefused": _dropped,
    "UndoWithdrawn": _dropped,
    "ActionsUndone": _undone,
    "ActionsRestored": _restored,
    "BranchOpened": _opened,
    "SideConceded": _conceded,
}
