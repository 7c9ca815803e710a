"""Playing: one game of a forecast. Law: the real rules decide, the referee's seat asks, and dice follow from a key.

What the rules refuse leaves the table as it is, and the fig does something else or nothing. `tactics` says what is
tried.
"""

import hmac
from collections.abc import Iterator
from math import isqrt
from typing import Any

from domain.battle import Battle, Fig
from domain.commands import command_from
from domain.decider import decide
from domain.dice import Roll, Tape
from domain.draft import REFEREE
from domain.measures import INCH, squared
from domain.refusals import Refused
from domain.sightlines import sight_of
from domain.systems import system_of
from domain.systems.nme.injuries import injury
from replays.roller import DryTape, StreamTape

LEAST_STEP = INCH // 10
"""Nobody bothers to move less than this."""

WORST = 6
"""The charts end at this strength."""


class Play:
    """One game as it goes on: the table, and the key (32 bytes) from which the dice of every action follow."""

    def __init__(self, battle: Battle, key: bytes) -> None:
        self.battle = battle
        self._key = key
        self._rolls = 0
        self._system = system_of(battle.rules)

    def do(self, **command: Any) -> bool:
        """Do what needs no die; whether the rules allow it."""
        return self._decided(command, DryTape())

    def roll(self, **command: Any) -> bool:
        """Do what may need dice; whether the rules allow it."""
        done = self._decided(command, self._tape())
        if done and self.battle.system == "nme":
            self.report()
        return done

    def report(self) -> None:
        """Where the players report injuries, the charts stand in for them."""
        for fig in [fig for fig in self.battle.figs.values() if fig.in_play and fig.injuries]:
            for blow in fig.injuries:
                (face,) = self._tape().throw(Roll("injury", 1, 6)).faces
                self.do(do="injure", fig=fig.id, result=injury(min(blow.strength, WORST), face))

    def own(self, status: str) -> Iterator[Fig]:
        """The figs of the side in turn that are so, each as it stands when it comes to act."""
        for name in [f.id for f in self.battle.figs_of(self.battle.side) if f.status == status and not f.is_object]:
            fig = self.battle.figs[name]
            if fig.status == status:
                yield fig

    def foes(self, fig: Fig, most: int) -> list[Fig]:
        """Enemies that still stand: those that are up and the nearest first, and among equals as they were mustered."""
        foes = [foe for foe in self.battle.enemies_of(fig.side) if stands(foe)]
        return sorted(foes, key=lambda foe: (foe.status != "active", squared(fig.at, foe.at)))[:most]

    def sees(self, fig: Fig, foe: Fig) -> bool:
        """Whether terrain leaves it in sight."""
        return not foe.hidden and sight_of(self.battle, fig, foe, None).cover != "unseen"

    def walk(self, fig: Fig, foe: Fig, far: int, apart: int) -> None:
        """Go so far toward a foe, but `apart` from its base; or half as far where somebody stands in the way."""
        dx, dy, away = foe.x - fig.x, foe.y - fig.y, isqrt(squared(fig.at, foe.at))
        step = min(far, away - (fig.base + foe.base) // 2 - apart)
        for length in (step, step // 2):
            to = {"x": fig.x + _share(dx, length, away), "y": fig.y + _share(dy, length, away)}
            if length < LEAST_STEP or self.do(do="move", fig=fig.id, to=to):
                return

    def standing(self) -> list[str]:
        """The sides with a fig that can still act, or may get up again."""
        sides = {fig.side for fig in self.battle.figs.values() if stands(fig)}
        return [side for side in self.battle.playing() if side in sides]

    def _tape(self) -> StreamTape:
        self._rolls += 1
        return StreamTape(hmac.digest(self._key, self._rolls.to_bytes(4), "sha256"))

    def _decided(self, command: dict[str, Any], tape: Tape) -> bool:
        try:
            self.battle = decide(self.battle, command_from(command), REFEREE, tape, self._system).battle
        except Refused:
            return False
        return True


def stands(fig: Fig) -> bool:
    """Whether a fig can still act, or may get up again; an object never does."""
    return fig.status in {"active", "pinned"} and not fig.is_object


def _share(delta: int, length: int, away: int) -> int:
    # Toward zero on both sides, so that the step is never longer than it may be.
    return delta * length // away if delta >= 0 else -(-delta * length // away)
