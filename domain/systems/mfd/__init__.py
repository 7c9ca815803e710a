"""MiniFig Death, version 1. Law: wiring only; the rules stand in the modules beside this one, under their ids.

`arms` and `table` are the weapons, `force` the muster, `movement` `aiming` `shooting` `melee` `last_ditch` what figs
do, `modifiers` and `damage` the arithmetic of a roll.
"""

from collections.abc import Sequence

from domain.battle import Battle, Fig
from domain.commands import Action, AimAt, Fight, LastDitch, Move, Shoot
from domain.draft import Draft
from domain.refusals import refuse
from domain.systems.mfd.aiming import after_firing, aim, drawn_into_melee
from domain.systems.mfd.arms import is_fig
from domain.systems.mfd.force import check_force
from domain.systems.mfd.last_ditch import call_last_ditch, check_advance
from domain.systems.mfd.melee import fight
from domain.systems.mfd.movement import move
from domain.systems.mfd.shooting import shoot


class Mfd1:
    """The rules `mfd.1`."""

    name = "mfd"
    rules = "mfd.1"
    phases = ("movement", "shooting", "close_combat")

    def check_muster(self, battle: Battle) -> None:
        """Ten guns for every big one (MFD-07)."""
        check_force(battle)

    def fights(self, fig: Fig) -> bool:
        """A fig in play fights; an object does not (MFD-18, MFD-21)."""
        return fig.in_play and is_fig(fig)

    def joined(self, draft: Draft, figs: Sequence[str]) -> None:
        """Whoever is drawn into a melee loses its aim (MFD-19)."""
        drawn_into_melee(draft, figs)

    def leave_phase(self, draft: Draft, phase: str, waive: str | None) -> None:
        """A side in last ditch has to advance before its movement ends, unless the referee waives it (MFD-26)."""
        if phase == "movement" and waive is None:
            check_advance(draft)

    def end_turn(self, draft: Draft) -> None:
        """Whoever fired loses its aim (MFD-19)."""
        after_firing(draft)

    def pending(self, battle: Battle, command: Action) -> None:
        """Nothing ever waits in MiniFig Death."""

    def handle(self, draft: Draft, command: Action) -> None:
        """Decide one action."""
        match command:
            case Move():
                move(draft, command)
            case AimAt():
                aim(draft, command)
            case Shoot():
                shoot(draft, command)
            case Fight():
                fight(draft, command)
            case LastDitch():
                call_last_ditch(draft, command)
            case _:
                refuse("TURN-05", "MiniFig Death knows no such action", ["move, aim, shoot, fight, last_ditch"])


MFD_1 = Mfd1()
