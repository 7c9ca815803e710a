"""Targets. Law: who may be shot at is asked of the table in the rulebook's order, and the first rule that says no is named.

Range runs from centre to centre; the tape that people declare counts for the target. What people say about sight goes
first, then terrain.
"""

from collections.abc import Callable, Iterable, Mapping

import msgspec

from domain.battle import Battle, Fig
from domain.commands import Shoot
from domain.contact import melee_of
from domain.draft import Draft
from domain.events import Sight
from domain.measures import INCH, Point, in_arc, inches, length, squared, within
from domain.places import on_table, table_size
from domain.refusals import invalid, refuse
from domain.sightlines import sight_of

NEAR = 10 * INCH
"""Within this enemies are in one's face (NME-06)."""

CLOSE = 5 * INCH
"""Within this inactive figs may be targeted (NME-10)."""


class View(msgspec.Struct, frozen=True):
    """The table as a shooter sees it: `said` are people's cover words, `taped` their distances, by fig."""

    battle: Battle
    shooter: Fig
    said: Mapping[str, str]
    taped: Mapping[str, int]

    def squared_to(self, other: Fig) -> int:
        """The squared distance that counts."""
        tape = self.taped.get(other.id)
        return squared(self.shooter.at, other.at) if tape is None else tape * tape

    def within(self, other: Fig, limit: int) -> bool:
        """Whether a fig is at most that far away."""
        return within(self.squared_to(other), limit)

    def faces(self, other: Fig) -> bool:
        """Whether any of its base is in the 180 degrees to the front (NME-07)."""
        return in_arc(self.shooter.at, self.shooter.facing, other.at, other.base // 2)

    def sight(self, other: Fig) -> Sight:
        """How well it can be seen, and who says so."""
        return sight_of(self.battle, self.shooter, other, self.said.get(other.id))

    def sees(self, other: Fig) -> bool:
        """Whether it can be seen: it does not hide (NME-09), as pinned figs in cover do (NME-23)."""
        cover = self.sight(other).cover
        lies_low = (
            other.status == "pinned" and cover == "cover" and not self.battle.nme.hidden_pinned_targetable  # NME-23
        )
        return cover != "unseen" and not other.hidden and not lies_low

    def enemies(self) -> list[Fig]:
        """All enemies in play."""
        return list(self.battle.enemies_of(self.shooter.side))


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
    mattered = [] if line.target is None else [line.target]
    for other in (*mattered, *_at_hand(view)):
        draft.sights[other.id] = view.sight(other)
    return line


def bound_to(view: View) -> list[str] | None:
    """Whom enemies within 10" leave as targets (NME-06): the nearest, or the nearest in the open; None: anybody."""
    ready = [other for other in _at_hand(view) if view.sees(other)]
    near = [other for other in ready if view.within(other, NEAR)]
    if not (near or (_any_triggers(view) and any(view.within(other, NEAR) for other in view.enemies()))):
        return None
    nearest = _nearest(view, ready)
    if any(view.sight(other).cover == "cover" for other in nearest):
        nearest += _nearest(view, [other for other in near if view.sight(other).cover == "open"])
    return sorted({other.id for other in nearest})


def _any_triggers(view: View) -> bool:
    return view.battle.nme.proximity_trigger == "any"


def _at_hand(view: View) -> list[Fig]:
    """Enemies whom NME-06 is about, if they are seen: active, not in combat, in the arc, and within 10"."""
    return [
        other
        for other in view.enemies()
        if other.status == "active"
        and not other.engaged
        and view.faces(other)
        # Any enemy near may force the shot on to the nearest active one, however far away that is.
        and (view.within(other, NEAR) or _any_triggers(view))
    ]


def _nearest(view: View, figs: Iterable[Fig]) -> list[Fig]:
    by_range = [(view.squared_to(fig), fig) for fig in figs]
    least = min((distance for distance, _ in by_range), default=0)
    return [fig for distance, fig in by_range if distance == least]


def _is_friend(view: View, target: Fig) -> bool:
    return target.side == view.shooter.side


def _is_out(_: View, target: Fig) -> bool:
    return not target.in_play


def _fights_friend(view: View, target: Fig) -> bool:
    return any(_is_friend(view, view.battle.figs[name]) for name in melee_of(view.battle, target.id))


def _is_not_nearest(view: View, target: Fig) -> bool:
    bound = bound_to(view)
    return bound is not None and target.id not in bound


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
        refuse(*forbidden, [other.id for other in view.enemies() if _forbidden(view, other) is None])


def _check_point(view: View, at: Point) -> None:
    size = table_size(view.battle)
    if not on_table(view.battle, at):
        refuse("TABLE-01", f"that point is off the table ({size})", [size])
    bound = bound_to(view)
    if bound is not None:
        refuse("NME-06", 'with enemies within 10" no point on the ground may be the target', bound)
    if not in_arc(view.shooter.at, view.shooter.facing, at, 0):
        refuse("NME-07", "that point is outside the 180 degrees to the shooter's front", ["a point in front"])


def _line(draft: Draft, fig: Fig, command: Shoot) -> Line:
    battle = draft.battle
    said, taped = dict(command.sight), {}
    if command.target is None:
        assert command.point is not None
        target, at = None, Point(command.point.x, command.point.y)
    else:
        target = battle.fig(command.target, "/target")
        at = target.at
        if command.cover is not None:
            said[target.id] = command.cover
        if command.distance is not None:
            taped[target.id] = command.distance
    straight = squared(fig.at, at)
    measured = length(straight)
    if command.distance is None:
        return Line(View(battle, fig, said, taped), target, at, straight, measured, measured)
    _check_tape(draft, command.distance, straight)
    return Line(View(battle, fig, said, taped), target, at, command.distance**2, command.distance, measured)


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
