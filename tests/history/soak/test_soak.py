"""A soak tells what grows from what does not; and a short one runs, so that the long one can be trusted to."""

from pathlib import Path
from typing import Any

import pytest

from tests.history.soak.gauge import Sample, at
from tests.history.soak.soaking import Wanted, shown, soak
from tests.history.soak.verdict import RISE, judged


def series(minutes: float = 10, **changing: Any) -> list[Sample]:
    """A sample every ten seconds; `changing` gives a member as a function of minutes."""
    calm = {"rss": 300.0, "handles": 50, "threads": 15, "wal": 4.0, "followers": 12, "refused": 5, "failed": 0}
    waits = dict.fromkeys(("write_p50", "write_p99", "read_p50", "read_p99"), 2.0)
    found = []
    for n in range(1, int(6 * minutes) + 1):
        now = {name: make(n / 6) for name, make in changing.items()}
        found.append(Sample(**{"second": 10.0 * n, "writes": 300, "reads": 400, **calm, **waits, **now}))
    return found


def wrong(samples: list[Sample]) -> str:
    return "; ".join(judged(samples)["wrong"])


def test_what_stays_as_it_is_is_not_blamed() -> None:
    assert wrong(series()) == ""


def test_caches_may_fill_and_memory_may_go_up_and_down() -> None:
    assert wrong(series(rss=lambda m: 300 + min(m, 2.5) * 20 + (m * 6 % 3))) == ""


def test_a_slow_leak_is_found_also_in_noise() -> None:
    leak = RISE * 1.5
    assert "memory rises by 1." in wrong(series(rss=lambda m: 300 + leak * m + (m * 60 % 7)))


def test_a_service_that_is_too_large_is_found() -> None:
    assert "memory reached 700 MB" in wrong(series(rss=lambda _: 700.0))


@pytest.mark.parametrize("what", ["handles", "threads"])
def test_handles_and_threads_that_are_not_given_back_are_found(what: str) -> None:
    growing: dict[str, Any] = {what: lambda m: 50 + int(2 * m)}
    moving: dict[str, Any] = {what: lambda m: 50 + int(60 * m) % 4}
    assert f"{what} more" in wrong(series(**growing))
    assert wrong(series(**moving)) == ""


def test_a_write_ahead_log_without_an_end_is_found() -> None:
    assert "write-ahead log reached 100 MB" in wrong(series(wal=lambda m: 10 * m))


def test_failures_and_standstills_are_found() -> None:
    assert "1 requests failed" in wrong(series(failed=lambda m: int(m == 3)))
    assert "without any writes" in wrong(series(writes=lambda m: 300 * int(m < 8)))


def test_too_short_a_soak_says_nothing() -> None:
    with pytest.raises(ValueError, match="let it run longer"):
        judged(series(minutes=1))


def test_a_percentile_is_one_of_the_numbers() -> None:
    assert (at([], 0.5), at([7.0], 0.99), at([1.0, 2.0, 3.0], 0.5)) == (0.0, 7.0, 2.0)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="the gauge reads /proc")
def test_a_short_soak_measures_a_service_at_work(tmp_path: Path) -> None:
    wanted = Wanted(seconds=3, every=1, rate=40, visitors=2, spectators=2, battles=2, stored=400)
    samples = soak(wanted, str(tmp_path / "soak.db"), tmp_path)
    assert len(samples) >= 3
    assert sum(sample.writes for sample in samples) > 0
    assert sum(sample.reads for sample in samples) > 0
    assert sum(sample.failed for sample in samples) == 0
    assert all(sample.rss > 20 and sample.handles > 5 and sample.threads > 0 for sample in samples)
    assert "handles" in shown(samples[-1])
