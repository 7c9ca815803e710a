"""Movement (MFD-08). Law: what counts is the inches of the whole turn, whatever pace was said.

A fig may move several times in a turn; the inches add up. It may leave a melee, and it joins one by touching an enemy.
"""

from collections.abc import Iterable

from domain import events as e
from domain.battle import Battle, Fig, Pace
from domain.commands import Move
from domain.contact import meet
from domain.draft import Draft
from domain.measures import Point, inches, length, squared
from domain.places import check_place
from domain.refusals import invalid, refuse
from domain.systems.mfd.aiming import lose_aim
from domain.systems.mfd.arms import is_fig
from domain.systems.mfd.last_ditch import in_last_ditch
from domain.systems.mfd.table import RUN, WALK, band_of


def move(draft: Draft, command: Move) -> None:
    """Move a fig; its aim goes (MFD-19), and contact is looked at anew (MFD-21)."""
    fig, to = draft.fig(command.fig), Point(command.to.x, command.to.y)
    if command.cover is not None:
        invalid("in MiniFig Death cover is said with the shot, not with the move", "/cover")
    if not is_fig(fig):
        refuse("MFD-16", f"{fig.id} is an object, and objects do not move")
    counted = _counted(fig, to, command.inches)
    total = fig.moved + counted
    _check_total(draft.battle, fig, total, command.pace)
    check_place(draft.battle, fig, to)
    draft.emit(
        e.FigMoved(
            fig=fig.id,
            start=fig.at,
            to=to,
            inches=counted,
            measured=length(squared(fig.at, to)),
            total=total,
            pace=_pace(total, command.pace),
            # Every move of the turn has to bring it nearer: one step back is no advance.
            advanced=advances(fig.at, to, _enemy_figs(draft.battle, fig)) and (fig.advanced or not fig.moved),
        )
    )
    lose_aim(draft, fig.id, "move")
    meet(draft, fig.id)


def advances(start: Point, to: Point, enemies: Iterable[Point]) -> bool:
    """Whether `to` is strictly closer to an enemy that was closest at `start`; of several any will do (MFD-26)."""
    near = sorted((squared(start, enemy), squared(to, enemy)) for enemy in enemies)
    # Sorted by both: of the enemies closest at the start, the first is the one that has come closest.
    return bool(near) and near[0][1] < near[0][0]


def _enemy_figs(battle: Battle, fig: Fig) -> list[Point]:
    return [enemy.at for enemy in battle.enemies_of(fig.side) if is_fig(enemy)]


def _counted(fig: Fig, to: Point, said: int | None) -> int:
    straight = length(squared(fig.at, to))
    if said is not None and said < straight:
        invalid(f'the straight line is {inches(straight)}", and a move is never shorter', "/inches", [inches(straight)])
    counted = straight if said is None else said
    if counted == 0:
        invalid("that is no move: the fig stands there already", "/to")
    return counted


def _check_total(battle: Battle, fig: Fig, total: int, pace: str | None) -> None:
    limit, rule, what = min(RUN, 2 * fig.mfd.move), "MFD-08", "in its turn"
    if pace == "walk":
        limit, what = min(WALK, fig.mfd.move), "at a walk"
    if in_last_ditch(battle, fig) and limit > WALK:
        limit, rule, what = WALK, "MFD-26", "in last ditch, where nobody runs"
    if total > limit:
        left = inches(max(0, limit - fig.moved))
        reason = f'{fig.id} may move {inches(limit)}" {what}; with this it would be {inches(total)}"'
        refuse(rule, reason, [f'{left}" more'])


def _pace(total: int, said: str | None) -> Pace:
    if said == "charge":
        return "charge"
    return "walk" if band_of(total) == "moved" else "run"
