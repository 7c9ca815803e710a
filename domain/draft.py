"""Draft: an action while it is being decided. Law: what is written down has happened, and the table shows it at once.

Rules read `draft.battle`, throw through `draft.throw` and write through `draft.emit`; every die that falls is noted, so
that none can stand outside the events (law 4).
"""

from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from domain import events as e
from domain.battle import Battle, Fig
from domain.commands import Action, request_of
from domain.dice import MOST_DICE, DiceWanted, Purpose, Roll, Tape, Throw, draw_die, drawn
from domain.evolve import evolve
from domain.refusals import refuse


class Seat(msgspec.Struct, frozen=True):
    """Who is asking: `referee`, `side` (with its id) or `spectator`."""

    role: str
    side: str = ""

    @property
    def actor(self) -> str:
        """The seat as a log writes it."""
        return f"side:{self.side}" if self.role == "side" else self.role

    @staticmethod
    def of(actor: str) -> "Seat":
        """The seat that a log writes as `actor`."""
        role, _, side = actor.partition(":")
        return Seat(role, side)


REFEREE = Seat("referee")
SPECTATOR = Seat("spectator")


class Decision(msgspec.Struct, frozen=True):
    """What an action comes to: its batch, the dice it took, the table after it."""

    events: tuple[e.Event, ...]
    thrown: tuple[Throw, ...]
    battle: Battle


class NoDice:
    """The tape of what throws nothing: a muster, a ruling."""

    def throw(self, roll: Roll) -> Throw:
        """Nothing asks for a die here."""
        raise AssertionError(roll)


class Draft:
    """An action on its way into the log."""

    def __init__(self, battle: Battle, by: Seat, tape: Tape, system: "System") -> None:
        self.battle = battle
        self.by = by
        self.system = system
        self.events: list[e.Event] = []
        self.thrown: list[Throw] = []
        self.modifiers: tuple[e.Modifier, ...] = ()
        self.sights: dict[str, e.Sight] = {}
        self._tape = tape

    def emit(self, event: e.Event) -> None:
        """Write down what happened."""
        self.events.append(event)
        self.battle = evolve(self.battle, event)

    def fig(self, name: str) -> Fig:
        """A fig as it stands now."""
        return self.battle.figs[name]

    def throw(self, purpose: Purpose, count: int, sides: int) -> Throw:
        """Have dice thrown; raises `DiceWanted` where the tape has none left."""
        if sum(len(t.faces) for t in self.thrown) + count > MOST_DICE:
            # Ends an endless run of sixes; before the first die nothing asks for so many.
            refuse("NME-15", f"one action may not throw more than {MOST_DICE} dice")
        try:
            thrown = self._tape.throw(Roll(purpose, count, sides))
        except DiceWanted as dry:
            raise DiceWanted(dry.wanted, dry.so_far or tuple(self.thrown)) from None
        self.thrown.append(thrown)
        return thrown

    def draw(self, purpose: Purpose, pool: Sequence[str]) -> tuple[str, tuple[Throw, ...]]:
        """Draw one of `pool` evenly: no die for one, else the smallest that divides, thrown again if need be."""
        if len(pool) == 1:
            return pool[0], ()
        sides = draw_die(len(pool))
        throws: list[Throw] = []
        while True:
            throws.append(self.throw(purpose, 1, sides))
            chosen = drawn(pool, sides, throws[-1].faces[0])
            if chosen is not None:
                return chosen, tuple(throws)

    def decided(self, command: Action, side: str) -> Decision:
        """The batch, headed by the request as it was accepted."""
        request: dict[str, Any] = request_of(command)
        head = e.ActionDeclared(
            do=request["do"],
            side=side,
            request=request,
            sights=tuple(self.sights.values()),
            modifiers=self.modifiers,
        )
        return Decision((head, *self.events), tuple(self.thrown), self.battle)


class System(Protocol):
    """What a rule system has to offer; each is a module or a plain object, and neither knows the other."""

    @property
    def name(self) -> str:
        """The system's word for itself: `nme` or `mfd`."""

    @property
    def rules(self) -> str:
        """The rules version that `BattleStarted` names."""

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases of a turn, in order."""

    def check_muster(self, battle: Battle) -> None:
        """Refuse a muster that the rules do not allow (MFD-07)."""

    def fights(self, fig: Fig) -> bool:
        """Whether a fig, touched by an enemy, is in a melee."""

    def joined(self, draft: Draft, figs: Sequence[str]) -> None:
        """What being drawn into a melee does to figs."""

    def leave_phase(self, draft: Draft, phase: str, waive: str | None) -> None:
        """What has to hold, or happens, when a phase ends."""

    def end_turn(self, draft: Draft) -> None:
        """What happens when the turn of `draft.battle.side` ends, before `TurnEnded`."""

    def pending(self, battle: Battle, command: Action) -> None:
        """Refuse what has to wait for something else (an injury that the players still have to report)."""

    def handle(self, draft: Draft, command: Action) -> None:
        """Decide one command of the system's own."""
