"""The notary remembers: restarts, backups, other processes, and keys in their folder."""

import multiprocessing
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread

import pytest

from replays.audit.checkpoint import global_origin, opened_checkpoint
from replays.audit.keys import UnsafeKeys
from replays.audit.merkle import Frontier
from replays.keyring import Keyring
from replays.notary import Notary
from replays.signedlog import CannotSign, LogForked
from replays.store import Store
from tests.replays.desks import HOST, NOW, A, B, Desk, batch


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "battles.db"


@pytest.fixture
def desk(file: Path) -> Iterator[Desk]:
    with closing(Desk(file)) as opened:
        yield opened


# --- what was signed before ---


def test_a_restart_goes_on_signing_with_the_same_key(file: Path) -> None:
    with closing(Desk(file)) as desk:
        desk.play(A)
        note, keys = desk.notary.checkpoint(A), desk.keys
    with closing(Desk(file)) as desk:
        assert desk.keys == keys
        assert desk.notary.checkpoint(A) == note
        desk.play(A)
        assert desk.opened(desk.notary.checkpoint(A)).size == 6


@pytest.mark.parametrize(("played_on", "code", "words"), [(0, "E-ROLLBACK", "has only 3"), (9, "E-FORK", "extends")])
def test_a_restored_backup_is_not_signed(file: Path, played_on: int, code: str, words: str) -> None:
    with closing(Desk(file)) as desk:
        desk.play(A)
    backup = file.read_bytes()
    with closing(Desk(file)) as desk:
        desk.play(A)
        signed = desk.opened(desk.notary.checkpoint(A))
    file.write_bytes(backup)
    with closing(Desk(file)) as desk:
        if played_on:
            desk.play(A, played_on, "another history")
        with pytest.raises(LogForked, match=words) as found:
            desk.notary.checkpoint(A)
        assert (found.value.code, found.value.signed) == (code, signed.text)
        with pytest.raises(LogForked):
            desk.notary.inclusion(A, 0)
        desk.play(B)
        assert desk.opened(desk.notary.checkpoint(B), B).size == 3  # the others are signed as before


def test_a_backup_that_is_put_back_under_a_running_service_is_met_too(file: Path) -> None:
    with closing(Desk(file)) as desk, closing(sqlite3.connect(":memory:")) as backup:
        desk.play(A)
        early = desk.notary.checkpoint(A)
        with closing(sqlite3.connect(file)) as db:
            db.backup(backup)
        desk.play(A)
        desk.notary.checkpoint(A)
        with closing(sqlite3.connect(file)) as db:
            backup.backup(db)
        assert desk.store.head(A) == 3
        with pytest.raises(LogForked):
            desk.notary.checkpoint(A)
        assert early.startswith(b"war.example")


def test_leaves_that_do_not_give_the_head_are_not_signed(desk: Desk) -> None:
    desk.play(A)
    with closing(sqlite3.connect(desk.file, isolation_level=None)) as db:
        db.execute("UPDATE stored_events SET state = x'00' WHERE originator_version = 2")
    with pytest.raises(CannotSign, match="damaged"):
        desk.notary.checkpoint(A)


def test_a_memory_that_cannot_be_read_signs_nothing(desk: Desk) -> None:
    desk.play(A)
    desk.notary.checkpoint(A)
    for path in Path(f"{desk.file}.keys", "signed").glob("*.checkpoint"):
        path.write_text("nonsense")
    desk.play(A)
    with pytest.raises(CannotSign, match="three lines"):
        desk.notary.checkpoint(A)


def test_threads_that_play_and_sign_never_meet_a_fork(desk: Desk) -> None:
    desk.play(A)
    faults: list[Exception] = []

    def ask(other: Notary) -> None:
        try:
            for _ in range(25):
                other.checkpoint(A)
        except Exception as fault:  # noqa: BLE001 - told below
            faults.append(fault)

    second = Notary(desk.store, Keyring.open(Path(f"{desk.file}.keys"), HOST), lambda: NOW * 1000)
    threads = [Thread(target=ask, args=(notary,)) for notary in (desk.notary, second) * 2]
    for thread in threads:
        thread.start()
    for _ in range(60):
        desk.play(A, 1)
    for thread in threads:
        thread.join()
    assert faults == []


def write_and_sign(file: str, battle: str) -> None:
    """What one of several processes does."""
    with closing(Desk(Path(file))) as desk:
        for _ in range(12):
            desk.play(battle, 2)
            desk.opened(desk.notary.checkpoint(A))
            desk.notary.publish(battle)


def test_processes_on_one_file_sign_one_history(file: Path) -> None:
    with closing(Desk(file)) as desk:
        desk.play(A)
        processes = [
            multiprocessing.get_context("spawn").Process(target=write_and_sign, args=(str(file), battle))
            for battle in (A, B)
        ]
        for process in processes:
            process.start()
        for process in processes:
            process.join(60)
        assert [process.exitcode for process in processes] == [0, 0]
        assert desk.opened(desk.notary.checkpoint(A)).size == 27
        head = opened_checkpoint(desk.notary.global_checkpoint(), desk.keys, global_origin(HOST)).checkpoint
        rows = desk.store.ledger.published(0, 100)
        assert [row.place for row in rows] == list(range(head.size))
        assert head.root == Frontier().extended(row.hash for row in rows).root


# --- keys ---


def test_keys_are_made_once_with_the_right_modes_and_apart(file: Path) -> None:
    with closing(Desk(file)) as desk:
        assert [key.name for key in desk.keys] == [HOST, f"{HOST}/global"]
    folder = Path(f"{file}.keys")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}
    assert modes == {
        f"{file.name}.keys": 0o700, "signed": 0o700, "log-1.key": 0o600, "global-1.key": 0o600,
        "log-1.vkey": 0o644, "global-1.vkey": 0o644,
    }  # fmt: skip


def test_keys_that_others_can_read_are_refused_in_words(file: Path) -> None:
    Desk(file).close()
    Path(f"{file}.keys").chmod(0o755)
    with pytest.raises(UnsafeKeys, match="others than the owner"):
        Desk(file)
    with pytest.raises(UnsafeKeys, match="no log has the origin"):
        Keyring.open(None, "not a host")


def test_without_a_folder_keys_last_as_long_as_the_process() -> None:
    one, other = Keyring.open(None, HOST), Keyring.open(None, HOST)
    assert not set(one.vkeys) & set(other.vkeys)
    with closing(Store.open(":memory:")) as store:
        notary = Notary(store, one, lambda: 0)
        for _ in range(3):
            store.append(A, batch(store.head(A)))
            assert notary.head(A).size == store.head(A)
