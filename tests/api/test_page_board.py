"""The board of a battle's page: drawn to scale, told by shapes and words, and no word lies on another."""

import re
from typing import Any

from starlette.testclient import TestClient

from tests.api.page import SUMP
from tests.api.table import Table, open_table, opening


def test_status_is_told_by_words_on_the_board(recorded: TestClient) -> None:
    html = recorded.get(f"/battles/{SUMP}?at=214").text
    words = re.findall(r'<text class="state"[^>]*>(\w+)</text>', html)
    assert sorted(words) == ["down", "pinned", "pinned"]


def test_two_to_eight_sides_have_shapes_of_their_own(client: TestClient) -> None:
    sides = [{"id": f"s{n}", "name": f"Side {n}"} for n in range(8)]
    figs = [{"id": f"f{n}", "side": f"s{n}", "x": 2 + 3 * n, "y": 5, "bs": 3} for n in range(8)]
    table = open_table(client, "nme", sides=sides, figs=figs, terrain=[])
    html = client.get(f"/battles/{table.id}").text
    legend = re.findall(r'<g class="fig side-(\d)">(<circle|<polygon points="([^"]+)")', html)
    assert [side for side, _, _ in legend] == list("01234567")
    assert len({points.count(",") for _, _, points in legend}) == 8


def test_the_last_action_leaves_its_trail(nme: Table) -> None:
    def trail() -> list[tuple[str, str]]:
        html = nme.client.get(f"/battles/{nme.id}").text
        return re.findall(r'<path class="trail (\w+)" d="([^"]+)"/>', html)

    assert trail() == []
    nme.done("move", "side:red", fig="sarge", to={"x": 12, "y": 10})
    ((kind, line),) = trail()
    assert kind == "move"
    assert line == "M10.0 38.0 L12.0 38.0"
    nme.done("shoot", "side:red", fig="sarge", weapon="stub-gun", target="ganger", dice=[1, 2, 1, 1, 1])
    ((kind, line),) = trail()
    assert (kind, line) == ("shot", "M12.0 38.0 L17.0 38.0")
    away = {"fig": "ganger", "field": "x", "value": 45}
    assert nme.post("/rulings", {"rule": "table", "reason": "a sleeve", "changes": [away]}).status_code == 201
    nme.done("end_turn", "side:red")
    nme.done("end_turn", "side:blue")
    nme.done("shoot", "side:red", fig="sarge", weapon="stub-gun", point={"x": 40, "y": 8}, dice=[1, 2, 1, 1, 1])
    assert trail() == [("shot", "M12.0 38.0 L40.0 40.0")]


def test_a_table_that_is_mostly_empty_is_drawn_in_part(client: TestClient) -> None:
    table = open_table(client, "nme")
    html = client.get(f"/battles/{table.id}").text
    assert "x 7 to 27 and y 5 to 15 of 48 by 48 inches." in html
    assert 'viewBox="5.8 32.6 21.7 11.8"' in html
    assert '<rect class="field" x="7" y="33" width="20" height="10"/>' in html
    far = open_table(client, "nme", figs=[f | {"x": 3 + 40 * n, "y": 3 + 40 * n} for n, f in enumerate(_figs())])
    html = client.get(f"/battles/{far.id}").text
    assert "Drawn is" not in html
    assert 'class="scroll board large"' in html, "letters are larger where an inch is small"


def _figs() -> list[dict[str, Any]]:
    figs: list[dict[str, Any]] = opening("nme")["figs"]
    return figs


def test_no_word_lies_on_a_fig_or_on_another_word(client: TestClient) -> None:
    corners = [{"x": 8, "y": 8}, {"x": 14, "y": 8}, {"x": 14, "y": 14}, {"x": 8, "y": 14}]
    terrain = [{"id": f"ruin-{n}", "kind": "area", "cover": "cover", "points": corners} for n in range(3)]
    figs = [
        {"id": "a", "side": "red", "x": 11, "y": 11, "bs": 3},
        {"id": "b", "side": "blue", "x": 11, "y": 9.9, "bs": 3},
    ]
    html = client.get(f"/battles/{open_table(client, 'nme', figs=figs, terrain=terrain).id}").text
    places = re.findall(r'<text class="name" x="([\d.]+)" y="([\d.]+)">', html)
    assert len(set(places)) == 3
    for x, y in places:
        assert not (10.4 < float(x) < 11.6 and 36.4 < float(y) < 38.7), "on a fig"
