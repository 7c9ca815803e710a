"""Two requests that are alike to the last byte are two: who lost the answer does not take the other's for their own.

The history runs found it: two people ended the same turn through two services in the same millisecond, the server died,
and the one whose entries were not stored was told that they were, since just these bytes were there.
"""

import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from replays.store import Beside, Conflict, Store
from tests.replays.test_store_races import A, batch, key
from tests.replays.wire import Cut, wired


@pytest.mark.parametrize("cut", ["request", "answer"])
def test_entries_that_are_just_like_ones_own_and_anothers_are_not_ones_own(postgres: str, cut: Cut) -> None:
    if "?host=/" not in postgres:
        pytest.skip("PostgreSQL: the wire leads to a Unix socket only")
    with (
        tempfile.TemporaryDirectory(prefix="battlelog-", dir="/tmp") as folder,
        wired(Path(folder), postgres) as (lossy, address),
        closing(Store.open(address, patience=1)) as far,
        closing(Store.open(postgres)) as near,
    ):
        far.append(A, batch(0), Beside(key=key("before")))
        near.append(A, batch(3), Beside(key=key("theirs")))
        lossy.cut = cut
        with pytest.raises(Conflict):
            far.append(A, batch(3), Beside(key=key("mine")))
        assert lossy.cuts == 1
        assert near.key(A, "referee", "mine") is None
        assert near.read(A) == batch(0) + batch(3)
