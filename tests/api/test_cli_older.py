"""A file of an older version: a command that only looks leaves it alone, and says what raises it."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from replays.store import Store
from tests.api.command import YARD, run
from tests.replays.test_releases import PLAYED, SQLITE, WHAT_IF, on_sqlite

LOOKS = [
    ("battles",),
    ("branches", PLAYED),
    ("compare", PLAYED, WHAT_IF),
    ("export", PLAYED),
    ("rebuild", "--check"),
    ("replay", PLAYED),
    ("casualties", PLAYED),
    ("turns", PLAYED),
    ("standings",),
    ("why", PLAYED, "12"),
]
WRITES = [("forget-seeds",), ("import", YARD), ("rebuild",), ("reseat", PLAYED, "--seat", "referee")]


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if not file.name.endswith("-shm")}


@pytest.mark.parametrize("release", SQLITE)
@pytest.mark.parametrize("looks", LOOKS, ids=lambda looks: looks[0])
@pytest.mark.parametrize("used", [False, True])
def test_a_command_that_looks_leaves_an_older_file_as_it_is(
    release: str, looks: tuple[str, ...], used: bool, tmp_path: Path
) -> None:
    file = on_sqlite(release, tmp_path)
    with closing(sqlite3.connect(file)) as db:  # what still uses it
        if used:
            db.execute("UPDATE summaries SET title = title")
            db.commit()
        else:
            db.close()
        before = files(tmp_path)
        said = run(*looks, "--data", file, code=2).stderr
        assert "older version" in said
        assert "stop the service that uses it, then raise it with `battlelog serve`" in said
        assert files(tmp_path) == before
        assert (Path(f"{file}-wal") in tmp_path.iterdir()) == used


@pytest.mark.parametrize("release", SQLITE)
@pytest.mark.parametrize("writes", WRITES, ids=lambda writes: writes[0])
def test_a_command_that_writes_raises_an_older_file(release: str, writes: tuple[str, ...], tmp_path: Path) -> None:
    file = on_sqlite(release, tmp_path)
    assert Store.older(file)
    run(*writes, "--data", file)
    assert not Store.older(file)
    assert PLAYED in {one["id"] for one in json.loads(run("battles", "--json", "--data", file).stdout)["battles"]}
