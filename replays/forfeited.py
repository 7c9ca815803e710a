"""Forfeited rolls. Law: every die falls as badly as it can for who withheld its link (DICE-04), and for no one else.

What is bad depends on who throws: in a melee both sides do, so its blows are looked at one by one.
"""

from collections.abc import Sequence

from domain import events as e
from domain.battle import Battle
from domain.commands import Action, Fight, Shoot, command_from
from domain.commitments import Pending
from domain.contact import melee_of
from domain.decider import decide
from domain.dice import Roll, Tape, Throw
from domain.draft import Seat
from replays.roller import StreamTape


class WorstTape:
    """The worst dice there are: `own` if who withheld its link throws them, or else they strike it.

    `strikers` and `blows` say for a melee whether who withheld throws the next to-hit or damage dice; `victim` is the
    place in the pool (1 is the first) of the fig that a hit into a melee strikes, out of `pool`. Never a six to hit in
    N:ME, where sixes would bring more dice without end.
    """

    def __init__(
        self,
        system: str,
        *,
        own: bool,
        victim: tuple[int, int] = (1, 1),
        strikers: Sequence[bool] = (),
        blows: Sequence[bool] = (),
    ) -> None:
        self._own = own
        self._hit = 5 if system == "nme" else 6
        self._victim = victim
        self._strikers, self._blows = list(strikers), list(blows)

    def throw(self, roll: Roll) -> Throw:
        """Every die at its worst."""
        own = self._own
        if roll.purpose == "to_hit" and self._strikers:
            own = self._strikers.pop(0)
        elif roll.purpose == "damage" and self._blows:
            own = self._blows.pop(0)
        return Throw(roll.purpose, roll.sides, tuple(self._face(roll, n, own) for n in range(roll.count)))

    def _face(self, roll: Roll, n: int, own: bool) -> int:  # noqa: FBT001 - who throws
        match roll.purpose:
            case "save" | "recovery":
                # Rolled by the fig that is shot at, and, low being good, by the fig itself.
                return roll.sides if own else 1
            case "victim":
                place, pool = self._victim
                return (place - 1) * (roll.sides // pool) + 1
            case _ if own:
                return 1
            case "ammo":
                # No double, or the weapon might fail.
                return roll.sides - n % 2
            case "to_hit":
                return self._hit
            case _:
                return roll.sides


def settling_tape(battle: Battle, waits: Pending, key: bytes) -> Tape:
    """The dice of a roll that was forfeited; `key` is drawn from the links that are there.

    A side that has no fig in the action gains and loses nothing by withholding: the other links throw.
    """
    withheld = {side.id for side in battle.sides.values() if side.party in waits.forfeited}
    command = command_from(waits.request)
    if not withheld & _concerned(battle, command, waits.side):
        return StreamTape(key)
    return _worst(battle, waits, command, withheld)


def _concerned(battle: Battle, command: Action, side: str) -> set[str]:
    """The sides that the dice of an action can help or harm."""
    figs: list[str] = []
    if isinstance(command, Shoot):
        figs = [touch.fig for touch in command.touched]
        if command.target is not None:
            figs += [command.target, *melee_of(battle, command.target)]
    elif isinstance(command, Fight):
        figs = [name for bout in command.bouts for name in (bout.fig, bout.target)]
    return {side} | {battle.fig(name).side for name in figs}


def _worst(battle: Battle, waits: Pending, command: Action, withheld: set[str]) -> WorstTape:
    """Where several withheld, the side that acts has the worst of it."""
    own = waits.side in withheld
    if isinstance(command, Fight):
        strikers = [battle.fig(bout.fig).side in withheld for bout in command.bouts]
        # Which strikes land hangs on the dice to hit alone: decided once to see them, and once for good.
        seen = decide(battle, command, Seat.of(waits.actor), WorstTape(battle.system, own=own, strikers=strikers))
        landed = [x.fig for x in seen.events if isinstance(x, e.MfdHitRolled) and x.outcome == "hit"]
        blows = [battle.fig(name).side in withheld for name in landed]
        return WorstTape(battle.system, own=own, strikers=strikers, blows=blows)
    victim = _victim(battle, command, own=own, withheld=withheld) if isinstance(command, Shoot) else (1, 1)
    return WorstTape(battle.system, own=own, victim=victim)


def _victim(battle: Battle, command: Shoot, *, own: bool, withheld: set[str]) -> tuple[int, int]:
    """The first fig of who withheld among those whom a hit into a melee may strike, and how many those are."""
    if command.target is None:
        return 1, 1
    pool = melee_of(battle, command.target)
    if battle.system == "mfd":
        # The die for the side falls first (MFD-22): low strikes one's own.
        mine = [name for name in pool if battle.figs[name].side == battle.fig(command.fig).side]
        others = [name for name in pool if name not in mine]
        pool = tuple(mine if own and mine else others)
    place = next((n for n, name in enumerate(pool, start=1) if battle.figs[name].side in withheld), 1)
    return place, max(1, len(pool))
