"""The README's tour works as it is written."""

import re
import subprocess
from pathlib import Path

from tests.api.live_server import served

README = Path(__file__).parents[1] / "README.md"


def test_the_tour_runs_line_by_line(tmp_path: Path) -> None:
    blocks = re.findall(r"^```sh tour\n(.*?)^```", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    script = "set -euo pipefail\n" + "\n".join(blocks)
    with served(tmp_path / "tour.db") as server:
        done = subprocess.run(
            ["/bin/bash", "-c", script],
            cwd=tmp_path,
            env={"URL": server.url, "PATH": "/usr/bin:/bin:/usr/local/bin"},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    told = done.stdout
    for word in ("'AmmoRolled'", '"rules"', "NME-01", "active", "ActionsUndone", '"struck_out"', '"dice_undone"'):
        assert word in told, f"{word} is missing in:\n{told}"
