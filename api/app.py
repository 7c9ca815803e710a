"""The composition root. Law: time, ids, the store and the settings come together here, and nowhere else."""

import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from fastapi import FastAPI
from starlette.responses import FileResponse
from starlette.staticfiles import StaticFiles

from api import VERSION, catch, openapi, pages
from api.cautions import cautions
from api.doorway import Doorway
from api.heaps import giving_back, large_apart, one_heap
from api.house import House
from api.limits import Limiter
from api.live import Feed
from api.logs import logger
from api.metrics import Metrics
from api.projecting import projecting
from api.publishing import publishing
from api.routes import ROUTERS
from api.seats import new_secret
from api.settings import PREFIX, BadSettings, Settings
from api.totals import projector
from replays.audit.keys import UnsafeKeys
from replays.keyring import Keyring, OtherHost
from replays.notary import Notary
from replays.referee import Referee
from replays.store import Store

STATIC: Final = Path(__file__).parent / "static"


def now() -> int:
    """UTC, in milliseconds."""
    return time.time_ns() // 1_000_000


def new_id() -> str:
    """An id that nobody had before: 32 hex digits."""
    return uuid.uuid4().hex


def create_app(settings: Settings) -> FastAPI:
    """The service. Raises `StoreUnavailable`, and `BadSettings` for keys that cannot be used."""
    one_heap()  # before there is a thread: the lines to a PostgreSQL server have some of their own
    large_apart()
    log, metrics = logger(settings.log_format), Metrics()
    feed = Feed(settings, metrics, lambda error: log.error("feed", kind=type(error).__name__, said=str(error)[:500]))
    store = Store.open(settings.database)
    keyring = _keyring(settings, store)
    notary = Notary(store, keyring, now)
    said = tuple(cautions(settings, store, keyring))
    for caution in said:
        log.warning("caution", said=caution)
    referee = Referee(store, clock=now, new_id=new_id, new_secret=new_secret, heard=feed.heard)
    limiter = Limiter(settings.rate, settings.rate_window)
    house = House(settings, store, referee, feed, notary, limiter, metrics, log)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        try:
            async with (
                feed.running(referee),
                publishing(notary, settings.publish, log),
                projecting(projector(store, referee.shelf), settings.totals, metrics, log),
                giving_back(),
            ):
                yield
        finally:
            store.close()

    app = FastAPI(
        title="battlelog",
        version=VERSION,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        lifespan=lifespan,
    )
    app.state.house, app.state.cautions = house, said
    catch.install(app)
    openapi.install(app)
    for router in (*ROUTERS, pages.router):
        # As they are: `include_router` would make each route a second time, at the first request, and look for the
        # right one in two layers at every request.
        app.router.routes.extend(router.routes)
    app.add_api_route("/docs", _docs, include_in_schema=False)
    app.mount("/docs", StaticFiles(directory=STATIC / "docs"), name="docs")
    app.add_middleware(Doorway, house=house, new_id=new_id)
    return app


def _keyring(settings: Settings, store: Store) -> Keyring:
    try:
        return Keyring.open(settings.key_folder, settings.host_name)
    except OtherHost as no:
        store.close()
        raise BadSettings(
            f"{PREFIX}HOST_NAME is {settings.host_name}, but the keys in {no.folder} are those of {no.has}. "
            f"Set {PREFIX}HOST_NAME={no.has} to go on as before. To sign under the new name from now on, put that "
            "folder aside (keep it: what it signed holds under the old name), start again, and new keys are made"
        ) from None
    except UnsafeKeys as no:
        store.close()
        raise BadSettings(f"{PREFIX}KEYS: {no}") from None


async def _docs() -> FileResponse:
    return FileResponse(STATIC / "docs" / "index.html")


def from_environment() -> FastAPI:
    """The service as the environment sets it: `uvicorn --factory api.app:from_environment`."""
    return create_app(Settings.read())
