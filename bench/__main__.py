"""`python -m bench`: print the figures as a table and write them as JSON beside it."""

import json
import platform
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.looking_back import looking_back, opening_a_closed_file


def main() -> None:
    """Measure everything and print it."""
    with TemporaryDirectory() as folder:
        rows = looking_back(Path(folder))
        opened, raw = opening_a_closed_file(Path(folder))
    figures: dict[str, object] = {
        "python": platform.python_version(),
        "looking_back_us": {name: {"at_30": short, "at_3000": long} for name, short, long in rows},
        "open_2000_entries_ms": {"opened": opened, "raw_read_and_decode": raw},
    }
    print(f"{'what':36} {'action 30':>12} {'action 3,000':>14} {'ratio':>7}")
    for name, short, long in rows:
        print(f"{name:36} {short:9.0f} us {long:11.0f} us {long / short:7.2f}")
    print(f"{'open a closed file, 2,000 entries':36} {opened:9.1f} ms   (raw read and decode {raw:.1f} ms)")
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
