"""The real application on a real file; nothing is stood in for."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.seats import new_secret
from api.settings import Settings
from replays.examine import examine
from replays.imports import import_log
from tests.api.command import SUMP, run
from tests.api.table import Table, open_table
from tests.recorded_battles import RECORDED


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(database=str(tmp_path / "battles.db"), log_format="none", rate=0, poll=0.02, totals=0.2)


@pytest.fixture
def client(settings: Settings) -> Iterator[TestClient]:
    with TestClient(create_app(settings), client=("10.0.0.1", 50_000)) as client:
        yield client


@pytest.fixture
def nme(client: TestClient) -> Table:
    return open_table(client, "nme")


@pytest.fixture
def mfd(client: TestClient) -> Table:
    return open_table(client, "mfd")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The service with the recorded battles, which nobody changes."""
    data = tmp_path_factory.mktemp("recorded") / "battles.db"
    app = create_app(Settings(database=str(data), log_format="none", rate=0))
    for log in sorted(RECORDED.glob("*.jsonl")):
        import_log(app.state.house.store, examine(log.read_bytes().splitlines()), new_secret)
    with TestClient(app) as client:
        yield client


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Where a command keeps its battles."""
    return tmp_path / "battles.db"


@pytest.fixture
def kept(data: Path) -> Path:
    """A store that holds a battle."""
    run("import", SUMP, "--data", data)
    return data
