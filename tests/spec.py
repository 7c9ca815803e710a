"""Given, when, then: how the tests tell a situation. Law: no mocks; the dice are a script that has to be used up."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any, TypeVar

import pytest

from domain import events as e
from domain.battle import Battle
from domain.commands import COMMAND
from domain.decider import decide
from domain.dice import DiceWanted, Roll, Throw
from domain.draft import REFEREE, Decision, Seat
from domain.evolve import evolved
from domain.muster import NEW_BATTLE, muster
from domain.refusals import Refusal, Refused

E = TypeVar("E")


class Script:
    """Dice that were thrown beforehand."""

    def __init__(self, faces: Sequence[int]) -> None:
        self.left = list(faces)
        self.rolls: list[Roll] = []

    def throw(self, roll: Roll) -> Throw:
        """The next faces; raises `DiceWanted` when there are too few, and fails on a face the die has not."""
        self.rolls.append(roll)
        if len(self.left) < roll.count:
            raise DiceWanted(roll)
        faces, self.left = tuple(self.left[: roll.count]), self.left[roll.count :]
        assert all(1 <= face <= roll.sides for face in faces), f"{faces} on a d{roll.sides} for {roll.purpose}"
        return Throw(roll.purpose, roll.sides, faces)


def inches(value: float | str) -> int:
    """Inches as thou."""
    return int(Decimal(str(value)) * 1000)


def opening(system: str, figs: Iterable[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """The body of a new battle between red and blue."""
    body: dict[str, Any] = {
        "system": system,
        "dice": "table",
        "sides": [{"id": "red"}, {"id": "blue"}],
        "figs": [dict(fig) for fig in figs],
    }
    return body | more


def given(body: dict[str, Any]) -> Battle:
    """The table after the muster."""
    return evolved(None, muster(NEW_BATTLE.validate_python(body)))


def when(battle: Battle, by: Seat = REFEREE, /, dice: Sequence[int] = (), **command: Any) -> Decision:
    """Decide one action with exactly these dice."""
    script = Script(dice)
    decision = decide(battle, COMMAND.validate_python(command), by, script)
    assert not script.left, f"dice left over: {script.left}"
    assert [t.faces for t in decision.thrown] == [t.faces for ev in decision.events for t in e.dice_of(ev)]
    assert evolved(battle, decision.events) == decision.battle
    return decision


def played(battle: Battle, *actions: dict[str, Any]) -> Battle:
    """The table after several actions, each a command with its `dice`."""
    for action in actions:
        battle = when(battle, **action).battle
    return battle


def refused(battle: Battle, by: Seat = REFEREE, /, **command: Any) -> Refusal:
    """The refusal of an action; no die may fall before it."""
    script = Script([1] * 50)
    with pytest.raises(Refused) as caught:
        decide(battle, COMMAND.validate_python(command), by, script)
    assert not script.rolls, "refused after a die was thrown"
    return caught.value.refusal


def only(decision: Decision, kind: type[E]) -> E:
    """The one event of that kind."""
    (event,) = (ev for ev in decision.events if isinstance(ev, kind))
    return event


def kinds(decision: Decision) -> list[str]:
    """The names of the events, the head left out."""
    return [type(ev).__name__ for ev in decision.events[1:]]
