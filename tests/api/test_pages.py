"""All pages: hostile names are escaped, private battles ask for a seat, and one style sheet is all that is fetched."""

import re
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.api.page import SUMP, WIDE, page
from tests.api.table import open_table

EVIL = "<script>alert(1)</script>\"><img src=x onerror=alert(1)>'&amp;"


def test_every_link_leads_somewhere(recorded: TestClient) -> None:
    for start in (f"/battles/{SUMP}", f"/battles/{WIDE}?at=240", f"/battles/{SUMP}/entries/111", "/"):
        read = page(recorded.get(start))
        for link in {*read.links(), *(f["href"] for tag, f in read.tags if tag == "link")}:
            where = f"{start.partition('?')[0]}{link}" if link.startswith("?") else link
            if link.startswith("#"):
                assert link[1:] in read.ids
            else:
                assert recorded.get(where.partition("#")[0]).status_code == 200, link


def test_the_style_sheet_is_served(client: TestClient) -> None:
    answer = client.get("/static/pages.css")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/css")
    for words in ("prefers-color-scheme: dark", "@media print", ":focus-visible", ".skip:focus"):
        assert words in answer.text
    assert "url(" not in answer.text
    assert "@import" not in answer.text


@pytest.mark.parametrize("path", ["/", "/?limit=2&after=1", f"/battles/{WIDE}", f"/battles/{WIDE}/entries/240"])
def test_there_is_a_space_between_what_stands_in_a_line(path: str, recorded: TestClient) -> None:
    html = recorded.get(path).text
    inline = "a|span|strong|del|time|code"
    assert re.findall(rf".{{30}}</(?:{inline})><(?:{inline})\b.{{30}}", html) == []
    assert re.findall(rf".{{30}}</(?:{inline})>\w.{{30}}|.{{30}}\w<(?:{inline})\b.{{30}}", html) == []


def test_hostile_names_are_shown_as_they_are(client: TestClient) -> None:
    figs: list[dict[str, Any]] = [
        {"id": "a", "name": EVIL, "side": "red", "x": 3, "y": 3, "bs": 3},
        {"id": "b", "name": EVIL, "side": "blue", "x": 9, "y": 9, "bs": 3},
    ]
    sides = [{"id": "red", "name": EVIL}, {"id": "blue", "name": EVIL}]
    tags = {"event": EVIL, "round": EVIL, "table": EVIL}
    table = open_table(client, "nme", title=EVIL, figs=figs, sides=sides, tags=tags, terrain=[])
    table.done("move", "side:red", fig="a", to={"x": 4, "y": 3})
    table.post("/disputes", {"about": 1, "reason": EVIL}, "side:blue")
    table.post("/rulings", {"rule": EVIL, "reason": EVIL})
    table.post("/undo", {"to_before": 6, "reason": EVIL}, "side:red")
    table.post("/branches", {"title": EVIL})
    for path in ("/", f"/battles/{table.id}", f"/battles/{table.id}/entries/1", f"/?event={EVIL}"):
        answer = client.get(path)
        read = page(answer)
        assert EVIL in read.text or path.startswith("/?"), path
        assert "<img" not in answer.text
        assert "<script" not in answer.text


def test_a_private_battle_asks_for_a_seat(client: TestClient) -> None:
    table = open_table(client, "nme", title="Behind closed doors", policy={"private": True})
    assert "Behind closed doors" not in page(client.get("/")).text
    for path in (f"/battles/{table.id}", f"/battles/{table.id}/entries/1", f"/battles/{table.id}/log.jsonl"):
        answer = client.get(path)
        read = page(answer, 401)
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert "this battle is private" in read.text
        assert "Behind closed doors" not in read.text
        for seat in ("referee", "side:red", "spectator"):
            assert client.get(path, headers=table.headers(seat)).status_code == 200
        page(client.get(path, headers={"Authorization": "Bearer nobody"}), 401)
        page(client.get(path, headers={"Authorization": "Basic nobody"}), 401)
    branch = table.post("/branches", {"title": "Behind other doors"}).json()
    inside = client.get(f"/battles/{branch['id']}", headers={"Authorization": f"Bearer {branch['seats']['referee']}"})
    assert "Behind other doors" in page(inside).text
    assert "tree-head" not in inside.text, "a tree names no other private battle"


ABSENT = [
    (f"/battles/{'0' * 32}", 404),
    ("/battles/nope", 404),
    (f"/battles/{SUMP}?at=290", 404),
    (f"/battles/{SUMP}?at=0", 422),
    (f"/battles/{SUMP}?at=soon", 422),
    (f"/battles/{SUMP}/entries/290", 404),
    (f"/battles/{SUMP}/entries/0", 404),
    (f"/battles/{SUMP}/entries/x", 404),
    ("/?limit=0", 422),
    ("/?after=-1", 422),
]


@pytest.mark.parametrize(("path", "status"), ABSENT)
def test_what_is_not_there_is_a_page_that_says_so(path: str, status: int, recorded: TestClient) -> None:
    read = page(recorded.get(path), status)
    assert f"Status {status}" in read.text
    assert "/" in read.links()


def test_behind_a_proxy_links_keep_their_prefix(recorded: TestClient) -> None:
    answer = TestClient(recorded.app, root_path="/league").get("/league/")
    assert f"/league/battles/{SUMP}" in page(answer).links()
    assert 'href="/league/static/pages.css"' in answer.text
