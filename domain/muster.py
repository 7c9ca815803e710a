"""The muster: how a battle begins. Law: two to eight sides, every fig on the table and on nobody else's feet.

`NewBattle` is the body of the request that opens a battle; `muster` turns it into the first batch of its log.
"""

from collections.abc import Iterable
from dataclasses import asdict
from itertools import combinations
from typing import Annotated, Literal

from pydantic import Discriminator, Field, TypeAdapter

from domain import events as e
from domain.battle import Battle, Profile, Terrain, Weapon
from domain.commands import MOST_FIGS
from domain.contact import meet
from domain.decider import begin_turn
from domain.draft import REFEREE, Draft, NoDice
from domain.evolve import evolved
from domain.measures import Point, overlapping
from domain.places import on_table, table_size
from domain.policy import MfdPolicy, NmePolicy
from domain.recruit import Recruit, SideIn, Table, Tags, TerrainIn
from domain.refusals import invalid, unknown
from domain.sightlines import WORDS
from domain.systems import CURRENT, system_of
from domain.systems.mfd.arms import MfdRecruit
from domain.systems.nme.profiles import NmeRecruit
from domain.words import Asked, Text


class Opening(Asked):
    """What both systems ask of a new battle."""

    title: Annotated[Text, Field(max_length=120)] = ""
    table: Table = Table()
    dice: Literal["server", "table"] = "server"
    sides: Annotated[tuple[SideIn, ...], Field(strict=False, min_length=2, max_length=8)]
    terrain: Annotated[tuple[TerrainIn, ...], Field(strict=False, max_length=100)] = ()
    tags: Tags = Tags()


class NewNme(Opening):
    """A new battle of N:ME."""

    system: Literal["nme"]
    policy: NmePolicy = NmePolicy()
    figs: Annotated[tuple[NmeRecruit, ...], Field(strict=False, min_length=1, max_length=MOST_FIGS)]


class NewMfd(Opening):
    """A new battle of MiniFig Death."""

    system: Literal["mfd"]
    policy: MfdPolicy = MfdPolicy()
    figs: Annotated[tuple[MfdRecruit, ...], Field(strict=False, min_length=1, max_length=MOST_FIGS)]


NewBattle = Annotated[NewNme | NewMfd, Discriminator("system")]
NEW_BATTLE: TypeAdapter[NewBattle] = TypeAdapter(NewBattle)


def muster(new: NewNme | NewMfd, beside: Iterable[e.Event] = ()) -> tuple[e.Event, ...]:
    """The first batch of a battle; `beside` (the dice anchor) goes right behind `BattleStarted`. Raises `Refused`."""
    for pointer, names in (
        ("/sides", [s.id for s in new.sides]),
        ("/figs", [f.id for f in new.figs]),
        ("/terrain", [t.id for t in new.terrain]),
    ):
        _distinct(names, pointer)
    events: list[e.Event] = [_started(new), *beside]
    events += [_placed(piece, new, n) for n, piece in enumerate(new.terrain)]
    figs: tuple[NmeRecruit | MfdRecruit, ...] = new.figs
    events += [_mustered(fig, new, n) for n, fig in enumerate(figs)]
    return (*events, *arrayed(events))


def arrayed(events: Iterable[e.Event]) -> tuple[e.Event, ...]:
    """What follows from who was mustered where: the melees there are already, and the first turn. Raises `Refused`."""
    battle = evolved(None, events)
    _check_places(battle)
    system = system_of(battle.rules)
    system.check_muster(battle)
    draft = Draft(battle, REFEREE, NoDice(), system)
    for name in battle.figs:
        meet(draft, name)
    begin_turn(draft, next(iter(battle.sides)))
    return tuple(draft.events)


def _distinct(names: list[str], pointer: str) -> None:
    for n, name in enumerate(names):
        if name in names[:n]:
            invalid(f"the id {name!r} is used twice", f"{pointer}/{n}/id", ["give each its own id"])


def _started(new: NewNme | NewMfd) -> e.BattleStarted:
    return e.BattleStarted(
        system=new.system,
        rules=CURRENT[new.system],
        title=new.title,
        width=new.table.width,
        height=new.table.height,
        dice=new.dice,
        sides=tuple(e.PartyOf(s.id, s.name or s.id, n) for n, s in enumerate(new.sides, start=1)),
        policy={name: list(v) if isinstance(v, tuple) else v for name, v in asdict(new.policy).items()},
        tags={"event": new.tags.event, "round": new.tags.round, "table": new.tags.table},
    )


def _placed(piece: TerrainIn, new: NewNme | NewMfd, n: int) -> e.TerrainPlaced:
    words = WORDS[new.system]
    if piece.cover not in words:
        invalid(f"{new.system} has no cover word {piece.cover!r}", f"/terrain/{n}/cover", words)
    if piece.kind == "area" and len(piece.points) < 3:
        invalid("an area is a polygon of at least three points", f"/terrain/{n}/points")
    points = tuple(Point(p.x, p.y) for p in piece.points)
    return e.TerrainPlaced(Terrain(piece.id, piece.kind, points, piece.cover))


def _mustered(fig: NmeRecruit | MfdRecruit, new: NewNme | NewMfd, n: int) -> e.FigMustered:
    pointer = f"/figs/{n}"
    if fig.side not in [s.id for s in new.sides]:
        unknown("side", fig.side, [s.id for s in new.sides], f"{pointer}/side")
    _distinct([w if isinstance(w, str) else w.id for w in fig.weapons], f"{pointer}/weapons")
    if isinstance(fig, NmeRecruit):
        return _taking_place(fig, fig.profile(), fig.arms(pointer), 1)
    assert isinstance(new, NewMfd)
    return _taking_place(fig, fig.profile(new.policy), fig.arms(), int(fig.kind == "fig"))


def _taking_place(fig: Recruit, profile: Profile, arms: tuple[Weapon, ...], counts: int) -> e.FigMustered:
    return e.FigMustered(
        fig=fig.id,
        name=fig.name or fig.id,
        side=fig.side,
        x=fig.x,
        y=fig.y,
        facing=fig.facing,
        base=fig.base,
        vehicle=fig.vehicle,
        profile=profile,
        weapons=arms,
        counts=counts,
    )


def _check_places(battle: Battle) -> None:
    figs = list(battle.figs.values())
    for n, fig in enumerate(figs):
        if not on_table(battle, fig.at):
            invalid(f"{fig.id} stands off the table", f"/figs/{n}", [table_size(battle)])
    for a, b in combinations(figs, 2):
        if overlapping(a.at, a.base, b.at, b.base):
            invalid(f"{b.id} stands on top of {a.id}", f"/figs/{figs.index(b)}", ["move them apart"])
    for side in battle.sides:
        if not any(battle.figs_of(side)):
            invalid(f"side {side!r} has no fig", "/figs", ["muster at least one fig for each side"])
