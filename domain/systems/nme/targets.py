"""Targets. Law: who may be shot at is asked in the rulebook's order, and the first rule that says no is named."""

from collections.abc import Callable

import msgspec

from domain.battle import Fig
from domain.commands import Shoot
from domain.contact import melee_of
from domain.draft import Draft
from domain.measures import INCH, Point, in_arc, inches, length, squared, within
from domain.places import on_table, table_size
from domain.refusals import invalid, refuse
from domain.systems.nme.view import View

CLOSE = 5 * INCH
"""Within this inactive figs may be targeted (NME-10)."""


class Line(msgspec.Struct, frozen=True):
    """A line of fire to a fig or a point; `squared` is compared, `distance` shown, `measured` comes off the table."""

    view: View
    target: Fig | None
    at: Point
    squared: int
    distance: int
    measured: int


def choose(draft: Draft, fig: Fig, command: Shoot) -> Line:
    """The line of fire to the chosen target; refuses one that may not be chosen (NME-05 to 07, 09, 10, 26)."""
    line = _line(draft, fig, command)
    view = line.view
    if line.target is None:
        _check_point(view, line.at)
    else:
        _check_target(view, line.target)
    if line.squared == 0:
        # NME-17: nothing is at no distance at all; base contact is combat.
        invalid("that is where the shooter stands", "/point" if line.target is None else "/target")
    mattered = view.at_hand if line.target is None else [line.target, *view.at_hand]
    for other in mattered:
        draft.sights[other.id] = view.sight(other)
    return line


def _is_friend(view: View, target: Fig) -> bool:
    return target.side == view.shooter.side


def _is_out(_: View, target: Fig) -> bool:
    return not target.in_play


def _fights_friend(view: View, target: Fig) -> bool:
    return any(_is_friend(view, view.battle.figs[name]) for name in melee_of(view.battle, target.id))


def _is_not_nearest(view: View, target: Fig) -> bool:
    return view.bound_to is not None and target.id not in view.bound_to


def _is_behind(view: View, target: Fig) -> bool:
    return not view.faces(target)


def _is_unseen(view: View, target: Fig) -> bool:
    return not view.sees(target)


def _lies_too_far(view: View, target: Fig) -> bool:
    return target.status != "active" and not view.within(target, CLOSE)


FORBIDDEN: tuple[tuple[str, Callable[[View, Fig], bool], str], ...] = (
    ("NME-05", _is_friend, "{0} is on the shooter's own side; shoot at an enemy, or at a point"),
    ("NME-05", _is_out, "{0} is out of the battle"),
    ("NME-26", _fights_friend, "{0} fights a fig of the shooter's side; nobody shoots into a combat of friends"),
    ("NME-06", _is_not_nearest, 'with enemies within 10" the nearest active one must be the target, not {0}'),
    ("NME-07", _is_behind, "{0} is outside the 180 degrees to the shooter's front"),
    ("NME-09", _is_unseen, "{0} cannot be seen"),
    ("NME-10", _lies_too_far, '{0} is pinned or down, and may be targeted only within 5"'),
)
"""Why a fig may not be the target, in the order in which it is asked."""


def _forbidden(view: View, target: Fig) -> tuple[str, str] | None:
    return next(((rule, why.format(target.id)) for rule, applies, why in FORBIDDEN if applies(view, target)), None)


def _check_target(view: View, target: Fig) -> None:
    forbidden = _forbidden(view, target)
    if forbidden is not None:
        enemies = view.battle.enemies_of(view.shooter.side)
        refuse(*forbidden, [other.id for other in enemies if _forbidden(view, other) is None])


def _check_point(view: View, at: Point) -> None:
    size = table_size(view.battle)
    if not on_table(view.battle, at):
        refuse("TABLE-01", f"that point is off the table ({size})", [size])
    if view.bound_to is not None:
        refuse("NME-06", 'with enemies within 10" no point on the ground may be the target', view.bound_to)
    if not in_arc(view.shooter.at, view.shooter.facing, at, 0):
        refuse("NME-07", "that point is outside the 180 degrees to the shooter's front", ["a point in front"])


def _line(draft: Draft, fig: Fig, command: Shoot) -> Line:
    target = None if command.target is None else draft.battle.fig(command.target, "/target")
    place = target or command.point
    assert place is not None
    at = Point(place.x, place.y)
    straight, tape = squared(fig.at, at), command.distance
    said, taped = dict(command.sight), {}
    if target is not None and command.cover is not None:
        said[target.id] = command.cover
    if target is not None and tape is not None:
        taped[target.id] = tape
    view = View(draft.battle, fig, said, taped)
    measured = length(straight)
    if tape is None:
        return Line(view, target, at, straight, measured, measured)
    _check_tape(draft, tape, straight)
    return Line(view, target, at, tape * tape, tape, measured)


def _check_tape(draft: Draft, tape: int, straight: int) -> None:
    measured = inches(length(straight))
    if tape == 0:
        invalid("nothing is at no distance at all", "/distance", [measured])
    slack = draft.battle.policy.tape_tolerance
    fits = within(straight, tape + slack) and (tape <= slack or straight >= (tape - slack) ** 2)
    if draft.by.role != "referee" and not fits:
        invalid(
            f'the table says {measured}"; a side may differ from it by {inches(slack)}", the referee by any',
            "/distance",
            [measured],
        )
