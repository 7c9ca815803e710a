"""PostgreSQL in the settings and on the command line: one address, and its password is shown to nobody."""

from pathlib import Path

import pytest

from api.settings import Settings
from api.terminal import serving
from api.terminal.stop import Stop

ADDRESS = "postgresql://me:hush@db.example/battles"


def test_an_address_is_kept_and_not_shown() -> None:
    settings = Settings.read({"BATTLELOG_DATABASE": ADDRESS})
    assert settings.database == ADDRESS
    assert "hush" not in repr(settings)
    assert settings.key_folder == Path("battlelog.keys")
    assert Settings.read({"BATTLELOG_DATABASE": ADDRESS, "BATTLELOG_KEYS": "k"}).key_folder == Path("k")


def test_an_address_may_be_typed() -> None:
    assert serving.settings(None, None, None, database=ADDRESS).database == ADDRESS


@pytest.mark.parametrize(
    ("data", "database", "words"),
    [("a.db", ADDRESS, "give one of them"), (ADDRESS, None, "--data is for a file")],
)
def test_a_file_is_no_address(data: str, database: str | None, words: str) -> None:
    with pytest.raises(Stop, match=words) as no:
        serving.settings(None, None, Path(data), database=database)
    assert "hush" not in str(no.value)


def test_a_server_that_is_not_there_keeps_it_from_starting() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(Stop, match=r"^postgresql://me@/x: the server cannot be reached") as no:
        serving.serve(serving.settings(None, 0, None, database="postgresql://me:hush@/x?host=/nowhere"))
    assert "hush" not in str(no.value)
