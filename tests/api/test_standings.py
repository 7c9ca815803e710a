"""Standings and weapons across battles: over HTTP, on a page, and from the command line."""

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient
from typer.testing import CliRunner, Result

from api.cli import app
from api.settings import Settings
from api.totals import projector
from replays.store import Sealed, Store
from tests.api.table import Table, open_table
from tests.replays.rooms import Room, skirmish

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": "120"})
    assert result.exit_code == code, (result.output, result.exception)
    assert "Traceback" not in result.output
    return result


def soon(told: Callable[[], bool]) -> None:
    until = time.monotonic() + 20
    while not told():
        assert time.monotonic() < until
        time.sleep(0.05)


def counted(client: TestClient, query: str = "") -> dict[str, Any]:
    """The standings, once everything is counted in."""
    soon(lambda: bool(client.get("/v1/standings").json()["behind"] == 0))
    answer = client.get(f"/v1/standings{query}")
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def come(store: Store) -> int:
    was = store.totals.tracked()
    return was.position if was is not None else 0


def test_standings_follow_the_battles_of_an_event(client: TestClient) -> None:
    first, second, _ = (open_table(client, "nme", tags={"event": "cup", "round": r}) for r in ("1", "2", "2"))
    hidden = open_table(client, "nme", tags={"event": "cup"}, policy={"private": True})
    ended = [table.done("end_battle", winner="red")["action"] for table in (first, second, hidden)]
    names = [side["name"] for side in first.get().json()["sides"].values()]
    players = counted(client, "?event=cup")["players"]
    told = [(one["name"], one["battles"], one["won"], one["lost"], one["playing"]) for one in players]
    assert told == [(names[0], 3, 2, 0, 1), (names[1], 3, 0, 2, 1)]
    first.post("/undo", {"to_before": ended[0], "reason": "too early"})
    players = counted(client, "?event=cup&round=1")["players"]
    assert [(one["won"], one["playing"]) for one in players] == [(0, 1), (0, 1)]
    assert counted(client, "?event=cup&system=mfd")["players"] == []


def test_pages_of_players_lead_on(client: TestClient) -> None:
    for n in range(3):
        sides = [{"id": "red", "name": f"Red {n}"}, {"id": "blue", "name": f"Blue {n}"}]
        open_table(client, "nme", sides=sides)
    seen, url = [], "/v1/standings?limit=4"
    counted(client)
    while url:
        page = client.get(url)
        seen += [one["name"] for one in page.json()["players"]]
        found = re.fullmatch(r'<(.*)>; rel="next"', page.headers.get("link", ""))
        url = found.group(1) if found else ""
    assert seen == [f"{colour} {n}" for colour in ("Blue", "Red") for n in range(3)]
    assert client.get("/v1/standings?limit=0").status_code == 422
    assert client.get("/v1/standings?system=chess").status_code == 422
    assert client.get("/v1/weapons?nonsense=1").status_code == 422


def test_weapons_are_told_over_all_battles(client: TestClient, settings: Settings) -> None:
    room = Room(settings.database)
    skirmish(room, 1)
    room.store.close()
    counted(client)
    (autogun,) = client.get("/v1/weapons").json()["weapons"]
    assert (autogun["system"], autogun["weapon"], autogun["battles"]) == ("nme", "autogun", 1)
    assert autogun["shots"] >= 3


def test_the_page_shows_who_stands_how(client: TestClient) -> None:
    assert "Nobody has played here" in client.get("/standings").text
    sides = [{"id": "red", "name": "<b>Reds</b> & co"}, {"id": "blue"}]
    table = open_table(client, "nme", sides=sides, tags={"event": "cup"})
    table.done("end_battle", winner="red")
    counted(client)
    page = client.get("/standings?event=cup").text
    assert "&lt;b&gt;Reds&lt;/b&gt; &amp; co" in page
    assert "<b>Reds" not in page
    assert "Pins caused" in page
    assert "Nobody has played here in what the filter shows" in client.get("/standings?event=other").text
    assert 'href="/standings"' in client.get("/").text


