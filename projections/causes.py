"""Causes: how one thing led to another. Law: each link is a fact that an event holds; nothing is worked out anew.

`ammo roll 4, 3 passed - 2 hits reach 10" - Ganger at 11" - one more hit would have reached - Ganger pinned (NME-21)`
"""

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from domain import events as e
from domain.battle import Battle
from projections.sentences.procedure import changed
from projections.walk import Step
from projections.wording import added, counted, faces, fig_name, inch, listed, range_of, weapon_name, weapon_of

Links = tuple[str, ...]

_WHOLE_SHOT = (e.AmmoRolled, e.WeaponFailed, e.NmeHitRolled, e.VictimDrawn, e.RulingMade)
"""What concerns everybody that an action is about."""


def concerned(steps: Iterable[Step]) -> list[Step]:
    """Of an action's steps up to the one in question (the last), those that led to it."""
    *earlier, last = steps
    return [*(step for step in earlier if _leads(step.entry.body, last.entry.body)), last]


def because(steps: Iterable[Step]) -> Links:
    """The chain that led to the last of the steps, itself at the end; empty for an entry that needs no cause."""
    chain = concerned(steps)
    last = chain[-1].entry.body
    if type(last) not in _LINKS:
        return ()
    told = ((step.before, _narrowed(step.entry.body, last)) for step in chain)
    return tuple(
        link
        for before, event in told
        if before is not None and (say := _LINKS.get(type(event)))
        for link in say(before, event)
    )


def _narrowed(event: e.Event, last: e.Event) -> e.Event:
    """A template touches many; in the chain of one fig's fate it touches that fig."""
    if not isinstance(event, e.TemplatePlaced) or event is last:
        return event
    figs = _figs_of(last)
    under, near = (tuple(name for name in names if name in figs) for names in (event.under, event.near))
    return replace(event, under=under, near=near)


def _figs_of(event: e.Event) -> frozenset[str]:
    fig, target = getattr(event, "fig", ""), getattr(event, "target", "")
    match event:
        case e.MeleeJoined(others=others) | e.MeleeLeft(others=others):
            return frozenset({fig, *others})
        case e.MfdHitRolled() | e.NmeHitRolled() | e.VictimDrawn() | e.AimLost():
            return frozenset({target})
        case _:
            return frozenset({fig})


def _leads(event: e.Event, last: e.Event) -> bool:
    if isinstance(event, _WHOLE_SHOT) or (isinstance(event, e.MfdHitRolled) and not event.melee):
        return True
    figs = _figs_of(last)
    if isinstance(event, e.TemplatePlaced):
        return bool(figs & {*event.under, *event.near})
    # In a melee several may have struck at the same fig: only the one who is named did it.
    by, doer = getattr(last, "by", ""), event.fig if isinstance(event, e.MfdHitRolled) else getattr(event, "by", "")
    if by and doer and by != doer:
        return False
    return bool(figs & _figs_of(event)) and not isinstance(event, e.MeleeLeft)


def _ammo(_: Battle, event: e.AmmoRolled) -> Links:
    first, second = event.faces
    fate = "passed" if event.passed else f"a double below the rating of {event.rating}"
    return (f"ammo roll {first}, {second} {fate}",)


def _nme_hit(battle: Battle, event: e.NmeHitRolled) -> Links:
    mark = fig_name(battle, event.target) if event.target else "the point"
    reach = counted(event.hits, "hit")
    if event.point_blank:
        reach = f"no hits, but at point blank the highest die reaches {inch(event.accuracy)}"
    elif event.hits:
        reach = f"{reach} {'reaches' if event.hits == 1 else 'reach'} {inch(event.accuracy)}"
    return f"{faces(event.faces)}: {reach}", f"{mark} at {range_of(event.distance, event.measured)}", _nme_fate(event)


def _nme_fate(event: e.NmeHitRolled) -> str:
    if event.outcome == "near_miss":
        return "one more hit would have reached"
    if event.outcome == "miss":
        return "missed by more than one hit"
    return f"a critical hit ({'NME-30' if event.point_blank else 'NME-28'})" if event.critical else "a hit"


def _mfd_hit(battle: Battle, event: e.MfdHitRolled) -> Links:
    total = event.face + sum(m.value for m in event.modifiers)
    rolled = f"{fig_name(battle, event.fig)} rolls {event.face}{added(event.modifiers)}"
    makes = f" = {total}" if event.modifiers else ""
    fate = {"hit": "a hit", "grazed": "a touch without harm", "miss": "a miss"}[event.outcome]
    return f"{rolled}{makes}", f"{event.needed} needed", f"{fate} on {fig_name(battle, event.target)}"


