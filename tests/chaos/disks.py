"""Small disks. Law: a real file system of a few megabytes, or the test is skipped and says why."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import which
from typing import Final

import pytest

_MOUNT: Final = which("mount") or ""
_UNMOUNT: Final = which("umount") or ""


class Disk:
    """A small file system."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self, but: int = 0) -> None:
        """Leave no room, or so many bytes of it."""
        with self._filler.open("ab", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))
        if but:
            with self._filler.open("r+b") as file:
                file.truncate(self._filler.stat().st_size - but)

    def make_room(self) -> None:
        """Take away what filled it."""
        self._filler.unlink()

    def remount(self, how: str) -> None:
        """Mount it anew, `ro` or `rw`."""
        subprocess.run([_MOUNT, "-o", f"remount,{how}", str(self.folder)], check=True)


@contextmanager
def mounted(folder: Path, size: str = "6m") -> Iterator[Disk]:
    """A small disk under a folder."""
    folder.mkdir()
    if not _MOUNT or not _UNMOUNT:
        pytest.skip("no disk of a test's own: there is no mount here")
    done = subprocess.run(
        [_MOUNT, "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"no disk of a test's own: {done.stderr.strip()}")
    try:
        yield Disk(folder)
    finally:
        # Lazily: a server that is just ending may still hold a file.
        subprocess.run([_UNMOUNT, "-l", str(folder)], check=True)
