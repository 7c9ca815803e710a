"""One node: etcd, Patroni and PostgreSQL in one network. Law: lost and started as a whole, like a machine."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Final

from deploy.patroni.network import NODES, inside, kill_all, namespace, program

_HERE: Final = Path(__file__).parent


@dataclass(frozen=True)
class Ways:
    """What the nodes have in common: a folder, programs, who runs them, a password made for this drill alone."""

    folder: Path
    patroni: Path
    postgres: Path
    user: str
    password: str
    synchronous: bool = True
    """If not, the drill has to find what is lost: that is its own test."""


@dataclass
class Node:
    """A node."""

    name: str
    ways: Ways

    @property
    def address(self) -> str:
        """Its address."""
        return NODES[self.name]

    @property
    def folder(self) -> Path:
        """All that it keeps."""
        return self.ways.folder / self.name

    def prepare(self) -> None:
        """Make its folder and its settings."""
        self.folder.mkdir(mode=0o700)
        told = {
            "node": self.name,
            "address": self.address,
            "etcd": ",".join(f"{address}:2379" for address in NODES.values()),
            "folder": str(self.folder),
            "programs": str(self.ways.postgres),
            "password": self.ways.password,
        }
        text = Template((_HERE / "patroni.yaml").read_text(encoding="utf-8")).substitute(told)
        if not self.ways.synchronous:
            text = text.replace("synchronous_mode: true", "synchronous_mode: false")
        (self.folder / "patroni.yaml").write_text(text, encoding="utf-8")

    def start(self) -> None:
        """Start it, for the first time or again."""
        self._run("etcd", [program("etcd"), *self._etcd()])
        self._run("patroni", [str(self.ways.patroni / "bin" / "patroni"), str(self.folder / "patroni.yaml")])

    def kill(self) -> None:
        """Lose it: all of its processes at once."""
        kill_all(namespace(self.name))

    def before(self) -> list[str]:
        """What is put before a command that is to run on this node."""
        return inside(namespace(self.name), self.ways.user)

    def _etcd(self) -> list[str]:
        clients, peers = f"http://{self.address}:2379", f"http://{self.address}:2380"
        cluster = ",".join(f"{name}=http://{address}:2380" for name, address in NODES.items())
        told = {
            "name": self.name,
            "data-dir": str(self.folder / "etcd"),
            "listen-client-urls": clients,
            "advertise-client-urls": clients,
            "listen-peer-urls": peers,
            "initial-advertise-peer-urls": peers,
            "initial-cluster": cluster,
            "initial-cluster-state": "new",
            "heartbeat-interval": "200",
            "election-timeout": "2000",
            "logger": "zap",
            "log-level": "warn",
        }
        return [f"--{name}={value}" for name, value in told.items()]

    def _run(self, name: str, command: list[str]) -> None:
        # A clean environment: an address of a database in it would lead Patroni astray.
        environment = {"PATH": f"{self.ways.postgres}:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(self.folder)}
        with (self.folder / f"{name}.log").open("ab") as out:
            subprocess.Popen([*self.before(), *command], cwd=self.folder, env=environment, stdout=out, stderr=out)
