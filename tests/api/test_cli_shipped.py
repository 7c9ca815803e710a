"""`export` and `import`: a log leaves and comes in byte for byte, and its seats open it from then on."""

import json
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from tests.api.command import HELD, SUMP, WIDE, id_in, run
from tests.api.table import Table
from tests.recorded_battles import RECORDED, played


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
    log = HELD
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
