"""The real application on a real file; nothing is stood in for."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import Settings
from tests.api.table import Table, open_table


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
