"""N:ME odds. Law: the rules decide each kind of roll once; its chance is counted, and every chance of a shot sums to 1.

A roll to hit is sorted by its Hits (`runs`), an ammo roll, a save and an injury by what the rules make of each face.
Figs under a template fare apart from each other, but for those who fight each other: who is left alone may be pinned.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any, Final

from domain import events as e
from domain.battle import NmeWeapon
from domain.commands import Recover, Touched
from domain.contact import melee_of
from domain.dice import Roll, Throw
from domain.draft import Decision, Draft, NoDice
from domain.odds import ONE, Block, Branch, Fates, fates_of
from domain.paths import Faces, Fan, Given, Lot, Paths, Peek, drawn_evenly, sorted_faces
from domain.question import Question
from domain.systems.nme.cover import SAVES_ON
from domain.systems.nme.hits import ammo_holds, dice_to_hit, judged, reaches
from domain.systems.nme.injuries import injury
from domain.systems.nme.runs import expected, to_hit
from domain.systems.nme.targets import choose

RULES: Final[Mapping[tuple[str, ...], tuple[str, ...]]] = {
    ("jam",): ("NME-12", "NME-13"),
    ("miss",): ("NME-17",),
    ("near_miss",): ("NME-21",),
    ("hit",): ("NME-17",),
    ("critical",): ("NME-28",),
    ("point_blank",): ("NME-29",),
    ("point_blank", "critical"): ("NME-30",),
    ("template",): ("NME-24",),
    ("recovery",): ("NME-25",),
}
"""What an action comes to, before anybody's fate, and the rules that say so."""

Told = tuple[list[Branch], Fraction]


def chances(question: Question) -> Told:
    """All that a shot or a recovery may come to, and the dice that are expected to fall."""
    if isinstance(question.command, Recover):
        return _apart(question, (), ONE)
    holds, fails = _ammo(question)
    jam, passes = Fraction(len(fails), 36), Fraction(len(holds), 36)
    branches = [_branch(question.decided(Given(fails[:1])), jam)] if fails else []
    weapon = question.battle.fig(question.command.fig).weapon(question.command.weapon)
    assert isinstance(weapon, NmeWeapon)
    told = _laid if weapon.template != "none" else _apart
    more, dice = told(question, (holds[0],), passes)
    return [*branches, *more], 2 + dice


def _ammo(question: Question) -> tuple[list[Faces], list[Faces]]:
    rolls = list(product(range(1, 7), repeat=2))
    rating = next(x.rating for x in question.decided(Given((), _rest)).events if isinstance(x, e.AmmoRolled))
    return [r for r in rolls if ammo_holds(r, rating)], [r for r in rolls if not ammo_holds(r, rating)]


def _apart(question: Question, start: tuple[Faces, ...], chance: Fraction) -> Told:
    """Every path, each with the fates that it ends in."""
    paths = Paths(question.decided, partial(_fan, question), _rest)
    return [_branch(decision, share) for decision, share in paths.walk(start, chance)], paths.dice


def _laid(question: Question, start: tuple[Faces, ...], chance: Fraction) -> Told:
    """A template: the fates of those who fight each other hang together, all others' are their own."""
    blocks, dice = [], Fraction(0)
    for command in _parted(question):
        paths = Paths(question._replace(command=command).decided, partial(_fan, question), _rest)
        block: dict[Fates, Fraction] = {}
        for decision, share in paths.walk(start):
            fates = fates_of(decision)
            block[fates] = block.get(fates, Fraction(0)) + share
        blocks.append(block)
        dice += chance * paths.dice
    return [Branch(("template",), RULES["template",], chance, tuple[Block, ...](blocks))], dice


def _parted(question: Question) -> Iterator[Any]:
    """The same shot for each combat that it touches, and for each fig that is in none."""
    touched: Sequence[Touched] = question.command.touched
    if not touched:
        yield question.command
        return
    melees: dict[tuple[str, ...], list[Touched]] = {}
    for touch in touched:
        melees.setdefault(melee_of(question.battle, touch.fig) or (touch.fig,), []).append(touch)
    for several in melees.values():
        yield question.command.model_copy(update={"touched": tuple(several)})


# --- what the dice can show -------------------------------------------------------------------------------------------


def _rest(roll: Roll) -> Faces:
    """Dice that lead on to every roll there may be, and to no endless run of sixes."""
    if roll.purpose == "ammo":
        return (6, 5)
    return {"to_hit": (5,), "injury": (6,)}.get(roll.purpose, (1,)) * roll.count


def _fan(question: Question, roll: Roll, so_far: Sequence[Throw], peek: Peek) -> Fan:
    match roll.purpose:
        case "to_hit":
            return _hits(question)
        case "victim":
            drawn = next(x for x in peek([(1,)]).events if isinstance(x, e.VictimDrawn))
            return drawn_evenly(drawn.pool, roll.sides)
        case "save":
            return sorted_faces(6, lambda face: face >= SAVES_ON)
        case "injury":
            nth = sum(throw.purpose == "injury" for throw in so_far)
            rolled = [x for x in peek([(6,)]).events if isinstance(x, e.InjuryRolled)][nth]
            return sorted_faces(6, partial(injury, rolled.strength))
        case _:
            return sorted_faces(roll.sides, lambda face: face)


def _hits(question: Question) -> Fan:
    """A roll to hit, in lots that the rules judge alike (NME-14 to 19, 21, 28 to 30)."""
    battle, command = question.battle, question.command
    fig = battle.fig(command.fig)
    weapon = fig.weapon(command.weapon)
    assert isinstance(weapon, NmeWeapon)
    squared = choose(Draft(battle, question.by, NoDice(), question.system), fig, command).squared
    dice, explode = dice_to_hit(fig.nme.bs, command.mode or "snap"), battle.nme.bonus_dice == "explode"
    need = next(hits for hits in range(10**6) if reaches(hits, weapon.er, squared))
    alike: dict[tuple[object, ...], Lot] = {}
    for lot in to_hit(dice, need, explode=explode):
        result = judged([face for faces in lot.throws for face in faces], weapon, squared, battle.nme)
        kind = (result.outcome, result.critical, result.point_blank and result.outcome == "hit")
        same = alike.get(kind, Lot(lot.throws, Fraction(0)))
        alike[kind] = Lot(same.throws, same.chance + lot.chance)
    return Fan(tuple(alike.values()), expected(dice, explode=explode))


# --- what it came to --------------------------------------------------------------------------------------------------


def _branch(decision: Decision, chance: Fraction) -> Branch:
    words = _words(decision)
    return Branch(words, RULES[words], chance, ({fates_of(decision): ONE},))


def _words(decision: Decision) -> tuple[str, ...]:
    for event in decision.events:
        match event:
            case e.AmmoRolled(passed=False):
                return ("jam",)
            case e.NmeHitRolled(outcome="hit", point_blank=True, critical=critical):
                return ("point_blank", "critical") if critical else ("point_blank",)
            case e.NmeHitRolled(outcome="hit", critical=True):
                return ("critical",)
            case e.NmeHitRolled(outcome=outcome):
                return (outcome,)
            case _:
                pass
    return ("recovery",)
