"""The program itself, as a shell starts it: quick, quiet in pipes, and stopped without fuss."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import IO

import pytest

from tests.recorded_battles import RECORDED

ROOT = Path(__file__).parent.parent.parent
SUMP = str(RECORDED / "nme-sump-crossing.jsonl")
PROGRAM = [sys.executable, "-c", "from api.cli import main; main()"]
ENV = {k: v for k, v in os.environ.items() if not k.startswith("BATTLELOG_")} | {"PYTHONPATH": str(ROOT)}


def run(*arguments: str, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *arguments],
        cwd=cwd,
        env=ENV | (env or {}),
        text=True,
        encoding="utf-8",
        capture_output=True,
        check=False,
    )


def test_help_needs_nothing_heavy(tmp_path: Path) -> None:
    code = "import sys, api.cli; print({'fastapi', 'pydantic', 'uvicorn', 'eventsourcing'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=ENV, text=True, capture_output=True, check=True
    )
    assert done.stdout == "set()\n"
    told = run("--help", cwd=tmp_path).stdout
    for command in ("serve", "demo", "replay", "casualties", "turns", "export", "import"):
        assert command in told


def test_the_demo_from_an_empty_folder(tmp_path: Path) -> None:
    done = run("demo", "--no-serve", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Sump Crows wins." in done.stdout
    assert "\x1b" not in done.stdout, "no colour in a pipe"
    assert (tmp_path / "battlelog-demo.db").is_file()
    battle = json.loads(Path(SUMP).read_bytes().splitlines()[-1])["battle"]
    exported = run("export", battle, "--data", "battlelog-demo.db", cwd=tmp_path)
    assert exported.stdout == Path(SUMP).read_text("utf-8")


def test_a_locale_without_letters_is_no_trouble(tmp_path: Path) -> None:
    log = Path(SUMP).read_text("utf-8")
    assert log.isascii()
    done = run("replay", SUMP, cwd=tmp_path, env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 0


def test_a_reader_who_has_had_enough(tmp_path: Path) -> None:
    with subprocess.Popen([*PROGRAM, "turns", SUMP], cwd=tmp_path, env=ENV, stdout=-1, stderr=-1) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.readline()
        program.stdout.close()
        assert program.wait(30) == 0
        assert program.stderr.read() == b""


def test_a_fault_of_our_own_is_told_in_a_sentence(tmp_path: Path) -> None:
    code = "import api.terminal.sources as s; s.log_of = None; from api.cli import main; main()"
    command = [sys.executable, "-c", code, "replay", SUMP]
    done = subprocess.run(command, cwd=tmp_path, env=ENV, text=True, capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("battlelog: this is a fault of the program itself (")
    assert "Traceback" not in done.stderr


@contextmanager
def serving(*arguments: str, cwd: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server, and the port that it says it has."""
    command = [*PROGRAM, *arguments, "--port", "0"]
    with subprocess.Popen(command, cwd=cwd, env=ENV, stdout=subprocess.DEVNULL, stderr=-1, text=True) as program:
        try:
            yield program, int(_said(program.stderr).rpartition(":")[2].partition("/")[0])
        finally:
            program.kill()


def _said(stream: IO[str] | None) -> str:
    assert stream is not None
    return next(line for line in stream if " serves " in line)


def get(port: int, path: str) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer.status, body


@pytest.mark.skipif(sys.platform == "win32", reason="signals are another thing there")
@pytest.mark.parametrize(("stop", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, -signal.SIGTERM)])
def test_it_serves_until_it_is_told_to_stop(stop: int, code: int, tmp_path: Path) -> None:
    with serving("demo", cwd=tmp_path) as (program, port):
        assert get(port, "/readyz")[0] == 200
        status, listed = get(port, "/v1/battles")
        assert status == 200
        assert len(json.loads(listed)["battles"]) == 6
        program.send_signal(stop)
        assert program.wait(15) == code
        assert program.stderr is not None
        assert "Traceback" not in program.stderr.read()


@pytest.mark.skipif(sys.platform == "win32", reason="programs are another thing there")
def test_what_the_demo_tells_to_type_is_the_program_as_it_was_called(tmp_path: Path) -> None:
    program = tmp_path / ".venv" / "bin" / "battlelog"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!{sys.executable}\nfrom api.cli import main\nmain()\n")
    program.chmod(0o755)
    for path, called in ((ENV["PATH"], ".venv/bin/battlelog"), (f"{program.parent}:{ENV['PATH']}", "battlelog")):
        env = ENV | {"PATH": path, "COLUMNS": "200"}
        done = subprocess.run(
            [".venv/bin/battlelog", "demo", "--no-serve"],
            cwd=tmp_path,
            env=env,
            text=True,
            capture_output=True,
            check=True,
        )
        assert f": {called} replay " in done.stdout
        assert f": {called} serve --data battlelog-demo.db" in done.stdout
        assert "http" not in done.stdout.replace("https", ""), "nothing serves it"
