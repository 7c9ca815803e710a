"""A question: an action whose odds are asked. Law: it is decided by the rules of its battle, as often as need be."""

from collections.abc import Callable
from typing import Any, NamedTuple

from domain.battle import Battle
from domain.commands import Action
from domain.dice import Tape
from domain.draft import Decision, Seat, System


class Question(NamedTuple):
    """An action that the rules allow, on a table, by a seat."""

    battle: Battle
    command: Any
    by: Seat
    system: System
    decide: Callable[[Battle, Action, Seat, Tape, System], Decision]

    def decided(self, tape: Tape) -> Decision:
        """What the action comes to with these dice. Raises `Refused` and `DiceWanted`."""
        return self.decide(self.battle, self.command, self.by, tape, self.system)
