"""`demo`: it plays once, shows its secrets once, and says where to look."""

import json
import socket
from pathlib import Path

from replays.store import Store
from tests.api.command import SUMP, WIDE, YARD, id_in, run


def test_the_demo_can_be_run_again_and_again(data: Path) -> None:
    first = json.loads(run("demo", "--no-serve", "--data", data, "--json").stdout)
    assert [b["title"] for b in first["battles"] if not b["parent"]] == [
        "The Brick Yard",
        "The Sump Crossing",
        "A Quarrel at the Pump",
    ]
    assert len(first["battles"]) == 6
    assert len(first["seats"]) == 1
    again = json.loads(run("demo", "--no-serve", "--data", data, "--json").stdout)
    assert again == first | {"seats": {}}
    store = Store.open(str(data))
    heads = {b["battle"]: store.head(b["battle"]) for b in first["battles"]}
    store.close()
    assert heads[id_in(SUMP)] == 289
    assert heads[id_in(YARD)] == 381


def test_the_demo_tells_and_says_where_to_look(data: Path) -> None:
    told = run("demo", "--no-serve", "--data", data, "--port", 8123, columns=120).stdout
    assert "The Sump Crossing (N:ME). Sump Crows wins." in told
    assert "Turn 8: Blue Harbour calls last ditch; Bolt is out, by Gunner Mast." in told
    assert f"    {id_in(WIDE)}\n" in told
    assert "http" not in told, "nothing serves it"
    assert f"battlelog serve --data {data}" in told
    assert f"battlelog replay {id_in(YARD)} --data {data}" in told
    assert "Authorization: Bearer" in told


def test_the_demo_leaves_the_desk_something_to_do(data: Path) -> None:
    run("demo", "--no-serve", "--data", data)
    store = Store.open(str(data))
    open_ = [s for _, s in store.summaries(0, 100) if s.disputes and s.undo_pending]
    store.close()
    assert [s.title for s in open_] == ["A Quarrel at the Pump"]


def test_the_demo_says_why_it_shows_no_seats_again_and_what_to_do(data: Path) -> None:
    seats = json.loads(run("demo", "--no-serve", "--data", data, "--json").stdout)["seats"]
    told = run("demo", "--no-serve", "--data", data, columns=200).stdout
    assert "were shown when it was first played" in told
    assert f"battlelog reseat {next(iter(seats))} --seat referee --data {data}" in told


def test_the_demo_prints_nothing_if_it_cannot_serve(data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        failed = run("demo", "--port", taken.getsockname()[1], "--data", data, code=2)
    assert "another program has it" in failed.stderr
    assert failed.stdout == ""
    assert not data.exists(), "and the secrets are still to be shown"
