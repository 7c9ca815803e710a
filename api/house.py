"""The house: what every request may use. Law: made once by `app`, handed on to whoever needs it, and never global."""

from dataclasses import dataclass, field
from functools import partial
from threading import Event, Lock
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request
from structlog.typing import FilteringBoundLogger

from api.door import Door
from api.limits import Limiter
from api.live import Feed
from api.metrics import Metrics
from api.settings import Settings
from replays.notary import Notary
from replays.referee import Referee
from replays.store import Store


@dataclass(frozen=True)
class House:
    """The parts of the service."""

    settings: Settings
    store: Store
    referee: Referee
    feed: Feed
    notary: Notary
    limiter: Limiter
    metrics: Metrics
    log: FilteringBoundLogger
    leaving: Event = field(default_factory=Event)
    """Set once the service was told to stop, while it still serves."""
    forecasting: Lock = field(default_factory=Lock)
    """Held while a forecast is played: more at a time would only slow each other."""
    odds: Door = field(default_factory=partial(Door, 2, 8, "ask for odds"))
    """Where exact chances are worked out."""


async def _of(request: Request) -> House:
    house: House = request.app.state.house
    return house


TheHouse = Annotated[House, Depends(_of)]
