"""The files of one SQLite database. Law: they are the ones that were opened, they are whole, and there is room beside.

A database is three files: its own, the write-ahead log (`-wal`), and the index of that (`-shm`).
"""

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from shutil import disk_usage
from stat import S_IMODE
from tempfile import TemporaryFile
from time import monotonic
from typing import Final

from replays.store.refusals import StoreUnavailable
from replays.store.words import DAMAGED

_ROOM: Final = 1 << 20
"""Bytes that have to be free on the disk: some hundred appends."""

NO_ROOM: Final = "the disk, or a quota, has no room: 1 MB has to be free"

_ENDINGS: Final = ("", "-wal", "-shm")

_TICK: Final = 0.1
"""Seconds: no file system that tells parts of a second has a coarser clock."""

_SELDOM: Final = 1.0
"""Seconds between two looks at files whose folder has not changed."""

Identity = tuple[int, int]
"""Device and number of a file."""


class Files:
    """The files under one name."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._log = f"{name}-wal"
        self._index = f"{name}-shm"

    def identities(self) -> tuple[Identity | None, ...]:
        """Which files these are; others once they were taken away or replaced."""
        return _identity(self._name), _identity(self._log), _identity(self._index)

    def make_alike(self) -> None:
        """Give the log and its index the mode of the file; one who could only read it leaves them read-only."""
        for beside in (Path(self._log), Path(self._index)):
            with suppress(OSError):
                mode = Path(self._name).stat().st_mode
                if beside.stat().st_mode != mode:
                    beside.chmod(S_IMODE(mode))

    def need_whole(self, page: int) -> None:
        """Raise `StoreUnavailable` for a file that ends within a page: SQLite takes what is missing for zeros.

        Only looked at, never opened: to close it again would take this process's locks off it.
        """
        # With something in the log, that page is there once more.
        if _size(self._name) % page and not _size(self._log):
            raise StoreUnavailable(f"{self._name}: {DAMAGED} (it ends within a page)")

    def may_be_written(self) -> bool:
        """Whether this program could open the file to write to it."""
        return os.access(self._name, os.R_OK | os.W_OK)

    def room(self) -> bool:
        """Whether the disk says that there is room."""
        return disk_usage(Path(self._name).parent).free >= _ROOM

    def need_room(self) -> None:
        """Write as much as has to be free, and take it away again: no other way sees a quota. Raises `OSError`."""
        with TemporaryFile(dir=Path(self._name).parent, buffering=0) as scratch:
            if scratch.write(bytes(_ROOM)) < _ROOM:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Watch:
    """Whether the files of a database may be others by now than at the last look.

    Whoever puts a file in another's place, or takes it away, changes the time of its folder. That is one look instead
    of three, and one that costs the next write nothing: the file system has to give a file that was looked at a time
    of its own. Once a second the files are looked at all the same, for what no folder tells: a mount over a file.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._folder = str(Path(name).parent)
        self._tells = self._told_here()
        self._folder_was: tuple[int, int, int] | None = None
        self._since = self._looked = 0.0

    def need(self, look: Callable[[], None]) -> None:
        """Look, unless there is nothing to see."""
        folder, now = self._folder_is(), monotonic()
        same = folder is not None and folder == self._folder_was
        # A change within the tick of an earlier one leaves no trace, so that one look has to come later than that.
        if same and self._looked - self._since > _TICK and now - self._looked < _SELDOM:
            return
        look()
        self._looked = now
        if not same:
            self._folder_was, self._since = folder, now
            self._tells = self._told_here()

    def _told_here(self) -> bool:
        # What lies elsewhere changes another folder; and elsewhere than on POSIX a folder does not tell.
        return os.name == "posix" and not any(Path(f"{self._name}{ending}").is_symlink() for ending in _ENDINGS)

    def _folder_is(self) -> tuple[int, int, int] | None:
        if not self._tells:
            return None
        try:
            found = os.stat(self._folder)  # noqa: PTH116 - for each append, and a Path costs as much again
        except OSError:
            return None
        in_parts = found.st_ctime_ns % 1_000_000_000
        return (found.st_dev, found.st_ino, found.st_ctime_ns) if in_parts else None


def _identity(name: str) -> Identity | None:
    try:
        found = os.stat(name)  # noqa: PTH116 - three for each append, and a Path costs as much again
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _size(name: str) -> int:
    with suppress(FileNotFoundError):
        return Path(name).stat().st_size
    return 0
