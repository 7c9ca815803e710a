"""The soak itself. Law: one service, started here and measured from outside; its caches are filled before it is judged.

A service keeps so many entries of battles, trees and pages of its file at hand, and gives the oldest back. Old battles
are stored before it starts and read by many at once, so that all this is full from the beginning: more is a leak.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random
from time import monotonic, sleep

import httpx2
import msgspec

from tests.api.live_server import ROOT, free_port
from tests.history.scene import Club
from tests.history.soak.crowd import LONGEST, Spectator, Visitor
from tests.history.soak.gauge import Gauge, Sample, Waits
from tests.history.soak.stock import stocked

Say = Callable[[str], None]


class Wanted(msgspec.Struct, frozen=True):
    """How much: `rate` is requests a second, `stored` entries of old battles, `every` the seconds between two looks."""

    seconds: int = 600
    rate: int = 100
    visitors: int = 8
    spectators: int = 12
    battles: int = 24
    stored: int = 200_000
    every: float = 10
    seed: int = 1


def soak(wanted: Wanted, database: str, folder: Path, say: Say = lambda _text: None) -> list[Sample]:
    """Soak; the samples. `folder` is for keys and the service's log."""
    old = stocked(database, wanted.stored, LONGEST, Random(wanted.seed))
    say(f"{len(old)} old battles are stored")
    club, waits = Club(), Waits()
    with _served(database, folder) as (url, pid):
        _filled(url, old)
        pace = wanted.visitors / wanted.rate
        visitors = [Visitor(f"visitor-{n}", url, club, waits, pace) for n in range(wanted.visitors)]
        for visitor in visitors:
            visitor.old, visitor.most = old, wanted.battles
        for n in range(wanted.battles):
            visitors[n % len(visitors)].open(n)
        spectators = [Spectator(f"spectator-{n}", url, club, waits) for n in range(wanted.spectators)]
        with _working([*visitors, *spectators]):
            return _watched(Gauge(pid, database, waits), wanted, visitors, say)


def _filled(url: str, old: list[str]) -> None:
    """Have the service read and sign every old battle, by many at once, until each of its caches must be full.

    There are more battles than it keeps at hand, so that it goes to its file for them every time; and it has several
    connections to the file, each with pages of its own.
    """

    def look(battle: str) -> None:
        for what in ("", "/log/checkpoint", "/turns"):
            http.get(f"/v1/battles/{battle}{what}").raise_for_status()

    with httpx2.Client(base_url=url, timeout=60) as http, ThreadPoolExecutor(16) as hands:
        list(hands.map(look, old * 3))


def _watched(gauge: Gauge, wanted: Wanted, visitors: list[Visitor], say: Say) -> list[Sample]:
    samples: list[Sample] = []
    began = monotonic()
    gauge.look()
    while monotonic() < began + wanted.seconds:
        sleep(max(0, min(wanted.every, began + wanted.seconds - monotonic())))
        failure = next((visitor.failure for visitor in visitors if visitor.failure is not None), None)
        if failure is not None:
            raise failure
        samples.append(gauge.look())
        say(shown(samples[-1]))
    return samples


def shown(sample: Sample) -> str:
    """A sample on a line."""
    return (
        f"{sample.rss:7.1f} MB {sample.handles:4} handles {sample.threads:3} threads, log {sample.wal:5.2f} MB, "
        f"{sample.followers:3} follow; {sample.writes:5} writes {sample.write_p50:6.1f} / {sample.write_p99:6.1f} ms, "
        f"{sample.reads:5} reads {sample.read_p50:6.1f} / {sample.read_p99:6.1f} ms, {sample.failed} failed"
    )


@contextmanager
def _working(threads: list[Visitor | Spectator]) -> Iterator[None]:
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for thread in threads:
            thread.over.set()
        for thread in threads:
            thread.join(20)


@contextmanager
def _served(database: str, folder: Path) -> Iterator[tuple[str, int]]:
    """`battlelog serve` with its own settings, but for the keys' folder and a heartbeat that ends the followers."""
    port = free_port()
    own = {name: value for name, value in os.environ.items() if not name.startswith("BATTLELOG_")}
    chosen = {"BATTLELOG_KEYS": str(folder / "keys"), "BATTLELOG_HEARTBEAT": "1", "PYTHONPATH": str(ROOT)}
    program = [sys.executable, "-c", "from api.cli import main; main()", "serve", "--port", str(port)]
    where = ["--database", database] if "://" in database else ["--data", database]
    with ExitStack() as end, (folder / "service.log").open("wb") as out:
        process = subprocess.Popen([*program, *where], env={**own, **chosen}, stdout=out, stderr=out)
        end.callback(process.wait, 20)
        end.callback(process.kill)
        url, until = f"http://127.0.0.1:{port}", monotonic() + 60
        while monotonic() < until and process.poll() is None:
            with suppress(httpx2.HTTPError):
                if httpx2.get(f"{url}/readyz", timeout=5).status_code == 200:
                    yield url, process.pid
                    return
            sleep(0.05)
        raise RuntimeError(f"the service did not start: {(folder / 'service.log').read_text()[-500:]}")
