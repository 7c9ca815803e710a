"""A rolling restart under load. Law: no request is lost and no follower misses an entry while all are replaced.

    python -m deploy.rolling [--rounds 3] [--database ADDRESS] [--players 8] [--json FILE]

Two services behind HAProxy with the settings of deploy/haproxy.cfg, players and followers who only know the door. One
after the other is told to stop, and is started again. A request counts as lost if the first answer to it was anything
but an entry or the rules' no, or did not come at all. Exit code 1: something was lost.
"""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any, Final

from deploy.checking import check_all
from deploy.load import Load
from deploy.playing import FAILED, Place, asked
from deploy.services import Service

_HOST: Final = "127.0.0.1"
DRAIN: Final = 5.0
"""`BATTLELOG_DRAIN` here: longer than the door takes to notice."""


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as found:
        found.bind((_HOST, 0))
        return int(found.getsockname()[1])


@contextmanager
def proxied(places: list[Place], folder: Path) -> Iterator[Place]:
    """HAProxy in front of two services; its own place. Raises `SystemExit` where it is not installed."""
    program = shutil.which("haproxy", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        raise SystemExit("haproxy is missing: install it (Debian: haproxy)")
    door = _HOST, free_port()
    told = {"BIND": f"{door[0]}:{door[1]}"}
    told |= {f"API_{n}": f"{host}:{port}" for n, (host, port) in enumerate(places, 1)}
    command = [program, "-db", "-f", str(Path(__file__).parent / "haproxy.cfg")]
    with (folder / "haproxy.log").open("ab") as out:
        process = subprocess.Popen(command, env=told, stdout=out, stderr=out)
    try:
        _wait(door, folder / "haproxy.log")
        yield door
    finally:
        process.terminate()
        process.wait(10)


def _wait(door: Place, log: Path) -> None:
    for _ in range(100):
        try:
            if asked(door, "GET", "/healthz")[0] == 200:
                return
        except FAILED:
            pass
        sleep(0.1)
    raise RuntimeError(f"haproxy leads nowhere: {log.read_text()[-500:]}")


@dataclass(frozen=True)
class Ways:
    """How it is done. `noticed` are the seconds within which the door has seen that a service is there again."""

    players: int
    rounds: int
    drain: float = DRAIN
    noticed: float = 2.0
    door: Callable[[list[Place], Path], AbstractContextManager[Place]] = proxied


def rolled(folder: Path, database: str, ways: Ways) -> dict[str, Any]:
    """Restart everything under load, and tell what came of it."""
    settings = {"KEYS": str(folder / "keys"), "RATE": "0", "HEARTBEAT": "1", "DRAIN": str(ways.drain), "GRACE": "10"}
    with ExitStack() as ends:
        services = [Service(free_port(), database, folder, settings) for _ in range(2)]
        for service in services:
            service.start()
            ends.callback(service.stop)
            service.wait()
        door = ends.enter_context(ways.door([service.place for service in services], folder))
        load = Load([door], [door, door], pause=0.02)
        load.begin(ways.players)
        sleep(ways.noticed)
        stops = [_restarted(service, ways.noticed) for _ in range(ways.rounds) for service in services]
        wrong = load.end()
        more, entries = check_all([service.place for service in services], load.battles, load.promises, load.followers)
        wrong += more + load.odd
    return _figures(load, stops, entries, wrong)


def _restarted(service: Service, noticed: float) -> float:
    took = service.stop()
    code = service.process.returncode if service.process else None
    if code not in (0, -signal.SIGTERM):
        raise RuntimeError(f"battlelog ended with {code}: {service.log.read_text()[-500:]}")
    service.start()
    service.wait()
    sleep(noticed)
    return took


def _figures(load: Load, stops: list[float], entries: int, wrong: list[str]) -> dict[str, Any]:
    promises = load.promises
    lost = Counter(failure.why for failure in load.failures)
    return {
        "held": not wrong and not lost,
        "wrong": wrong[:100],
        "restarts": len(stops),
        "seconds_to_stop": round(max(stops), 1),
        "requests": len(promises) + load.refused + sum(lost.values()),
        "acknowledged": len(promises),
        "lost": dict(lost),
        "slowest_answer": round(max((p.answered - p.asked for p in promises), default=0), 2),
        "entries": entries,
        "followers": len(load.followers),
        "followers_sent_elsewhere": sum(len(follower.broke) for follower in load.followers),
        "load_average": [round(number, 1) for number in os.getloadavg()],
    }


def main() -> int:
    """Run it, and say whether it held."""
    words = argparse.ArgumentParser(prog="python -m deploy.rolling", description="A rolling restart under load.")
    words.add_argument("--rounds", type=int, default=3, help="how often every process is restarted")
    words.add_argument("--players", type=int, default=8, help="players who write at once")
    words.add_argument("--database", help="postgresql://..., empty and for this alone; a file of its own if not said")
    words.add_argument(
        "--drain", type=float, default=DRAIN, help="BATTLELOG_DRAIN; with 0 the door has to find out by itself"
    )
    words.add_argument("--json", type=Path, help="write the figures here")
    told = words.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))
    folder = Path(tempfile.mkdtemp(prefix="battlelog-rolling-"))
    try:
        found = rolled(folder, told.database or str(folder / "battles.db"), Ways(told.players, told.rounds, told.drain))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for name, value in found.items():
        print(f"{name.replace('_', ' '):26} {value}")
    if told.json is not None:
        told.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0 if found["held"] else 1


if __name__ == "__main__":
    sys.exit(main())
