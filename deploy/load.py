"""A load of players and followers. Law: when it ends, every request has been answered and every follower is up to date.

Two players share a battle, so that they race for its head; each battle is followed once at every door, and at every
second door by somebody who hangs up now and then.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from threading import Event
from time import monotonic, sleep

from deploy.checking import log_of
from deploy.following import Follower
from deploy.playing import FAILED, Battle, Failure, Place, Player, Promise, opened


@dataclass
class Load:
    """Battles under way. `places` is where players write, `doors` where followers look: each door has its own."""

    places: Sequence[Place]
    doors: Sequence[Place]
    pause: float
    battles: list[Battle] = field(default_factory=list)
    players: list[Player] = field(default_factory=list)
    followers: list[Follower] = field(default_factory=list)
    _over: Event = field(default_factory=Event)
    _heads: dict[str, int] = field(default_factory=dict)

    def begin(self, players: int) -> None:
        """Open the battles, and let everybody come."""
        numbers = count()
        for _ in range((players + 1) // 2):
            battle = opened(self.places[0])
            self.battles.append(battle)
            for n, door in enumerate(self.doors):
                self.followers.append(self._follower(battle, door, stays=200 * (n % 2)))
            for _ in range(min(2, players - len(self.players))):
                self.players.append(Player(next(numbers), battle, self.places, self._over, self.pause))
        for thread in chain(self.followers, self.players):
            thread.start()

    def _follower(self, battle: Battle, door: Place, stays: int) -> Follower:
        return Follower(battle.id, door, lambda: self._heads.get(battle.id), stays)

    def end(self, patience: float = 120) -> list[str]:
        """Stop the players, then wait for the followers; what did not end in time is told."""
        self._over.set()
        until = monotonic() + patience
        for player in self.players:
            player.join(max(0, until - monotonic()))
        if any(player.is_alive() for player in self.players):
            return ["players still wait for an answer"]
        for battle in self.battles:
            self._heads[battle.id] = self._head(battle)
        for follower in self.followers:
            follower.join(max(0, until - monotonic()))
        return [f"{f.name}: still waits for entries after {f.last}" for f in self.followers if f.is_alive()]

    def _head(self, battle: Battle) -> int:
        for attempt in range(20):
            try:
                return len(log_of(self.places[attempt % len(self.places)], battle.id))
            except FAILED:
                sleep(1)
        raise ValueError(f"the log of {battle.id} cannot be read")

    @property
    def promises(self) -> list[Promise]:
        """All that was acknowledged, in the order of the answers."""
        found = chain.from_iterable(list(player.notes.promises) for player in self.players)
        return sorted(found, key=lambda promise: promise.answered)

    @property
    def failures(self) -> list[Failure]:
        """All that had to be sent again."""
        return [failure for player in self.players for failure in list(player.notes.failures)]

    @property
    def odd(self) -> list[str]:
        """Answers that should not be."""
        return [what for player in self.players for what in player.notes.odd]

    @property
    def refused(self) -> int:
        """How often the rules said no."""
        return sum(player.notes.refused for player in self.players)
