"""Lengths, directions and shapes, in integers: exactly ten inches is exactly ten inches."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from domain.measures import (
    TOUCH,
    Point,
    Vector,
    crosses,
    facing_of,
    in_arc,
    inches,
    inside,
    length,
    near_segment,
    orientation,
    overlapping,
    squared,
    touching,
    within,
)

thous = st.integers(-100_000, 100_000)
small = st.integers(-6, 6)
points = st.builds(Point, thous, thous)
grid = st.builds(Point, small, small)
"""Points that often lie on one line."""

# --- directions ---


def test_a_facing_is_the_cosine_and_sine_to_the_nearest_millionth() -> None:
    for degrees in range(361):
        facing, angle = facing_of(degrees), math.radians(degrees)
        assert abs(facing.x - 1e6 * math.cos(angle)) <= 0.5, degrees
        assert abs(facing.y - 1e6 * math.sin(angle)) <= 0.5, degrees


@pytest.mark.parametrize(
    ("degrees", "x", "y"),
    [(0, 1, 0), (90, 0, 1), (180, -1, 0), (270, 0, -1), (360, 1, 0), (450, 0, 1), (-90, 0, -1)],
)
def test_right_angles_are_exact(degrees: int, x: int, y: int) -> None:
    assert facing_of(degrees) == Vector(1_000_000 * x, 1_000_000 * y)


def test_the_opposite_direction_is_exactly_opposite() -> None:
    for degrees in range(180):
        there, back = facing_of(degrees), facing_of(degrees + 180)
        assert (there.x, there.y) == (-back.x, -back.y), degrees


def test_each_degree_is_a_direction_of_its_own() -> None:
    for degrees in range(360):
        here, there = facing_of(degrees), facing_of(degrees + 1)
        assert here.x * there.y - here.y * there.x > 0, degrees


# --- distances ---


@given(points, points)
def test_a_distance_is_the_same_both_ways(a: Point, b: Point) -> None:
    assert squared(a, b) == squared(b, a) == (a.x - b.x) ** 2 + (a.y - b.y) ** 2


@given(st.integers(0, 10**12))
@example(0)
@example(100_000_000)
@example(100_000_001)
def test_a_length_is_rounded_up_and_exact_where_it_can_be(square: int) -> None:
    root = length(square)
    assert root * root >= square
    assert root == 0 or (root - 1) ** 2 < square


@given(st.integers(0, 10**6))
def test_a_whole_length_is_within_itself_and_not_within_less(thou: int) -> None:
    assert within(thou * thou, thou)
    assert not within(thou * thou + 1, thou)
    assert length(thou * thou) == thou


@pytest.mark.parametrize(
    ("x", "limit", "holds"),
    [(10_000, 10_000, True), (10_001, 10_000, False), (9999, 10_000, True), (0, 0, True), (1, 0, False)],
)
def test_limits_are_inclusive(x: int, limit: int, holds: bool) -> None:
    assert within(squared(Point(0, 0), Point(x, 0)), limit) is holds


@given(thous)
@example(0)
@example(-500)
@example(100_000)
def test_inches_are_written_without_loss_and_without_idle_digits(thou: int) -> None:
    text = inches(thou)
    assert Decimal(text) * 1000 == thou
    assert text == "0" or not text.startswith(("+", "."))
    assert "." not in text or text[-1] in "123456789"


@pytest.mark.parametrize(
    ("thou", "text"),
    [(0, "0"), (1, "0.001"), (500, "0.5"), (1000, "1"), (10_500, "10.5"), (100_000, "100"), (-1250, "-1.25")],
)
def test_inches_as_people_write_them(thou: int, text: str) -> None:
    assert inches(thou) == text


# --- the arc to the front ---

NORTH = Vector(0, 1_000_000)
HERE = Point(10_000, 10_000)


@pytest.mark.parametrize(
    ("x", "y", "radius", "seen"),
    [
        (10_000, 20_000, 0, True),
        (10_000, 0, 500, False),
        (20_000, 10_000, 0, True),
        (0, 10_000, 0, True),
        (20_000, 9999, 0, False),
        (20_000, 9500, 500, True),
        (20_000, 9499, 500, False),
        (-90_000, 9500, 500, True),
        (10_000, 9501, 500, True),
    ],
    ids=[
        "ahead",
        "behind",
        "on the line, right",
        "on the line, left",
        "a hair behind the line",
        "the edge of the base on the line",
        "the edge of the base a hair behind it",
        "far away, the edge on the line",
        "right behind the heels",
    ],
)
def test_whatever_shows_of_a_base_ahead_is_seen(x: int, y: int, radius: int, seen: bool) -> None:
    assert in_arc(HERE, NORTH, Point(x, y), radius) is seen


@pytest.mark.parametrize(("radius", "seen"), [(500, True), (499, False)])
@pytest.mark.parametrize("facing", [Vector(3, 4), Vector(4, -3), Vector(-5, 12), Vector(-8, -15)])
def test_the_edge_of_a_base_counts_whichever_way_one_looks(facing: Vector, radius: int, seen: bool) -> None:
    unit = math.isqrt(facing.x**2 + facing.y**2)
    behind = Point(HERE.x * unit - 500 * facing.x, HERE.y * unit - 500 * facing.y)
    assert in_arc(Point(HERE.x * unit, HERE.y * unit), facing, behind, radius * unit) is seen


@given(points, st.integers(0, 359), points, st.integers(1, 1000))
def test_only_the_direction_of_a_facing_counts(at: Point, degrees: int, other: Point, times: int) -> None:
    facing = facing_of(degrees)
    longer = Vector(facing.x * times, facing.y * times)
    assert in_arc(at, facing, other, 500) == in_arc(at, longer, other, 500)


@given(points, st.integers(0, 359), points)
def test_a_point_is_ahead_or_behind_and_on_the_line_it_is_both(at: Point, degrees: int, other: Point) -> None:
    facing = facing_of(degrees)
    back = Vector(-facing.x, -facing.y)
    ahead, behind = in_arc(at, facing, other, 0), in_arc(at, back, other, 0)
    on_line = facing.x * (other.x - at.x) + facing.y * (other.y - at.y) == 0
    assert (ahead and behind) is on_line
    assert ahead or behind


@given(points, st.integers(0, 359), points, st.integers(0, 2000), st.integers(0, 2000))
def test_more_of_a_larger_base_is_seen(at: Point, degrees: int, other: Point, radius: int, more: int) -> None:
    facing = facing_of(degrees)
    assert in_arc(at, facing, other, radius + more) or not in_arc(at, facing, other, radius)


# --- bases ---


@pytest.mark.parametrize(
    ("gap", "contact", "on_top"),
    [
        (0, True, False),
        (TOUCH, True, False),
        (TOUCH + 1, False, False),
        (-TOUCH, True, False),
        (-TOUCH - 1, True, True),
    ],
    ids=["edge to edge", "as far as hands go", "a hair farther", "as close as hands go", "a hair closer"],
)
def test_bases_touch_give_or_take_what_hands_do(gap: int, contact: bool, on_top: bool) -> None:
    a, b = Point(0, 0), Point(1000 + gap, 0)
    assert touching(a, 1000, b, 1000) is contact
    assert overlapping(a, 1000, b, 1000) is on_top


def test_bases_so_small_that_no_hand_could_tell_never_overlap() -> None:
    assert not overlapping(Point(0, 0), 40, Point(0, 0), 40)


def test_bases_of_odd_size_are_measured_to_the_half_thou() -> None:
    assert touching(Point(0, 0), 1001, Point(1050, 0), 1000)
    assert not touching(Point(0, 0), 1001, Point(1051, 0), 1000)
    assert overlapping(Point(0, 0), 1001, Point(950, 0), 1000)
    assert not overlapping(Point(0, 0), 1000, Point(950, 0), 1000)


@given(points, points, st.integers(100, 20_000), st.integers(100, 20_000))
def test_whoever_stands_on_somebody_touches_him(a: Point, b: Point, one: int, other: int) -> None:
    assert touching(a, one, b, other) or not overlapping(a, one, b, other)
    assert touching(a, one, b, other) == touching(b, other, a, one)
    assert overlapping(a, one, b, other) == overlapping(b, other, a, one)


@given(points, st.integers(100, 20_000), st.integers(100, 20_000))
def test_nobody_stands_where_another_stands(at: Point, one: int, other: int) -> None:
    assert overlapping(at, one, at, other)


# --- lines ---


def met(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether two segments meet, by fractions."""
    run = (b.x - a.x) * (d.y - c.y) - (b.y - a.y) * (d.x - c.x)
    if run:
        s = Fraction((c.x - a.x) * (d.y - c.y) - (c.y - a.y) * (d.x - c.x), run)
        t = Fraction((c.x - a.x) * (b.y - a.y) - (c.y - a.y) * (b.x - a.x), run)
        return 0 <= s <= 1 and 0 <= t <= 1
    if orientation(a, b, c) or orientation(a, b, d) or orientation(c, d, a):
        return False
    lows, highs = sorted([(a.x, a.y), (b.x, b.y)]), sorted([(c.x, c.y), (d.x, d.y)])
    return max(lows[0], highs[0]) <= min(lows[1], highs[1])


