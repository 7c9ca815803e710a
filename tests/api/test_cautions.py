"""What a service says at its start, and when it cannot start: who may read, whose keys, which settings mean nothing."""

import json
import os
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import BadSettings, Settings, database_of, strangers
from api.terminal.serving import banner
from replays.store import Store
from tests.api.table import open_table
from tests.api.test_cli_program import ENV, run, serving

posix = pytest.mark.skipif(os.name != "posix", reason="modes are another thing there")


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def cautions(settings: Settings) -> list[str]:
    app = create_app(settings)
    with TestClient(app):
        return list(app.state.cautions)


def published(settings: Settings) -> None:
    """A battle that the log of battles has, under the keys that are there."""
    app = create_app(settings)
    with TestClient(app) as client:
        open_table(client, "nme")
        assert app.state.house.notary.publish_owed(lambda *_: None) <= 1
        assert app.state.house.store.ledger.published(0, 1)


# --- the file ---


@posix
def test_a_new_database_is_its_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    file = tmp_path / "club.db"
    with umask(0o022), closing(Store.open(str(file))):
        assert {path.name: mode(path) for path in tmp_path.iterdir()} == {
            "club.db": 0o600,
            "club.db-wal": 0o600,
            "club.db-shm": 0o600,
        }


@posix
def test_a_database_that_others_may_read_keeps_its_mode_and_is_told(settings: Settings) -> None:
    file = Path(settings.database)
    file.parent.chmod(0o755)
    assert cautions(settings) == []
    file.chmod(0o644)
    (said,) = cautions(settings)
    assert "mode 0644" in said
    assert f"chmod 600 {file}" in said
    assert mode(file) == 0o644
    file.parent.chmod(0o700)
    assert cautions(settings) == [], "nobody else gets that far"


# --- the keys ---


def test_a_database_that_was_signed_by_other_keys_is_told_once_new_ones_are_made(settings: Settings) -> None:
    published(settings)
    assert cautions(settings) == []
    keys = settings.key_folder
    assert keys is not None
    keys.rename(keys.with_suffix(".elsewhere"))
    (said,) = cautions(settings)
    assert "SIGNED BY OTHER KEYS" in said
    assert str(keys) in said
    assert cautions(settings) == [], "they are no longer new"


def test_a_database_that_nobody_signed_gets_its_first_keys_without_a_word(settings: Settings, tmp_path: Path) -> None:
    done = run("demo", "--no-serve", "--data", settings.database, cwd=tmp_path)
    assert done.returncode == 0
    assert cautions(settings) == []


def test_a_name_that_was_changed_is_told_with_what_to_do(settings: Settings) -> None:
    cautions(settings)
    other = settings.model_copy(update={"host_name": "battles.example"})
    with pytest.raises(BadSettings) as no:
        create_app(other)
    for words in ("BATTLELOG_HOST_NAME is battles.example", "those of localhost", "Set BATTLELOG_HOST_NAME=localhost"):
        assert words in str(no.value)
    assert "BATTLELOG_KEYS" not in str(no.value)
    keys = settings.key_folder
    assert keys is not None
    keys.rename(keys.with_suffix(".aside"))
    with TestClient(create_app(other)) as client:
        assert client.get("/log/keys").text.startswith("battles.example+")


# --- the settings ---


def test_a_variable_that_is_no_setting_is_told_with_the_one_that_may_be_meant() -> None:
    found = {
        "BATTLELOG_HOSTNAME": "x",
        "BATTLELOG_QQQ": "1",
        "BATTLELOG_PORT": "1",
        "BATTLELOG_SECRET": "s",
        "HOME": "/",
    }
    hostname, other = strangers(found)
    assert hostname == "BATTLELOG_HOSTNAME is no setting and does nothing: is BATTLELOG_HOST_NAME meant?"
    assert other.startswith("BATTLELOG_QQQ is no setting and does nothing")


def test_what_keeps_the_battles_is_read_whatever_the_other_settings_are() -> None:
    assert database_of({"BATTLELOG_DATABASE": "club.db", "BATTLELOG_PORT": "many"}) == "club.db"
    assert database_of({"BATTLELOG_DATABASE": ""}) == database_of({}) == "battlelog.db"


def test_the_commands_look_where_the_service_does(tmp_path: Path) -> None:
    here = {"BATTLELOG_DATABASE": "club.db"}
    assert "there is no file club.db" in run("battles", cwd=tmp_path, env=here).stderr
    assert run("demo", "--no-serve", "--data", "club.db", cwd=tmp_path).returncode == 0
    told = run("battles", cwd=tmp_path, env=here)
    assert "0b51c4e0f7a84d3c9e2d112233445566" in told.stdout
    assert run("battles", "--data", "club.db", cwd=tmp_path).stdout == told.stdout
    assert "there is no file battlelog.db" in run("standings", cwd=tmp_path).stderr


def test_serving_tells_on_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENV, "BATTLELOG_PROT", "1")
    with serving("serve", cwd=tmp_path) as (program, _):
        assert program.stderr is not None
        assert program.stderr.readline() == (
            "battlelog: WARNING: BATTLELOG_PROT is no setting and does nothing: is BATTLELOG_PORT meant?\n"
        )


def test_the_log_tells_it_too(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    cautions(settings)
    Path(settings.database).chmod(0o644)
    Path(settings.database).parent.chmod(0o755)
    cautions(settings.model_copy(update={"log_format": "json"}))
    (line,) = [line for line in capsys.readouterr().err.splitlines() if '"caution"' in line]
    assert json.loads(line)["level"] == "warning"
    assert "mode 0644" in json.loads(line)["said"]


@pytest.mark.parametrize(("drain", "said"), [("0", "(Ctrl-C stops it)"), ("7", "in 7 s, a second one at once)")])
def test_the_terminal_says_how_it_stops(tmp_path: Path, drain: str, said: str) -> None:
    settings = Settings(database=str(tmp_path / "club.db"), drain=float(drain))
    assert said in banner(settings, "http://127.0.0.1:1/")


# --- not ready ---


def test_a_service_that_is_not_ready_says_why_and_not_where(client: TestClient, settings: Settings) -> None:
    assert client.get("/readyz").status_code == 200
    file = Path(settings.database)
    file.rename(file.with_suffix(".away"))
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert "taken away or replaced" in answer.json()["detail"]
    assert str(file.parent) not in answer.text
