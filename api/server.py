"""The server. Law: told to stop, it says so while it still serves, then sends the followers home, then finishes.

`/readyz` says no for `drain` seconds, so that a proxy in front leads nobody here any more before the door is shut. Live
feeds end next: they would hold it up, and their followers go on elsewhere. What is open by then has `grace` seconds.
A second signal ends the drain at once.
`python -m api.server` serves as the environment says.
"""

import asyncio
import socket
import sys
from types import FrameType
from typing import Final

import uvicorn
from fastapi import FastAPI

from api.app import create_app
from api.files import many_files
from api.house import House
from api.settings import BadSettings, Settings
from api.slow import Impatient
from replays.store import StoreUnavailable

_TICK: Final = 0.1
"""Seconds between two looks for somebody who cannot wait (a second signal)."""


class Server(uvicorn.Server):
    """uvicorn, but for how it stops, and for how many files it may hold open."""

    hurried = False
    """Whether it was told to stop a second time: it drains no longer."""

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until told to stop."""
        many_files()
        super().run(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Told to stop: the second time, whatever the signal, means at once. uvicorn itself minds a Ctrl-C alone."""
        self.hurried = self.should_exit
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Say no to newcomers, end the live feeds, then everything else."""
        house: House = self.config.app.state.house  # type: ignore[union-attr]
        house.leaving.set()
        drain = house.settings.drain
        if drain:
            said = f"draining for {drain:g} s: it still serves, and /readyz says no; a second signal ends that at once"
            house.log.info("stopping", said=said)
            await self._drain(drain)
        house.log.info("stopping", said=f"open requests have {house.settings.grace} s")
        house.feed.close()
        await super().shutdown(sockets)

    async def _drain(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while loop.time() < until and not self.hurried:  # noqa: ASYNC110 - a signal's handler sets it
            await asyncio.sleep(min(_TICK, seconds))


def server_of(app: FastAPI, settings: Settings) -> Server:
    """The server, set up in one way whoever starts it."""
    return Server(
        uvicorn.Config(
            app,
            host=settings.host,
            port=settings.port,
            access_log=False,
            log_level="warning",
            server_header=False,
            http=Impatient,
            timeout_graceful_shutdown=settings.grace,
        )
    )


def serve(settings: Settings) -> None:
    """Serve until told to stop. Raises `StoreUnavailable`."""
    server_of(create_app(settings), settings).run()


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
