"""Processes: servers of their own. Law: each listens on 127.0.0.1 alone, and is gone when the block ends."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic, sleep

from bench.wire import Line, request

ROOT = Path(__file__).parents[1]
SERVE = "from api.cli import main; main()"
PATIENCE = 60
HEALTH = request("GET", "/healthz")


def many_files() -> None:
    """Let this process, and those that it starts, have as many connections as the system allows."""
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - not on Windows

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment() -> dict[str, str]:
    """What the servers are told: nothing of this shell's own settings, no limit of requests, no log, no heartbeat."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BATTLELOG_")}
    return kept | {
        "PYTHONPATH": str(ROOT),
        "BATTLELOG_RATE": "0",
        "BATTLELOG_LOG_FORMAT": "none",
        "BATTLELOG_HEARTBEAT": "600",
    }


@contextmanager
def started(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A Python process with these arguments."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        env=environment(),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def ready(process: subprocess.Popen[bytes], port: int) -> None:
    """Wait until a server answers."""
    until = monotonic() + PATIENCE
    while monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError("the server has ended before it was ready: try its command by hand")
        with suppress(ConnectionError), Line(port) as line:
            line.ask(HEALTH)
            return
        sleep(0.001)
    raise RuntimeError(f"the server was not ready after {PATIENCE} s")


@contextmanager
def served(file: str) -> Iterator[tuple[int, int]]:
    """`battlelog serve` over a file; its process id and its port."""
    port = free_port()
    with started("-c", SERVE, "serve", "--data", file, "--port", str(port)) as process:
        ready(process, port)
        yield process.pid, port
