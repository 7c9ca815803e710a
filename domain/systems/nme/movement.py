"""Movement. Law: what a fig moves in a turn adds up, and its pace decides what it may still do (NME-01 to 03)."""

from typing import Literal

from domain import events as e
from domain.battle import Battle, Fig
from domain.commands import Hide, Move, Turn
from domain.contact import meet, touched_enemies
from domain.draft import Draft
from domain.measures import Point, Vector, inches, length, squared
from domain.places import check_place
from domain.refusals import invalid, refuse
from domain.systems.nme.cover import check_word, in_cover

Going = Literal["walk", "run", "charge"]


def move(draft: Draft, command: Move) -> None:
    """Move a fig at a walk (NME-02), a run or a charge (NME-03), and into or out of combat."""
    check_word(command.cover, "/cover")
    fig = _active(draft, command.fig)
    pace = _pace(fig, command.pace)
    to = Point(command.to.x, command.to.y)
    measured = length(squared(fig.at, to))
    counted = _counted(measured, command.inches)
    _check_cap(fig, pace, counted)
    check_place(draft.battle, fig, to)
    draft.emit(
        e.FigMoved(
            fig=fig.id,
            start=fig.at,
            to=to,
            inches=counted,
            measured=measured,
            total=fig.moved + counted,
            pace=pace,
            advanced=False,
        )
    )
    # NME-09: who hides may go from cover to cover at a walk.
    if fig.hidden and (pace != "walk" or not in_cover(draft.battle, fig, to, command.cover)):
        draft.emit(e.FigRevealed(fig.id, "moved"))
    roused = _rouse(draft, fig.id) if pace == "charge" else []
    for name in (fig.id, *roused):
        meet(draft, name)


def turn(draft: Draft, command: Turn) -> None:
    """Turn a fig on the spot; this is no movement, as little as facing a target is (NME-08)."""
    fig = _active(draft, command.fig)
    if (command.facing is None) == (command.toward is None):
        invalid("say where to look: either a facing or toward what", "/facing", ["facing", "toward"])
    facing = _toward(draft.battle, fig, command) if command.facing is None else command.facing
    draft.emit(e.FigTurned(fig.id, facing, "turn"))


def hide(draft: Draft, command: Hide) -> None:
    """Hide a fig that is in cover: it cannot be seen (NME-09) until it moves out of cover or shoots."""
    check_word(command.cover, "/cover")
    fig = _active(draft, command.fig)
    if fig.hidden:
        refuse("NME-09", f"{fig.id} hides already", ["leave it as it is"])
    if fig.pace in {"run", "charge"}:
        refuse("NME-09", f"{fig.id} has moved at a {fig.pace} in this turn", ["hide after a walk or without moving"])
    if fig.engaged:
        refuse("NME-09", f"{fig.id} is in combat with {', '.join(fig.engaged)}", ["move out of combat first"])
    if not in_cover(draft.battle, fig, fig.at, command.cover):
        refuse("NME-09", f"{fig.id} is not in cover", ["move into cover", "say `cover` where no terrain shows it"])
    draft.emit(e.FigHid(fig.id))


def _active(draft: Draft, name: str) -> Fig:
    fig = draft.fig(name)
    if fig.status != "active":
        able = [f.id for f in draft.battle.figs_of(fig.side) if f.status == "active"]
        refuse("NME-23", f"{fig.id} is {fig.status}, and may do nothing until it recovers", able)
    return fig


def _pace(fig: Fig, asked: Going | None) -> Going:
    if fig.pace in {"still", "walk"}:
        return asked or "walk"
    if asked not in {None, fig.pace}:
        refuse("NME-03", f"{fig.id} has moved at a {fig.pace} in this turn, and keeps that pace", [fig.pace])
    return "run" if fig.pace == "run" else "charge"


def _counted(measured: int, asked: int | None) -> int:
    if measured == 0:
        invalid("that is where it stands", "/to", ["leave it where it is, or move it somewhere else"])
    if asked is not None and asked < measured:
        line = inches(measured)
        invalid(f'the straight line is {line}" already; a move never counts less', "/inches", [f"{line} or more"])
    return measured if asked is None else asked


def _check_cap(fig: Fig, pace: Going, counted: int) -> None:
    profile = fig.nme
    cap = {"walk": profile.move, "run": profile.run, "charge": profile.charge}[pace]
    if fig.moved + counted > cap:
        refuse(
            "NME-02" if pace == "walk" else "NME-03",
            f'{fig.id} may move {inches(cap)}" in a turn at a {pace}: {inches(fig.moved)}" so far, '
            f'and {inches(counted)}" more are too many',
            [f'{pace} up to {inches(max(cap - fig.moved, 0))}"'],
        )


def _rouse(draft: Draft, name: str) -> list[str]:
    # Outside (rules 3B): a pin is dropped when the pinned fig is charged; one that hides is not found.
    enemies = touched_enemies(draft.battle, draft.fig(name))
    pinned = [other.id for other in enemies if other.status == "pinned" and not other.hidden]
    for other in pinned:
        draft.emit(e.FigRecovered(other, "charged"))
    return pinned


def _toward(battle: Battle, fig: Fig, command: Turn) -> Vector:
    if isinstance(command.toward, str):
        other = battle.fig(command.toward, "/toward")
        if not other.in_play:
            invalid(f"{other.id} is out of the battle", "/toward", [f.id for f in battle.figs.values() if f.in_play])
        at = other.at
    else:
        assert command.toward is not None
        at = Point(command.toward.x, command.toward.y)
    if at == fig.at:
        invalid(f"{fig.id} cannot look toward its own place", "/toward", ["another fig, another place or a facing"])
    return Vector(at.x - fig.x, at.y - fig.y)
