"""Forecasts: real rules, plain tactics, dice that a seed repeats; and the record as it was."""

from fractions import Fraction
from math import sqrt
from typing import Any

import pytest
from hypothesis import given as drawn
from msgspec.structs import replace

from domain.battle import Battle
from domain.commands import COMMAND
from domain.draft import REFEREE
from domain.refusals import Refused
from domain.systems.chances import odds_of
from replays.forecast import Forecast, forecast, interval
from replays.playing import Play
from replays.tactics import play_turn
from tests.domain.mfd.field import armoury, field, fig
from tests.domain.nme.scenes import BLAST, GUN, a, put, table
from tests.laws.game import Game, effort
from tests.laws.play import skirmish, tables

KEY = bytes(32)
NME_SHOT: dict[str, Any] = {"do": "shoot", "fig": "red-1", "weapon": "gun", "target": "blue-1", "mode": "aimed"}


def gang(system: str, red: int = 3, blue: int = 3) -> Battle:
    """Two forces face to face."""
    if system == "nme":
        figs = [
            a(f"{side}-{n}", x, y=10 + 3 * n, weapons=[GUN])
            for side, x, size in (("red", 10, red), ("blue", 26, blue))
            for n in range(size)
        ]
        return table(*figs)
    kinds: tuple[list[str], ...] = (["pistol"], ["rifle"], [])
    return field(
        *(
            fig(f"{side}-{n}", x, 10 + 3 * n, *kinds[n % 3])
            for side, x, size in (("red", 10, red), ("blue", 26, blue))
            for n in range(size)
        )
    )


def stands(told: Forecast, fig: str) -> int:
    return told.figs[fig]["active"] + told.figs[fig]["pinned"]


# --- figures ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", ["nme", "mfd"])
def test_the_same_seed_gives_the_same_figures(system: str) -> None:
    battle = gang(system)
    told = forecast(battle, "club", games=8, turns=6)
    assert forecast(battle, "club", games=8, turns=6) == told
    assert forecast(battle, "night", games=8, turns=6) != told
    assert told.games == 8
    assert 0 < told.played <= 8 * 6
    assert sum(told.winners.values()) + told.undecided == 8
    assert all(sum(counts.values()) == 8 for counts in told.left.values())
    assert all(sum(counts.values()) == 8 for counts in told.figs.values())


def test_the_first_games_are_the_same_however_many_are_asked_for() -> None:
    battle = gang("nme")
    over: list[int] = []
    stopped = forecast(battle, "x", games=50, turns=4, seen=over.append, enough=lambda: len(over) == 5)
    assert over == [1, 2, 3, 4, 5]
    assert stopped == forecast(battle, "x", games=5, turns=4)


def test_where_there_is_no_time_for_a_game_none_is_counted() -> None:
    told = forecast(gang("nme"), "x", games=3, turns=4, enough=lambda: True)
    assert (told.games, told.played, told.figs) == (0, 0, {})


@pytest.mark.parametrize("system", ["nme", "mfd"])
def test_many_against_one_mostly_win(system: str) -> None:
    told = forecast(gang(system, red=5, blue=1), "x", games=40, turns=40)
    assert told.winners["red"] > 30
    assert told.winners["blue"] < 5


def test_one_turn_goes_as_the_exact_odds_say() -> None:
    """A turn of one N:ME fig is one aimed shot: what becomes of its target is what its odds say."""
    battle = table(a("red-1", 10, bs=6, weapons=[GUN]), a("blue-1", 22, weapons=[GUN]))
    odds = odds_of(battle, COMMAND.validate_python(NME_SHOT), REFEREE).figs()["blue-1"]
    chance = sum((share for fate, share in odds.items() if fate.falls), Fraction(0))
    games = 1500
    fallen = games - stands(forecast(battle, "x", games=games, turns=1), "blue-1")
    assert abs(fallen - games * chance) < 5 * sqrt(games * chance * (1 - chance))


def test_one_turn_of_a_melee_goes_as_the_exact_odds_say() -> None:
    battle = field(fig("red-1", 10, 20, "ccw"), fig("blue-1", 16, 20, "ccw"))
    games, chance = 1500, float(Fraction(2, 3) * Fraction(13, 18))
    told = forecast(battle, "x", games=games, turns=1)
    for name in ("red-1", "blue-1"):
        assert abs(games - stands(told, name) - games * chance) < 5 * sqrt(games * chance * (1 - chance))


def test_wilsons_interval_is_that_of_the_books() -> None:
    for times, games, low, high in (
        (0, 10, 0, 0.2775),
        (5, 10, 0.2366, 0.7634),
        (10, 10, 0.7225, 1),
        (1, 1, 0.2065, 1),
    ):
        found = interval(times, games)
        assert found == pytest.approx((low, high), abs=5e-5)


# --- the record -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("system", ["nme", "mfd"])
def test_the_log_and_its_dice_stay_as_they_are(system: str) -> None:
    game = Game(skirmish(system, 2) | {"dice": "server"})
    log, before = game.log, game.record
    told = forecast(game.record.battle, "x", games=3, turns=6)
    assert told.games == 3
    assert (game.log, game.record) == (log, before)
    assert game.record.anchor.used == 0


def test_a_battle_that_has_ended_has_no_forecast() -> None:
    with pytest.raises(Refused, match="the battle has ended"):
        forecast(replace(gang("nme"), status="ended"), "x", games=1, turns=1)


