"""Forecast: how a battle may go on, from any moment. Law: real rules, plain tactics, and dice that a seed repeats.

Each game has a key of its own, HMAC-SHA256 of its number under the hash of the seed, and each roll one of the game's:
the figures of the first n games do not depend on how many were asked for. Nothing is written, and no die of the
battle's own is drawn.
"""

import hmac
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from math import sqrt
from typing import Final

import msgspec

from domain.battle import Battle
from domain.refusals import battle_over
from replays.playing import Play, stands
from replays.tactics import play_turn

Z: Final = 1.959964
"""Standard deviations on each side of a 95 % interval."""


class Forecast(msgspec.Struct, frozen=True):
    """How so many games went: who was left standing, and what had become of each fig."""

    seed: str
    games: int
    turns: int
    played: int
    winners: Counter[str]
    undecided: int
    left: dict[str, Counter[int]]
    figs: dict[str, Counter[str]]


def forecast(
    battle: Battle,
    seed: str,
    *,
    games: int,
    turns: int,
    seen: Callable[[int], None] = lambda _: None,
    enough: Callable[[], bool] = lambda: False,
) -> Forecast:
    """Play so many games of at most so many more turns. Raises `Refused` for a battle that has ended.

    `seen` is told how many are over. `enough` is asked after every turn; a game that it ends is not counted.
    """
    if battle.status == "ended":
        battle_over("the battle has ended; ask from an earlier entry")
    found = Forecast(seed, 0, turns, 0, Counter(), 0, {side: Counter() for side in battle.sides}, {})
    key = sha256(b"wlog/v1/forecast\n" + seed.encode()).digest()
    done = played = undecided = 0
    while done < games:
        play = Play(battle, hmac.digest(key, done.to_bytes(4), "sha256"))
        length = _played(play, turns, enough)
        if length is None:
            break
        standing = play.standing()
        if len(standing) == 1:
            found.winners[standing[0]] += 1
        else:
            undecided += 1
        _count(found, play.battle)
        played += length
        done += 1
        seen(done)
    return msgspec.structs.replace(found, games=done, played=played, undecided=undecided)


def _played(play: Play, turns: int, enough: Callable[[], bool]) -> int | None:
    """Play a game to its end; how many turns it took, None where it is broken off."""
    for turn in range(turns):
        if len(play.standing()) < 2 or play.battle.status == "ended":
            return turn
        if enough():
            return None
        play_turn(play)
    return turns


def _count(found: Forecast, battle: Battle) -> None:
    for side in battle.sides:
        found.left[side][sum(stands(fig) for fig in battle.figs_of(side))] += 1
    for fig in battle.figs.values():
        found.figs.setdefault(fig.id, Counter())[fig.status] += 1


def interval(times: int, games: int) -> tuple[float, float]:
    """Wilson's 95 % interval for a share that was seen `times` in so many games."""
    share, square = times / games, Z * Z / games
    middle = (share + square / 2) / (1 + square)
    reach = Z * sqrt(share * (1 - share) / games + square / (4 * games)) / (1 + square)
    return max(0.0, middle - reach), min(1.0, middle + reach)
