"""The machine. Law: a figure is told with the machine that it was seen on, and with what else that had to do."""

import os
import platform
import sqlite3
from pathlib import Path
from typing import Any

_PROC = Path("/proc")


def machine() -> dict[str, Any]:
    """Cores, memory, versions and load, as far as this system tells them."""
    return {
        "cores": os.cpu_count(),
        "memory_gib": _memory(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "sqlite": sqlite3.sqlite_version,
        "system": f"{platform.system()} {platform.machine()}",
        "load_average": load(),
    }


def load() -> list[float] | None:
    """The load average of 1, 5 and 15 minutes."""
    return [round(n, 2) for n in os.getloadavg()] if hasattr(os, "getloadavg") else None


def _memory() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1)
    except (AttributeError, ValueError, OSError):
        return None


def resident(pid: int | str = "self") -> float:
    """The memory that a process holds at this moment, in MB."""
    for line in (_PROC / str(pid) / "status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise RuntimeError(f"this system does not say how much memory process {pid} holds")
