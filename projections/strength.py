"""Strength: how a force stands. Law: objects count for nobody; a fig that is pinned or down still counts."""

from collections.abc import Iterable

from pydantic import Field

from domain.battle import Battle, Fig, MfdProfile
from projections.view import View


class SideState(View):
    """A force."""

    name: str
    start: int = Field(description="figs at the muster; objects do not count")
    left: int = Field(description="figs still in play, pinned and down ones too; objects do not count")
    last_ditch: bool
    conceded: bool


def counts(fig: Fig) -> bool:
    """Whether a fig counts for the strength of its side."""
    return not (isinstance(fig.profile, MfdProfile) and fig.profile.kind == "object")


def left(figs: Iterable[Fig]) -> int:
    """How many figs that count are still in play."""
    return sum(counts(fig) and fig.in_play for fig in figs)


def side_states(battle: Battle) -> dict[str, SideState]:
    """Every force, in turn order."""
    return {
        side.id: SideState(
            name=side.name,
            start=side.start,
            left=left(battle.figs_of(side.id)),
            last_ditch=side.last_ditch,
            conceded=side.conceded,
        )
        for side in battle.sides.values()
    }
