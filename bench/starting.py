"""Starting: from nothing to the first answer, beside importing the web framework alone; and idle memory."""

import subprocess
import sys
from collections.abc import Iterator
from time import perf_counter, sleep

from bench.machine import resident
from bench.processes import served
from bench.rows import Row, alone, at_most, in_turn, row, seconds, under
from bench.sizes import Run


def rows(run: Run) -> Iterator[Row]:
    """Milliseconds, and MB."""
    file, idle = run.file("start.db"), list[float]()

    def ours() -> float:
        began = perf_counter()
        with served(file) as (pid, _):
            took = perf_counter() - began
            sleep(0.3)
            idle.append(resident(pid))
        return took * 1e3

    pairs = in_turn(ours, lambda: seconds(_framework) * 1e3, run.sizes.rounds)
    yield row(
        "start of `battlelog serve` to its first answer", "ms", pairs, at_most(2), "a process that imports FastAPI"
    )
    yield alone("memory of the service when idle", "MB", idle, under(120))


def _framework() -> None:
    subprocess.run([sys.executable, "-c", "import fastapi"], check=True)
