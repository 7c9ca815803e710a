"""A few clients, two services, and deaths: the history that comes of it is without contradiction.

`python -m bench.history` is the long run.
"""

from pathlib import Path
from random import Random

import pytest

from tests.cluster import NoServer
from tests.history.reaper import planned
from tests.history.run import Profile, run

SHORT = Profile(actions=300, battles=6, clients=4, kills=2, followers=2, seed=4)


def test_what_was_acknowledged_is_there_once_though_services_and_server_are_killed(tmp_path: Path) -> None:
    try:
        outcome = run(SHORT, tmp_path)
    except NoServer as why:
        pytest.skip(f"PostgreSQL: {why}")
    assert outcome.findings == []
    figures = outcome.figures
    assert figures["acknowledged"] >= SHORT.actions
    assert sum(figures["kills"].values()) == SHORT.kills
    assert figures["tries_without_an_answer"] > 0
    assert figures["refused"] > 0
    assert figures["views"] > 0
    assert figures["frames"] > 0


def test_a_plan_kills_services_and_the_server_both_ways() -> None:
    kinds = {death.kind for death in planned(6, 1000, Random(1))}
    assert kinds == {"service", "server at once", "server with -9", "both"}
