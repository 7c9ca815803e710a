"""Verdict: an exit code that says something. Law: it is worked out before a line is told, and no reader changes it."""

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from api.terminal.stop import Stop

_FULL: Final = frozenset({errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT, errno.EBADF})


class Unheard(BrokenPipeError):  # noqa: N818 - an answer, not a fault
    """Whoever read has had enough; `code` is what would have been the exit code."""

    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code


@contextmanager
def telling(code: int) -> Iterator[None]:
    """Tell a verdict in here: if its reader goes away, it is still the verdict."""
    if sys.stdout is None:
        raise Stop("the output cannot be written: it is closed")
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise Unheard(code) from None


def unwritten(no: OSError) -> str:
    """Why nothing could be written to the output; nothing where the fault is another, as of a file that was opened."""
    if no.errno not in _FULL or no.filename is not None:
        return ""
    return f"the output cannot be written: {no.strerror}"
