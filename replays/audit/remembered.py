"""What was signed last. Law: the signer's memory is its own, and is not restored together with the log.

One file an origin: the text of the checkpoint that was signed last (C2SP tlog-checkpoint), written whole or not at all.
Keep the folder out of the backups of the database: a database that is put back then meets a signer that knows more.
"""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Protocol

from replays.audit.checkpoint import Checkpoint
from replays.audit.durable import make_folder, write_over

if sys.platform != "win32":
    import fcntl


class MemoryDamaged(Exception):  # noqa: N818 - says what was found
    """A file of the memory cannot be read: nothing is signed for that log until somebody has looked into it."""


class Remembered(Protocol):
    """A memory of the last size and root (32 bytes) that was signed for an origin."""

    def hold(self, origin: str) -> AbstractContextManager[None]:
        """Keep everybody else, threads and processes, from this origin until it is left. Not to be nested."""
        ...

    def get(self, origin: str) -> tuple[int, bytes] | None:
        """The last size and root; None if nothing was signed yet. Raises `MemoryDamaged` when it cannot be known."""
        ...

    def put(self, origin: str, size: int, root: bytes) -> None:
        """Remember; when this returns it is durable. Raises `OSError` otherwise."""
        ...


class RememberedFiles:
    """A memory in a folder of its own (mode 0700). Processes on one machine may share it, except on Windows."""

    def __init__(self, folder: Path) -> None:
        make_folder(folder)
        self._folder = folder
        self._lock = Lock()

    @contextmanager
    def hold(self, origin: str) -> Iterator[None]:  # noqa: ARG002 - one lock for all of them is enough
        """See `Remembered`."""
        with self._lock, (self._folder / "lock").open("ab") as file:
            if sys.platform != "win32":
                fcntl.flock(file, fcntl.LOCK_EX)  # closing the file lets go of it, and so does a crash
            yield

    def get(self, origin: str) -> tuple[int, bytes] | None:
        """See `Remembered`."""
        path = self._path(origin)
        try:
            last = Checkpoint.parse(path.read_bytes().decode())
        except FileNotFoundError:
            return None
        except ValueError as fault:
            raise MemoryDamaged(f"{path}: {fault}") from None
        if last.origin != origin:
            raise MemoryDamaged(f"{path} is of {last.origin}, wanted {origin}")
        return last.size, last.root

    def put(self, origin: str, size: int, root: bytes) -> None:
        """See `Remembered`."""
        write_over(self._path(origin), Checkpoint(origin, size, root).text.encode())

    def _path(self, origin: str) -> Path:
        return self._folder / f"{sha256(origin.encode()).hexdigest()}.checkpoint"
