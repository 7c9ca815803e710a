"""`battles`, `branches`, `compare` and `reseat`: a store is looked through, and a lost seat is opened again."""

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.api.command import HELD, SUMP, WIDE, YARD, id_in, run
from tests.api.table import Table, open_table


@pytest.fixture
def shelf(data: Path) -> Path:
    """A store that holds a battle, a what-if of it, and a what-if of that."""
    for log in (YARD, HELD, WIDE):
        run("import", log, "--data", data)
    return data


def test_battles_are_listed(shelf: Path) -> None:
    told = run("battles", "--data", shelf, columns=160).stdout.splitlines()
    assert told[0].split() == ["id", "title", "system", "status", "turn"]
    assert told[1].split() == [id_in(YARD), "The", "Brick", "Yard", "MiniFig", "Death", "closed", "11"]
    assert "(what if)" in told[2]
    rows = json.loads(run("battles", "--data", shelf, "--json").stdout)["battles"]
    assert [(row["id"], row["status"], row["turn"]) for row in rows][:1] == [(id_in(YARD), "closed", 11)]
    assert rows[2]["parent"] == rows[1]["id"]
    assert id_in(YARD) in run("battles", "--data", shelf, columns=40).stdout, "an id is never broken"


def test_private_battles_are_their_owners_to_see(client: TestClient, settings: Any) -> None:
    assert "There is no battle here." in run("battles", "--data", settings.database).stdout
    open_table(client, "nme", title="Behind doors", policy={"private": True})
    assert "Behind doors (private)" in run("battles", "--data", settings.database, columns=160).stdout


def test_branches_are_listed_below_each_other(shelf: Path) -> None:
    told = run("branches", id_in(YARD), "--data", shelf, columns=160).stdout
    assert "  What if Lugger had held his fire, and Girder had missed?" in told
    tree = json.loads(run("branches", id_in(YARD), "--data", shelf, "--json").stdout)
    assert [(row["at"], row["depth"]) for row in tree["branches"]] == [(211, 1), (225, 2)]
    last = run("branches", id_in(WIDE), "--data", shelf, columns=160).stdout
    assert "it parts from c0ffee11d0a94b7f8e6a5b4c3d2e1f00 after entry 225." in last
    assert "Nothing parts from it." in last


def test_two_battles_are_compared(shelf: Path) -> None:
    held = HELD
    told = run("compare", id_in(YARD), held, "--data", shelf, columns=120).stdout
    assert "They part after entry 211." in told
    assert "Ingot" in told
    assert "A: The Brick Yard, entry 381, turn 11, closed; 170 entries of its own" in told
    parted = json.loads(run("compare", YARD, id_in(held), "--data", shelf, "--json").stdout)
    assert (parted["parted_at"], parted["same_table"]) == (211, False)
    same = run("compare", YARD, id_in(YARD), "--data", shelf).stdout
    assert "They part after entry 381. Their tables are the same." in same
    assert "They share no entry." in run("compare", YARD, SUMP, columns=120).stdout


def test_who_asks_for_a_battle_that_is_not_there_is_told_what_is(shelf: Path) -> None:
    for command in (["replay"], ["export"], ["branches"], ["reseat"]):
        said = run(*command, "0" * 32, "--data", shelf, code=2).stderr
        assert f"{id_in(YARD)} (The Brick Yard)" in said


def test_of_many_battles_the_first_ten_are_named(client: TestClient, settings: Any) -> None:
    tables = [open_table(client, "nme", title=f"Table {n}") for n in range(12)]
    said = run("replay", "0" * 32, "--data", settings.database, code=2).stderr
    assert [table.id in said for table in tables] == [True] * 10 + [False] * 2
    assert "`battlelog battles` lists all" in said


def test_a_seat_that_was_lost_gets_a_new_secret(client: TestClient, settings: Any) -> None:
    table = open_table(client, "nme")
    told = run("reseat", table.id, "--data", settings.database, columns=160).stdout
    assert "A new secret for referee of 'Alley ambush', shown this once" in told
    secret = told.split()[-1]
    assert table.act("end_turn").status_code == 401, "the old one opens nothing"
    assert Table(client, table.id, {"referee": secret}).act("end_turn").status_code == 201
    again = json.loads(run("reseat", table.id, "--seat", "side:blue", "--data", settings.database, "--json").stdout)
    assert Table(client, table.id, again["seats"]).act("end_turn", "side:blue").status_code == 201
    said = run("reseat", table.id, "--seat", "side:green", "--data", settings.database, code=2).stderr
    assert "it has referee, side:red, side:blue" in said
