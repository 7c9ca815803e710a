"""Backups: taken while the service writes, put back, and what the signer says to that. The commands are the page's."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from contextlib import AbstractContextManager, closing
from pathlib import Path
from time import sleep

import psycopg
import pytest

from deploy.checking import log_of
from deploy.playing import Battle, Place, asked, opened
from replays.examine import examine
from replays.keyring import Keyring
from replays.store import Store
from tests.api.live_server import Server, served
from tests.cluster import Cluster, programs_here
from tests.deploy.restoring import (
    PAGE,
    ROOT,
    Kept,
    check_that_the_loss_can_be_accepted,
    check_what_is_left,
    check_what_is_signed,
    played_and_put_back,
)
from tests.replays.rooms import Room, gangs

needs_sha256sum = pytest.mark.skipif(shutil.which("sha256sum") is None, reason="no sha256sum here")


@needs_sha256sum
def test_a_file_is_backed_up_while_it_is_written_to_and_put_back(tmp_path: Path) -> None:
    kept = in_a_file(tmp_path)
    past = played_and_put_back(kept)
    with kept.serve() as server:
        place = "127.0.0.1", server.port
        check_what_is_left(place, past)
        check_what_is_signed(place, past)
        check_that_the_loss_can_be_accepted(kept, place, past)


def test_no_die_falls_again_after_the_seeds_of_a_copy_were_forgotten(tmp_path: Path) -> None:
    kept = in_a_file(tmp_path)
    with kept.serve() as server:
        battle = opened(("127.0.0.1", server.port))
        kept.copy()
        before = shots(("127.0.0.1", server.port), battle)
        server.stop()
    assert f"/v1/battles/{battle.id}/dice/renew" in run_from_the_page("restore", tmp_path)
    with kept.serve() as server:
        place = "127.0.0.1", server.port
        seat = {"Authorization": f"Bearer {battle.secret}"}
        status, body = asked(place, "POST", f"/v1/battles/{battle.id}/actions", SHOTS[0], seat)
        assert (status, json.loads(body)["rule"]) == (409, "DICE-07")
        status, body = asked(place, "POST", f"/v1/battles/{battle.id}/dice/renew", {"reason": "put back"}, seat)
        assert status == 201, body
        assert shots(place, battle) != before
        log = log_of(place, battle.id)
    drawn = [entry["body"] for entry in map(json.loads, log) if entry["type"] == "DiceDrawn"]
    assert [(body["epoch"], body["index"]) for body in drawn] == [(1, 1), (1, 2), (1, 3)]
    assert examine(log).findings == ()


def test_seeds_that_are_gone_throw_no_more_dice_though_the_service_goes_on(tmp_path: Path) -> None:
    kept = in_a_file(tmp_path)
    with kept.serve() as server:
        place = "127.0.0.1", server.port
        battle = opened(place)
        seat = {"Authorization": f"Bearer {battle.secret}"}
        assert asked(place, "POST", f"/v1/battles/{battle.id}/actions", SHOTS[0], seat)[0] == 201
        with closing(Store.open(str(tmp_path / "club.db"))) as store:
            assert store.forget_secrets() == [battle.id]
        status, body = asked(place, "POST", f"/v1/battles/{battle.id}/actions", SHOTS[1], seat)
        assert (status, json.loads(body)["rule"]) == (409, "DICE-07")
        assert asked(place, "POST", f"/v1/battles/{battle.id}/dice/renew", {"reason": "put back"}, seat)[0] == 201
        assert asked(place, "POST", f"/v1/battles/{battle.id}/actions", SHOTS[1], seat)[0] == 201


SHOTS = [
    {"do": "shoot", "fig": f"red-{n}", "weapon": "autogun", "target": f"blue-{n}", "mode": "aimed"} for n in range(3)
]


def shots(place: Place, battle: Battle) -> list[list[object]]:
    """The dice of some shots, one list an action."""
    seat = {"Authorization": f"Bearer {battle.secret}"}
    fallen = []
    for shot in SHOTS:
        status, body = asked(place, "POST", f"/v1/battles/{battle.id}/actions", shot, seat)
        assert status == 201, body
        fallen.append([die for entry in json.loads(body)["entries"] for die in entry["body"].get("dice", [])])
    return fallen


def test_putting_it_back_twice_keeps_what_was_there_both_times(tmp_path: Path) -> None:
    battle = a_copy(tmp_path / "backup.db")
    for was in ("first", "second"):
        (tmp_path / "club.db").write_text(was)
        (tmp_path / "club.db-wal").write_text(f"{was} log")
        run_from_the_page("restore", tmp_path)
        assert not (tmp_path / "club.db-wal").exists()
        assert holds(tmp_path / "club.db", battle)
        sleep(1.1)
    kept = [(each / "club.db").read_text() for each in sorted(tmp_path.glob("aside-*"))]
    assert kept == ["first", "second"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_what_root_puts_back_belongs_to_the_user_of_the_service(tmp_path: Path) -> None:
    state, backup, said = tmp_path / "state", tmp_path / "backup.db", tmp_path / "said"
    state.mkdir(mode=0o700)
    os.chown(state, 12_345, 12_345)
    battle = a_copy(backup)
    (state / "battlelog.db").write_text("the old one")
    (tmp_path / "programs").mkdir()
    systemctl = tmp_path / "programs" / "systemctl"  # there is no systemd here: what it is told is written down
    systemctl.write_text(f'#!/bin/sh\necho "$@" >> "{said}"\n')
    systemctl.chmod(0o755)
    run_from_the_page("restore as root", tmp_path, {"/var/lib/battlelog/": f"{state}/", "$BACKUP": str(backup)})
    found = (state / "battlelog.db").stat()
    assert (found.st_uid, found.st_gid, found.st_mode & 0o777) == (12_345, 12_345, 0o600)
    assert {each.stat().st_uid for each in state.iterdir()} == {12_345}
    assert holds(state / "battlelog.db", battle)
    assert [each.read_text() for each in state.glob("aside-*/battlelog.db")] == ["the old one"]
    assert said.read_text() == "stop battlelog\nstart battlelog\n"


def a_copy(file: Path) -> str:
    """Make a database with one battle."""
    room = Room(str(file))
    battle = room.open(gangs())
    room.store.close()
    return battle


def holds(file: Path, battle: str) -> bool:
    """Whether a database has the battle, and no seed of it."""
    with closing(Store.open(str(file))) as store:
        return store.exists(battle) and store.secret(battle, "chain", 0) is None


def test_keys_are_kept_and_put_back_without_what_was_signed_last(tmp_path: Path) -> None:
    keys = tmp_path / "club.db.keys"
    before = Keyring.open(keys, "localhost").vkeys
    (keys / "signed" / "one.checkpoint").write_text("known")
    run_from_the_page("keys", tmp_path, KEYS=str(keys))
    with tarfile.open(tmp_path / "keys.tar") as kept:
        assert not [name for name in kept.getnames() if "signed" in name]
    assert (tmp_path / "keys.tar").stat().st_mode & 0o077 == 0
    for name in ("log-1.key", "log-1.vkey"):
        (keys / name).unlink()
    assert Keyring.open(keys, "localhost").vkeys != before
    run_from_the_page("keys back", tmp_path, KEYS=str(keys))
    assert Keyring.open(keys, "localhost").vkeys == before
    assert (keys / "signed" / "one.checkpoint").read_text() == "known"


def in_a_file(folder: Path) -> Kept:
    database, backup = folder / "club.db", folder / "backup.db"

    def copy() -> None:
        run_from_the_page("backup", folder)
        with closing(sqlite3.connect(backup)) as db:
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)

    def put_back() -> None:
        run_from_the_page("restore", folder)

    def serve() -> AbstractContextManager[Server]:
        return served(database, PUBLISH="0.05")

    return Kept(serve, copy, put_back, folder / "club.db.keys")


def run_from_the_page(name: str, folder: Path, elsewhere: Mapping[str, str] | None = None, **more: str) -> str:
    """Run the lines of a block of the page, and give what they say.

    Its `python3` and its `battlelog` are those of this checkout, and what it names may be `elsewhere`.
    """
    blocks = re.findall(rf"^```sh {name}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 1, name
    script = blocks[0]
    for path, other in (elsewhere or {}).items():
        assert path in script
        script = script.replace(path, other)
    here = folder / "programs"
    here.mkdir(exist_ok=True)
    python = here / "python3"
    python.unlink(missing_ok=True)
    python.symlink_to(sys.executable)
    program = here / "battlelog"
    program.write_text(f"#!{sys.executable}\nfrom api.cli import main\nmain()\n")
    program.chmod(0o755)
    environment = {"PATH": f"{more.pop('PATH', '')}:{here}:/usr/bin:/bin", "PYTHONPATH": str(ROOT), **more}
    done = subprocess.run(
        ["/bin/sh", "-euc", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- PostgreSQL ---


@pytest.fixture
def dumping(cluster: Cluster) -> str:
    """The folder of a pg_dump that can read this server."""
    with psycopg.connect(cluster.address("postgres")) as line:
        version = line.info.server_version // 10_000
    folders = [programs_here(), *sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    for folder in filter(None, folders):
        if (folder / "pg_dump").is_file() and (folder / "pg_restore").is_file():
            said = subprocess.run([folder / "pg_dump", "--version"], capture_output=True, text=True, check=True).stdout
            if int(re.findall(r"\d+", said)[0]) >= version:
                return str(folder)
    pytest.skip(f"there is no pg_dump of PostgreSQL {version} here")


@pytest.fixture
def database(cluster: Cluster) -> str:
    return cluster.new()


@needs_sha256sum
def test_a_postgres_database_is_dumped_while_it_is_written_to_and_put_back(
    database: str, dumping: str, tmp_path: Path
) -> None:
    def run(block: str) -> None:
        run_from_the_page(block, tmp_path, PATH=dumping, DATABASE=database)

    def serve() -> AbstractContextManager[Server]:
        return served(database, tmp_path, PUBLISH="0.05", KEYS=str(tmp_path / "keys"))

    kept = Kept(serve, lambda: run("dump"), lambda: run("put back"), tmp_path / "keys")
    past = played_and_put_back(kept)
    with kept.serve() as server:
        place = "127.0.0.1", server.port
        check_what_is_left(place, past)
        check_what_is_signed(place, past)
        check_that_the_loss_can_be_accepted(kept, place, past)
