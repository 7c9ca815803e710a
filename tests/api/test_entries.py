"""The log itself: stored bytes by the page and by the line."""

import json
import re

from tests.api.table import Table


def test_pages_follow_each_other_by_link(nme: Table) -> None:
    for _ in range(5):
        nme.done("end_turn")
    path, pages, seqs = "/entries?limit=7", 0, []
    while path:
        answer = nme.get(path)
        assert answer.status_code == 200
        assert answer.json()["head"] == nme.head
        seqs += [entry["seq"] for entry in answer.json()["entries"]]
        link = answer.headers.get("link", "")
        found = re.fullmatch(r'</v1/battles/[0-9a-f]{32}(/entries\?.*)>; rel="next"', link)
        path, pages = (found.group(1) if found else ""), pages + 1
    assert seqs == list(range(1, nme.head + 1))
    assert pages == -(-nme.head // 7)


def test_the_bytes_are_the_stored_ones(nme: Table) -> None:
    answer = nme.get("/entries")
    assert answer.content == b'{"entries":[%b],"head":%d}' % (b",".join(nme.log().splitlines()), nme.head)


def test_behind_the_head_there_is_nothing(nme: Table) -> None:
    assert nme.get("/entries?after=6").json() == {"entries": [], "head": 6}
    assert nme.get("/entries?after=99").json() == {"entries": [], "head": 6}
    assert nme.get("/entries?after=99", Accept="application/jsonl").content == b""


def test_lines_stream_everything_from_a_place_on(nme: Table) -> None:
    answer = nme.get("/entries?after=4", Accept="application/jsonl")
    assert answer.headers["content-type"].startswith("application/jsonl")
    assert [json.loads(line)["seq"] for line in answer.content.splitlines()] == [5, 6]
    assert answer.content.endswith(b"\n")


def test_the_accept_header_chooses(nme: Table) -> None:
    for accept, kind in (
        ("*/*", "application/json"),
        ("text/html, */*;q=0.8", "application/json"),
        ("application/jsonl, application/json", "application/jsonl"),
        ("application/jsonl;q=0.1, application/json;q=0.2", "application/json"),
        ("application/x-ndjson", "application/jsonl"),
        ("application/jsonl;q=0", "application/json"),
        ("application/jsonl;q=x", "application/json"),
        ("image/png", "application/json"),
        ("", "application/json"),
    ):
        assert nme.get("/entries", Accept=accept).headers["content-type"].startswith(kind), accept
