"""A battle that was damaged by hand: it is named, nothing is written to it, and nothing else is touched."""

import json
import sqlite3
from contextlib import closing
from typing import Any, Final

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from api.app import create_app
from api.cli import app
from api.settings import Settings
from replays.store import Store
from tests.api.table import Table, open_table


def entry(seq: int, change: str) -> str:
    """An entry is changed."""
    return f"UPDATE stored_events SET {change} WHERE originator_id = :battle AND originator_version = {seq}"  # noqa: S608 - ours


def gone(which: str) -> str:
    """Entries are taken away."""
    return f"DELETE FROM stored_events WHERE originator_id = :battle AND originator_version {which}"  # noqa: S608 - ours


def kept(tree: str) -> str:
    """Beside the last entry another tree is kept."""
    return f"""UPDATE stored_events SET frontier = {tree} WHERE rowid =
        (SELECT max(rowid) FROM stored_events WHERE originator_id = :battle)"""  # noqa: S608 - ours


DAMAGE: Final = {
    "a wire name that is none": entry(3, "topic = 'nonsense'"),
    "a wire name that is bytes": entry(3, "topic = x'00ff'"),
    "another wire name": entry(2, "topic = 'TurnStarted/1'"),
    "a number for an entry": entry(4, "state = 7"),
    "text for an entry": entry(4, "state = CAST(state AS TEXT)"),
    "no bytes": entry(1, "state = x''"),
    "a number that is none": entry(5, "originator_version = 'x'"),
    "no first entry": gone("= 1"),
    "an entry that is gone": gone("= 4"),
    "an end that is gone": gone("> 7"),
    "an end that is gone with its action": gone("> 6"),
    "a tree that is none": kept("'x'"),
    "a tree of another size": kept("zeroblob(length(frontier))"),
    "another last leaf": kept("CAST(substr(frontier, 1, length(frontier) - 32) || zeroblob(32) AS BLOB)"),
    "its own parent": "INSERT INTO branches VALUES (:battle, :battle, 3)",
    "a parent that is none": "INSERT INTO branches VALUES (:battle, 'nowhere', 3)",
}
"""What somebody may do to a file."""


@pytest.fixture
def tables(client: TestClient) -> tuple[Table, Table]:
    """A battle to be damaged, with a dispute, and another one."""
    victim, other = open_table(client, "nme"), open_table(client, "nme")
    for table in (victim, other):
        table.done("end_turn")
    victim.post("/disputes", {"about": victim.head, "reason": "was it over?"}, "side:blue")
    return victim, other


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_battle_is_named_and_harms_nobody(
    settings: Settings, tables: tuple[Table, Table], damage: str
) -> None:
    victim, other = tables
    with closing(sqlite3.connect(settings.database)) as db:
        assert db.execute(damage, {"battle": victim.id}).rowcount
        db.commit()
        before = db.execute("SELECT count(*) FROM stored_events").fetchall()
    with TestClient(create_app(settings)) as client:  # as after a restart: nothing of it is in memory
        for answer in (
            client.get(victim.url),
            client.get(f"{victim.url}/turns"),
            client.post(f"{victim.url}/actions", json={"do": "end_turn"}, headers=victim.headers("referee")),
            client.post(f"{victim.url}/branches", json={}),
        ):
            assert answer.status_code == 500
            assert answer.json()["type"] == "/problems/log-damaged", answer.text
        for path in ("/", "/v1/battles", "/standings", "/v1/standings", "/v1/weapons", "/readyz", other.url):
            assert client.get(path).status_code == 200, path
        done = client.post(f"{other.url}/actions", json={"do": "end_turn"}, headers=other.headers("referee"))
        assert done.status_code == 201
    with closing(sqlite3.connect(settings.database)) as db:
        after = db.execute("SELECT count(*) FROM stored_events").fetchall()
    assert after[0][0] - before[0][0] == len(done.json()["entries"])


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_rebuild_names_a_damaged_battle_and_counts_the_others(
    settings: Settings, tables: tuple[Table, Table], damage: str
) -> None:
    victim, other = tables
    with closing(sqlite3.connect(settings.database)) as db:
        db.execute(damage, {"battle": victim.id})
        db.commit()
    told = run_json("rebuild", "--data", settings.database)
    if "branches" not in damage:  # a what-if does not count, whatever becomes of it
        assert [row["battle"] for row in told["set_aside"]] == [victim.id]
    with closing(Store.open(settings.database)) as store:
        assert {row.battle for row in store.totals.all_rows()[0]} == {other.id}


def run_json(*arguments: str, code: int | None = None) -> dict[str, list[Any]]:
    """What a command tells; unless said, whatever its exit code."""
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert "Traceback" not in result.output
    assert "fault of the program" not in result.output, result.output
    assert code is None or result.exit_code == code
    told: dict[str, list[Any]] = json.loads(result.stdout)
    return told


def test_a_check_finds_a_tree_that_is_not_that_of_the_entries(settings: Settings, nme: Table) -> None:
    nme.done("end_turn")
    run_json("rebuild", "--data", settings.database, code=0)
    run_json("rebuild", "--check", "--data", settings.database, code=0)
    with closing(sqlite3.connect(settings.database)) as db:
        first = "CAST(substr(frontier, 1, 8) || zeroblob(32) || substr(frontier, 41) AS BLOB)"
        db.execute(kept(first), {"battle": nme.id})
        db.commit()
    told = run_json("rebuild", "--check", "--data", settings.database, code=1)
    assert told["totals_wrong"] == [nme.id]
