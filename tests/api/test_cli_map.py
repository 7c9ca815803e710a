"""The character map: what stands where, in plain ASCII and at any width."""

from typing import Any

from api.saying import keys
from api.terminal.charmap import drawn
from tests.spec import given, opening, played


def fig(name: str, side: str, x: float, y: float, **more: Any) -> dict[str, Any]:
    return {"id": name, "side": side, "x": x, "y": y, "bs": 3, **more}


def rows(width: int = 40, **body: Any) -> list[str]:
    return drawn(given(opening("nme", **body)), width)


SMALL = {"width": 6, "height": 4}


def test_figs_stand_where_they_stand() -> None:
    figs = [fig("a", "red", 0.5, 0.5), fig("b", "red", 6, 4), fig("c", "blue", 3.2, 1.9)]
    assert rows(figs=figs, table=SMALL) == [
        "+------------+",
        "|          B |",
        "|            |",
        "|      a     |",
        "|A           |",
        "+------------+",
    ]


def test_terrain_shows_its_cover_and_figs_stand_on_it() -> None:
    square = [{"x": 1, "y": 1}, {"x": 3, "y": 1}, {"x": 3, "y": 3}, {"x": 1, "y": 3}]
    terrain = [
        {"id": "box", "kind": "area", "cover": "cover", "points": square},
        {"id": "wall", "kind": "wall", "cover": "unseen", "points": [{"x": 4.5, "y": 0}, {"x": 4.5, "y": 3}]},
    ]
    figs = [fig("a", "red", 1.5, 1.5), fig("b", "blue", 5.5, 3.5)]
    assert rows(figs=figs, table=SMALL, terrain=terrain) == [
        "+------------+",
        "|          a |",
        "|  ::::  |   |",
        "|  A ::  |   |",
        "|        |   |",
        "+------------+",
    ]


def test_a_mark_tells_how_a_fig_is() -> None:
    figs = [fig("a", "red", 1.5, 1.5, weapons=["lasgun"]), fig("b", "blue", 9.5, 1.5), fig("c", "blue", 9.5, 3.5)]
    battle = given(opening("nme", figs=figs, table={"width": 12, "height": 4}))
    shot = {"do": "shoot", "fig": "a", "weapon": "lasgun", "mode": "aimed"}
    pinned = played(battle, {**shot, "target": "b", "dice": [1, 2, 5, 1, 1, 1, 1, 1]})
    assert drawn(pinned, 40)[3] == "|  A               a~    |"
    hidden = played(battle, {"do": "end_turn"}, {"do": "hide", "fig": "c", "cover": "cover"})
    assert drawn(hidden, 40)[1] == "|                  b?    |"
    down = played(battle, {**shot, "target": "b", "dice": [1, 2, 5, 5, 1, 1, 1, 1, 5]})
    assert drawn(down, 40)[3] == "|  A               a_    |"


def test_two_figs_in_one_cell_are_both_hinted_at() -> None:
    figs = [fig("a", "red", 3.05, 3.5, base=0.5), fig("b", "red", 3.8, 3.5, base=0.5), fig("c", "blue", 1, 1)]
    assert "**" in rows(figs=figs, table=SMALL)[1]


def test_a_large_table_is_drawn_small() -> None:
    figs = [fig("a", "red", 1, 1), fig("b", "blue", 990, 990)]
    for width, height in ((1000, 10), (10, 1000), (1000, 1000)):
        places = [figs[0], figs[1] | {"x": width - 2, "y": height - 2}]
        lines = rows(figs=places, table={"width": width, "height": height})
        assert max(map(len, lines)) <= 40
        assert len(lines) <= 62
        assert "A " in "".join(lines)
        assert "a " in "".join(lines)


def test_a_large_force_runs_out_of_letters() -> None:
    figs = [fig(f"r{n}", "red", 2 * (n % 10) + 1, 2 * (n // 10) + 1) for n in range(30)]
    battle = given(opening("nme", figs=[*figs, fig("b", "blue", 20, 20)]))
    assert list(keys(battle).values()) == [*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "*", "*", "*", "*", "a"]


def test_a_third_side_has_digits() -> None:
    sides = [{"id": "red"}, {"id": "blue"}, {"id": "green"}]
    figs = [fig("a", "red", 1, 1), fig("b", "blue", 3, 3), fig("c", "green", 5, 2)]
    assert list(keys(given(opening("nme", figs=figs, sides=sides))).values()) == ["A", "a", "0"]
