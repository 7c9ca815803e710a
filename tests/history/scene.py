"""What clients know of a battle. Law: only what answers told; it may lag behind, and then what is asked is refused.

All clients look at one scene for each battle, as players look at one table. That is where ideas come from; what is
right and what is not is told by the diaries alone.
"""

from collections.abc import Mapping, Sequence
from random import Random
from threading import Lock
from typing import Any

from domain.battle import Battle
from domain.record import Record
from domain.timeline import advance, batches
from replays.codec import Codec, canonical


class Scene:
    """One battle; `secrets` are those of its seats."""

    def __init__(self, battle: str, secrets: Mapping[str, str]) -> None:
        self.id = battle
        self.secrets = dict(secrets)
        self.record: Record | None = None
        self.branches = 0
        self._codec = Codec()
        self._lock = Lock()

    @property
    def seq(self) -> int:
        """Up to which entry it is known."""
        return self.record.seq if self.record is not None else 0

    @property
    def table(self) -> Battle:
        """The table, as far as it is known."""
        assert self.record is not None
        return self.record.battle

    def grow(self, entries: Sequence[dict[str, Any]]) -> None:
        """Take in entries in whole batches, if they follow on those that are known."""
        with self._lock:
            fresh = [entry for entry in entries if entry["seq"] > self.seq]
            if not fresh or fresh[0]["seq"] != self.seq + 1:
                return
            record = self.record
            for batch in batches(self._codec.parse(canonical(entry)) for entry in fresh):
                record = advance(record, batch)
            self.record = record


class Club:
    """The battles there are; more are opened while others are played."""

    def __init__(self) -> None:
        self._scenes: list[Scene] = []
        self._lock = Lock()

    def add(self, scene: Scene) -> None:
        """A battle more."""
        with self._lock:
            self._scenes.append(scene)

    def remove(self, scene: Scene) -> bool:
        """A battle less; whether it was one of them."""
        with self._lock:
            known = scene in self._scenes
            if known:
                self._scenes.remove(scene)
            return known

    @property
    def scenes(self) -> Sequence[Scene]:
        """All of them, in the order in which they were opened."""
        with self._lock:
            return list(self._scenes)

    def one(self, chance: Random) -> Scene:
        """One of them; around a few tables there is a crowd."""
        scenes = self.scenes
        return scenes[int(len(scenes) * chance.random() ** 1.7)]
