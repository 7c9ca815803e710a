"""Contact: who stands base to base with whom. Law: geometry finds it out once, events keep it (MFD-21, NME-03)."""

from domain import events as e
from domain.battle import Battle, Fig
from domain.draft import Draft
from domain.measures import touching


def touched_enemies(battle: Battle, fig: Fig) -> list[Fig]:
    """Enemies in play whose bases touch the fig's, in the order of the muster."""
    return [other for other in battle.enemies_of(fig.side) if touching(fig.at, fig.base, other.at, other.base)]


def meet(draft: Draft, name: str) -> None:
    """Join the fig to the melees that it stands in now, and take it out of those it has left."""
    fig = draft.fig(name)
    fights = draft.system.fights
    now = {f.id for f in touched_enemies(draft.battle, fig) if fights(f)} if fig.in_play and fights(fig) else set()
    left = tuple(sorted(set(fig.engaged) - now))
    new = tuple(sorted(now - set(fig.engaged)))
    if left:
        draft.emit(e.MeleeLeft(name, left))
    if new:
        draft.emit(e.MeleeJoined(name, new))
        draft.system.joined(draft, (name, *new))


def part(draft: Draft, name: str) -> None:
    """Take the fig out of every melee: it is down, out or otherwise no fighter any longer."""
    engaged = draft.fig(name).engaged
    if engaged:
        draft.emit(e.MeleeLeft(name, engaged))


def melee_of(battle: Battle, name: str) -> tuple[str, ...]:
    """Everybody in the fig's melee: all who are linked by contact between enemies, in the order of ids."""
    found, edge = {name}, [name]
    while edge:
        for other in battle.figs[edge.pop()].engaged:
            if other not in found:
                found.add(other)
                edge.append(other)
    return tuple(sorted(found)) if len(found) > 1 else ()
