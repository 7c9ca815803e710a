"""What a soak says. Law: the bounds are stated here, and a sample that was left out is part of the warm-up.

Memory is a least-squares line through every sample after the warm-up. Handles and threads come and go with followers;
the middle of the last third is held against that of the first.
"""

from collections.abc import Sequence
from statistics import linear_regression, median
from typing import Any, Final

from tests.history.soak.gauge import Sample

WARM_UP: Final = 0.3
"""The part of the run in which caches fill."""

RISE: Final = 1.0
"""MB a minute that memory may rise."""

MORE: Final = 4
"""Handles, or threads, that there may be more in the end."""

WAL: Final = 64.0
"""MB that a write-ahead log may reach."""

MEMORY: Final = 600.0
"""MB that the service may use with as many battles at hand as it keeps."""


def judged(samples: Sequence[Sample]) -> dict[str, Any]:
    """The figures that decide, and `wrong`: what was out of bounds, in words."""
    warm = samples[-1].second * WARM_UP
    kept = [sample for sample in samples if sample.second > warm]
    if len(kept) < 6:
        raise ValueError("too few samples to tell a rise from noise: let it run longer")
    rise = 60 * linear_regression([sample.second for sample in kept], [sample.rss for sample in kept]).slope
    handles, threads = (_grown([getattr(sample, name) for sample in kept]) for name in ("handles", "threads"))
    wal, rss = max(sample.wal for sample in samples), max(sample.rss for sample in samples)
    failed = sum(sample.failed for sample in samples)
    bounds = [
        (rise <= RISE, f"memory rises by {rise:.2f} MB a minute; {RISE} is allowed"),
        (rss <= MEMORY, f"memory reached {rss:.0f} MB; {MEMORY:.0f} is allowed"),
        (handles <= MORE, f"{handles:.0f} handles more than after the warm-up; {MORE} are allowed"),
        (threads <= MORE, f"{threads:.0f} threads more than after the warm-up; {MORE} are allowed"),
        (wal <= WAL, f"the write-ahead log reached {wal:.0f} MB; {WAL:.0f} is allowed"),
        (failed == 0, f"{failed} requests failed"),
        (all(sample.writes and sample.reads for sample in kept), "there was a time without any writes, or reads"),
    ]
    return {
        "rise_mb_a_minute": round(rise, 3),
        "highest_mb": rss,
        "handles_more": handles,
        "threads_more": threads,
        "highest_wal_mb": wal,
        "failed": failed,
        "wrong": [text for holds, text in bounds if not holds],
    }


def _grown(numbers: Sequence[int]) -> float:
    third = len(numbers) // 3
    return median(numbers[-third:]) - median(numbers[:third])
