"""What the machine has to have. Law: found, or made in a folder of its own; what is missing is said in words."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

from deploy.patroni.network import program
from deploy.services import ROOT

_LEAST: Final = (4, 1)
"""Older versions lose acknowledged entries when the leader is cut off: they overwrite the leader's key in etcd3."""


def patroni_in(venv: Path) -> Path:
    """A virtual environment with Patroni, made where there is none. Raises `SystemExit`."""
    patroni = venv / "bin" / "patroni"
    if not patroni.exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
        wanted = ["patroni[etcd3]>=4.1,<5", "psycopg[binary]>=3.2,<4"]
        pip = [str(venv / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", *wanted]
        subprocess.run(pip, check=True)
    said = subprocess.run([str(patroni), "--version"], capture_output=True, text=True, check=True).stdout
    found = tuple(int(number) for number in re.findall(r"\d+", said)[:2])
    if found < _LEAST:
        raise SystemExit(f"{said.strip()} is too old: the drill needs Patroni 4.1 or later")
    return venv


def need_python(user: str) -> None:
    """See that `user` may run this very Python and import the service. Raises `SystemExit`."""
    as_whom = [program("setpriv"), "--reuid", user, "--regid", user, "--init-groups", "--no-new-privs"]
    tried = 'exec "$0" -c "import api.cli, psycopg_pool"'
    environment = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(
        [*as_whom, "/bin/sh", "-c", tried, sys.executable],
        env=environment,
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = done.stderr.strip().splitlines()[-1:]
        raise SystemExit(
            f"{user} cannot run battlelog with {sys.executable} ({' '.join(said)}): "
            f"run the drill with a Python and from a checkout that everybody may read, with psycopg installed"
        )


def postgres_programs() -> Path:
    """The folder of the newest server that is installed. Raises `SystemExit`."""
    found = [folder for folder in Path("/usr/lib/postgresql").glob("*/bin") if (folder / "postgres").exists()]
    if not found:
        raise SystemExit("there is no PostgreSQL server: install it (Debian: postgresql)")
    return max(found, key=lambda folder: int(folder.parent.name))
