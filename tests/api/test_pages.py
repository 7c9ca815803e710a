"""The pages: what is shown, that it is escaped, and that a browser needs nothing but one style sheet for it."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from api.app import create_app
from api.seats import new_secret
from api.settings import Settings
from replays.examine import examine
from replays.imports import import_log
from tests.api.table import Table, open_table, opening
from tests.recorded_battles import RECORDED

SUMP = "5e1f0c2a9d7b4e6688aa010203040506"
YARD = "0b51c4e0f7a84d3c9e2d112233445566"
HELD = "c0ffee11d0a94b7f8e6a5b4c3d2e1f00"
WIDE = "d15c0de5a1b24c3d8e9f00112233aabb"
EVIL = "<script>alert(1)</script>\"><img src=x onerror=alert(1)>'&amp;"
VOID = {"meta", "link", "input", "br", "img", "path", "circle", "polygon", "polyline", "rect"}


class Page(HTMLParser):
    """A page, read strictly: every tag closed, every id once."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.ids: list[str] = []
        self.text = ""
        self.struck = ""
        self.feed(html)
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.append((tag, found))
        if "id" in found:
            assert found["id"] not in self.ids, found["id"]
            self.ids.append(found["id"])
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, (tag, self.getpos())

    def handle_data(self, data: str) -> None:
        self.text += data
        if "del" in self.open:
            self.struck += data

    def links(self) -> list[str]:
        return [found["href"] for tag, found in self.tags if tag == "a"]

    def count(self, tag: str) -> int:
        return [name for name, _ in self.tags].count(tag)


