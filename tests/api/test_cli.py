"""The command line: battles told, reported and shipped, with the API's own numbers and honest exit codes."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner, Result

from api.cli import app
from api.seats import new_secret
from replays.examine import examine
from replays.imports import import_log
from replays.store import Store
from tests.api.table import Table, open_table
from tests.recorded_battles import RECORDED, played

SUMP = RECORDED / "nme-sump-crossing.jsonl"
YARD = RECORDED / "mfd-brick-yard.jsonl"
WIDE = RECORDED / "mfd-brick-yard.held-wide.jsonl"


def run(*arguments: object, code: int = 0, columns: int = 80, **more: Any) -> Result:
    """Run a command; where it fails, one plain sentence on stderr says why."""
    result = CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": str(columns)}, **more)
    assert result.exit_code == code, (result.output, result.exception)
    assert "Traceback" not in result.output
    if code:
        assert result.stderr.startswith("battlelog: ")
        assert result.stderr.count("\n") == 1
    return result


def id_in(log: Path) -> str:
    return str(json.loads(log.read_bytes().splitlines()[-1])["battle"])


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "battles.db"


@pytest.fixture
def kept(data: Path) -> Path:
    """A store that holds a battle."""
    run("import", SUMP, "--data", data)
    return data


# --- told and reported ------------------------------------------------------------------------------------------------


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


# --- shipped ----------------------------------------------------------------------------------------------------------


def test_an_export_is_the_stored_bytes(kept: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    assert "289 entries" in run("export", id_in(SUMP), "--data", kept, "--output", output).stdout
    assert output.read_bytes() == SUMP.read_bytes()
    assert run("export", id_in(SUMP), "--data", kept).stdout_bytes == SUMP.read_bytes()


def test_an_export_of_a_branch_holds_what_it_inherits(data: Path) -> None:
    run("import", WIDE, "--data", data)
    assert run("export", id_in(WIDE), "--data", data).stdout_bytes == WIDE.read_bytes()


def test_an_export_writes_over_nothing_unless_forced(kept: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    output.write_text("mine")
    command = ("export", id_in(SUMP), "--data", kept, "--output", output)
    run(*command, code=2)
    assert output.read_text() == "mine"
    report = json.loads(run(*command, "--force", "--json").stdout)
    assert report == {"battle": id_in(SUMP), "entries": 289, "bytes": SUMP.stat().st_size, "output": str(output)}
    assert sorted(path.name for path in tmp_path.glob("*.jsonl*")) == ["out.jsonl"]
    run("export", id_in(SUMP), "--data", kept, "--json", code=2)
    run("export", id_in(SUMP), "--data", kept, "--output", tmp_path / "no" / "folder", code=2)


def test_an_import_mints_seats_and_prints_them_once(data: Path) -> None:
    first = json.loads(run("import", SUMP, "--data", data, "--json").stdout)
    assert first["added"] == {id_in(SUMP): 289}
    assert sorted(first["seats"][id_in(SUMP)]) == ["referee", "side:lamplighters", "side:sump-crows"]
    again = run("import", SUMP, "--data", data)
    assert "already" in again.stdout
    assert "Bearer" not in again.stdout
    assert json.loads(run("import", SUMP, "--data", data, "--json").stdout)["seats"] == {}


def test_seats_of_an_import_open_the_battle(client: TestClient, settings: Any) -> None:
    log = RECORDED / "mfd-brick-yard.held.jsonl"
    seats = json.loads(run("import", log, "--data", settings.database, "--json").stdout)["seats"][id_in(log)]
    table = Table(client, id_in(log), seats)
    assert table.act("end_turn", "side:red-foundry").status_code == 201
    assert table.act("end_turn", "side:red-foundry").status_code == 403, "it is not their turn any more"


def test_an_import_is_told_in_words(data: Path) -> None:
    told = run("import", SUMP, "--data", data).stdout
    assert f"'The Sump Crossing' is in {data} now" in told
    assert "side:sump-crows" in told


def test_another_battle_under_the_same_id_is_refused(kept: Path, tmp_path: Path) -> None:
    script = RECORDED / "nme-sump-crossing.script.json"
    forged = tmp_path / script.name
    forged.write_text(script.read_text("utf-8").replace("The Sump Crossing", "The Sump Crossed"), "utf-8")
    other = tmp_path / "other.jsonl"
    other.write_bytes(played(forged)["nme-sump-crossing.jsonl"])
    assert id_in(SUMP) in run("import", other, "--data", kept, code=1).stderr
    assert run("export", id_in(SUMP), "--data", kept).stdout_bytes == SUMP.read_bytes()


# --- what goes wrong --------------------------------------------------------------------------------------------------


def damaged(how: str) -> bytes:
    log = SUMP.read_bytes()
    lines = log.splitlines(keepends=True)
    return {
        "tampered": log.replace(b'"faces":[3,3]', b'"faces":[3,4]'),
        "cut": log[:60_000],
        "dropped": b"".join(lines[:50] + lines[51:]),
        "swapped": b"".join([*lines[:9], lines[10], lines[9], *lines[11:]]),
        "empty": b"",
        "binary": bytes(range(256)) * 1000,
        "long": b"[" * 1_000_000,
        "windows": log.replace(b"\n", b"\r\n"),
    }[how]


@pytest.mark.parametrize("how", ["tampered", "cut", "dropped", "swapped", "empty", "binary", "long", "windows"])
def test_a_damaged_log_is_found_wrong(how: str, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(damaged(how))
    for command in ("replay", "casualties", "turns"):
        assert "no sound log" in run(command, file, code=1).stderr
    run("import", file, "--data", data, code=1)
    assert not data.exists(), "nothing was made"


def test_a_log_that_the_rules_do_not_allow_is_not_imported(data: Path, tmp_path: Path) -> None:
    # Each entry follows on the one before, but what happens in the last action is cut off.
    file = tmp_path / "log.jsonl"
    file.write_bytes(b"".join(SUMP.read_bytes().splitlines(keepends=True)[:79]))
    run("replay", file)
    said = run("import", file, "--data", data, code=1).stderr
    assert "entry 79: the file ends in the middle of action 73" in said


@pytest.mark.parametrize("dropped", [1, 3, 5])
def test_a_file_that_ends_in_the_middle_says_where(dropped: int, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_bytes(b"".join(SUMP.read_bytes().splitlines(keepends=True)[: 80 - dropped]))
    assert "the file ends in the middle of action 73" in run("import", file, "--data", data, code=1).stderr
    file.write_bytes(file.read_bytes()[:-20])
    assert f"the file ends in the middle of entry {80 - dropped}" in run("replay", file, code=1).stderr


def test_what_was_tampered_with_is_told_in_json(data: Path, tmp_path: Path) -> None:
    lines = SUMP.read_bytes().splitlines()
    file = tmp_path / "log.jsonl"
    started = next(n for n, line in enumerate(lines) if b'"type":"PhaseStarted"' in line)
    file.write_bytes(b"\n".join([*lines[:started], lines[started].replace(b'"recovery"', b'"shooting"')]) + b"\n")
    said = run("import", file, "--data", data, code=1).stderr
    assert 'recorded "shooting", the rules and dice give "recovery"' in said


@pytest.mark.parametrize("source", ["nothing.jsonl", "0" * 32, "/", ""])
def test_what_is_not_there_is_said_not_to_be_there(source: str, kept: Path) -> None:
    for command in ("replay", "casualties", "turns"):
        run(command, source, "--data", kept, code=2)


def test_a_moment_or_turn_that_never_was(kept: Path) -> None:
    assert "1 to 289" in run("replay", id_in(SUMP), "--data", kept, "--at", 290, code=2).stderr
    run("casualties", id_in(SUMP), "--data", kept, "--at", 0, code=2)
    assert "turn 99" in run("replay", SUMP, "--turn", 99, code=2).stderr


def test_looking_makes_no_store(data: Path) -> None:
    run("replay", id_in(SUMP), "--data", data, code=2)
    run("export", id_in(SUMP), "--data", data, code=2)
    assert not data.exists()


def test_a_file_that_is_no_store_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("these are my notes" * 100)
    run("import", SUMP, "--data", file, code=2)
    run("replay", id_in(SUMP), "--data", file, code=2)
    run("demo", "--no-serve", "--data", file, code=2)
    assert file.read_text() == "these are my notes" * 100
    run("import", SUMP, "--data", tmp_path / "no" / "folder.db", code=2)


def test_an_unknown_command_or_option_is_used_wrongly() -> None:
    for arguments in (["reply"], ["replay"], ["replay", str(SUMP), "--loud"], ["serve", "--port", "66000"]):
        assert CliRunner().invoke(app, arguments).exit_code == 2


def test_what_keeps_it_from_serving_is_told_in_a_sentence(tmp_path: Path) -> None:
    data = tmp_path / "battles.db"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = run("serve", "--port", port, "--data", data, code=2).stderr
        assert f"port {port} of 127.0.0.1" in said
        assert "another program has it" in said
        assert not data.exists(), "nothing was made"
    assert "no folder" in run("serve", "--port", 0, "--data", tmp_path / "no" / "where.db", code=2).stderr
    data.write_text("notes" * 500)
    assert "no SQLite database" in run("serve", "--port", 0, "--data", data, code=2).stderr
    assert "no address" in run("serve", "--host", "no.such.host.invalid", "--data", data, code=2).stderr


def test_the_environment_is_minded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BATTLELOG_PORT", "many")
    assert "BATTLELOG_PORT" in run("serve", code=2).stderr


# --- the demo ---------------------------------------------------------------------------------------------------------


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


# --- a store, looked through ------------------------------------------------------------------------------------------


@pytest.fixture
def shelf(data: Path) -> Path:
    """A store that holds a battle, a what-if of it, and a what-if of that."""
    for log in (YARD, RECORDED / "mfd-brick-yard.held.jsonl", WIDE):
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
    held = RECORDED / "mfd-brick-yard.held.jsonl"
    told = run("compare", id_in(YARD), held, "--data", shelf, columns=120).stdout
    assert "They part after entry 211." in told
    assert "Ingot" in told
    assert "A: The Brick Yard, entry 381, turn 11, closed; 170 entries of its own" in told
    parted = json.loads(run("compare", YARD, id_in(held), "--data", shelf, "--json").stdout)
    assert (parted["parted_at"], parted["same_table"]) == (211, False)
    same = run("compare", YARD, id_in(YARD), "--data", shelf).stdout
    assert "They part after entry 381. Their tables are the same." in same
    assert "They share no entry." in run("compare", YARD, SUMP, columns=120).stdout


def test_why_an_entry_is_as_it_is() -> None:
    told = run("why", SUMP, 80, columns=160).stdout
    for words in ("Ember", "ammo roll 2, 5 passed", '3 hits reach 15"', "NME-20: ", "Ember is in cover", "STRUCK OUT"):
        assert words in told
    rolled = run("why", YARD, 65, columns=200).stdout
    assert "Anvil  to hit 5" in rolled
    assert "-3 the target is fully behind cover (MFD-14)" in rolled
    assert json.loads(run("why", SUMP, 80, "--json").stdout)["seq"] == 80
    assert "1 to 289" in run("why", SUMP, 290, code=2).stderr


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
