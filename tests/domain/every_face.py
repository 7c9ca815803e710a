"""Every face of every die, thrown at the real rules: what odds are held against. No lots, no closed forms."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from domain import events as e
from domain.battle import Battle
from domain.commands import COMMAND
from domain.decider import decide
from domain.dice import DiceWanted, Roll, Throw
from domain.draft import REFEREE, Decision, Seat
from domain.odds import Odds
from domain.systems.chances import odds_of

Faces = tuple[int, ...]
Told = tuple[str, tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]
"""The roll's outcome; what each save and injury was, in order; and who stands otherwise than before."""


class Shown:
    """Dice that show these faces, roll by roll."""

    def __init__(self, rolls: Sequence[Faces]) -> None:
        self.left = list(rolls)

    def throw(self, roll: Roll) -> Throw:
        """The next roll."""
        if not self.left:
            raise DiceWanted(roll)
        return Throw(roll.purpose, roll.sides, self.left.pop(0))


def paths(
    battle: Battle, command: Any, by: Seat, start: tuple[Faces, ...] = (), most_rolls: int = 99
) -> Iterator[tuple[Decision | None, Fraction]]:
    """What comes of every series of faces, each as likely as the next; None where it takes more rolls than that."""
    waiting = [(start, Fraction(1))]
    while waiting:
        rolls, chance = waiting.pop()
        try:
            yield decide(battle, command, by, Shown(rolls)), chance
        except DiceWanted as dry:
            if len(rolls) >= most_rolls:
                yield None, chance
                continue
            wanted = dry.wanted
            share = chance / wanted.sides**wanted.count
            faces = product(range(1, wanted.sides + 1), repeat=wanted.count)
            waiting += [((*rolls, shown), share) for shown in faces]


def told(before: Battle, decision: Decision) -> Told:
    """What came of it, read off the events and the table after it."""
    outcome, details = "", []
    for event in decision.events:
        match event:
            case e.AmmoRolled(passed=False):
                outcome = "jam"
            case e.NmeHitRolled():
                point_blank = "point_blank " if event.point_blank and event.outcome == "hit" else ""
                outcome = f"{point_blank}{event.outcome}{' critical' if event.critical else ''}"
            case e.MfdHitRolled(melee=False):
                outcome = event.outcome
            case e.CoverSaveRolled(saved=True):
                details.append((event.fig, "saved"))
            case e.InjuryRolled():
                details.append((event.fig, event.result))
            case _:
                pass
    after = decision.battle.figs
    changed = tuple((name, fig.status) for name, fig in after.items() if fig.status != before.figs[name].status)
    return outcome, tuple(sorted(details)), tuple(sorted(changed))


_DETAILS = ("saved", "close", "clipped", "dropped", "iced")
_OUTCOMES = {
    ("critical",): "hit critical",
    ("point_blank",): "point_blank hit",
    ("point_blank", "critical"): "point_blank hit critical",
    ("template",): "",
    ("fight",): "",
    ("recovery",): "",
}


def foretold(before: Battle, odds: Odds) -> dict[Told, Fraction]:
    """The odds in the same words."""
    found: dict[Told, Fraction] = defaultdict(Fraction)
    for outcome, (chance, _) in odds.outcomes().items():
        details = [(fate.fig, word) for fate in outcome.fates for word in fate.words if word in _DETAILS]
        changed = [(f.fig, f.status) for f in outcome.fates if f.status != before.figs[f.fig].status]
        said = _OUTCOMES.get(outcome.words, " ".join(outcome.words))
        found[said, tuple(sorted(details)), tuple(sorted(changed))] += chance
    return dict(found)


def odds(battle: Battle, by: Seat = REFEREE, /, **command: Any) -> Odds:
    """The odds of an action; their chances sum to exactly 1."""
    found = odds_of(battle, COMMAND.validate_python(command), by)
    assert sum(chance for chance, _ in found.outcomes().values()) == 1
    return found


def compared(
    battle: Battle, by: Seat = REFEREE, /, start: tuple[Faces, ...] = (), most_rolls: int = 99, **command: Any
) -> None:
    """Hold the odds against every face; `start` is an ammo roll that passes, and spares the others."""
    asked = COMMAND.validate_python(command)
    told_by_faces: dict[Told, Fraction] = defaultdict(Fraction)
    left, dice = Fraction(0), Fraction(0)
    for decision, chance in paths(battle, asked, by, start, most_rolls):
        if decision is None:
            left += chance
            continue
        told_by_faces[told(battle, decision)] += chance
        dice += chance * sum(len(throw.faces) for throw in decision.thrown)
    found = odds(battle, by, **command)
    exact = foretold(battle, found)
    if start:
        jam = exact.pop(("jam", (), ()), Fraction(0))
        exact = {key: chance / (1 - jam) for key, chance in exact.items()}
    assert set(told_by_faces) <= set(exact)
    for key, chance in exact.items():
        assert told_by_faces[key] <= chance <= told_by_faces[key] + left, key
    assert left < Fraction(1, 500)
    if not left and not start:
        assert dice == found.dice
