"""The cluster. Law: up within a minute or told why, and asked about itself only as an operator would ask it.

It is asked through Patroni's own REST interface, from the hub.
"""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

import psycopg

from deploy.patroni import network
from deploy.patroni.node import Node, Ways
from deploy.playing import FAILED, asked

PORT: Final = 5000
"""Where HAProxy leads to the leader."""
_GLANCE: Final = 1.0
"""Seconds that a node has to say how it is: one that was cut off says nothing."""


class Cluster:
    """Three nodes and the way to their leader."""

    def __init__(self, ways: Ways) -> None:
        self.ways = ways
        self.nodes = {name: Node(name, ways) for name in network.NODES}

    @property
    def address(self) -> str:
        """The address of the database, through HAProxy."""
        return f"postgresql://battlelog@{network.HUB_ADDRESS}:{PORT}/battlelog"

    @property
    def address_of_all(self) -> str:
        """The same without HAProxy: all nodes, of which the one that can be written to counts."""
        hosts = ",".join(f"{node.address}:5432" for node in self.nodes.values())
        return f"postgresql://battlelog@{hosts}/battlelog?target_session_attrs=read-write"

    def before(self) -> list[str]:
        """What is put before a command that is to run in the hub."""
        return network.inside(network.HUB, self.ways.user)

    def start(self) -> None:
        """Bring it up, with an empty database. Raises `RuntimeError`."""
        for node in self.nodes.values():
            node.prepare()
        (self.ways.folder / "pgpass").write_text(f"*:*:*:*:{self.ways.password}\n", encoding="utf-8")
        (self.ways.folder / "pgpass").chmod(0o600)
        self._owned()
        self._haproxy()
        for node in self.nodes.values():
            node.start()
        wait("three nodes, one of them synchronous", self.whole, 120)
        self._database()

    def members(self) -> list[dict[str, Any]]:
        """What the leader says of the cluster: one that was cut off tells an old story. Nothing where nobody leads."""
        leader = self.leader()
        if not leader:
            return []
        try:
            place = self.nodes[leader].address, 8008
            return list(json.loads(asked(place, "GET", "/cluster", patience=_GLANCE)[1])["members"])
        except (*FAILED, KeyError):
            return []

    def leader(self) -> str:
        """Who leads by its own word; empty if nobody does."""
        for name, node in self.nodes.items():
            try:
                if asked((node.address, 8008), "GET", "/primary", patience=_GLANCE)[0] == 200:
                    return name
            except FAILED:
                continue
        return ""

    def whole(self) -> bool:
        """Whether there are a leader and two standbys that follow, one of them synchronous."""
        found = [(member.get("role"), member.get("state")) for member in self.members()]
        follow = [role for role, state in found if state == "streaming"]
        enough = "sync_standby" in follow or not self.ways.synchronous
        return ("leader", "running") in found and len(follow) == 2 and enough

    def _owned(self) -> None:
        for path in (self.ways.folder, *self.ways.folder.rglob("*")):
            shutil.chown(path, self.ways.user, self.ways.user)

    def _haproxy(self) -> None:
        told = {name.upper(): node.address for name, node in self.nodes.items()}
        environment = {"LEADER": f"{network.HUB_ADDRESS}:{PORT}", **told}
        command = [network.program("haproxy"), "-db", "-f", str(Path(__file__).parent / "haproxy.cfg")]
        with (self.ways.folder / "haproxy.log").open("ab") as out:
            subprocess.Popen([*self.before(), *command], env=environment, stdout=out, stderr=out)

    def _database(self) -> None:
        def ready() -> bool:
            try:
                with psycopg.connect(admin, password=self.ways.password, autocommit=True, connect_timeout=2) as line:
                    line.execute(f"CREATE ROLE battlelog LOGIN PASSWORD '{self.ways.password}'")
                    line.execute("CREATE DATABASE battlelog OWNER battlelog TEMPLATE template0 ENCODING 'UTF8'")
            except psycopg.OperationalError:
                return False
            return True

        admin = f"postgresql://postgres@{network.HUB_ADDRESS}:{PORT}/postgres"
        wait("the way to the leader", ready, 60)


def wait(what: str, told: Callable[[], bool], seconds: float) -> float:
    """Wait until something holds, and say how many seconds that took. Raises `RuntimeError`."""
    started = monotonic()
    while not told():
        if monotonic() - started > seconds:
            raise RuntimeError(f"not there after {seconds:.0f} s: {what}")
        sleep(0.5)
    return monotonic() - started
