"""Live feed: thousands of followers of one battle on one worker, beside plain ASGI that sends one frame to all of them.

An event a second is sent; its delay counts from the request that makes it to the last of its bytes at a follower. Both
servers run on the same uvicorn, and the followers are a process of their own.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import quantiles
from typing import NamedTuple

from api.channels import frame
from bench.battles import opening
from bench.machine import resident
from bench.processes import ROOT, environment, free_port, many_files, ready, served, started
from bench.rows import Row, alone, at_most, row, under
from bench.sizes import Run, Sizes
from bench.wire import Line, request

RULING = json.dumps({"rule": "house", "reason": "an event for everybody"}).encode()


class Watched(NamedTuple):
    """What a crowd saw: delays in milliseconds, and the server's memory for each of them in kB."""

    half: float
    most: float
    memory: float


def rows(run: Run) -> Iterator[Row]:
    """Milliseconds, and kB."""
    many_files()
    sizes, kept = run.sizes, Path(run.file("frame"))
    rounds: list[tuple[Watched, Watched]] = []
    for done in range(sizes.few):
        run.say(f"{sizes.followers:,} followers", done, sizes.few)
        ours = _ours(run.file(f"live-{done}.db"), sizes, kept)
        rounds.append((ours, _floor(sizes, kept)))
    many, floor_is = f"{sizes.followers:,} followers", "plain ASGI, one frame for all"
    yield row(f"delay of an event to {many}, p50", "ms", [(a.half, b.half) for a, b in rounds], None, floor_is)
    p99 = [(a.most, b.most) for a, b in rounds]
    yield row(f"delay of an event to {many}, p99", "ms", p99, at_most(2), floor_is)
    yield alone("that p99 against the clock", "ms", [ours for ours, _ in p99], under(500))
    memory = [(a.memory, b.memory) for a, b in rounds]
    yield row(f"memory for each of {many}", "kB", memory, under(40), floor_is)


def _ours(file: str, sizes: Sizes, kept: Path) -> Watched:
    with served(file) as (pid, port):
        with Line(port) as line:
            status, answer = line.ask(request("POST", "/v1/battles", json.dumps(opening()).encode()))
        assert status == 201, answer
        opened = json.loads(answer)
        seat = f"Authorization: Bearer {opened['seats']['referee']}\r\n"
        battle = f"/v1/battles/{opened['id']}"
        ruling = request("POST", f"{battle}/rulings", RULING, seat)

        def tell(line: Line) -> None:
            status, answer = line.ask(ruling)
            assert status == 201, answer
            entry = json.loads(answer)["entries"][0]
            kept.write_bytes(frame(entry["seq"], entry["type"], answer[answer.index(b"[") + 1 : answer.rindex(b"]")]))

        with Line(port) as line:
            tell(line)
        return _watched(pid, port, f"{battle}/entries?after={opened['seq'] + 1}", tell, sizes)


def _floor(sizes: Sizes, kept: Path) -> Watched:
    port, tick = free_port(), request("POST", "/", RULING)

    def tell(line: Line) -> None:
        status, answer = line.ask(tick)
        assert status == 200, answer

    with started("-m", "bench.raw_feed", str(port), str(kept)) as process:
        ready(process, port)
        return _watched(process.pid, port, "/feed", tell, sizes)


def _watched(pid: int, port: int, path: str, tell: Callable[[Line], None], sizes: Sizes) -> Watched:
    """Let a crowd in, tell it an event a second, and see when each came to whom."""
    before = resident(pid)
    crowd = subprocess.Popen(
        [sys.executable, "-m", "bench.followers", str(port), path, str(sizes.followers)],
        env=environment(),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with crowd:
        try:
            assert crowd.stdin is not None
            assert crowd.stdout is not None
            if crowd.stdout.readline() != "ready\n":
                raise RuntimeError("the followers could not join")
            crowd.stdin.write(f"{sizes.seconds}\n")
            crowd.stdin.flush()
            told = []
            with Line(port) as line:
                for _ in range(sizes.seconds):
                    time.sleep(1)
                    told.append(time.monotonic())
                    tell(line)
            came: list[list[float]] = json.loads(crowd.stdout.readline())
            memory = (resident(pid) - before) * 1000 / sizes.followers
        finally:
            crowd.kill()
    delays = [(at - began) * 1e3 for began, times in zip(told, came, strict=True) for at in times]
    cuts = quantiles(delays, n=100)
    return Watched(cuts[49], cuts[98], memory)
