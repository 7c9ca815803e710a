"""N:ME shooting, version 1. Law: wiring only; each module beside this one holds one chapter of the rules."""

from collections.abc import Callable, Sequence
from typing import Any

from domain import events as e
from domain.battle import Battle, Fig
from domain.commands import Action, Hide, Injure, Move, Recover, Shoot, Turn
from domain.draft import Draft
from domain.refusals import refuse
from domain.systems.nme.injuries import check_pending, injure
from domain.systems.nme.movement import hide, move, turn
from domain.systems.nme.recovery import recover, recover_at_end_of_turn
from domain.systems.nme.shooting import shoot

_COMMANDS: dict[type[Action], Callable[[Draft, Any], None]] = {
    Recover: recover,
    Move: move,
    Turn: turn,
    Hide: hide,
    Shoot: shoot,
    Injure: injure,
}
"""What a fig can be asked to do."""


class Nme1:
    """The rules `nme.1`."""

    name = "nme"
    rules = "nme.1"
    phases = ("recovery", "movement", "shooting")

    def check_muster(self, battle: Battle) -> None:
        """Every muster is good: N:ME says nothing about forces."""

    def fights(self, fig: Fig) -> bool:
        """Only an active fig fights; contact with one that lies on the ground is no combat (NME-03)."""
        return fig.status == "active"

    def joined(self, draft: Draft, figs: Sequence[str]) -> None:
        """Nobody hides in combat (NME-09)."""
        for name in figs:
            if draft.fig(name).hidden:
                draft.emit(e.FigRevealed(name, "contact"))

    def leave_phase(self, draft: Draft, phase: str, waive: str | None) -> None:
        """A phase ends without further ado."""

    def end_turn(self, draft: Draft) -> None:
        """Pinned figs that have missed this turn get up (NME-25)."""
        recover_at_end_of_turn(draft)

    def pending(self, battle: Battle, command: Action) -> None:
        """Injuries that the players report come before anything else (TURN-07)."""
        check_pending(battle, command)

    def handle(self, draft: Draft, command: Action) -> None:
        """Decide one command of N:ME."""
        handler = _COMMANDS.get(type(command))
        if handler is None:
            what = getattr(command, "do", "that").replace("_", " ")
            refuse("TURN-05", f"N:ME knows no {what}", ["recover", "move", "turn", "hide", "shoot", "injure"])
        handler(draft, command)


NME_1 = Nme1()