def test_a_battle_that_cannot_be_read_is_named_and_counted(client: TestClient, settings: Settings, nme: Table) -> None:
    other = open_table(client, "nme", tags={"event": "cup"})
    hidden = open_table(client, "nme", policy={"private": True})
    with closing(Store.open(settings.database)) as store:
        for battle in (nme.id, hidden.id):
            head = store.head(battle)
            store.append(battle, [Sealed(head + 1, "Teleported", 7, b'{"type":"Teleported","v":7,"seq":1}')])
    soon(lambda: len(client.get("/v1/standings").json()["left_out"]) == 1)
    (left_out,) = client.get("/v1/weapons").json()["left_out"]
    assert (left_out["battle"], "Teleported" in left_out["reason"]) == (nme.id, True)
    assert hidden.id not in client.get("/standings").text
    assert nme.id in client.get("/standings").text
    assert counted(client, "?event=cup")["players"][0]["battles"] == 1
    assert [row["damaged"] for row in client.get("/v1/battles").json()["battles"]] == [True, False]
    assert "its stored log cannot be read" in client.get("/").text
    for answer in (nme.get(), nme.get("/turns"), nme.act("end_turn"), client.get(f"/battles/{nme.id}")):
        assert answer.status_code == 500
        assert "log-damaged" in answer.text or "cannot be read" in answer.text
    metrics = client.get("/metrics").text
    assert "battlelog_set_aside_total 2.0" in metrics
    assert "battlelog_totals_behind 0.0" in metrics
    assert client.get("/v1/battles").status_code == 200
    assert other.get().status_code == 200


def test_a_rebuild_says_what_it_did_and_a_check_what_is_wrong(tmp_path: Path) -> None:
    data = tmp_path / "battles.db"
    room = Room(str(data))
    battle, _ = skirmish(room, 1), skirmish(room, 1)
    assert (
        "2 battles counted; no what-ifs left out; no rows of the desk mended" in run("rebuild", "--data", data).stdout
    )
    assert "Totals and desk are what the log says" in run("rebuild", "--check", "--data", data).stdout
    room.store._recorder.execute("UPDATE weapon_totals SET shots = 99 WHERE battle = ?", (battle,))
    room.store._recorder.execute("UPDATE summaries SET turn = 99 WHERE battle = ?", (battle,))
    told = json.loads(run("rebuild", "--check", "--json", "--data", data, code=1).stdout)
    assert (told["totals_wrong"], told["desk_wrong"], told["set_aside"]) == ([battle], [battle], [])
    assert battle in run("rebuild", "--check", "--data", data, code=1).stdout
    told = json.loads(run("rebuild", "--json", "--data", data).stdout)
    assert told == {"folded": 2, "totals_wrong": [], "desk_mended": [battle], "set_aside": []}
    run("rebuild", "--check", "--data", data)
    head = room.store.head(battle)
    room.store.append(battle, [Sealed(head + 1, "Teleported", 7, b'{"type":"Teleported","v":7,"seq":1}')])
    assert f"Left out: {battle}, at its entry {head + 1}" in run("rebuild", "--data", data, code=1).stdout
    room.store.close()


def test_standings_are_listed_in_the_terminal(tmp_path: Path) -> None:
    data = tmp_path / "battles.db"
    room = Room(str(data))
    assert "Nobody has played yet" in run("standings", "--data", data).stdout
    battle = skirmish(room, 1)
    room.act(battle, do="end_battle", winner="blue")
    room.store.close()
    lines = run("standings", "--data", data).stdout.splitlines()
    assert [line.split()[:3] for line in lines[1:]] == [["blue", "1", "1"], ["red", "1", "0"]]
    assert json.loads(run("standings", "--data", data, "--json").stdout)["players"][0]["name"] == "blue"
    assert "Nobody has played in event cup." in run("standings", "--data", data, "--event", "cup").stdout


def test_a_rebuild_that_is_killed_goes_on_without_a_loss_or_a_double(tmp_path: Path) -> None:
    data = tmp_path / "battles.db"
    room = Room(str(data))
    for _ in range(12):
        skirmish(room, 1)
    # The same command, in smaller steps, so that there are moments to kill it at.
    steps = "from replays.projector import Projector; Projector.__init__.__kwdefaults__['at_once'] = 3; "
    program = f"{steps}from api.cli import app; app(['rebuild', '--data', {str(data)!r}, '--resume'])"
    midway = 0
    for part in (0.1, 0.3, 0.5):
        with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.DEVNULL) as process:
            soon(lambda part=part: come(room.store) >= part * room.store.totals.newest())  # type: ignore[misc]
            process.send_signal(signal.SIGKILL)
        midway += come(room.store) < room.store.totals.newest()
    assert midway
    run("rebuild", "--resume", "--data", data)
    run("rebuild", "--check", "--data", data)
    assert len({row.battle for row in room.store.totals.all_rows()[0]}) == 12
    assert projector(room.store).differs() == []
    room.store.close()
