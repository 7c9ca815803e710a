"""Tale: a battle told in a few words, as a log. Law: real rules and real undo; only the hashes are blank."""

from collections.abc import Sequence
from random import Random
from typing import Any

from domain import events as e
from domain import procedure, undo
from domain.commands import COMMAND
from domain.decider import decide
from domain.dice import Roll, Tape, Throw
from domain.draft import Seat
from domain.entry import Entry
from domain.muster import NEW_BATTLE, muster
from domain.record import Record
from domain.timeline import advance, recorded
from projections.walk import Log
from tests.spec import Script

Body = dict[str, Any]

BLANK = "0" * 64
HOME, AWAY = "a" * 32, "b" * 32
"""Ids of battles."""


class Chance:
    """Dice by a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def throw(self, roll: Roll) -> Throw:
        """Any faces."""
        return Throw(roll.purpose, roll.sides, tuple(self._random.randint(1, roll.sides) for _ in range(roll.count)))


def seat(name: str) -> Seat:
    """`referee`, or a side by its id."""
    return Seat(name) if name == "referee" else Seat("side", name)


class Tale:
    """A log that grows; whoever acts is named first, the referee where nobody is."""

    def __init__(self, body: Body | None = None, battle: str = HOME) -> None:
        self.battle = battle
        self.entries: list[Entry] = []
        self._record: Record | None = None
        if body is not None:
            self.write(muster(NEW_BATTLE.validate_python(body)), "referee")

    @property
    def record(self) -> Record:
        """The fold of all that was written."""
        assert self._record is not None
        return self._record

    @property
    def log(self) -> Log:
        """The whole battle."""
        return Log(self.battle, self.record, self.entries)

    def upto(self, seq: int) -> Log:
        """The battle as it stood at an entry."""
        return Log(self.battle, recorded(None, self.entries[:seq]), self.entries[:seq])

    def write(self, events: Sequence[e.Event], actor: str, time: int | None = None) -> int:
        """Write a batch; the seq of its first entry."""
        first = len(self.entries) + 1
        batch = [
            Entry(
                battle=self.battle,
                seq=seq,
                action=first,
                time=first * 1000 if time is None else time,
                actor=actor,
                type="HitRolled" if isinstance(body, e.NmeHitRolled | e.MfdHitRolled) else type(body).__name__,
                v=1,
                prev=BLANK,
                state=BLANK,
                body=body,
            )
            for seq, body in enumerate(events, start=first)
        ]
        self._record = advance(self._record, batch)
        self.entries += batch
        return first

    def act(self, by: str = "referee", /, dice: Sequence[int] | Tape = (), **command: Any) -> int:
        """Carry out an action; all of the dice have to be used up."""
        tape: Tape = Script(dice) if isinstance(dice, Sequence) else dice
        decision = decide(self.record.battle, COMMAND.validate_python(command), seat(by), tape)
        assert not (isinstance(tape, Script) and tape.left)
        return self.write(decision.events, seat(by).actor)

    def rule(self, *changes: Body, **more: Any) -> int:
        """Make a ruling."""
        asked: Body = {"rule": "NME-09", "reason": "the wall hides it", "changes": changes} | more
        return self.write(
            procedure.rule(self.record, procedure.Ruling.model_validate(asked), seat("referee")), "referee"
        )

    def dispute(self, by: str, about: int, reason: str = "it was hidden") -> int:
        """Open a dispute; its seq."""
        asked = procedure.DisputeAsked(about=about, reason=reason)
        return self.write(procedure.dispute(self.record, asked, seat(by)), seat(by).actor)

    def settle(self, number: int, by: str = "referee", **how: Any) -> int:
        """Settle a dispute."""
        asked = procedure.Resolution.model_validate(how)
        events = procedure.resolve(self.record, number, asked, seat(by), lambda _: True)
        return self.write(events, seat(by).actor)

    def undo(self, to_before: int, by: str = "referee", reason: str = "typed wrong") -> int:
        """Take back, or ask to."""
        return self.write(undo.undo(self.record, to_before, seat(by), reason), seat(by).actor)

    def redo(self, by: str = "referee", reason: str = "it was right") -> int:
        """Restore, or ask to."""
        return self.write(undo.redo(self.record, seat(by), reason), seat(by).actor)

    def answer(self, by: str, *, agree: bool = True) -> int:
        """Answer the open request."""
        asked = self.record.docket.request
        assert asked is not None
        events = undo.answer(self.record, asked.request, seat(by), agree=agree, head=self.record.head)
        return self.write(events, seat(by).actor)

    def withdraw(self, by: str) -> int:
        """Take the open request back."""
        asked = self.record.docket.request
        assert asked is not None
        return self.write(undo.withdraw(self.record, asked.request, seat(by)), seat(by).actor)

    def close(self) -> int:
        """Close the battle for good."""
        return self.write(procedure.close(self.record, seat("referee"), "all done"), "referee")

    def branch(self, at: int, title: str = "What if") -> "Tale":
        """A what-if that parts after entry `at`, which ends a batch."""
        other = Tale(battle=AWAY)
        other.entries = self.entries[:at]
        other._record = recorded(None, other.entries)
        opened = e.BranchOpened(self.battle, at, BLANK, len(self.entries), "fresh", "table", title, "")
        other.write([opened], "referee")
        return other
