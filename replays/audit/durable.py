"""Files that survive a power cut. Law: after a crash a file is whole, the old one or the new one, never a part of one.

Bytes go to a scratch file in the same folder (made with O_EXCL), to the disk, and only then get their name; then the
folder goes to the disk too. A crash in between leaves a scratch file, its name begins with a dot, which nobody reads.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

PRIVATE: Final = 0o600
"""Mode of a file that only its owner may read and write."""

PUBLIC: Final = 0o644
"""Mode of a file that everybody may read."""

_FOLDER: Final = 0o700


def make_folder(folder: Path) -> None:
    """Make a folder, with those above it, that only its owner may enter; one that is there stays as it is."""
    folder.mkdir(mode=_FOLDER, parents=True, exist_ok=True)


def write_new(path: Path, data: bytes, mode: int = PRIVATE) -> None:
    """Write a file that is not there yet; `FileExistsError`, and nothing changed, if it is, whoever was first."""
    with _scratch(path, data, mode) as scratch:
        path.hardlink_to(scratch)  # a rename would replace what another process has just written
    _sync_folder(path.parent)


def write_over(path: Path, data: bytes, mode: int = PRIVATE) -> None:
    """Write a file in place of one that may be there; whoever reads gets the old one or the new one."""
    with _scratch(path, data, mode) as scratch:
        scratch.replace(path)
    _sync_folder(path.parent)


@contextmanager
def _scratch(path: Path, data: bytes, mode: int) -> Iterator[Path]:
    number, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    scratch = Path(name)
    try:
        with open(number, "wb") as file:  # noqa: PTH123 - by its number
            file.write(data)
            file.flush()
            os.fsync(number)
        scratch.chmod(mode)
        yield scratch
    finally:
        scratch.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # elsewhere a folder cannot be opened, and names are kept safe by the system
        return
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)
