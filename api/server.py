"""The server. Law: told to stop, it sends the followers home first, so that a live feed never holds it up.

`python -m api.server` serves as the environment says.
"""

import socket
import sys

import uvicorn

from api.app import create_app
from api.settings import BadSettings, Settings
from replays.store import StoreUnavailable


class Server(uvicorn.Server):
    """uvicorn, but for how it stops."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the live feeds, then everything else."""
        self.config.app.state.house.feed.close()  # type: ignore[union-attr]
        await super().shutdown(sockets)


def serve(settings: Settings) -> None:
    """Serve until told to stop. Raises `StoreUnavailable`."""
    config = uvicorn.Config(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        access_log=False,
        log_level="warning",
        server_header=False,
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
