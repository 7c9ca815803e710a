"""`python -m bench.raw_feed PORT FRAME`: the floor of a live feed: plain ASGI, one frame that all followers share.

`GET` follows, `POST` sends the frame (the bytes of the file FRAME) to all who do.
"""

import asyncio
import sys
from pathlib import Path
from typing import Any

import uvicorn
from starlette.types import Receive, Scope, Send

from api.sweeping import swept_seldom


class RawFeed:
    """Everybody waits at one bell."""

    def __init__(self, frame: bytes) -> None:
        self._frame = frame
        self._bell = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        live = scope["method"] == "GET" and scope["path"] != "/healthz"
        kind = b"text/event-stream" if live else b"text/plain"
        headers = [(b"content-type", kind)] + ([] if live else [(b"content-length", b"0")])
        if scope["method"] == "POST":
            await receive()
            self._bell.set()
            self._bell = asyncio.Event()
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        if not live:
            await send({"type": "http.response.body", "body": b""})
            return
        await self._follow(send)

    async def _follow(self, send: Send) -> None:
        await send({"type": "http.response.body", "body": b"retry: 1000\n\n", "more_body": True})
        while True:
            await self._bell.wait()
            await send({"type": "http.response.body", "body": self._frame, "more_body": True})


def main() -> None:
    """Serve until told to stop."""
    port, file = sys.argv[1:]
    quiet: dict[str, Any] = {"access_log": False, "log_level": "critical", "server_header": False, "lifespan": "off"}
    with swept_seldom():  # as the service does
        uvicorn.run(RawFeed(Path(file).read_bytes()), port=int(port), timeout_graceful_shutdown=1, **quiet)


if __name__ == "__main__":
    main()