@effort(40)
@drawn(tables)
def test_any_table_can_be_played_on(battle: Battle) -> None:
    told = forecast(battle, "x", games=1, turns=4)
    assert told.games == 1


# --- tactics ----------------------------------------------------------------------------------------------------------


def after(battle: Battle, turns: int = 1) -> Battle:
    """The table after so many turns of play."""
    play = Play(battle, KEY)
    for _ in range(turns):
        play_turn(play)
    assert play.battle.turn == battle.turn + turns
    return play.battle


def test_who_has_a_foe_in_effective_range_stands_and_aims() -> None:
    red = after(table(a("red-1", 10, weapons=[GUN]), a("blue-1", 25))).figs["red-1"]
    assert (red.moved, red.shots, red.shot_mode) == (0, 1, "aimed")


def test_who_has_none_turns_walks_up_and_snaps() -> None:
    red = after(table(a("red-1", 10, facing=180, weapons=[GUN]), a("blue-1", 30))).figs["red-1"]
    assert (red.moved, red.x, red.shots, red.shot_mode) == (4000, 14_000, 1, "snap")


def test_nobody_walks_into_a_foe_or_a_friend_to_shoot() -> None:
    wall = [{"id": "w", "kind": "wall", "cover": "unseen", "points": [{"x": 11, "y": 5}, {"x": 11, "y": 40}]}]
    figs = after(table(a("red-1", 10), a("blue-1", 12.7), terrain=wall)).figs
    assert figs["red-1"].x == 11_200
    blocked = after(table(a("red-1", 10), a("red-2", 13.5), a("blue-1", 40))).figs["red-1"]
    assert blocked.x == 12_000, "half as far, as a friend stands in the way"


def test_pinned_figs_test_to_get_up() -> None:
    battle = put(table(a("red-1", 10), a("red-2", 11.5), a("blue-1", 40)), "red-1", status="pinned", pinned_turn=-1)
    assert after(battle).figs["red-1"].status == "active"
    assert after(battle).figs["red-1"].tested


def test_a_fig_with_a_template_alone_lays_it_on_its_foe() -> None:
    red = after(table(a("red-1", 10, weapons=[BLAST]), a("blue-1", 17))).figs["red-1"]
    assert red.shot_with == "blast"


def test_injuries_that_players_report_are_rolled_on_the_charts() -> None:
    gun = {**GUN, "ammo_rating": 1}
    figs = [a("red-1", 10, bs=10, weapons=[gun]), a("blue-1", 12, bs=1, weapons=[gun])]
    told = forecast(table(*figs, policy={"injury": "reported_by_players", "hit_pins": False}), "x", games=60, turns=1)
    assert told.figs["blue-1"]["out"] > 10
    assert told.figs["blue-1"]["down"] > 10


def test_who_cannot_hit_aims() -> None:
    hill = [{"id": "h", "kind": "wall", "cover": "unseen", "points": [{"x": 15, "y": 5}, {"x": 15, "y": 40}]}]
    battle = field(fig("red-1", 10, 20, "rifle"), fig("blue-1", 20, 20, "rifle"), terrain=hill)
    aim = after(battle, 3).figs["red-1"].aim
    assert aim is not None
    assert (aim.target, aim.turns) == ("blue-1", 2)


def test_a_pistol_fires_twice_and_a_rifle_at_fifteen_inches_does_not_move() -> None:
    armour = {"armour": 40}
    figs = [fig("red-1", 10, 20, "pistol"), fig("red-2", 10, 24, "rifle"), fig("blue-1", 19, 20, **armour)]
    after_turn = after(field(*figs)).figs
    assert (after_turn["red-1"].shots, after_turn["red-1"].moved) == (2, 0)
    assert (after_turn["red-2"].shots, after_turn["red-2"].moved) == (1, 0)


def test_figs_without_a_gun_run_into_contact_and_every_melee_is_fought() -> None:
    battle = after(field(fig("red-1", 10, 20, armour=40), fig("blue-1", 18, 20, armour=40)))
    assert battle.figs["red-1"].engaged == ("blue-1",)
    assert battle.figs["red-1"].fought


def test_a_side_in_last_ditch_goes_for_the_enemy() -> None:
    battle = field(fig("red-1", 10, 20, "rifle"), fig("blue-1", 24, 20, "rifle", armour=40), armoury("blue"))
    battle = replace(battle, sides={**battle.sides, "red": replace(battle.sides["red"], last_ditch=True)})
    assert after(battle).figs["red-1"].x == 15_000


def test_a_fig_that_cannot_do_its_last_duty_is_spared_it() -> None:
    in_the_way = [fig(f"blue-{n}", x, 20, kind="object") for n, x in enumerate((12.5, 15))]
    battle = field(fig("red-1", 10, 20, "rifle"), *in_the_way, fig("blue-9", 24, 20, armour=40))
    battle = replace(battle, sides={**battle.sides, "red": replace(battle.sides["red"], last_ditch=True)})
    red = after(battle).figs["red-1"]
    assert (red.x, red.moved) == (10_000, 0)


def test_a_side_whose_figs_all_lie_down_has_lost() -> None:
    battle = put(put(gang("nme", 2, 2), "blue-0", status="down"), "blue-1", status="down")
    told = forecast(battle, "x", games=2, turns=9)
    assert (told.winners["red"], told.played) == (2, 0)