@given(grid, grid, grid, grid)
def test_segments_meet_where_fractions_say_so(a: Point, b: Point, c: Point, d: Point) -> None:
    assert crosses(a, b, c, d) is met(a, b, c, d)


@given(points, points, points, points)
def test_it_makes_no_difference_from_which_end_one_looks(a: Point, b: Point, c: Point, d: Point) -> None:
    assert crosses(a, b, c, d) == crosses(b, a, c, d) == crosses(c, d, a, b) == crosses(d, c, b, a)


@given(points, points, points)
def test_a_segment_meets_whatever_begins_on_it(a: Point, b: Point, c: Point) -> None:
    assert crosses(a, b, a, c)
    assert crosses(a, b, c, b)
    assert crosses(a, a, a, a)


@given(grid, grid, grid)
def test_orientation_turns_round_with_the_points(a: Point, b: Point, c: Point) -> None:
    assert orientation(a, b, c) == -orientation(b, a, c) == orientation(b, c, a)
    assert orientation(a, a, c) == 0


@given(grid, grid, grid, st.integers(0, 4))
@example(Point(0, 0), Point(2, 0), Point(-2, 0), 1)
@example(Point(0, 0), Point(2, 0), Point(4, 0), 1)
@example(Point(1, 1), Point(1, 1), Point(1, 3), 2)
def test_how_near_a_segment_is_by_fractions(a: Point, b: Point, p: Point, reach: int) -> None:
    run = squared(a, b)
    along = Fraction((p.x - a.x) * (b.x - a.x) + (p.y - a.y) * (b.y - a.y), run) if run else Fraction(0)
    at = min(max(along, Fraction(0)), Fraction(1))
    dx, dy = a.x + at * (b.x - a.x) - p.x, a.y + at * (b.y - a.y) - p.y
    assert near_segment(a, b, p, reach) is (dx * dx + dy * dy <= reach * reach)


