"""The failover drill. Law: nothing that was acknowledged is lost or doubled, whatever happens to the leader.

    python -m deploy.patroni.drill [--json FILE] [--players 8] [--kills 3] [--patroni VENV] [--keep]

Linux, as root, with Debian's etcd-server, haproxy and postgresql. Two services behind one port that leads to the
leader, players and followers at both; the leader's node is killed again and again, then hands over in order, and is
once cut off from the network. Everything runs in networks and a folder made for it, as a user without rights, and is
gone in the end. Exit code 1: it did not hold.
"""

import argparse
import json
import os
import secrets
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import sleep
from typing import Any, Final

from deploy.checking import check_all
from deploy.load import Load
from deploy.patroni.cluster import Cluster
from deploy.patroni.events import Event, cut_off, killed, switched
from deploy.patroni.machine import need_python, patroni_in, postgres_programs
from deploy.patroni.network import networks
from deploy.patroni.node import Ways
from deploy.patroni.telling import figures, table
from deploy.services import Service

_PORTS: Final = (8001, 8002)


def main() -> int:
    """Run it, and say whether it held."""
    told = _arguments()
    if sys.platform != "linux" or os.geteuid() != 0:
        raise SystemExit("the drill makes network namespaces: run it on Linux, as root")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    need_python(told.user)
    folder = Path(tempfile.mkdtemp(prefix="battlelog-drill-", dir=told.folder))
    try:
        ways = Ways(
            folder,
            patroni_in(told.patroni or folder / "patroni"),
            postgres_programs(),
            told.user,
            secrets.token_hex(16),
            not told.asynchronous,
        )
        with networks():
            found = _drill(Cluster(ways), told)
    finally:
        if told.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    print(table(found))
    if told.json is not None:
        told.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 1 if found["wrong"] else 0


def _drill(cluster: Cluster, told: argparse.Namespace) -> dict[str, Any]:
    _say("the cluster starts")
    cluster.start()
    settings = {"KEYS": str(cluster.ways.folder / "keys"), "RATE": "0", "HEARTBEAT": "5", "HOST_NAME": "drill"}
    with _services(cluster, settings) as services:
        places = [service.place for service in services]
        load = Load(places, places, pause=told.pause)
        load.begin(told.players)
        sleep(10)
        events: list[Event] = []
        for n in range(told.kills):
            _say(f"kill {n + 1} of {told.kills}")
            events.append(killed(cluster))
        if not told.no_switch:
            _say("the switchover")
            events.append(switched(cluster))
        if not told.no_cut:
            _say("the cut")
            events.append(cut_off(cluster, settings))
        _say("the end: everything is answered, then checked")
        wrong = load.end()
        battles, promises = list(load.battles), load.promises
        for event in events:
            wrong += event.cut_side.get("wrong", [])
            battles += event.cut_side.get("battles", [])
            promises += event.cut_side.get("promises", [])
        more, entries = check_all(places, battles, promises, load.followers)
        return figures(load, events, entries, wrong + more + load.odd)


@contextmanager
def _services(cluster: Cluster, settings: dict[str, str]) -> Iterator[list[Service]]:
    with ExitStack() as ends:
        before = cluster.before()
        found = [Service(port, cluster.address, cluster.ways.folder, settings, before) for port in _PORTS]
        for service in found:
            service.start()
            ends.callback(service.stop)
        for service in found:
            service.wait()
        yield found


def _say(what: str) -> None:
    print(f"-- {what}", file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    words = argparse.ArgumentParser(prog="python -m deploy.patroni.drill", description="The failover drill.")
    words.add_argument("--json", type=Path, help="write the figures here")
    words.add_argument("--players", type=int, default=8, help="players who write at once")
    words.add_argument("--pause", type=float, default=0.05, help="seconds between two actions of a player")
    words.add_argument("--kills", type=int, default=3, help="how often the leader's node is killed")
    words.add_argument("--no-switch", action="store_true", help="leave out the planned switchover")
    words.add_argument("--no-cut", action="store_true", help="leave out the cut from the network")
    words.add_argument("--asynchronous", action="store_true", help="a wrong set-up: the drill has to find the loss")
    words.add_argument("--patroni", type=Path, help="a virtual environment with Patroni; made there if it is missing")
    words.add_argument("--user", default="postgres", help="who runs the servers")
    words.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()), help="where the scratch folder goes")
    words.add_argument("--keep", action="store_true", help="leave the scratch folder, with all logs")
    return words.parse_args()


if __name__ == "__main__":
    sys.exit(main())
