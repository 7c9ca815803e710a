"""Chances: the exact odds of a shot, and a forecast beside nothing but the rules that decide its very actions.

Both are worked out on the thread that asks; what a process has worked out before is forgotten first.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import _lru_cache_wrapper
from typing import Any, NamedTuple

from bench.battles import Doc, referee_on
from bench.rows import Row, alone, in_turn, row, spent, under
from bench.sizes import Run
from domain.battle import Battle
from domain.commands import COMMAND, Action
from domain.decider import decide
from domain.dice import Tape
from domain.draft import REFEREE, Decision, Seat, System
from domain.muster import NEW_BATTLE
from domain.systems.chances import odds_of
from replays import playing
from replays.forecast import forecast
from replays.referee import Asked, Receipt
from replays.roller import TableTape

TURNS = 20
"""Turns of each game that is forecast."""


def skirmish(bs: int) -> Battle:
    """Five against five at nine inches."""
    figs: list[Doc] = [
        {"id": f"{side}-{n}", "side": side, "x": 6 + 4 * n, "y": y, "facing": to, "bs": bs, "weapons": ["autogun"]}
        for side, y, to in (("red", 10, 90), ("blue", 19, 270))
        for n in range(5)
    ]
    referee = referee_on(":memory:")
    new = NEW_BATTLE.validate_python({"system": "nme", "sides": [{"id": "red"}, {"id": "blue"}], "figs": figs})
    opened = referee.open(new, Asked(REFEREE))
    assert isinstance(opened, Receipt)
    battle = referee.shelf.book(opened.battle).record.battle
    referee.store.close()
    return battle


def odds(run: Run) -> Iterator[Row]:
    """Milliseconds."""
    asked: dict[str, Any] = {"do": "shoot", "fig": "red-2", "weapon": "autogun", "target": "blue-2", "mode": "aimed"}
    shot = COMMAND.validate_python(asked)
    for dice, most in ((6, 5), (12, 5), (20, 50)):
        battle = skirmish(dice // 2)

        def once(battle: Battle = battle) -> float:
            _forget()
            return spent(lambda: odds_of(battle, shot, REFEREE)) * 1e3

        yield alone(f"odds of a shot of {dice} dice", "ms", [once() for _ in range(run.sizes.rounds)], under(most))


def _forget() -> None:
    for found in gc.get_objects():
        if isinstance(found, _lru_cache_wrapper) and (found.__module__ or "").startswith("domain"):
            found.cache_clear()


class Decided(NamedTuple):
    """What was decided: everything that went in, the faces that were thrown among it."""

    battle: Battle
    command: Action
    by: Seat
    faces: tuple[int, ...]
    system: System | None


def rows(run: Run) -> Iterator[Row]:
    """Seconds for a thousand turns."""
    battle = skirmish(2)
    games = max(1, run.sizes.turns // TURNS)
    with noted() as acts:
        played = forecast(battle, "bench", games=games, turns=TURNS).played

    def bare() -> None:
        for act in acts:
            decide(act.battle, act.command, act.by, TableTape(act.faces), act.system)

    share = 1_000 / played
    pairs = in_turn(
        lambda: share * spent(lambda: forecast(battle, "bench", games=games, turns=TURNS)),
        lambda: share * spent(bare),
        run.sizes.few,
    )
    floor_is = f"the same actions ({share * len(acts):,.0f}), decided alone"
    yield row("forecast, 2 x 5 figs, 1,000 turns", "s", pairs, under(5), floor_is)


@contextmanager
def noted() -> Iterator[list[Decided]]:
    """Note every action that the rules allow in a forecast."""
    acts: list[Decided] = []

    def noting(battle: Battle, command: Action, by: Seat, tape: Tape, system: System | None = None) -> Decision:
        decision = decide(battle, command, by, tape, system)
        faces = tuple(face for throw in decision.thrown for face in throw.faces)
        acts.append(Decided(battle, command, by, faces, system))
        return decision

    playing.decide = noting  # type: ignore[attr-defined]
    try:
        yield acts
    finally:
        playing.decide = decide  # type: ignore[attr-defined]
