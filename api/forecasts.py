"""Forecasts in words: what is asked and what is told. Law: whoever has the seed can play the same games again."""

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import Field

from domain.battle import Battle
from domain.words import Asked
from projections.view import View
from replays.forecast import Forecast, interval
from replays.tactics import TACTICS

MOST_GAMES: Final = 1_000
MOST_TURNS: Final = 200
MOST_TOGETHER: Final = 5_000
"""Games times turns that are played for one request."""

MOST_SECONDS: Final = 5
"""After so long an answer tells of the games that were played."""

Seed = Annotated[str, Field(pattern="^[a-z0-9-]{1,64}$")]


class ForecastAsked(Asked):
    """How many games, of how many more turns at most (each side's turn is one), and by which seed."""

    games: Annotated[int, Field(ge=1, le=MOST_GAMES)] = 100
    turns: Annotated[int, Field(ge=1, le=MOST_TURNS)] = 20
    seed: Seed | None = Field(default=None, description="the same seed gives the same games; a new one if left out")


class Seen(View):
    """How often something was seen, and where its true share lies."""

    games: int = Field(description="in how many games")
    share: float
    low: float = Field(description="lower end of Wilson's 95 % interval")
    high: float = Field(description="its upper end")


class SideForecast(View):
    """How a side fared."""

    name: str
    wins: Seen = Field(description="games at whose end only this side had figs that stand")
    left: float = Field(description="figs that stand at the end, on average; pinned ones stand")


class FigForecast(View):
    """How a fig fared."""

    name: str
    side: str
    stands: Seen = Field(description="games that it ends active or pinned")
    down: int
    out: int


class ForecastView(View):
    """How the battle may go on."""

    battle: str
    seq: int = Field(description="the entry from which it is played on")
    seed: str = Field(description="send it again with as many games and turns for the same figures")
    tactics: str = Field(description="how both sides play; the figures are those of these tactics")
    rules: str
    asked: int = Field(description="games that were asked for")
    games: int = Field(description="games that were played: the first of them, if time ran out")
    turns: int = Field(description="the most turns of a game")
    turns_played: int = Field(description="in all games together")
    undecided: Seen = Field(description="games at whose end several sides stand, or none")
    sides: dict[str, SideForecast]
    figs: dict[str, FigForecast]


def forecast_view(name: str, seq: int, battle: Battle, asked: int, told: Forecast) -> ForecastView:
    """The answer to whoever asks."""
    games = told.games
    return ForecastView(
        battle=name,
        seq=seq,
        seed=told.seed,
        tactics=TACTICS,
        rules=battle.rules,
        asked=asked,
        games=games,
        turns=told.turns,
        turns_played=told.played,
        undecided=_seen(told.undecided, games),
        sides={
            side.id: SideForecast(
                name=side.name,
                wins=_seen(told.winners[side.id], games),
                left=round(_mean(told.left[side.id], games), 3),
            )
            for side in battle.sides.values()
        },
        figs={
            fig.id: FigForecast(
                name=fig.name,
                side=fig.side,
                stands=_seen(told.figs[fig.id]["active"] + told.figs[fig.id]["pinned"], games),
                down=told.figs[fig.id]["down"],
                out=told.figs[fig.id]["out"],
            )
            for fig in battle.figs.values()
        },
    )


def _seen(times: int, games: int) -> Seen:
    low, high = interval(times, games)
    return Seen(games=times, share=round(times / games, 4), low=round(low, 4), high=round(high, 4))


def _mean(counts: Mapping[int, int], games: int) -> float:
    return sum(number * times for number, times in counts.items()) / games
