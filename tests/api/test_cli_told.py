"""`replay`, `casualties`, `turns` and `why`: a battle is told with the API's own words and numbers, at any width."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.seats import new_secret
from replays.examine import examine
from replays.imports import import_log
from tests.api.command import SUMP, WIDE, YARD, id_in, run
from tests.api.table import Table, open_table


def test_a_battle_is_told_turn_by_turn() -> None:
    told = run("replay", SUMP).stdout
    assert told.startswith("The Sump Crossing\n")
    assert "Turn 3, Sump Crows" in told
    assert "Magpie tries to get up: test passed, up again.  [recovery 3]" in told
    assert "Sump Crows wins." in told
    assert told.count("+" + "-" * 60 + "+") == 2, "one map, of the final table"


def test_what_was_struck_out_is_told_as_such() -> None:
    told = run("replay", SUMP, "--turn", 3, "--no-map", columns=200).stdout
    how = "STRUCK OUT by Sump Crows, Lamplighters agreed, entry 83: we forgot Jackdaw's initiative test"
    assert told.count(how) == 3
    assert "Turn 4" not in told
    assert "+--" not in told


def test_every_turn_can_have_its_map() -> None:
    told = run("replay", SUMP, "--map").stdout
    assert told.count("+" + "-" * 60 + "+") == 20


def test_the_table_is_shown_as_it_was_known_then() -> None:
    then = run("replay", SUMP, "--at", 80).stdout
    assert "Ember        Lamplighters  pinned" in then
    assert "STRUCK" not in then
    assert "The battle goes on: turn 3, Sump Crows." in then


@pytest.mark.parametrize("at", [1, 5, 20, 133, 287])
def test_a_moment_in_the_middle_of_an_action_can_be_told(at: int) -> None:
    for command in ("replay", "casualties", "turns"):
        assert run(command, SUMP, "--at", at).stdout


def test_it_can_be_told_slowly() -> None:
    assert run("replay", SUMP, "--turn", 1, "--speed", 1000).stdout == run("replay", SUMP, "--turn", 1).stdout


def test_a_what_if_says_so() -> None:
    told = run("replay", WIDE, "--no-map", columns=120).stdout
    assert "WHAT IF: this parts from battle c0ffee11d0a94b7f8e6a5b4c3d2e1f00 after entry 225." in told


def test_casualties_tell_who_fell_and_how() -> None:
    told = run("casualties", YARD, columns=120).stdout
    lost = 'Keel of Blue Harbour is out: by Lugger of its own side with the pistol from 4.255"'
    assert lost in told
    assert "Blue Harbour (last ditch)" in told
    assert "1 die was seen and then undone" in told


def test_turns_tell_who_may_take_what_back() -> None:
    told = run("turns", WIDE, columns=200).stdout
    assert "undo: the referee with a reason; Red Foundry if Blue Harbour agrees" in told
    assert "stay as they are: never (it lies before this branch; open an earlier branch instead)." in told


def test_turns_tell_what_waits_and_what_a_redo_would_restore(nme: Table, settings: Any) -> None:
    told = ("turns", nme.id, "--data", settings.database)
    move = nme.done("move", "side:red", fig="sarge", to={"x": 12, "y": 10})
    nme.post("/undo", {"to_before": move["action"]}, "side:red")
    assert f"A redo would restore {move['action']}: " in run(*told, columns=200).stdout
    turn = nme.done("end_turn", "side:red")
    nme.post("/undo", {"to_before": turn["action"], "reason": "one more thing"}, "side:red")
    waits = run(*told, columns=200).stdout
    assert f"Request 1 of Red Dogs (red) waits for an answer: undo, from {turn['action']} on." in waits
    assert "1 undo so far, 0 dice seen and undone." in waits


def test_a_loss_by_a_ruling_is_told_as_one(nme: Table, settings: Any) -> None:
    change = {"fig": "ganger", "field": "status", "value": "out"}
    nme.post("/rulings", {"rule": "table", "reason": "it fell off", "changes": [change]})
    told = run("casualties", nme.id, "--data", settings.database, columns=200).stdout
    assert "is out, as the referee rules by table: it fell off; at (" in told


@pytest.mark.parametrize("columns", [30, 60])
@pytest.mark.parametrize("command", ["replay", "casualties", "turns"])
def test_a_narrow_terminal_is_enough(command: str, columns: int) -> None:
    lines = run(command, SUMP, columns=columns).stdout.splitlines()
    assert max(map(len, lines)) <= columns


@pytest.mark.parametrize("log", [SUMP, WIDE], ids=lambda path: path.stem)
def test_json_is_the_apis_own(log: Path, client: TestClient, settings: Any) -> None:
    import_log(client.app.state.house.store, examine(log.read_bytes().splitlines()), new_secret)  # type: ignore[attr-defined]
    battle, data = id_in(log), settings.database
    url = f"/v1/battles/{battle}"
    for command in ("casualties", "turns"):
        ours = json.loads(run(command, battle, "--data", data, "--json").stdout)
        assert ours == client.get(f"{url}/{command}").json()
        assert ours == json.loads(run(command, log, "--json").stdout), "a file tells the same"
    assert (
        json.loads(run("casualties", log, "--at", 200, "--json").stdout)
        == client.get(f"{url}/casualties?at=200").json()
    )
    told = json.loads(run("replay", log, "--json").stdout)
    assert told["table"]["figs"] == client.get(url).json()["figs"]
    assert told["turns"] == client.get(f"{url}/turns").json()["turns"]
    assert [t["turn"] for t in json.loads(run("replay", log, "--turn", 2, "--json").stdout)["turns"]] == [2]


def test_a_log_can_come_through_a_pipe() -> None:
    assert run("casualties", "-", input=SUMP.read_bytes()).stdout == run("casualties", SUMP).stdout


def test_hostile_names_do_not_steer_a_terminal(client: TestClient, settings: Any) -> None:
    table = open_table(client, "nme", title="[bold]loud[/bold] \u200bquiet :boom:")
    told = run("replay", table.id, "--data", settings.database).stdout
    assert told.startswith("[bold]loud[/bold] ")
    assert ":boom:\n" in told


def test_why_an_entry_is_as_it_is() -> None:
    told = run("why", SUMP, 80, columns=160).stdout
    for words in ("Ember", "ammo roll 2, 5 passed", '3 hits reach 15"', "NME-20: ", "Ember is in cover", "STRUCK OUT"):
        assert words in told
    rolled = run("why", YARD, 65, columns=200).stdout
    assert "Anvil  to hit 5" in rolled
    assert "-3 the target is fully behind cover (MFD-14)" in rolled
    assert json.loads(run("why", SUMP, 80, "--json").stdout)["seq"] == 80
    assert "1 to 289" in run("why", SUMP, 290, code=2).stderr
