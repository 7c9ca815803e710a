"""Files that may not be written, or are gone: read while that goes, and nothing is acknowledged that would be lost."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from replays.store import Store, StoreUnavailable
from tests.api.live_server import served
from tests.chaos.disks import Disk, mounted
from tests.chaos.lives import Player, begun, bound_by_modes, refused, told_busy
from tests.replays.test_store_files import HOUSE, A, batch, program


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    with mounted(tmp_path / "disk") as disk:
        yield disk


@pytest.fixture
def player() -> Iterator[Player]:
    with Player() as player:
        yield player


def test_a_server_on_a_read_only_file_serves_what_is_there_and_writes_once_it_may(
    tmp_path: Path, player: Player
) -> None:
    file, keys = tmp_path / "club.db", str(tmp_path / "keys")
    with served(file, tmp_path, KEYS=keys) as server:
        player.moved(server.url)
        player.open()
        assert player.act() == 201
        server.stop()
    before = file.read_bytes()
    file.chmod(0o444)
    with begun(file, tmp_path, *bound_by_modes(), KEYS=keys) as server:
        player.moved(server.url)
        assert player.ready() == 503
        assert "is read-only" in player.http.get("/readyz").json()["detail"]
        told_busy(player.ask("one"))
        player.check()
        assert file.read_bytes() == before
        file.chmod(0o644)
        assert player.ready() == 200
        assert player.act("one") == 201
        # What it holds open it may write on; whoever watches is told that it could not be opened again.
        file.chmod(0o444)
        assert player.ready() == 503
        assert player.act("two") == 201
        server.process.kill()
    file.chmod(0o644)
    with served(file, tmp_path, KEYS=keys) as server:
        player.moved(server.url)
        player.check()


def test_a_store_on_a_read_only_file_reads_and_writes_once_it_may(tmp_path: Path) -> None:
    file = tmp_path / "battles.db"
    with closing(Store.open(str(file))) as store:
        store.append(A, batch(0))
    text = """
with closing(Store.open(file)) as store:
    for _ in range(2):
        assert store.read(A) == batch(0)
        assert not store.ready()
        try:
            store.append(A, batch(5))
        except StoreUnavailable as no:
            assert "is read-only" in str(no), no
        else:
            raise SystemExit("it was written")
    before = store.changes()
    os.chmod(file, 0o644)
    store.append(A, batch(5))
    assert store.ready()
    assert store.changes() != before
    assert store.read(A) == batch(0) + batch(5)
"""
    file.chmod(0o444)
    done = subprocess.run(
        program(text, file, *bound_by_modes()), cwd=HOUSE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    with closing(Store.open(str(file))) as store:
        assert store.read(A) == batch(0) + batch(5)


@pytest.mark.parametrize("ending", ["-wal", "-shm"])
def test_what_one_who_could_only_read_left_is_no_bar_to_one_who_may_write(tmp_path: Path, ending: str) -> None:
    file = tmp_path / "battles.db"
    with closing(Store.open(str(file))) as store:
        store.append(A, batch(0))
        Path(f"{file}{ending}").chmod(0o444)
        text = "with closing(Store.open(file)) as store:\n    store.append(A, batch(5))"
        subprocess.run(program(text, file, *bound_by_modes()), cwd=HOUSE, check=True)
        assert store.read(A) == batch(0) + batch(5)


def test_a_folder_that_may_not_be_written_is_refused_in_words_and_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "club"
    folder.mkdir()
    with closing(Store.open(str(folder / "club.db"))) as store:
        store.append(A, batch(0))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    folder.chmod(0o555)
    said = refused(folder / "club.db", *bound_by_modes(), KEYS=str(tmp_path / "keys"))
    assert "read-only" in said or "cannot be opened" in said
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    folder.chmod(0o755)
    with closing(Store.open(str(folder / "club.db"))) as store:
        assert store.read(A) == batch(0)


def test_a_disk_that_is_mounted_to_be_read_is_refused_in_words(disk: Disk) -> None:
    file = disk.folder / "battles.db"
    with closing(Store.open(str(file))) as store:
        store.append(A, batch(0))
    disk.remount("ro")
    with pytest.raises(StoreUnavailable, match=r"battles\.db: it.*(read-only|cannot be opened)"):
        Store.open(str(file)).append(A, batch(5))
    disk.remount("rw")
    with closing(Store.open(str(file))) as store:
        store.append(A, batch(5))
        assert store.read(A) == batch(0) + batch(5)


@pytest.mark.parametrize("ending", ["", "-wal", "-shm"])
@pytest.mark.parametrize("replaced", [True, False], ids=["replaced", "gone"])
def test_nothing_is_acknowledged_that_would_go_into_a_file_that_was_taken_away(
    tmp_path: Path, ending: str, replaced: bool
) -> None:
    file, away = tmp_path / f"battles.db{ending}", tmp_path / "away"
    with closing(Store.open(str(tmp_path / "battles.db"))) as store:
        store.append(A, batch(0))
        file.rename(away)
        if replaced:
            shutil.copy(away, file)
        for _ in range(2):
            with pytest.raises(StoreUnavailable, match="was taken away or replaced: put it back, or stop"):
                store.append(A, batch(5))
            assert not store.ready()
        os.replace(away, file)  # noqa: PTH105 - put back as it was
        assert store.ready()
        store.append(A, batch(5))
        assert store.read(A) == batch(0) + batch(5)
    with closing(Store.open(str(tmp_path / "battles.db"))) as store:
        assert store.read(A) == batch(0) + batch(5)


def test_a_server_whose_file_is_taken_away_says_so_and_goes_on_once_it_is_back(tmp_path: Path, player: Player) -> None:
    file = tmp_path / "club.db"
    with served(file) as server:
        player.moved(server.url)
        player.open()
        assert player.act() == 201
        file.rename(tmp_path / "away")
        told_busy(player.ask("one"))
        assert player.ready() == 503
        (tmp_path / "away").rename(file)
        assert player.act("one") == 201
        assert player.ready() == 200
        server.process.kill()
        server.process.wait()
        assert "was taken away or replaced" in server.log.read_text()
    with served(file) as server:
        player.moved(server.url)
        player.check()
