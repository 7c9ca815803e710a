"""The referee's desk: every table that is not private, by the page."""

import re

from starlette.testclient import TestClient

from tests.api.table import Table, open_table, opening


def test_a_row_says_what_is_open(client: TestClient, nme: Table) -> None:
    nme.done("end_turn", "side:red")
    nme.post("/undo", {"to_before": 7, "reason": "too early"}, "side:red")
    nme.post("/disputes", {"about": 7, "reason": "was it over?"}, "side:blue")
    (row,) = client.get("/v1/battles").json()["battles"]
    assert (row["id"], row["turn"], row["side"], row["status"], row["seq"]) == (nme.id, 2, "blue", "playing", nme.head)
    assert row["undo_request"]["by"] == "red"
    assert [dispute["reason"] for dispute in row["disputes"]] == ["was it over?"]
    assert row["tags"] == {"event": "club night", "round": "1", "table": "3"}


def test_more_private_battles_than_a_page_hide_nothing(client: TestClient) -> None:
    first = open_table(client, "mfd")
    for _ in range(205):
        client.post("/v1/battles", json=opening("mfd", policy={"private": True}))
    last = open_table(client, "mfd")
    page = client.get("/v1/battles?limit=1").json()
    assert [row["id"] for row in page["battles"]] == [first.id]
    rest = client.get(f"/v1/battles?limit=1&after={page['next']}").json()
    assert [row["id"] for row in rest["battles"]] == [last.id]
    assert rest["next"] is None


def test_filters_and_pages(client: TestClient) -> None:
    tables = [open_table(client, "nme", tags={"event": "cup", "round": str(n % 2)}) for n in range(5)]
    hidden = open_table(client, "nme", policy={"private": True}, tags={"event": "cup"})
    open_table(client, "mfd")
    tables[1].done("end_battle", winner="red")

    def ids(query: str) -> list[str]:
        return [row["id"] for row in client.get(f"/v1/battles?{query}").json()["battles"]]

    assert ids("event=cup") == [table.id for table in tables]
    assert ids("event=cup&round=1") == [tables[1].id, tables[3].id]
    assert ids("status=ended") == [tables[1].id]
    assert ids("event=cup&status=playing") == [table.id for n, table in enumerate(tables) if n != 1]
    assert ids("event=nothing") == []
    assert hidden.id not in ids("")
    seen, url = [], "/v1/battles?limit=2&event=cup"
    while url:
        page = client.get(url)
        seen += [row["id"] for row in page.json()["battles"]]
        found = re.fullmatch(r'<(.*)>; rel="next"', page.headers.get("link", ""))
        url = found.group(1) if found else ""
        assert (page.json()["next"] is None) == (not url)
        assert "event=cup" in url or not url
    assert seen == [table.id for table in tables]
