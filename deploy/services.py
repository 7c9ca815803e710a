"""Battlelog as processes of its own. Law: each is started by its command line, waited for, and gone in the end."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Final

from deploy.playing import FAILED, Place, asked

ROOT: Final = Path(__file__).resolve().parents[1]
_SERVE: Final = (sys.executable, "-c", "from api.cli import main; main()", "serve")


@dataclass
class Service:
    """One process. `before` is put before its command: whose it is, and in which network."""

    port: int
    database: str
    folder: Path
    settings: dict[str, str]
    before: Sequence[str] = ()
    host: str = "127.0.0.1"
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def place(self) -> Place:
        """Where it is asked."""
        return self.host, self.port

    @property
    def log(self) -> Path:
        """What it printed."""
        return self.folder / f"battlelog-{self.port}.log"

    def start(self) -> None:
        """Start it."""
        told = {f"BATTLELOG_{name}": value for name, value in self.settings.items()}
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        address = ["--host", self.host, "--port", str(self.port), "--database", self.database]
        with self.log.open("ab") as out:
            command = [*self.before, *_SERVE, *address]
            environment = self._environment(kept | told)
            self.process = subprocess.Popen(command, cwd=self.folder, env=environment, stdout=out, stderr=out)

    def _environment(self, told: dict[str, str]) -> dict[str, str]:
        passwords = self.folder / "pgpass"
        more = {"PGPASSFILE": str(passwords)} if passwords.exists() else {}
        return {**told, **more, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "HOME": str(self.folder)}

    def wait(self, seconds: float = 60) -> None:
        """Wait until it says that it is ready. Raises `RuntimeError`."""
        until = monotonic() + seconds
        while monotonic() < until and self.process is not None and self.process.poll() is None:
            if self.ready():
                return
            sleep(0.1)
        raise RuntimeError(f"battlelog did not start: {self.log.read_text()[-500:]}")

    def ready(self) -> bool:
        """Whether it says so."""
        try:
            return asked(self.place, "GET", "/readyz")[0] == 200
        except FAILED:
            return False

    def stop(self, how: signal.Signals = signal.SIGTERM, seconds: float = 60) -> float:
        """Stop it, and say how many seconds that took."""
        started = monotonic()
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(10)
        return monotonic() - started
