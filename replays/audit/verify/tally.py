"""The tally: what a referee wants to read. Law: counted, never judged; what was seen and struck out counts as seen."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from replays.audit.dicechain import SERVER, link_before
from replays.audit.verify.case import Step
from replays.audit.verify.dice import chain_faces
from replays.audit.verify.line import Line, faces_of
from replays.audit.verify.seats import needs_none
from replays.audit.verify.standing import Chain


@dataclass(slots=True)
class Forfeit:
    """A roll whose link was withheld, and the dice that it would have been, once they came to light."""

    request: int
    seat: str
    reason: str
    withheld: list[int] | None = None


@dataclass(slots=True)
class _Hidden:
    """A forfeited roll: by party, what was forfeited, and epoch and number of its link; `shares` come to light."""

    request: int
    forfeits: dict[int, Forfeit] = field(default_factory=dict)
    places: dict[int, tuple[int, int]] = field(default_factory=dict)
    drawn: Line | None = None
    shares: dict[int, bytes] = field(default_factory=dict)
    throws: list[dict[str, list[int]]] = field(default_factory=list)


@dataclass(slots=True)
class Tally:
    """Counts of a log."""

    entries: int = 0
    actions: int = 0
    rolls: int = 0
    dice: int = 0
    physical: int = 0
    simulated: int = 0
    contributors: int | None = None
    undos: int = 0
    restored: int = 0
    undone_dice: int = 0
    forfeits: list[Forfeit] = field(default_factory=list)
    anchors: int = 0
    replaced: int = 0
    disputes: int = 0
    rulings: int = 0
    branches: int = 0
    signed: int = 0
    unsigned: int = 0
    faces: dict[int, Counter[int]] = field(default_factory=dict)
    _hidden: list[_Hidden] = field(default_factory=list)

    @property
    def level(self) -> str:
        """L0, L1 or L2 by who contributed to the rolls beside the service; empty if the service threw none."""
        return "" if self.contributors is None else f"L{min(self.contributors, 2)}"

    def take(self, step: Step) -> None:
        """Count one batch; the trail is as it was before it."""
        self.entries += len(step.batch)
        self.actions += len(step.of("ActionDeclared"))
        if not step.types.isdisjoint(_COUNTED):
            types = Counter([line.type for line in step.batch])
            for kind, count in _COUNTED.items():
                setattr(self, count, getattr(self, count) + types[kind])
        if step.head.actor.startswith("side:") and not needs_none(step):
            signed = len(step.of("RequestSigned"))
            self.signed += signed
            self.unsigned += 1 - min(1, signed)
        for line in step.of("DiceAnchored", "SeatJoined"):
            if line.body["anchor"]:
                self.anchors += 1
                self.replaced += _replaces(step, line)
        if step.throws:
            self._count_dice(step)
        if self._hidden or "RollForfeited" in step.types:
            self._bring_to_light(step)

    def _count_dice(self, step: Step) -> None:
        throws = step.throws
        drawn = step.first("DiceDrawn")
        self.rolls += 1
        self.dice += len(faces_of(throws))
        if step.trail.branch:
            self.simulated += 1
        elif drawn is None:
            self.physical += 1
        else:
            waits = step.trail.waiting
            asked = len(waits.head.body["parties"]) if waits is not None and waits.chain else 0
            self.contributors = asked if self.contributors is None else min(self.contributors, asked)
        if drawn is None or drawn.body["source"] != "forfeit":
            for throw in throws:
                counts = self.faces.setdefault(throw["sides"], Counter())
                for face in throw["faces"]:
                    counts[face] += 1

    def _bring_to_light(self, step: Step) -> None:
        trail = step.trail
        for line in step.of("RollForfeited"):
            self._forfeit(line, trail.of_party(line.body["party"]))
        for line in step.of("DiceDrawn"):
            if line.body["source"] == "forfeit" and self._hidden and trail.waiting is not None:
                hidden = self._hidden[-1]
                hidden.drawn, hidden.shares = line, dict(trail.waiting.released)
                hidden.throws = [{"faces": list(throw["faces"]), "sides": throw["sides"]} for throw in step.throws]
        for line in step.of("LinkReleased"):
            seat = trail.of_party(line.body["party"])
            if seat is not None:
                self._reveal(line, seat)

    def _forfeit(self, line: Line, seat: Chain | None) -> None:
        request, reason = line.body["request"], str(line.body.get("reason", ""))
        if line.body["party"] == SERVER:
            # The roll is void: its index is never used, so that nothing brings its dice to light.
            self.forfeits.append(Forfeit(request, "the service", reason))
        elif seat is not None:
            found = Forfeit(request, seat.seat, reason)
            self.forfeits.append(found)
            if not self._hidden or self._hidden[-1].request != request:
                self._hidden.append(_Hidden(request))
            self._hidden[-1].forfeits[seat.party] = found
            self._hidden[-1].places[seat.party] = seat.epoch, seat.asked

    def _reveal(self, line: Line, seat: Chain) -> None:
        """The link leads back to those that this party withheld; with the last of a roll its dice are known."""
        of = line.chain(seat.party, seat.epoch)
        for hidden in self._hidden:
            epoch, number = hidden.places.get(seat.party, (-1, 0))
            if epoch != seat.epoch or number >= seat.asked or hidden.drawn is None or seat.party in hidden.shares:
                continue
            link = bytes.fromhex(line.body["link"])
            for later in range(seat.asked, number, -1):
                link = link_before(of, later, link)
            hidden.shares[seat.party] = link
            if hidden.places.keys() <= hidden.shares.keys():
                body = hidden.drawn.body
                server = line.chain(SERVER, body["epoch"])
                faces = chain_faces(server, body["index"], body["link"], hidden.shares, hidden.throws)
                for forfeit in hidden.forfeits.values():
                    forfeit.withheld = faces


_COUNTED: Final = {
    "ActionsUndone": "undos",
    "ActionsRestored": "restored",
    "DisputeOpened": "disputes",
    "RulingMade": "rulings",
    "BranchOpened": "branches",
}
"""What each entry of a type is counted as."""


def _replaces(step: Step, line: Line) -> bool:
    if line.type == "SeatJoined":
        before = step.trail.seats.get(line.body["seat"])
        return before is not None and before.asked < before.length
    server = step.trail.server
    used = server.opened + len(step.of("DiceDrawn"))
    return server.epoch >= 0 and used < server.length


def chi_square(faces: Counter[int], sides: int) -> float:
    """How far faces are from all being as likely, with `sides` - 1 degrees of freedom; for information."""
    count = sum(faces.values())
    wanted = count / sides
    return sum((faces[face] - wanted) ** 2 for face in range(1, sides + 1)) / wanted if count else 0.0


def undone(dice: dict[int, int], struck: Sequence[int] | set[int]) -> int:
    """How many dice of the actions that are struck out were seen."""
    return sum(dice.get(action, 0) for action in struck)
