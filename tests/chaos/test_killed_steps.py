"""Killed right before each step of a write, of a start and of a signature: whole, and nothing acknowledged is gone."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.api.live_server import ROOT

pytest.importorskip("resource")


def kills(scene: str, folder: Path, stride: int = 1) -> int:
    """How often the scene was ended; every time, what was left was looked at."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.chaos.steps", scene, str(folder), str(stride)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_an_append_killed_before_each_statement_is_stored_whole_or_not_at_all(tmp_path: Path) -> None:
    assert kills("append", tmp_path) > 6


def test_an_append_killed_in_the_middle_of_a_write_to_the_disk_is_stored_whole_or_not_at_all(tmp_path: Path) -> None:
    assert kills("write", tmp_path) > 20


def test_a_service_killed_while_it_makes_its_keys_signs_or_publishes_goes_on_with_the_same_ones(tmp_path: Path) -> None:
    assert kills("sign", tmp_path, stride=6) > 12


@pytest.mark.slow
def test_the_same_before_every_single_step(tmp_path: Path) -> None:
    assert kills("sign", tmp_path) > 80
