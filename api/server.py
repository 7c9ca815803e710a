"""The server. Law: told to stop, it says so while it still serves, then sends the followers home, then finishes.

`/readyz` says no for `drain` seconds, so that a proxy in front leads nobody here any more before the door is shut. Live
feeds end next: they would hold it up, and their followers go on elsewhere. What is open by then has `grace` seconds.
`python -m api.server` serves as the environment says.
"""

import asyncio
import socket
import sys
from typing import Final

import uvicorn

from api.app import create_app
from api.files import many_files
from api.heaps import few_heaps
from api.house import House
from api.settings import BadSettings, Settings
from api.slow import Impatient
from replays.store import StoreUnavailable

_TICK: Final = 0.1
"""Seconds between two looks for somebody who cannot wait (a second Ctrl-C)."""


class Server(uvicorn.Server):
    """uvicorn, but for how it stops, and for what its threads do with memory."""

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until told to stop."""
        few_heaps()
        many_files()
        super().run(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Say no to newcomers, end the live feeds, then everything else."""
        house: House = self.config.app.state.house  # type: ignore[union-attr]
        house.leaving.set()
        await self._drain(house.settings.drain)
        house.feed.close()
        await super().shutdown(sockets)

    async def _drain(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while loop.time() < until and not self.force_exit:  # noqa: ASYNC110 - uvicorn tells it in no other way
            await asyncio.sleep(min(_TICK, seconds))


def serve(settings: Settings) -> None:
    """Serve until told to stop. Raises `StoreUnavailable`."""
    config = uvicorn.Config(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        access_log=False,
        log_level="warning",
        server_header=False,
        http=Impatient,
        timeout_graceful_shutdown=settings.grace,
    )
    Server(config).run()


def main() -> int:
    """Serve as the environment says; the exit code is 2 where it makes no sense."""
    try:
        serve(Settings.read())
    except (BadSettings, StoreUnavailable) as no:
        sys.stderr.write(f"{no}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
