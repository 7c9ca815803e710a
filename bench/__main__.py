"""`python -m bench [FILE.json] [--only NAME ...] [--list]`: every figure with its floor, as a table and as JSON."""

import argparse
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from bench.catalogue import BENCHES, measured
from bench.machine import load, machine
from bench.rows import Row
from bench.showing import table
from bench.sizes import FULL, Run, Sizes


def main() -> None:
    """Measure, print, and write."""
    asked = _arguments()
    console = Console()
    if asked.list:
        for name, bench in BENCHES.items():
            console.print(f"{name:10} {bench.about}", highlight=False)
        return
    names = asked.only or list(BENCHES)
    sizes = replace(FULL, **{n: v for n in ("battles", "followers") if (v := getattr(asked, n)) is not None})
    figures: dict[str, Any] = {"when": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine()}
    console.print(f"{figures['machine']}", highlight=False)
    rows: list[dict[str, Any]] = []
    try:
        for name in names:
            rows += [{"group": name, **row.plain(), "load": load()} for row in _measured(console, name, sizes)]
    finally:
        figures["rows"] = rows
        figures["load_average_after"] = load()
        console.print(f"load average at the end: {load()}")
        if asked.file is not None:
            asked.file.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def _measured(console: Console, name: str, sizes: Sizes) -> list[Row]:
    with TemporaryDirectory(prefix="battlelog-bench-") as folder, _bar(console) as bar:
        task = bar.add_task(name, total=None)

        def say(what: str, done: int, of: int) -> None:
            bar.update(task, description=f"{name}: {what}", completed=done, total=of)

        rows = measured(name, Run(sizes, Path(folder), say))
    console.print(table(f"{name}: {BENCHES[name].about}", rows))
    return rows


@contextmanager
def _bar(console: Console) -> Iterator[Progress]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        yield bar


def _arguments() -> argparse.Namespace:
    wanted = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    wanted.add_argument("file", nargs="?", type=Path, metavar="FILE.json", help="where the figures go as JSON")
    wanted.add_argument("--only", nargs="+", choices=list(BENCHES), metavar="NAME", help="measure these alone")
    wanted.add_argument("--list", action="store_true", help="say what can be measured, and stop")
    wanted.add_argument("--battles", type=int, metavar="N", help=f"battles on the large desk ({FULL.battles:,})")
    wanted.add_argument("--followers", type=int, metavar="N", help=f"followers of a live feed ({FULL.followers:,})")
    return wanted.parse_args()


if __name__ == "__main__":
    main()
