"""Last ditch (MFD-25 to 28). Law: a beaten force may call it once, and then fights to the death.

It hits better and is hit more easily (`modifiers`), its armour is worse (`damage`), nobody in it runs (`movement`) and
everybody goes for the closest enemy, which is looked at when its movement phase ends.
"""

from typing import Literal

from domain import events as e
from domain.battle import Battle, Fig
from domain.commands import LastDitch
from domain.draft import Draft
from domain.refusals import refuse
from domain.systems.mfd.arms import big_guns_of, guns_of, is_fig
from domain.systems.mfd.table import WALK, band_of


def in_last_ditch(battle: Battle, fig: Fig) -> bool:
    """Whether the fig's side has called it; an object fights to no death."""
    return battle.sides[fig.side].last_ditch and is_fig(fig)


def reduced(start: int, left: int, percent: int = 10) -> bool:
    """Whether a force of `start` figs is down to so many percent (MFD-25), in integers."""
    return 100 * left <= percent * start


def call_last_ditch(draft: Draft, command: LastDitch) -> None:
    """Call it: down to a tenth, no vehicles, and outnumbered or outgunned (MFD-25); never called off (MFD-28)."""
    battle, side = draft.battle, draft.battle.sides[command.side]
    if side.last_ditch:
        refuse("MFD-28", f"{side.id} is in last ditch already, for the rest of the battle")
    left = len(_figs(battle, side.id))
    percent = battle.mfd.last_ditch_percent
    if left == 0:
        refuse("MFD-25", f"{side.id} has no fig left to fight on")
    if not reduced(side.start, left, percent):
        most = percent * side.start // 100
        refuse("MFD-25", f"{side.id} has {left} of {side.start} figs, more than {percent} %", [f"at most {most} left"])
    vehicles = [fig.id for fig in battle.figs_of(side.id) if fig.vehicle]
    if vehicles:
        refuse("MFD-25", f"{side.id} still has vehicles: {', '.join(vehicles)}")
    because = _because(battle, side.id, left)
    _check_nobody_ran(battle, side.id)
    draft.emit(e.LastDitchCalled(side.id, side.start, left, because, "MFD-25"))


def check_advance(draft: Draft) -> None:
    """Refuse to end the movement of a side in last ditch before every fig has gone for the closest enemy (MFD-26)."""
    battle = draft.battle
    if not battle.sides[battle.side].last_ditch or not any(is_fig(f) for f in battle.enemies_of(battle.side)):
        return
    idle = [fig.id for fig in _figs(battle, battle.side) if not _does_its_duty(fig)]
    if idle:
        reason = f"in last ditch every fig goes for the closest enemy without running; not so: {', '.join(idle)}"
        refuse("MFD-26", reason, ["move each of them closer", "the referee may waive it"])


def _does_its_duty(fig: Fig) -> bool:
    if fig.engaged or (fig.moved == 0 and big_guns_of(fig)):
        return True
    return fig.advanced and fig.moved <= WALK


def _figs(battle: Battle, side: str) -> list[Fig]:
    return [fig for fig in battle.figs_of(side) if is_fig(fig)]


def _because(battle: Battle, side: str, left: int) -> Literal["outnumbered", "outgunned"]:
    enemies = sum(is_fig(fig) for fig in battle.enemies_of(side))
    if left < enemies:
        return "outnumbered"
    guns = sum(len(guns_of(fig)) for fig in battle.figs_of(side))
    theirs = sum(len(guns_of(fig)) for fig in battle.enemies_of(side))
    if guns < theirs:
        return "outgunned"
    reason = f"{side} is neither outnumbered ({left} figs to {enemies}) nor outgunned ({guns} guns to {theirs})"
    refuse("MFD-25", reason)


def _check_nobody_ran(battle: Battle, side: str) -> None:
    # Called after a run it could not be obeyed, and it cannot be taken back (MFD-28).
    ran = [fig.id for fig in _figs(battle, side) if band_of(fig.moved) == "ran"]
    if ran:
        refuse("MFD-26", f"in last ditch nobody runs, and {', '.join(ran)} ran in this turn", ["call it next turn"])
