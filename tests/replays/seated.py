"""A battle with seats that contribute and sign, told in few words. Law: a real referee, real keys and real chains."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from domain import events as e
from domain.commands import COMMAND, request_of
from domain.commitments import Pending
from domain.draft import Seat
from domain.entry import Entry
from domain.record import Record
from domain.refusals import Refusal
from domain.rolls import Confirm, Forfeit
from replays.asking import Receipt, Signed
from replays.audit.statements import command_message
from replays.codec import canonical
from replays.examine import examine
from replays.readjudicate import Finding
from replays.referee import Asked
from tests.laws.game import Body, no, seat
from tests.replays.rooms import Room, receipt
from tests.replays.seats import Player

T = TypeVar("T")

SHOT: Body = {"do": "shoot", "fig": "r1", "weapon": "stub-gun", "target": "b1", "mode": "snap", "cover": "open"}
"""Red's shot in `gangs`."""


class Seats:
    """One battle; every side that is named has joined, with a chain of that length."""

    def __init__(self, body: Body, room: Room | None = None, /, **lengths: int) -> None:
        self.room = room or Room()
        self.id = self.room.open(body)
        parties = {name: side.party for name, side in self.record.battle.sides.items()}
        self.players = {name: Player(self.id, name, parties[name], length=n) for name, n in lengths.items()}
        for player in self.players.values():
            player.join(self.room)

    @classmethod
    def of(cls, room: Room, battle: str, players: dict[str, Player]) -> "Seats":
        """A battle that the room has already, with those who have joined."""
        game = cls.__new__(cls)
        game.room, game.id, game.players = room, battle, players
        return game

    # --- what is asked ---

    def asked(self, by: str, kind: str, request: Body, **more: Any) -> Asked:
        """How a seat asks: signed, if it has joined."""
        signed = self.signature(by, kind, request) if by in self.players else None
        return Asked(seat(by), kind=kind, request=request, **{"signed": signed, **more})

    def signature(self, by: str, kind: str, request: Body, seq: int = 0, prev: str = "") -> Signed:
        """A seat's signature under a request, for here and now if nothing else is said."""
        at = seq or self.record.seq + 1
        message = command_message(self.id, at, prev or self.room.book(self.id).tail, kind, canonical(request))
        return Signed(at, self.players[by].secret.sign(message).hex())

    def act(self, by: str, /, **command: Any) -> Receipt:
        """Carry out, or request, an action."""
        what = COMMAND.validate_python(command)
        request = request_of(what) | ({} if what.dice is None else {"dice": list(what.dice)})
        return receipt(self.room.referee.act(self.id, what, self.asked(by, "actions", request)))

    def release(self, *names: str) -> None:
        """These open the link that the open roll waits for."""
        for name in names:
            self.players[name].release(self.room, self.waits.seq)

    def roll(self, by: str, /, **command: Any) -> int:
        """Request an action and let everybody release; the seq of the action."""
        requested = self.act(by, **command)
        if self.record.pending is None:
            return requested.action
        missing = [name for name, player in self.players.items() if player.party in self.waits.missing]
        self.release(*missing)
        return requested.seq + len(missing) + 1

    def forfeit(self, side: str, by: str = "referee") -> Receipt:
        """End the wait for a side's link."""
        what, kind = Forfeit(seat=f"side:{side}", reason="gone"), f"rolls/{self.waits.seq}/forfeit"
        asked = self.asked(by, kind, {"seat": f"side:{side}", "reason": "gone"})
        return receipt(self.room.referee.forfeit(self.id, self.waits.seq, what, asked))

    def confirm(self, by: str, *faces: int) -> Receipt:
        """Say which faces lay on the table."""
        kind = f"rolls/{self.waits.seq}/confirm"
        asked = self.asked(by, kind, {"faces": list(faces)})
        return receipt(self.room.referee.confirm(self.id, self.waits.seq, Confirm(faces=faces), asked))

    def undo(self, to_before: int, by: str = "referee", reason: str = "in error") -> Receipt:
        """Take back, or ask to."""
        asked = self.asked(by, "undo", {"to_before": to_before, "reason": reason})
        return receipt(self.room.referee.undo(self.id, to_before, reason, asked))

    def refused(self, asking: Callable[[], object]) -> Refusal:
        """The refusal that asking meets; the log stays byte for byte as it was."""
        before = self.log
        refusal = no(asking)
        assert self.log == before
        return refusal

    # --- what there is ---

    @property
    def record(self) -> Record:
        """The record at the head."""
        return self.room.book(self.id).record

    @property
    def waits(self) -> Pending:
        """The open roll."""
        assert self.record.pending is not None
        return self.record.pending

    @property
    def entries(self) -> Sequence[Entry]:
        """All entries."""
        return self.room.book(self.id).entries()

    @property
    def log(self) -> list[bytes]:
        """All stored bytes, read from the store; a branch's own alone."""
        return [sealed.data for sealed in self.room.store.read(self.id)]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What an examination of the whole log finds."""
        return examine(self.room.book(self.id).data()).findings

    def found(self, kind: type[T]) -> list[T]:
        """All events of a kind."""
        return [entry.body for entry in self.entries if isinstance(entry.body, kind)]

    def faces(self, action: int) -> list[int]:
        """The dice of an action, in order."""
        mine = [entry for entry in self.entries if entry.action == action]
        return [face for entry in mine for throw in e.dice_of(entry.body) for face in throw.faces]


def side(name: str) -> Seat:
    """A side's seat."""
    return Seat("side", name)


def level(contributors: str, **more: Any) -> Body:
    """The policy and dice of a battle with that many contributors."""
    return {"dice": "server", "policy": {"contributors": contributors, **more}}
