"""MiniFig Death odds. Law: the rules say what each roll needs and what armour it meets; here its faces are counted.

A shot hits or misses, strikes one of a melee (MFD-22), and each fig that it strikes takes damage of its own. In close
combat all strike at once (MFD-23), so that what happens to one target has nothing to do with the others.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Final

from domain import events as e
from domain.battle import Battle
from domain.commands import Fight
from domain.dice import Roll, Throw
from domain.draft import Decision
from domain.odds import ONE, Block, Branch, Fate
from domain.paths import Faces, Fan, Given, Lot, Paths, Peek, drawn_evenly, sorted_faces
from domain.policy import MfdPolicy
from domain.question import Question
from domain.systems.mfd.damage import penetrates
from domain.systems.mfd.modifiers import hits

RULES: Final[Mapping[str, tuple[str, ...]]] = {
    "miss": ("MFD-09",),
    "grazed": ("MFD-18",),
    "hit": ("MFD-09",),
    "fight": ("MFD-23",),
}
"""What an action comes to, before anybody's fate, and the rules that say so."""


def chances(question: Question) -> tuple[list[Branch], Fraction]:
    """All that a shot or a round of close combat may come to, and the dice that are expected to fall."""
    return _round(question) if isinstance(question.command, Fight) else _shot(question)


# --- a shot -----------------------------------------------------------------------------------------------------------


def _shot(question: Question) -> tuple[list[Branch], Fraction]:
    paths = Paths(question.decided, partial(_fan, question.battle.mfd), _highest)
    branches = []
    for decision, chance in paths.walk():
        outcome = next(x.outcome for x in decision.events if isinstance(x, e.MfdHitRolled))
        blocks = tuple(_alone(question.battle, rolled) for rolled in _damage(decision))
        branches.append(Branch((outcome,), RULES[outcome], chance, blocks))
    return branches, paths.dice


def _fan(policy: MfdPolicy, roll: Roll, _so_far: Sequence[Throw], peek: Peek) -> Fan:
    match roll.purpose:
        case "to_hit":
            (rolled,) = _rolled(peek([]))
            return sorted_faces(6, partial(_lands, policy, rolled))
        case "victim_side":
            return sorted_faces(6, lambda face: _drawn(peek([(face,)])).pool)
        case "victim":
            return drawn_evenly(_drawn(peek([(1,)])).pool, roll.sides)
        case _:
            # Whoever is struck takes damage, whatever it does: the path goes on as one, and blocks tell the rest.
            return Fan((Lot((_highest(roll),), ONE),), Fraction(roll.count))


def _highest(roll: Roll) -> Faces:
    """Dice that hit if anything does; of a melee they strike the first of a side."""
    return ((1,) if roll.purpose == "victim" else (roll.sides,)) * roll.count


def _alone(battle: Battle, rolled: e.DamageRolled) -> Block:
    through = _through(battle.mfd, rolled)
    block: dict[tuple[Fate, ...], Fraction] = {(_out(rolled),): through, (_unharmed(battle, rolled),): 1 - through}
    return {fates: chance for fates, chance in block.items() if chance}


# --- close combat -----------------------------------------------------------------------------------------------------


def _round(question: Question) -> tuple[list[Branch], Fraction]:
    policy, best = question.battle.mfd, question.decided(Given((), _highest))
    damage = iter(_damage(best))
    dice = Fraction(0)
    by_target: dict[str, list[tuple[Fraction, e.DamageRolled]]] = {}
    for blow in _rolled(best):
        dice += 1
        if blow.outcome == "hit":
            chance, rolled = _share(policy, blow), next(damage)
            dice += chance * len(rolled.faces)
            by_target.setdefault(blow.target, []).append((chance, rolled))
    blocks = tuple(_struck(question.battle, blows) for blows in by_target.values())
    return [Branch(("fight",), RULES["fight"], ONE, blocks)], dice


def _struck(battle: Battle, blows: Sequence[tuple[Fraction, e.DamageRolled]]) -> Block:
    """One target of a round: out, hit without harm, or not hit at all."""
    spared = missed = ONE
    for chance, rolled in blows:
        spared *= 1 - chance * _through(battle.mfd, rolled)
        missed *= 1 - chance
    first = blows[0][1]
    block: dict[tuple[Fate, ...], Fraction] = {
        (_out(first),): 1 - spared,
        (_unharmed(battle, first),): spared - missed,
        (): missed,
    }
    return {fates: chance for fates, chance in block.items() if chance}


# --- what faces amount to ---------------------------------------------------------------------------------------------


def _rolled(decision: Decision) -> list[e.MfdHitRolled]:
    return [x for x in decision.events if isinstance(x, e.MfdHitRolled)]


def _damage(decision: Decision) -> list[e.DamageRolled]:
    return [x for x in decision.events if isinstance(x, e.DamageRolled)]


def _drawn(decision: Decision) -> e.VictimDrawn:
    return next(x for x in decision.events if isinstance(x, e.VictimDrawn))


def _lands(policy: MfdPolicy, rolled: e.MfdHitRolled, face: int) -> bool:
    return hits(policy, face, sum(m.value for m in rolled.modifiers), rolled.needed)


def _share(policy: MfdPolicy, rolled: e.MfdHitRolled) -> Fraction:
    return Fraction(sum(_lands(policy, rolled, face) for face in range(1, 7)), 6)


def _through(policy: MfdPolicy, rolled: e.DamageRolled) -> Fraction:
    """The chance that the damage of a hit penetrates."""
    (dice,) = rolled.dice
    ways = _totals(len(dice.faces), dice.sides)
    through = sum(n for total, n in ways.items() if penetrates(policy, total, rolled.armour))
    return Fraction(through, dice.sides ** len(dice.faces))


@cache
def _totals(count: int, sides: int) -> Mapping[int, int]:
    if count == 0:
        return {0: 1}
    ways: dict[int, int] = {}
    for total, n in _totals(count - 1, sides).items():
        for face in range(1, sides + 1):
            ways[total + face] = ways.get(total + face, 0) + n
    return ways


def _out(rolled: e.DamageRolled) -> Fate:
    return Fate(rolled.fig, ("out",), "out", (rolled.rule,))


def _unharmed(battle: Battle, rolled: e.DamageRolled) -> Fate:
    return Fate(rolled.fig, ("unharmed",), battle.figs[rolled.fig].status, (rolled.rule,))
