"""The command line, run in this process, and the recorded battles that it is mostly run on."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from api.cli import app
from tests.recorded_battles import RECORDED

SUMP = RECORDED / "nme-sump-crossing.jsonl"
YARD = RECORDED / "mfd-brick-yard.jsonl"
HELD = RECORDED / "mfd-brick-yard.held.jsonl"
WIDE = RECORDED / "mfd-brick-yard.held-wide.jsonl"


def run(*arguments: object, code: int = 0, columns: int = 80, **more: Any) -> Result:
    """Run a command; where it fails, one plain sentence on stderr says why."""
    result = CliRunner().invoke(app, [str(a) for a in arguments], env={"COLUMNS": str(columns)}, **more)
    assert result.exit_code == code, (result.output, result.exception)
    assert "Traceback" not in result.output
    if code:
        assert result.stderr.startswith("battlelog: ")
        assert result.stderr.count("\n") == 1
    return result


def id_in(log: Path) -> str:
    """The id of the battle in a file."""
    return str(json.loads(log.read_bytes().splitlines()[-1])["battle"])
