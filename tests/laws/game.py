"""A game told in few words: a real referee on a real store, table dice, and seats by their plain names."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import settings

from domain.commands import COMMAND
from domain.draft import Seat
from domain.entry import Entry
from domain.procedure import DisputeAsked, Resolution, Ruling
from domain.record import Record
from domain.refusals import Refusal, Refused
from replays.codec import lines
from replays.referee import Asked, Preview, Receipt
from replays.shelf import Book
from tests.replays.rooms import Room, receipt

Body = dict[str, Any]


def effort(examples: int, **more: Any) -> settings:
    """As many examples, where the profile would try a hundred."""
    return settings(max_examples=max(1, examples * settings().max_examples // 100), **more)


def seat(name: str) -> Seat:
    """`referee`, `spectator`, or a side by its id."""
    return Seat(name) if name in ("referee", "spectator") else Seat("side", name)


def no(asking: Callable[[], object]) -> Refusal:
    """The refusal that asking meets."""
    with pytest.raises(Refused) as caught:
        asking()
    return caught.value.refusal


class Game:
    """One battle in a room. Whoever acts is named first; the referee where nobody is."""

    def __init__(self, body: Body, room: Room | None = None) -> None:
        self.room = room or Room()
        self.id = self.room.open(body)

    @classmethod
    def of(cls, room: Room, battle: str) -> "Game":
        """A battle that the room has already."""
        game = cls.__new__(cls)
        game.room, game.id = room, battle
        return game

    # --- what is asked -------------------------------------------------------------------------------------------

    def act(self, by: str = "referee", /, **command: Any) -> Receipt:
        """Carry out an action."""
        return receipt(self.room.referee.act(self.id, COMMAND.validate_python(command), Asked(seat(by))))

    def does(self, by: str = "referee", /, **command: Any) -> int:
        """Carry out an action; its seq."""
        return self.act(by, **command).action

    def rules(self, *changes: Body, by: str = "referee", **more: Any) -> int:
        """Make a ruling; its seq."""
        ruling = Ruling.model_validate({"rule": "HOUSE", "reason": "so it is", "changes": changes} | more)
        return receipt(self.room.referee.rule(self.id, ruling, Asked(seat(by)))).action

    def undo(self, to_before: int, by: str = "referee", reason: str = "in error") -> Receipt:
        """Take back, or ask to."""
        return receipt(self.room.referee.undo(self.id, to_before, reason, Asked(seat(by))))

    def redo(self, by: str = "referee", reason: str = "after all") -> Receipt:
        """Restore, or ask to."""
        return receipt(self.room.referee.redo(self.id, reason, Asked(seat(by))))

    def answer(self, by: str, *, agree: bool = True, head: int | None = None, request: int | None = None) -> Receipt:
        """Answer the open request, having seen `head` (the present one if not said)."""
        asked = self.record.docket.request
        number = request if request is not None else (asked.request if asked else 0)
        seen = self.record.head if head is None else head
        return receipt(self.room.referee.answer(self.id, number, seen, Asked(seat(by)), agree=agree))

    def withdraw(self, by: str, request: int | None = None) -> Receipt:
        """Take the open request back."""
        asked = self.record.docket.request
        number = request if request is not None else (asked.request if asked else 0)
        return receipt(self.room.referee.withdraw(self.id, number, Asked(seat(by))))

    def dispute(self, about: int, by: str = "referee") -> Receipt:
        """Question an entry."""
        asked = DisputeAsked(about=about, reason="was that right?")
        return receipt(self.room.referee.dispute(self.id, asked, Asked(seat(by))))

    def resolve(self, number: int, by: str = "referee", **how: Any) -> Receipt:
        """Settle a dispute."""
        return receipt(self.room.referee.resolve(self.id, number, Resolution(**how), Asked(seat(by))))

    def close(self, by: str = "referee") -> Receipt:
        """Close the battle."""
        return receipt(self.room.referee.close(self.id, "signed", Asked(seat(by))))

    def branch(self, **what: Any) -> "Game":
        """A what-if of this battle."""
        return Game.of(self.room, self.room.branch(self.id, **what))

    def preview(self, by: str = "referee", /, **command: Any) -> Preview:
        """A dry run of an action."""
        answer = self.room.referee.act(self.id, COMMAND.validate_python(command), Asked(seat(by), dry_run=True))
        assert isinstance(answer, Preview)
        return answer

    # --- what there is -------------------------------------------------------------------------------------------

    @property
    def book(self) -> Book:
        """The battle's book."""
        return self.room.book(self.id)

    @property
    def record(self) -> Record:
        """The record at the head."""
        return self.book.record

    @property
    def entries(self) -> Sequence[Entry]:
        """All entries, what a branch inherits included."""
        return self.book.entries()

    @property
    def log(self) -> bytes:
        """All stored bytes, read from the store."""
        return lines(s.data for s in self.room.store.read(self.id))
