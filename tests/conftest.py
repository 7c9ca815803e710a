"""How hard Hypothesis tries, and where a PostgreSQL server comes from.

Fast, or with `HYPOTHESIS_PROFILE=deep` long; in CI the same examples every time. The server is started once, when the
first test asks for it; where there is none, the tests that need it say that they were skipped, and why.
"""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.cluster import Cluster, NoServer, running

settings.register_profile("fast", max_examples=100, deadline=None)
settings.register_profile("deep", max_examples=3000, deadline=None)
settings.register_profile("ci", settings.get_profile("fast"), derandomize=True, database=None)

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "fast"))


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL server."""
    try:
        with running() as server:
            yield server
    except NoServer as why:
        pytest.skip(f"PostgreSQL: {why}")


@pytest.fixture
def postgres(cluster: Cluster) -> Iterator[str]:
    """The address of a database with the empty tables of a store."""
    with cluster.store() as address:
        yield address
