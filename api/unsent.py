"""What a client has still to read. Law: what waits in the system counts like what waits here.

The system takes an answer in heaps, of a megabyte at times: for a slow reader what waits here stands still in between.
"""

import asyncio
import sys
from contextlib import suppress
from typing import Final

if sys.platform == "linux":
    from fcntl import ioctl
    from termios import TIOCOUTQ

_SIZE: Final = 4


def unsent(transport: asyncio.Transport) -> int:
    """Bytes that were written to a line and that its other end has not yet taken in."""
    return transport.get_write_buffer_size() + _held(transport)


def _held(transport: asyncio.Transport) -> int:
    """Those of them that the system has; 0 where it does not say."""
    if sys.platform == "linux":
        with suppress(OSError):
            line = transport.get_extra_info("socket")
            return int.from_bytes(ioctl(line.fileno(), TIOCOUTQ, bytes(_SIZE)), sys.byteorder)
    return 0
