"""View: the table as a shooter sees it. Law: the word of people goes first, then coordinates and terrain.

Range runs from centre to centre; only the arc looks at bases.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property

from domain.battle import Battle, Fig
from domain.events import Sight
from domain.measures import INCH, in_arc, squared, within
from domain.sightlines import sight_of

NEAR = 10 * INCH
"""Within this, enemies are in one's face (NME-06)."""


class View:
    """The table as a shooter sees it: `said` are people's cover words, `taped` their distances, by fig."""

    def __init__(self, battle: Battle, shooter: Fig, said: Mapping[str, str], taped: Mapping[str, int]) -> None:
        self.battle = battle
        self.shooter = shooter
        self._said = said
        self._taped = taped
        self._sights: dict[str, Sight] = {}

    def squared_to(self, other: Fig) -> int:
        """The squared distance that counts."""
        tape = self._taped.get(other.id)
        return squared(self.shooter.at, other.at) if tape is None else tape * tape

    def within(self, other: Fig, limit: int) -> bool:
        """Whether a fig is at most that far away."""
        return within(self.squared_to(other), limit)

    def faces(self, other: Fig) -> bool:
        """Whether any of its base is in the 180 degrees to the front (NME-07)."""
        return in_arc(self.shooter.at, self.shooter.facing, other.at, other.base // 2)

    def sight(self, other: Fig) -> Sight:
        """How well it can be seen, and who says so (NME-09)."""
        if other.id not in self._sights:
            self._sights[other.id] = sight_of(self.battle, self.shooter, other, self._said.get(other.id))
        return self._sights[other.id]

    def sees(self, other: Fig) -> bool:
        """Whether it can be seen: it does not hide (NME-09), as a pinned fig in cover does by itself (NME-23)."""
        cover = self.sight(other).cover
        lies_low = other.status == "pinned" and cover == "cover" and not self.battle.nme.hidden_pinned_targetable
        return cover != "unseen" and not other.hidden and not lies_low

    @cached_property
    def at_hand(self) -> list[Fig]:
        """Enemies whom NME-06 is about, once they are seen: active, not in combat, in the arc, and within 10"."""
        return [
            other
            for other in self.battle.enemies_of(self.shooter.side)
            if other.status == "active"
            and not other.engaged
            and not other.hidden
            and self.faces(other)
            # Any enemy near may force the shot on to the nearest active one, however far away that is.
            and (self.within(other, NEAR) or self._any_triggers)
        ]

    @cached_property
    def bound_to(self) -> list[str] | None:
        """Whom enemies within 10" leave as targets (NME-06): the nearest, or the nearest in the open; None: anybody."""
        ready = [other for other in self.at_hand if self.sees(other)]
        near = [other for other in ready if self.within(other, NEAR)]
        enemies = self.battle.enemies_of(self.shooter.side)
        if not near and not (self._any_triggers and any(self.within(other, NEAR) for other in enemies)):
            return None
        nearest = self._nearest(ready)
        if any(self.sight(other).cover == "cover" for other in nearest):
            nearest += self._nearest(other for other in near if self.sight(other).cover == "open")
        return sorted({other.id for other in nearest})

    @property
    def _any_triggers(self) -> bool:
        return self.battle.nme.proximity_trigger == "any"

    def _nearest(self, figs: Iterable[Fig]) -> list[Fig]:
        by_range = [(self.squared_to(fig), fig) for fig in figs]
        least = min((distance for distance, _ in by_range), default=0)
        return [fig for distance, fig in by_range if distance == least]
