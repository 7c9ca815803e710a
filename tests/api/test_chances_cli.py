"""Odds and forecasts on the command line: the API's own figures, in a table or as JSON, and honest exit codes."""

import json
from fractions import Fraction
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from api.cli import forecast
from api.forecasts import ForecastAsked
from tests.api.command import SUMP, YARD, run
from tests.api.table import Table

SHOT: dict[str, Any] = {
    "do": "shoot",
    "fig": "tallow",
    "weapon": "heavy-stubber",
    "target": "magpie",
    "mode": "aimed",
}


def asked(**change: Any) -> str:
    return json.dumps(SHOT | change)


def test_the_odds_of_a_shot_are_told_in_a_table() -> None:
    told = run("odds", SUMP, asked(), "--at", 47, columns=120).stdout
    assert told.startswith('Tallow shoots at Magpie with the heavy stubber (aimed), 17.529" away.\n')
    assert "First 2d6 for ammo; 8.9 dice are expected to fall in all." in told
    assert " 8.33               1/12  The ammunition fails, and the weapon is of no more use." in told
    assert "The shot misses by one hit. Magpie is pinned." in told


def test_odds_as_json_are_exact() -> None:
    told = json.loads(run("odds", SUMP, asked(), "--at", 47, "--json").stdout)
    assert sum(Fraction(one["chance"]) for one in told["outcomes"]) == 1
    assert told["seq"] == 47


def test_what_needs_no_die_is_told_to_be_certain() -> None:
    assert "No die falls" in run("odds", YARD, '{"do": "end_turn"}', "--at", 41).stdout


@pytest.mark.parametrize(
    ("action", "at", "code", "said"),
    [
        (asked(target="glim"), 47, 1, "NME-05: glim is on the shooter's own side"),
        (asked(target="nobody"), 47, 1, "there is no fig 'nobody' in this battle"),
        ('{"do": "dance"}', 47, 2, "/do: must be one of move, turn"),
        (json.dumps({**SHOT, "weapn": "x"}), 47, 2, "/weapn: there is no such field here"),
        ('{"do":', 47, 2, "this is not JSON"),
        (asked(), 50, 2, "entry 50 lies in the middle of an action; the nearest end is 47"),
        (asked(), 9999, 2, "there is no entry 9999"),
    ],
)
def test_what_cannot_be_told_is_said_in_a_sentence(action: str, at: int, code: int, said: str) -> None:
    assert said in run("odds", SUMP, action, "--at", at, code=code).stderr


def test_a_forecast_is_told_and_repeated_by_its_seed() -> None:
    asked = ("forecast", YARD, "--at", 101, "--games", 6, "--turns", 8, "--seed", "x")
    told = run(*asked, columns=120).stdout
    assert told.startswith("The Brick Yard, from entry 101 on\n6 games of at most 8 more turns")
    for words in ("wins", "undecided", "still stands", "95 % interval", "figs left, mean", "Blue Harbour"):
        assert words in told
    assert run(*asked, columns=120).stdout == told
    assert run(*asked, "--json").stdout == run(*asked, "--json").stdout


def test_a_seed_that_is_not_said_is_a_new_one() -> None:
    seeds = {json.loads(run("forecast", YARD, "--at", 101, "--games", 1, "--json").stdout)["seed"] for _ in range(2)}
    assert len(seeds) == 2


def test_a_seed_that_the_api_would_not_take_is_refused() -> None:
    assert "a seed is 1 to 64" in run("forecast", YARD, "--at", 101, "--seed", "Not this", code=2).stderr


def test_a_battle_that_has_ended_has_no_forecast() -> None:
    assert "the battle has ended" in run("forecast", SUMP, code=1).stderr


def test_the_command_line_and_the_api_tell_the_same(nme: Table, settings: Any) -> None:
    shot = {"do": "shoot", "fig": "sarge", "weapon": "stub-gun", "target": "ganger", "mode": "snap"}
    stored = (nme.id, "--data", settings.database, "--json")
    told = json.loads(run("odds", stored[0], json.dumps(shot), *stored[1:]).stdout)
    assert told == nme.post("/odds", shot).json()
    asked = {"games": 5, "turns": 6, "seed": "x"}
    told = json.loads(run("forecast", *stored, "--games", 5, "--turns", 6, "--seed", "x").stdout)
    assert told == nme.post("/forecast", asked).json()


def test_the_command_line_and_the_api_name_the_same_end(nme: Table, settings: Any) -> None:
    nme.done("end_turn")
    end_of_turn = {"do": "end_turn"}
    for at in (2, nme.head - 1):
        (error,) = nme.post(f"/odds?at={at}", end_of_turn).json()["errors"]
        said = run("odds", nme.id, json.dumps(end_of_turn), "--data", settings.database, "--at", at, code=2).stderr
        assert f"the nearest end is {error['legal'][0]}\n" in said


def test_the_command_line_and_the_api_play_as_many_games_if_nobody_says() -> None:
    parameters = signature(forecast).parameters
    plain = ForecastAsked()
    assert (parameters["games"].default, parameters["turns"].default) == (plain.games, plain.turns)


def test_asking_leaves_the_file_as_it_is(tmp_path: Path) -> None:
    log = tmp_path / "battle.jsonl"
    log.write_bytes(SUMP.read_bytes())
    run("odds", log, asked(), "--at", 47)
    run("forecast", log, "--at", 47, "--games", 1)
    assert log.read_bytes() == SUMP.read_bytes()
    assert list(tmp_path.iterdir()) == [log]
