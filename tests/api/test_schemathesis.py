"""Schemathesis reads the OpenAPI text of a running service and tries what the text allows, and what it does not.

Nothing may be a 500, and every answer has the status, the type and the shape that the text promises. The same cases
come every time; `-m slow` tries many more.
"""

import json
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import httpx2
import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import positive_data_acceptance

from api.app import create_app
from api.examples import MFD_OPENING, NME_OPENING
from api.settings import Settings
from tests.api.live_server import Server, served

FIGS = {"nme": "sarge", "mfd": "roland"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("tried") / "battles.db") as server:
        yield server


@cache
def told() -> dict[str, Any]:
    """The text as every instance of this service tells it."""
    app = create_app(Settings(database=":memory:", rate=0, log_format="none"))
    app.state.house.store.close()
    return app.openapi()


def schema_of(*, every_edge: bool) -> Any:
    """The cases to try; `every_edge` adds each boundary of each field, one by one: thousands."""
    generation = {"deterministic": True, "database": "none"}
    config = {"seed": 1, "generation": generation, "phases": {"coverage": {"enabled": every_edge}}}
    return schemathesis.openapi.from_dict(deepcopy(told()), config=SchemathesisConfig.from_dict(config))


fast, deep = schema_of(every_edge=False), schema_of(every_edge=True)


def test_the_text_is_that_of_the_running_service(server: Server) -> None:
    assert httpx2.get(f"{server.url}/openapi.json").json() == json.loads(json.dumps(told()))


calm = settings(deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


def tried(case: Any, server: Server) -> None:
    """Send a case to a fresh battle, unless it is the address itself that is meant to be wrong."""
    system = "mfd" if case.operation.label.endswith("casualties") else "nme"
    opening = MFD_OPENING if system == "mfd" else NME_OPENING
    body = httpx2.post(f"{server.url}/v1/battles", json=opening).json()
    wrong = _is_wrong(case, ParameterLocation.PATH)
    real = {"battle": body["id"], "other": body["id"], "fig": FIGS[system]}
    for name in case.path_parameters or {}:
        if name in real and not wrong:
            case.path_parameters[name] = real[name]
    excluded = [positive_data_acceptance]  # a body that fits its schema may still name a fig that is not there
    headers = {"Authorization": f"Bearer {body['seats']['referee']}"}
    # A live feed would never end; what it sends has tests of its own.
    if case.headers and "event-stream" in str(case.headers.get("Accept", "")):
        del case.headers["Accept"]
    case.call_and_validate(base_url=server.url, headers=headers, excluded_checks=excluded, timeout=10)


def _is_wrong(case: Any, place: ParameterLocation) -> bool:
    component = case.meta.components.get(place) if case.meta is not None else None
    return component is not None and component.mode.is_negative


@fast.parametrize()  # type: ignore[untyped-decorator]
@settings(calm, max_examples=12)
def test_the_service_keeps_its_word(case: Any, server: Server) -> None:
    tried(case, server)


@pytest.mark.slow
@deep.parametrize()  # type: ignore[untyped-decorator]
@settings(calm, max_examples=300)
def test_the_service_keeps_its_word_in_depth(case: Any, server: Server) -> None:
    tried(case, server)
