"""A service has one heap, on whatever store: the soak showed what becomes of it otherwise."""

import platform
import re
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.api.live_server import ROOT

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="heaps are counted as glibc tells them")

LARGE: Final = 20

WORK: Final = """
import ctypes, sys
from threading import Barrier, Thread
bytes(16 << 20)
large = [bytes(200_000) for _ in range(20)]
def hold():
    held = [bytes(2000) for _ in range(50)]
    together.wait()
together = Barrier(12)
threads = [Thread(target=hold) for _ in range(12)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fopen(sys.argv[1].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""
"""Something very large is let go, twenty large things are held, and a dozen threads have worked."""

ONE: Final = "from api.heaps import one_heap; one_heap()"

APART: Final = "from api.heaps import large_apart; large_apart()"

SERVICE: Final = """
import sys
from api.app import create_app
from api.settings import Settings
app = create_app(Settings.read({}, database=sys.argv[2], keys=sys.argv[3]))
"""


class Told(NamedTuple):
    """What glibc tells of a process: its heaps, and the blocks that lie in none."""

    heaps: int
    apart: int


def told(folder: Path, before: str, *words: str) -> Told:
    """What it tells when the work was done after `before`."""
    answer = folder / "heaps.xml"
    subprocess.run([sys.executable, "-c", before + WORK, str(answer), *words], cwd=ROOT, check=True)
    text = answer.read_text()
    return Told(len(re.findall("<heap nr=", text)), int(re.findall('<total type="mmap" count="([0-9]+)"', text)[-1]))


@pytest.fixture(autouse=True)
def _left_to_itself(tmp_path: Path) -> None:
    left = told(tmp_path, "")
    if left.heaps < 3 or left.apart >= LARGE:
        pytest.skip("this C library makes no heaps for threads, or lays large things apart by itself")


def test_a_dozen_threads_share_one_heap(tmp_path: Path) -> None:
    assert told(tmp_path, ONE).heaps == 1


def test_large_things_lie_in_no_heap_also_after_a_larger_one_was_let_go(tmp_path: Path) -> None:
    assert told(tmp_path, APART).apart >= LARGE


def test_a_service_on_a_file_has_one_heap_and_large_things_apart(tmp_path: Path) -> None:
    found = told(tmp_path, SERVICE, str(tmp_path / "battles.db"), str(tmp_path / "keys"))
    assert found.heaps == 1
    assert found.apart >= LARGE


def test_so_does_one_on_postgresql_whose_lines_have_threads(tmp_path: Path, postgres: str) -> None:
    found = told(tmp_path, SERVICE, postgres, str(tmp_path / "keys"))
    assert found.heaps == 1
    assert found.apart >= LARGE
