"""A rolling restart behind a proxy loses no request, and no follower misses an entry."""

import shutil
from pathlib import Path

import pytest

from deploy.rolling import Ways, proxied, rolled
from tests.deploy.door import small_door


@pytest.mark.slow
def test_behind_a_door_that_tries_nothing_again(tmp_path: Path) -> None:
    ways = Ways(players=4, rounds=1, drain=1, noticed=1, door=small_door)
    found = rolled(tmp_path, str(tmp_path / "battles.db"), ways)
    assert found["wrong"] == []
    assert found["lost"] == {}
    assert found["held"]
    assert found["restarts"] == 2
    assert found["followers_sent_elsewhere"] >= 2
    assert found["acknowledged"] > 20


@pytest.mark.slow
@pytest.mark.skipif(
    shutil.which("haproxy", path="/usr/sbin:/usr/bin:/usr/local/sbin") is None, reason="no haproxy here"
)
def test_behind_haproxy_with_the_settings_that_are_shipped(tmp_path: Path) -> None:
    found = rolled(tmp_path, str(tmp_path / "battles.db"), Ways(players=4, rounds=1, drain=4, door=proxied))
    assert found["wrong"] == []
    assert found["lost"] == {}
    assert found["followers_sent_elsewhere"] >= 2
