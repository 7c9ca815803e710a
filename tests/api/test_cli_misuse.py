"""Commands used wrongly: one plain sentence says why, and nothing is made or overwritten."""

import socket
from pathlib import Path

import pytest
from typer.testing import CliRunner

from api.cli import app
from tests.api.command import SUMP, id_in, run


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
