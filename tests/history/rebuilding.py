"""Read models across battles, held against a rebuild from nothing. Law: the command that people use says so or not.

`battlelog rebuild --check` takes in what is new, then compares totals and desk with what the logs give.
"""

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec

import msgspec

from tests.api.live_server import ROOT
from tests.history.laws import Finding

_COMMAND = (sys.executable, "-c", "from api.cli import main; main()", "rebuild", "--check", "--json", "--data")


def compared() -> bool:
    """Whether there are such read models in this release."""
    return find_spec("api.terminal.rebuilding") is not None


def differing(address: str) -> Iterator[Finding]:
    """Where the read models of a database are not those that a rebuild gives."""
    if not compared():
        return
    done = subprocess.run([*_COMMAND, address], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    try:
        told = msgspec.json.decode(done.stdout)
        wrong = [(name, battle) for name in ("totals_wrong", "desk_wrong") for battle in told[name]]
        for name, battle in wrong:
            yield Finding("rebuilt", battle, 0, name.replace("_", " "))
        for row in told["set_aside"]:
            yield Finding("rebuilt", row["battle"], row["seq"], f"left out: {row['reason']}")
        if done.returncode and not wrong and not told["set_aside"]:
            yield Finding("rebuilt", "", 0, f"rebuild --check ends with {done.returncode}")
    except (msgspec.MsgspecError, KeyError):
        said = (done.stderr or done.stdout)[-200:]
        yield Finding("rebuilt", "", 0, f"rebuild --check ends with {done.returncode}: {said}")
