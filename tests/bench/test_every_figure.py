"""Every figure can be measured: each group of rows runs on a tiny size. What a clock says is nothing to a test."""

from math import isfinite
from pathlib import Path

import pytest

from bench.catalogue import BENCHES, measured
from bench.rows import Row, Wanted, alone, at_least, at_most, row, under
from bench.sizes import TINY, Run

LIMITS = ("odds", "memory of the service when idle", "that p99", "the file of")
"""What these rows begin with has a limit, or nothing, beside it; all others have a floor."""


@pytest.mark.parametrize("name", BENCHES)
def test_a_group_of_rows_can_be_measured(name: str, tmp_path: Path) -> None:
    rows = measured(name, Run(TINY, tmp_path))
    assert rows
    assert len({one.name for one in rows}) == len(rows)
    for one in rows:
        assert isfinite(one.figure), one.name
        assert one.figure > 0, one.name
        assert one.rounds >= 1
        if one.floor is None:
            assert one.name.startswith(LIMITS), one.name
        else:
            assert one.floor > 0, one.name
            assert one.floor_is
            assert one.ratio is not None


def test_a_row_tells_medians_and_the_median_of_the_rounds_own_ratios() -> None:
    told = row("a", "ms", [(2, 1), (3, 2), (40, 10)], at_most(2), "b")
    assert (told.figure, told.floor, told.ratio, told.rounds) == (3, 2, 2, 3)
    assert told.reached is True


@pytest.mark.parametrize(
    ("figure", "floor", "wanted", "reached"),
    [
        (6, 10, at_least(0.6), True),
        (5, 10, at_least(0.6), False),
        (20, 10, at_most(2), True),
        (21, 10, at_most(2), False),
        (39, 1, under(40), True),
        (41, 1, under(40), False),
        (1, 100, None, None),
    ],
)
def test_a_row_says_whether_it_reached_what_was_wanted(
    figure: float, floor: float, wanted: Wanted | None, reached: bool | None
) -> None:
    told: Row = row("a", "ms", [(figure, floor)], wanted, "b")
    assert told.reached is reached
    assert told.plain()["reached"] is reached


def test_a_figure_without_a_floor_is_held_to_its_own_limit() -> None:
    assert alone("a", "MB", [3, 1, 2], under(2)).reached is True
    assert alone("a", "MB", [3, 3, 2], under(2)).reached is False
    assert alone("a", "MB", [3], at_most(2)).reached is False
