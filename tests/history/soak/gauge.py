"""A process, measured from outside. Law: what the operating system says of it, and what those who asked had to wait."""

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from time import perf_counter

import msgspec


class Sample(msgspec.Struct, frozen=True):
    """One look: memory in MB, handles, threads, the write-ahead log in MB, and waits in ms since the look before."""

    second: float
    rss: float
    handles: int
    threads: int
    wal: float
    writes: int
    write_p50: float
    write_p99: float
    reads: int
    read_p50: float
    read_p99: float
    followers: int
    refused: int
    failed: int


class Waits:
    """How long answers took, since somebody looked last."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._times: dict[str, list[float]] = {"write": [], "read": []}
        self._counts = {"refused": 0, "failed": 0}
        self.followers = 0

    def took(self, what: str, began: float, status: int) -> None:
        """An answer came, of what was asked at `began`."""
        with self._lock:
            self._times[what].append(1000 * (perf_counter() - began))
            if status >= 500:
                self._counts["failed"] += 1
            elif status >= 400:
                self._counts["refused"] += 1

    def failed(self) -> None:
        """No answer came."""
        with self._lock:
            self._counts["failed"] += 1

    def follow(self, step: int) -> None:
        """Somebody follows, or follows no longer."""
        with self._lock:
            self.followers += step

    def taken(self) -> tuple[dict[str, list[float]], dict[str, int]]:
        """All of it; it begins anew."""
        with self._lock:
            times, self._times = self._times, {"write": [], "read": []}
            counts, self._counts = self._counts, {"refused": 0, "failed": 0}
        return times, counts


class Gauge:
    """A service process and, where its database is a file, that file."""

    def __init__(self, pid: int, database: str, waits: Waits) -> None:
        self._process = Path("/proc") / str(pid)
        self._wal = Path(f"{database}-wal")
        self._waits = waits
        self._began = perf_counter()
        if not self._process.is_dir():
            raise OSError("memory and handles are read from /proc: run the soak on Linux")

    def look(self) -> Sample:
        """A sample."""
        times, counts = self._waits.taken()
        writes, reads = sorted(times["write"]), sorted(times["read"])
        return Sample(
            second=round(perf_counter() - self._began, 1),
            rss=self._rss(),
            handles=sum(1 for _ in (self._process / "fd").iterdir()),
            threads=sum(1 for _ in (self._process / "task").iterdir()),
            wal=round(self._wal.stat().st_size / 1e6, 2) if self._wal.exists() else 0,
            writes=len(writes),
            write_p50=at(writes, 0.5),
            write_p99=at(writes, 0.99),
            reads=len(reads),
            read_p50=at(reads, 0.5),
            read_p99=at(reads, 0.99),
            followers=self._waits.followers,
            **counts,
        )

    def _rss(self) -> float:
        lines = (self._process / "status").read_text().splitlines()
        kilobytes = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))
        return round(kilobytes / 1024, 2)


def at(ordered: Sequence[float], part: float) -> float:
    """A percentile of numbers in order; 0 where there are none."""
    return round(ordered[min(len(ordered) - 1, int(part * len(ordered)))], 2) if ordered else 0.0
