"""Publishing: the global log kept up with the battles. Law: it follows the commits, and holds up no request.

A look is taken at the start and every few seconds, so that what a crash or another program has left is caught up with.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from structlog.typing import FilteringBoundLogger

from api.beside import beside
from replays.notary import Notary
from replays.store import StoreUnavailable

_FORKED: Final = "it contradicts what was signed for it, so that nothing proves it: see 'After a restore' in the docs"


@asynccontextmanager
async def publishing(notary: Notary, seconds: float, log: FilteringBoundLogger) -> AsyncIterator[None]:
    """Publish what is owed, again and again, until the block ends."""
    async with beside(_publish(notary, seconds, log)):
        yield


async def _publish(notary: Notary, seconds: float, log: FilteringBoundLogger) -> None:
    told: set[tuple[str, str]] = set()

    def refused(battle: str, no: Exception) -> None:
        if (battle, str(no)) not in told:  # once is enough: the next look will meet it again
            told.add((battle, str(no)))
            log.error("publishing", battle=battle, said=str(no))

    def forked(battle: str) -> None:
        log.error("log-forked", battle=battle, said=_FORKED)

    while True:
        try:
            await asyncio.to_thread(notary.publish_owed, refused)
            await asyncio.to_thread(notary.look_for_forks, forked)
        except StoreUnavailable as no:
            refused("", no)
        except Exception as no:  # noqa: BLE001 - one battle that cannot be published holds up no other
            refused("", no)
        await asyncio.sleep(seconds)
