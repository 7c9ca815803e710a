"""The databases that a store is tested on: what holds on one holds on the other."""

from pathlib import Path

import pytest


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that several stores can open."""
    if request.param == "sqlite":
        return str(tmp_path / "battles.db")
    address: str = request.getfixturevalue("postgres")
    return address


@pytest.fixture(params=["sqlite", "postgres"])
def nothing_yet(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The same, where nobody has opened a store before."""
    if request.param == "sqlite":
        return str(tmp_path / "battles.db")
    address: str = request.getfixturevalue("cluster").new()
    return address
