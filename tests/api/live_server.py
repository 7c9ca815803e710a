"""The service as a process of its own, on a free port, for tests that need a real socket or a real end."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@dataclass
class Server:
    """A running service."""

    process: subprocess.Popen[bytes]
    port: int
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def stop(self, how: signal.Signals = signal.SIGTERM) -> float:
        """Stop it, and say how many seconds that took."""
        started = time.monotonic()
        self.process.send_signal(how)
        self.process.wait(20)
        return time.monotonic() - started


@contextlib.contextmanager
def served(database: Path | str, folder: Path | None = None, **settings: str) -> Iterator[Server]:
    """A service on `database`; whatever happens, it is gone afterwards. `folder` is for its log, if not beside it."""
    port, name = free_port(), f"{Path(database).stem}.{time.monotonic_ns()}.log"
    log = (folder or Path(database).parent) / (name if folder is None else f"{port}.log")
    chosen = {"DATABASE": str(database), "PORT": str(port), "RATE": "0", "POLL": "0.05", **settings}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **{f"BATTLELOG_{k}": v for k, v in chosen.items()}}
    with log.open("wb") as out:
        process = subprocess.Popen([sys.executable, "-m", "api.server"], env=environment, stderr=out, stdout=out)
    server = Server(process, port, log)
    try:
        _wait(server)
        yield server
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(10)


def _wait(server: Server) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if server.process.poll() is not None:
            break
        with contextlib.suppress(httpx2.HTTPError):
            if httpx2.get(f"{server.url}/readyz", timeout=5).status_code == 200:
                return
        time.sleep(0.05)
    raise AssertionError(server.log.read_text())