# --- polygons ---

SQUARE = (Point(0, 0), Point(10, 0), Point(10, 10), Point(0, 10))
HORSESHOE = (
    Point(0, 0),
    Point(9, 0),
    Point(9, 9),
    Point(6, 9),
    Point(6, 3),
    Point(3, 3),
    Point(3, 9),
    Point(0, 9),
)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize(
    ("x", "y", "found"),
    [(5, 5, True), (0, 5, True), (10, 10, True), (5, 10, True), (11, 5, False), (-1, 0, False), (5, -1, False)],
)
def test_in_a_square(x: int, y: int, found: bool, order: int) -> None:
    assert inside(SQUARE[::order], Point(x, y)) is found


@pytest.mark.parametrize(
    ("x", "y", "found"),
    [(1, 8, True), (8, 8, True), (4, 8, False), (4, 3, True), (4, 4, False), (5, 1, True), (6, 9, True), (5, 9, False)],
)
def test_in_a_horseshoe(x: int, y: int, found: bool) -> None:
    assert inside(HORSESHOE, Point(x, y)) is found


@given(grid, grid, grid, grid)
def test_in_a_triangle_is_on_the_same_side_of_all_its_edges(a: Point, b: Point, c: Point, p: Point) -> None:
    assume(orientation(a, b, c) != 0)
    turns = {orientation(a, b, p), orientation(b, c, p), orientation(c, a, p)}
    beyond_an_edge = {1, -1} <= turns
    assert inside((a, b, c), p) == (not beyond_an_edge)


@given(st.lists(grid, min_size=3, max_size=7), grid, st.integers(0, 6))
def test_it_makes_no_difference_where_a_polygon_begins_or_which_way_it_runs(
    corners: list[Point], p: Point, turn: int
) -> None:
    polygon = tuple(corners)
    first = turn % len(polygon)
    found = inside(polygon, p)
    assert inside(polygon[first:] + polygon[:first], p) is found
    assert inside(polygon[::-1], p) is found


@given(st.lists(grid, min_size=3, max_size=7))
def test_the_corners_of_a_polygon_lie_in_it(corners: list[Point]) -> None:
    assert all(inside(tuple(corners), corner) for corner in corners)
