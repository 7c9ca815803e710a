"""The page of all battles: filters, pages, and first what needs a referee."""

from starlette.testclient import TestClient

from tests.api.page import SUMP, YARD, page
from tests.api.table import Table, open_table


def test_the_desk_lists_battles(recorded: TestClient) -> None:
    read = page(recorded.get("/"))
    assert f"/battles/{SUMP}" in read.links()
    for words in ("The Sump Crossing", "N:ME", "closed", "Undercity League, round 3, table 2", "what if"):
        assert words in read.text


def test_the_desk_filters(recorded: TestClient) -> None:
    assert f"/battles/{YARD}" not in page(recorded.get("/?event=Undercity+League")).links()
    assert f"/battles/{YARD}" in page(recorded.get("/?event=&round=1&status=closed")).links()
    assert "no battle here that fits" in page(recorded.get("/?event=nowhere")).text
    kept = page(recorded.get("/?event=Harbour+Day&round=1&status=closed"))
    assert ("input", {"id": "event", "name": "event", "maxlength": "80", "value": "Harbour Day"}) in kept.tags
    assert ("option", {"selected": ""}) in kept.tags


def test_the_desk_has_pages(recorded: TestClient) -> None:
    found, path, looks = set(), "/?limit=2", 0
    while path:
        read = page(recorded.get(path))
        found |= {link for link in read.links() if link.startswith("/battles/")}
        path = next((f["href"] for tag, f in read.tags if tag == "a" and f.get("rel") == "next"), "")
        looks += 1
    assert (len(found), looks) == (5, 3)


def test_the_desk_shows_what_needs_a_referee(nme: Table) -> None:
    nme.post("/disputes", {"about": 1, "reason": "who begins?"}, "side:red")
    read = page(nme.client.get("/"))
    assert "1 open dispute" in read.text
    assert "who begins?" in page(nme.client.get(f"/battles/{nme.id}")).text


def test_the_desk_puts_first_what_needs_a_referee_and_names_sides(client: TestClient) -> None:
    quiet = open_table(client, "nme", title="Quiet")
    loud = open_table(client, "nme", title="Loud")
    ended = loud.done("end_turn", "side:red")
    loud.post("/disputes", {"about": 1, "reason": "who begins?"}, "side:red")
    asked = loud.post("/undo", {"to_before": ended["action"], "reason": "too early"}, "side:red")
    assert asked.status_code == 201
    read = page(client.get("/"))
    rows = [link for link in read.links() if link.startswith("/battles/")]
    assert rows == [f"/battles/{loud.id}", f"/battles/{quiet.id}"]
    words = " ".join(read.text.split())
    assert "1 open dispute; undo asked by Red Dogs" in words
    assert "Blue Crew" in words, "whose turn it is"
    assert "in the order in which they were stored here" in words
