"""A disk that is full: a clear refusal, nothing half written, and on it goes once there is room."""

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from time import monotonic, sleep

import pytest

from replays.audit.keys import UnsafeKeys
from replays.keyring import Keyring
from replays.store import Store, StoreUnavailable
from tests.api.live_server import Server, served
from tests.chaos.disks import Disk, mounted
from tests.chaos.lives import Player, begun, refused, told_busy
from tests.replays.test_store_files import A, batch

resource = pytest.importorskip("resource")
BOUNDED = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY)); \
os.execvp(sys.argv[1], sys.argv[1:])"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    with mounted(tmp_path / "disk") as disk:
        yield disk


def until_refused(player: Player) -> str:
    """Play until it says no; the key of what was refused."""
    for n in range(2000):
        answer = player.ask(f"until-{n}")
        if answer.status_code != 201:
            told_busy(answer)
            return f"until-{n}"
    raise AssertionError("the disk is never full")


def test_a_full_disk_is_told_and_once_there_is_room_it_goes_on(disk: Disk, tmp_path: Path) -> None:
    with (
        served(disk.folder / "club.db", tmp_path, PUBLISH="600") as server,
        Player(server.url) as player,
    ):
        player.open()
        assert player.act() == 201
        disk.fill(but=64 * 1024)
        key = until_refused(player)
        disk.fill()
        assert player.ready() == 503
        assert "1 MB has to be free" in player.http.get("/readyz").json()["detail"]
        assert player.http.get("/healthz").status_code == 200
        assert player.get().status_code == 200
        told_busy(player.get("/log/checkpoint"))
        player.check()
        disk.make_room()
        assert player.act(key) == 201
        assert player.ready() == 200
        assert player.get("/log/checkpoint").status_code == 200
        player.check()
        server.stop()
    left = {path.name for path in (disk.folder / "club.db.keys" / "signed").iterdir()}
    assert not {name for name in left if name.startswith(".")}


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="the limits of another process cannot be set here")
def test_a_quota_that_is_used_up_is_told_and_once_it_is_raised_it_goes_on(tmp_path: Path) -> None:
    with (
        begun(tmp_path / "club.db", tmp_path, sys.executable, "-c", BOUNDED) as server,
        Player(server.url) as player,
    ):
        player.open()
        key = until_refused(player)
        assert player.ready() == 503  # though its disk has room
        assert player.act(key) == 503
        assert player.get().status_code == 200
        player.check()
        no_limit = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, no_limit)
        assert player.ready() == 200
        assert player.act(key) == 201
        player.check()


def test_a_start_without_room_is_refused_and_succeeds_once_there_is_some(disk: Disk) -> None:
    file = disk.folder / "club.db"
    disk.fill()
    assert str(file) in refused(file)
    # Each amount of room ends the start at another step: the file, the log's index, the log, the tables.
    for left in (0, *(2**n * 1024 for n in range(2, 8))):
        with pytest.raises(StoreUnavailable, match=r"club\.db: the disk"):
            Store.open(str(file))
        disk.make_room()
        disk.fill(but=left)
    disk.make_room()
    with closing(Store.open(str(file))) as store:
        store.append(A, batch(0))
        assert store.ready()
        assert store.read(A) == batch(0)


def test_a_start_without_room_on_a_file_that_is_there_says_that_the_disk_may_be_full(disk: Disk) -> None:
    file = disk.folder / "club.db"
    with closing(Store.open(str(file))) as store:
        store.append(A, batch(0))
    disk.fill()
    with pytest.raises(StoreUnavailable, match=r"club\.db: the disk .*is full"):
        Store.open(str(file))
    disk.make_room()
    with closing(Store.open(str(file))) as store:
        assert store.read(A) == batch(0)


def test_keys_on_a_full_disk_are_made_once_there_is_room(disk: Disk) -> None:
    keys = disk.folder / "keys"
    disk.fill()
    with pytest.raises(UnsafeKeys, match="No space left"):
        Keyring.open(keys, "localhost")
    disk.make_room()
    first = Keyring.open(keys, "localhost").vkeys
    assert Keyring.open(keys, "localhost").vkeys == first


def published(player: Player) -> int:
    """How many battles the global log has."""
    return int(player.http.get("/log/checkpoint").text.splitlines()[1])


def test_play_goes_on_while_nothing_can_be_signed_and_what_is_owed_is_signed_later(disk: Disk, tmp_path: Path) -> None:
    keys = str(disk.folder / "keys")
    with served(tmp_path / "club.db", KEYS=keys, PUBLISH="0.1") as server, Player(server.url) as player:
        player.open()
        until(lambda: published(player) == 1)
        disk.fill()
        assert [player.act() for _ in range(5)] == [201] * 5
        assert player.ready() == 200
        told_busy(player.get("/log/checkpoint"))
        player.open()
        assert player.act() == 201
        sleep(0.3)
        disk.make_room()
        until(lambda: published(player) == 2)
        assert player.get("/log/checkpoint").status_code == 200
        check_scratch(disk.folder / "keys")


def test_a_log_that_nobody_can_write_stops_nobody(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with (
        begun(tmp_path / "club.db", tmp_path, log=Path("/dev/full"), PUBLISH="0.1") as server,
        Player(server.url) as player,
    ):
        play_on(server, player)


@pytest.mark.slow
def test_a_log_that_nobody_reads_any_more_stops_nobody(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with begun(tmp_path / "club.db", tmp_path, log=pipe, PUBLISH="0.1") as server, Player(server.url) as player:
        os.close(reader)
        play_on(server, player)


def play_on(server: Server, player: Player) -> None:
    player.open()
    assert [player.act() for _ in range(5)] == [201] * 5
    assert player.act(command={"do": "fly"}) == 422
    player.check()
    assert server.stop() < 10


def test_a_write_ahead_log_that_a_long_look_has_made_grow_is_cut_short_again(tmp_path: Path) -> None:
    file = tmp_path / "club.db"
    log = Path(f"{file}-wal")
    with closing(Store.open(str(file))) as store, closing(sqlite3.connect(file, isolation_level=None)) as looker:
        store.append(A, batch(0))
        looker.execute("BEGIN")
        looker.execute("SELECT count(*) FROM stored_events").fetchone()
        for _ in range(12):
            store.ledger.publish(A, store.head(A), os.urandom(2 << 20))
        grown = log.stat().st_size
        assert grown > 24 << 20
        looker.execute("COMMIT")
        for _ in range(3):
            store.append(A, batch(store.head(A)))
        assert log.stat().st_size <= 16 << 20
        assert store.head(A) == 20


def until(told: object) -> None:
    """Wait for something to hold."""
    over = monotonic() + 10
    while not told() and monotonic() < over:  # type: ignore[operator]
        sleep(0.05)
    assert told()  # type: ignore[operator]


def check_scratch(folder: Path) -> None:
    """No scratch file is left."""
    assert not [path for path in folder.rglob(".*") if path.is_file()]
