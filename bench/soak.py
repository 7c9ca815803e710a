"""`python -m bench.soak`: a mixed load on one service for minutes; memory, handles and waits every ten seconds.

Without `--database` the service keeps its battles in a SQLite file of its own; `--database tests` starts a PostgreSQL
server for the run, and an address takes that database. The exit code is 1 where something grew.
"""

import argparse
import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from tests.cluster import NoServer, running
from tests.history.soak.soaking import Wanted, soak
from tests.history.soak.verdict import judged


def main() -> None:
    """Soak, print and say how it ended."""
    wanted = argparse.ArgumentParser(description=__doc__)
    for name in Wanted.__struct_fields__:
        default = getattr(Wanted(), name)
        wanted.add_argument(f"--{name}", type=type(default), default=default)
    wanted.add_argument("--database", default="", help="`tests`, or postgresql://...")
    wanted.add_argument("--json", type=Path, help="write the samples and the verdict here")
    asked = vars(wanted.parse_args())
    report, database = asked.pop("json"), asked.pop("database")
    print(f"{asked}, load average {os.getloadavg()[0]:.1f}")
    with ExitStack() as end:
        folder = Path(end.enter_context(TemporaryDirectory()))
        try:
            place = end.enter_context(running()).new() if database == "tests" else database or str(folder / "soak.db")
        except NoServer as why:
            raise SystemExit(f"PostgreSQL: {why}") from None
        samples = soak(Wanted(**asked), place, folder, lambda text: print(text, flush=True))
    verdict = judged(samples)
    if report is not None:
        told = {"wanted": asked, "verdict": verdict, "samples": msgspec.to_builtins(samples)}
        report.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    for name, figure in verdict.items():
        print(f"{name.replace('_', ' '):24} {figure}")
    sys.exit(1 if verdict["wrong"] else 0)


if __name__ == "__main__":
    main()
