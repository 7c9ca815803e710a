"""Projecting: totals across battles kept up with the log. Law: it follows the commits, and holds up no request.

It works a fifth of the time at most, so that play goes on beside it also where much has to be caught up with.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic
from typing import Final

from structlog.typing import FilteringBoundLogger

from api.beside import beside
from api.metrics import Metrics
from replays.projector import Came, Projector

_REST: Final = 4
"""It rests so many times as long as it has worked."""


@asynccontextmanager
async def projecting(
    projector: Projector, seconds: float, metrics: Metrics, log: FilteringBoundLogger
) -> AsyncIterator[None]:
    """Keep the totals up with the log until the block ends."""
    async with beside(_project(projector, seconds, metrics, log)):
        yield


async def _project(projector: Projector, seconds: float, metrics: Metrics, log: FilteringBoundLogger) -> None:
    said = ""
    while True:
        began, pause = monotonic(), seconds
        try:
            came = await asyncio.to_thread(projector.step)
        except Exception as fault:  # noqa: BLE001 - totals that stand still must not take the service along
            if str(fault) != said:  # once is enough: the next look will meet it again
                _refused(fault, log)
            said = str(fault)
        else:
            said = ""
            _tell(came, metrics, log)
            pause = seconds if came.there else 0.0
        await asyncio.sleep(max(pause, _REST * (monotonic() - began)))


def _refused(fault: Exception, log: FilteringBoundLogger) -> None:
    log.error("projecting", kind=type(fault).__name__, said=str(fault)[:500])


def _tell(came: Came, metrics: Metrics, log: FilteringBoundLogger) -> None:
    metrics.totals_behind.set(came.newest - came.position)
    for row in came.aside:
        metrics.set_aside.inc()
        log.error("set aside", battle=row.battle, seq=row.seq, said=row.reason)
