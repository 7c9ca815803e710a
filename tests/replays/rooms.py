"""A room to play in: a real referee on a real store. Law: nothing is faked but the clock and the ids."""

from itertools import count
from typing import Any

from domain.commands import COMMAND
from domain.draft import REFEREE, Seat
from domain.muster import NEW_BATTLE
from domain.refusals import Refused
from replays.referee import Asked, BranchAsked, Receipt, Referee
from replays.shelf import Book
from replays.store import Store


class Room:
    """A referee with a clock that ticks a second at a time and ids that count up."""

    def __init__(self, database: str = ":memory:", **more: Any) -> None:
        self.store = Store.open(database)
        ticks, ids, secrets = count(1_764_450_000_000, 1000), count(1), count(1)
        self.referee = Referee(
            self.store,
            clock=lambda: next(ticks),
            new_id=lambda: f"{next(ids):032x}",
            new_secret=lambda: f"secret-{next(secrets)}",
            **more,
        )

    def open(self, body: dict[str, Any]) -> str:
        """Open a battle; its id."""
        return receipt(self.referee.open(NEW_BATTLE.validate_python(body), Asked(REFEREE))).battle

    def act(self, battle: str, by: Seat = REFEREE, /, **command: Any) -> Receipt:
        """Carry out an action."""
        return receipt(self.referee.act(battle, COMMAND.validate_python(command), Asked(by)))

    def branch(self, battle: str, **what: Any) -> str:
        """Open a what-if; its id."""
        return receipt(self.referee.branch(battle, BranchAsked(**what), Asked(REFEREE))).battle

    def book(self, battle: str) -> Book:
        """The battle's book."""
        return self.referee.shelf.book(battle)


def receipt(answer: object) -> Receipt:
    """A write's receipt."""
    assert isinstance(answer, Receipt)
    return answer


def gangs(**more: Any) -> dict[str, Any]:
    """The body of a small N:ME battle that shoots from the first turn."""
    figs: list[dict[str, Any]] = [
        {
            "id": f"{side}-{n}",
            "side": side,
            "x": 6 + 4 * n,
            "y": y,
            "facing": facing,
            "bs": 4,
            "weapons": ["stub-gun", "autogun"],
        }
        for side, y, facing in (("red", 10, 90), ("blue", 19, 270))
        for n in range(3)
    ]
    return {"system": "nme", "dice": "server", "sides": [{"id": "red"}, {"id": "blue"}], "figs": figs} | more


def skirmish(room: Room, turns: int) -> str:
    """A battle in which every fig that may shoots at whom it must, turn about."""
    battle = room.open(gangs())
    for _ in range(turns):
        volley(room, battle)
        room.act(battle, do="end_turn")
    return battle


def volley(room: Room, battle: str) -> None:
    """Every fig of the side in turn that may shoots once."""
    table = room.book(battle).record.battle
    for fig in list(table.figs_of(table.side)):
        for enemy in list(table.enemies_of(table.side)):
            try:
                room.act(battle, do="shoot", fig=fig.id, weapon="autogun", target=enemy.id, mode="aimed")
            except Refused:
                continue
            break