def page(answer: Response, status: int = 200) -> Page:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    read = Page(answer.text)
    for tag, found in read.tags:
        assert tag not in {"script", "style", "iframe", "object", "embed", "base"}
        assert not any(name == "style" or name.startswith("on") for name in found), (tag, found)
        assert not any(re.match(r"(?i)(https?:)?//|data:|javascript:", value) for value in found.values()), found
    assert ("html", {"lang": "en"}) in read.tags
    assert read.count("h1") == 1
    assert read.count("table") == read.count("caption")
    assert all("scope" in found for tag, found in read.tags if tag == "th")
    assert read.tags[[tag for tag, _ in read.tags].index("a")][1] == {"class": "skip", "href": "#main"}
    references = [w for _, f in read.tags for name in ("aria-labelledby", "for") for w in f.get(name, "").split()]
    assert set(references) <= set(read.ids)
    return read


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The service with the recorded battles, which nobody changes."""
    data = tmp_path_factory.mktemp("pages") / "battles.db"
    app = create_app(Settings(database=str(data), log_format="none", rate=0))
    for log in sorted(RECORDED.glob("*.jsonl")):
        import_log(app.state.house.store, examine(log.read_bytes().splitlines()), new_secret)
    with TestClient(app) as client:
        yield client


# --- the desk ---------------------------------------------------------------------------------------------------------


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


# --- a battle ---------------------------------------------------------------------------------------------------------


def test_a_battle_shows_its_table_log_and_reports(recorded: TestClient) -> None:
    read = page(recorded.get(f"/battles/{SUMP}"))
    for words in (
        "Sump Crows wins.",
        'Mother Rook runs 6.14" to (9, 11.3).',
        "ammo 2 4; to hit 5 5 2 5 1 3",
        "Old Wick of Lamplighters is down: by Jackdaw with the autogun",
        "Dispute 1, settled by a ruling",
        "Snuff is pinned instead of down",
        "What if Mother Rook's boltgun had not jammed?",
        "in combat with snuff",
    ):
        assert words in read.text
    assert 'Magpie walks 3.985" to (12.3, 11.8).' in read.struck
    assert "Struck out by Sump Crows, Lamplighters agreed, entry 83: we forgot Jackdaw's initiative test" in read.text
    assert "boltgun" in read.struck, "a useless weapon"
    shapes = [tag for tag, _ in read.tags]
    assert "svg" in shapes
    assert "down" in {f["class"].split()[-1] for tag, f in read.tags if tag == "g" and "fig" in f["class"]}


def test_status_is_told_by_words_on_the_board(recorded: TestClient) -> None:
    html = recorded.get(f"/battles/{SUMP}?at=214").text
    words = re.findall(r'<text class="state"[^>]*>(\w+)</text>', html)
    assert sorted(words) == ["down", "pinned", "pinned"]


def test_a_moment_of_a_battle(recorded: TestClient) -> None:
    read = page(recorded.get(f"/battles/{SUMP}?at=80"))
    assert "This is the table after entry 80 of 289, as it was known then." in read.text
    assert not read.struck
    assert "The battle goes on: turn 3, Sump Crows." in read.text
    assert "a" in [tag for tag, f in read.tags if f.get("rel") == "next" and f["href"] == "?at=81"]


def test_moments_lead_from_the_first_to_the_last(recorded: TestClient) -> None:
    def leads(query: str) -> dict[str, str]:
        tags = page(recorded.get(f"/battles/{WIDE}{query}")).tags
        return {f["rel"]: f["href"] for tag, f in tags if tag == "a" and f.get("rel") in ("prev", "next")}

    moment, moments = leads("?at=31"), ["?at=31"]
    assert "prev" not in moment, "the muster ends there"
    while "next" in moment:
        moments.append(moment["next"])
        moment = leads(moment["next"])
        assert moment["prev"] == moments[-2]
    assert moments[-1] == "?at=249"
    assert len(moments) == 50


@pytest.mark.parametrize("at", [1, 5, 20, 133, 287])
def test_a_moment_in_the_middle_of_an_action_can_be_looked_at(at: int, recorded: TestClient) -> None:
    assert f"after entry {at} of 289" in page(recorded.get(f"/battles/{SUMP}?at={at}")).text


def test_every_link_leads_somewhere(recorded: TestClient) -> None:
    for start in (f"/battles/{SUMP}", f"/battles/{WIDE}?at=240", f"/battles/{SUMP}/entries/111", "/"):
        read = page(recorded.get(start))
        for link in {*read.links(), *(f["href"] for tag, f in read.tags if tag == "link")}:
            where = f"{start.partition('?')[0]}{link}" if link.startswith("?") else link
            if link.startswith("#"):
                assert link[1:] in read.ids
            else:
                assert recorded.get(where.partition("#")[0]).status_code == 200, link


def test_a_what_if_is_marked_and_stands_in_its_tree(recorded: TestClient) -> None:
    read = page(recorded.get(f"/battles/{WIDE}"))
    assert "What if. This is no record of what was played" in read.text
    assert {f"/battles/{YARD}", f"/battles/{HELD}", f"/battles/{HELD}?at=225"} <= set(read.links())
    assert ("strong", {"aria-current": "page"}) in read.tags
    assert "inherited" in read.text


def test_a_long_log_shows_its_latest_turns(recorded: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.pages.scene.MOST_LINES", 10)
    read = page(recorded.get(f"/battles/{SUMP}"))
    assert "Turn 1, Sump Crows" not in read.text
    (more,) = [link for link in read.links() if "log=all" in link]
    assert "Turn 1, Sump Crows" in page(recorded.get(f"/battles/{SUMP}{more.partition('#')[0]}")).text


def test_why_an_entry_is_as_it_is(recorded: TestClient) -> None:
    read = page(recorded.get(f"/battles/{SUMP}/entries/80"))
    for words in ("Why entry 80?", "ammo roll 2, 5 passed", '3 hits reach 15"', "NME-20", "Ember is in cover"):
        assert words in read.text
    assert "Ember is pinned to the ground" in read.struck
    modified = page(recorded.get(f"/battles/{YARD}/entries/65"))
    assert "-3 the target is fully behind cover (MFD-14)" in modified.text


def test_every_entry_has_a_page(recorded: TestClient) -> None:
    for battle, last in ((SUMP, 289), (WIDE, 249)):
        for seq in range(1, last + 1, 7):
            page(recorded.get(f"/battles/{battle}/entries/{seq}"))


def test_the_log_is_there_to_take_away(recorded: TestClient) -> None:
    answer = recorded.get(f"/battles/{SUMP}/log.jsonl")
    assert answer.content == (RECORDED / "nme-sump-crossing.jsonl").read_bytes()
    assert answer.headers["content-type"] == "application/jsonl"
    assert f'"{SUMP}.jsonl"' in answer.headers["content-disposition"]


def test_the_style_sheet_is_served(client: TestClient) -> None:
    answer = client.get("/static/pages.css")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/css")
    for words in ("prefers-color-scheme: dark", "@media print", ":focus-visible", ".skip:focus"):
        assert words in answer.text
    assert "url(" not in answer.text
    assert "@import" not in answer.text


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


def test_words_do_not_run_together(recorded: TestClient) -> None:
    words = " ".join(page(recorded.get(f"/battles/{WIDE}")).text.split())
    assert "What if Lugger had held his fire? parts after entry 211, playing" in words
    assert re.search(r"\w\.?inherited", words) is None
    assert " inherited" in words


@pytest.mark.parametrize("path", ["/", "/?limit=2&after=1", f"/battles/{WIDE}", f"/battles/{WIDE}/entries/240"])
def test_there_is_a_space_between_what_stands_in_a_line(path: str, recorded: TestClient) -> None:
    html = recorded.get(path).text
    inline = "a|span|strong|del|time|code"
    assert re.findall(rf".{{30}}</(?:{inline})><(?:{inline})\b.{{30}}", html) == []
    assert re.findall(rf".{{30}}</(?:{inline})>\w.{{30}}|.{{30}}\w<(?:{inline})\b.{{30}}", html) == []


def test_turns_have_their_own_numbers(recorded: TestClient) -> None:
    read = page(recorded.get(f"/battles/{SUMP}"))
    assert {"muster", "turn-1", "turn-2", "turn-10"} <= set(read.ids)
    assert re.search(r'id="turn-2">Turn 2,', recorded.get(f"/battles/{SUMP}").text)


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


def test_in_a_line_nobody_is_left_without_a_name(recorded: TestClient) -> None:
    told = page(recorded.get(f"/battles/{YARD}")).text
    line = "hit, Fender out of the battle, Fuel drum out of the battle, Lugger saved by armour."
    assert f"Anvil shoots Fuel drum with the mortar: {line}" in told


def test_who_rolled_is_told(recorded: TestClient) -> None:
    rolls = page(recorded.get(f"/battles/{YARD}/entries/72"))
    assert "Who" in rolls.text
    assert re.search(r"<td>Anvil</td><td>to hit", recorded.get(f"/battles/{YARD}/entries/65").text)
    assert "for " in rolls.text


# --- hostile, private and absent --------------------------------------------------------------------------------------


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
