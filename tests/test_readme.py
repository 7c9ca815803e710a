"""The README's tour works as it is written."""

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from api.problems import PROBLEMS
from domain.refusals import UndoNo
from domain.systems.nme.profiles import CATALOGUE
from tests.api.live_server import served

README = Path(__file__).parents[1] / "README.md"


def test_the_tour_runs_line_by_line(tmp_path: Path) -> None:
    blocks = re.findall(r"^```sh tour\n(.*?)^```", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    script = "set -euo pipefail\n" + "\n".join(blocks)
    command = tmp_path / ".venv" / "bin" / "battlelog"
    command.parent.mkdir(parents=True)
    command.write_text(f"#!/bin/sh\nexec {sys.executable} -c 'from api.cli import main; main()' \"$@\"\n")
    command.chmod(0o755)
    with served(tmp_path / "tour.db") as server:
        done = subprocess.run(
            ["/bin/bash", "-c", script],
            cwd=tmp_path,
            env={"URL": server.url, "PATH": "/usr/bin:/bin:/usr/local/bin", "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    told = done.stdout
    for word in (
        *("sarge shoots rat with the autogun", "'ammo'", '"rules"', "NME-01", "active", "'last_ditch'"),
        *("ActionsUndone", '"struck_out"', '"dice_undone"', "VALID"),
    ):
        assert word in told, f"{word} is missing in:\n{told}"


ROOT = README.parent
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    links = [link for link in re.findall(r"\]\(([^)\s]+)\)", text) if not re.match(r"[a-z]+:", link)]
    missing = [link for link in links if not (page.parent / link.partition("#")[0]).exists()]
    assert missing == []


def test_the_catalogue_is_told_as_it_is() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| (\d+)\" \| (\d) \| (\d) \| (.*?) \| (.*?) \|$", _rules(), re.MULTILINE)
    told = {name: (int(er), int(strength), int(ammo), more, where) for name, er, strength, ammo, more, where in rows}
    assert told == {
        name: (
            weapon.er // 1000,
            weapon.strength,
            weapon.ammo_rating,
            f"{weapon.template} template" if weapon.template != "none" else "move or fire" * weapon.move_or_fire,
            "document; its ammo rating a placeholder" if weapon.provenance == "document" else "placeholder",
        )
        for name, weapon in CATALOGUE.items()
    }


def test_every_word_of_a_refused_undo_stands_in_the_docs() -> None:
    text = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
    assert [word for word in get_args(UndoNo) if f"| `{word}` |" not in text] == []


def _rules() -> str:
    return (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")


def test_every_problem_stands_in_the_docs_with_its_status() -> None:
    text = (ROOT / "docs" / "http.md").read_text(encoding="utf-8")
    missing = [kind for kind, meaning in PROBLEMS.items() if f"| `/problems/{kind}` | {meaning.status} |" not in text]
    assert missing == []
