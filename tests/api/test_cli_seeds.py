"""`forget-seeds`: after a restore no die of the copy falls; battles that are still played are named."""

import json
from contextlib import closing
from pathlib import Path

from domain.draft import REFEREE
from replays.referee import Asked
from replays.store import Store
from tests.api.command import run
from tests.replays.rooms import Room, gangs, volley


def test_battles_that_wait_for_new_dice_are_named_and_a_closed_one_is_not(tmp_path: Path) -> None:
    database = tmp_path / "club.db"
    room = Room(str(database))
    played, closed = room.open(gangs()), room.open(gangs())
    volley(room, played)
    room.act(closed, do="end_battle")
    room.referee.close(closed, "late", Asked(REFEREE))
    logs = [room.book(battle).data() for battle in (played, closed)]
    room.store.close()
    told = json.loads(run("forget-seeds", "--data", database, "--json").stdout)
    assert (told["forgotten"], told["waiting"]) == (sorted([played, closed]), [played])
    again = run("forget-seeds", "--data", database).stdout
    assert "The seeds of no battles are gone; 0 of them still played." in again
    with closing(Store.open(str(database))) as store:
        assert [[entry.data for entry in store.read(battle)] for battle in (played, closed)] == logs


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    run("forget-seeds", "--data", tmp_path / "none.db", code=2)
    assert list(tmp_path.iterdir()) == []