def _template(battle: Battle, event: e.TemplatePlaced) -> Links:
    under = [f"{listed(fig_name(battle, fig) for fig in event.under)} under the template"] if event.under else []
    near = [f'{listed(fig_name(battle, fig) for fig in event.near)} within 1" of it'] if event.near else []
    return (*under, *near)


def _save(battle: Battle, event: e.CoverSaveRolled) -> Links:
    fate = "the cover stops it" if event.saved else "the cover does not help"
    return (f"{fig_name(battle, event.fig)} in cover rolls {event.face}, {event.needed} needed: {fate}",)


def _hit(battle: Battle, event: e.FigHit) -> Links:
    strength = f" at strength {event.strength}" if event.strength else ""
    return (f"{fig_name(battle, event.fig)} hit{strength} by {weapon_name(event.weapon)} ({event.rule})",)


def _damage(_: Battle, event: e.DamageRolled) -> Links:
    fate = "through" if event.penetrated else "not through"
    return (f"damage {event.total} against armour {event.armour}: {fate} ({event.rule})",)


def _reported(battle: Battle, event: e.InjuryReported) -> Links:
    wound = battle.figs[event.fig].injuries[0]
    hit = f"hit at strength {wound.strength} by {weapon_of(wound.weapon, fig_name(battle, wound.by))}"
    return f"{fig_name(battle, event.fig)} {hit}", f"the players report: {event.result}"


def _recovery(_: Battle, event: e.RecoveryRolled) -> Links:
    return (f"the test rolls {event.face}, {event.needed} or less needed: {'passed' if event.passed else 'failed'}",)


def _fate(word: str) -> Callable[[Battle, Any], Links]:
    return lambda battle, event: (f"{fig_name(battle, event.fig)} {word} ({event.rule})",)


def _recovered(battle: Battle, event: e.FigRecovered) -> Links:
    why = {"test": "test passed", "turn_missed": "its turn was missed", "charged": "an enemy charged it"}[event.how]
    return why, f"{fig_name(battle, event.fig)} up again (NME-25)"


_LINKS: dict[type, Callable[[Battle, Any], Links]] = {
    e.AmmoRolled: _ammo,
    e.WeaponFailed: lambda _, ev: (f"{weapon_name(ev.weapon)} useless for the rest of the battle ({ev.rule})",),
    e.NmeHitRolled: _nme_hit,
    e.MfdHitRolled: _mfd_hit,
    e.VictimDrawn: lambda b, ev: (f"chance picks {fig_name(b, ev.victim)} out of the combat ({ev.rule})",),
    e.TemplatePlaced: _template,
    e.CoverSaveRolled: _save,
    e.FigHit: _hit,
    e.DamageRolled: _damage,
    e.InjuryRolled: lambda _, ev: (f"injury roll {ev.face} at strength {ev.strength}: {ev.result}",),
    e.InjuryReported: _reported,
    e.RecoveryRolled: _recovery,
    e.FigRecovered: _recovered,
    e.FigPinned: _fate("pinned"),
    e.FigDowned: _fate("down"),
    e.FigRemoved: _fate("out of the battle"),
    e.AimLost: lambda b, ev: (f"{fig_name(b, ev.fig)} loses its aim at {fig_name(b, ev.target)} (MFD-19)",),
    e.MeleeJoined: lambda b, ev: (f"{fig_name(b, ev.fig)} base to base with {_names(b, ev.others)}",),
    e.MeleeLeft: lambda b, ev: (f"{fig_name(b, ev.fig)} out of combat with {_names(b, ev.others)}",),
    e.FigMoved: lambda b, ev: (f"{fig_name(b, ev.fig)} moves {inch(ev.inches)}",),
    e.FigRevealed: lambda b, ev: (f"{fig_name(b, ev.fig)} hidden no longer (NME-09)",),
    e.RulingMade: lambda b, ev: tuple(f"the referee rules: {changed(b, c)} ({ev.rule})" for c in ev.changes),
}
"""What each event adds to a chain, by its type; the others neither cause nor need a cause."""


def _names(battle: Battle, figs: Iterable[str]) -> str:
    return listed(fig_name(battle, fig) for fig in figs)
