"""A service makes two heaps, however many threads it has: the soak showed what becomes of it otherwise."""

import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.api.live_server import ROOT

THREADS = """
import ctypes, sys
from threading import Barrier, Thread
from api.heaps import few_heaps
if sys.argv[2] == "few":
    few_heaps()
together = Barrier(12)
def hold():
    held = [bytes(2000) for _ in range(50)]
    together.wait()
threads = [Thread(target=hold) for _ in range(12)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
file = ctypes.c_void_p(libc.fopen(sys.argv[1].encode(), b"w"))
libc.malloc_info(0, file)
libc.fclose(file)
"""


def heaps(folder: Path, how: str) -> int:
    """How many heaps a dozen threads make."""
    told = folder / how
    subprocess.run([sys.executable, "-c", THREADS, str(told), how], cwd=ROOT, check=True)
    return len(re.findall("<heap nr=", told.read_text()))


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="heaps are counted as glibc tells them")
def test_a_dozen_threads_share_two_heaps(tmp_path: Path) -> None:
    if heaps(tmp_path, "many") < 3:
        pytest.skip("this C library makes no heaps for threads")
    assert heaps(tmp_path, "few") <= 2
