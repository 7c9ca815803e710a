"""Sightlines: what terrain says about cover. Law: people's word goes first, then terrain; the rest is `assumed`.

A wall gives its cover word to whatever lies beyond it, except to the fire of a fig that stands against it. An area
gives it to figs that stand in it, and to figs beyond it unless the shooter stands in it.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from domain.battle import Battle, Fig, Terrain
from domain.events import Sight
from domain.measures import TOUCH, Point, crosses, inside, near_segment

WORDS: Mapping[str, tuple[str, ...]] = {
    "nme": ("open", "cover", "unseen"),
    "mfd": ("none", "partial", "full", "unseen"),
}
"""The cover words of each system, from the plainest to the best hidden."""


def sight_of(battle: Battle, shooter: Fig, target: Fig, declared: str | None) -> Sight:
    """How well `shooter` sees `target`, and who says so."""
    if declared is not None:
        return Sight(target.id, declared, "declared")
    words = WORDS[battle.system]
    given = [t.cover for t in battle.terrain if _covers(t, shooter, target)]
    if given:
        return Sight(target.id, max(given, key=words.index), "terrain")
    return Sight(target.id, words[0], "assumed")


def stands_in_cover(battle: Battle, fig: Fig, at: Point) -> bool:
    """Whether terrain gives cover to a fig at that place: in an area, or against a wall."""
    plain = WORDS[battle.system][0]
    return any(t.cover != plain and (_stands_in(t, at) or _against(t, at, fig.base)) for t in battle.terrain)


def _covers(piece: Terrain, shooter: Fig, target: Fig) -> bool:
    if piece.kind == "wall":
        return not _against(piece, shooter.at, shooter.base) and _cut(piece.points, shooter.at, target.at)
    if _stands_in(piece, target.at):
        return True
    edge = (*piece.points, piece.points[0])
    return not _stands_in(piece, shooter.at) and _cut(edge, shooter.at, target.at)


def _cut(line: Sequence[Point], a: Point, b: Point) -> bool:
    return any(crosses(a, b, c, d) for c, d in pairwise(line))


def _stands_in(piece: Terrain, at: Point) -> bool:
    return piece.kind == "area" and inside(piece.points, at)


def _against(piece: Terrain, at: Point, base: int) -> bool:
    reach = base // 2 + TOUCH
    return piece.kind == "wall" and any(near_segment(c, d, at, reach) for c, d in pairwise(piece.points))
