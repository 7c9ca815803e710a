"""What bad input gets: the right problem, never a 500, and a log that is byte for byte as before."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.api.table import Table, invalid, open_table, opening, problem

SHOT: dict[str, Any] = {"do": "shoot", "fig": "sarge", "weapon": "stub-gun", "target": "ganger", "mode": "snap"}
ID = "must be 1 to 40 characters out of a to z, 0 to 9 and -"


@pytest.fixture(autouse=True)
def untouched(nme: Table) -> Iterator[None]:
    """Whatever a test here sends, nothing is written."""
    before = nme.log()
    yield
    assert nme.log() == before


def say(body: dict[str, Any]) -> str:
    """The first fault's message."""
    return str(body["errors"][0]["message"])


def test_unknown_things_are_named_and_so_are_the_known(nme: Table) -> None:
    body = invalid(nme.act("move", fig="nobody", to={"x": 1, "y": 1}), "/fig")
    assert body["errors"][0]["legal"] == ["sarge", "ganger"]
    carried = invalid(nme.post("/actions", SHOT | {"weapon": "axe"}), "/weapon")["errors"][0]["legal"]
    assert carried == ["stub-gun", "frag-grenade"]
    invalid(nme.post("/actions", SHOT | {"target": "nobody"}), "/target")
    invalid(nme.act("concede", side="green"), "/side")
    invalid(nme.act("end_battle", winner="green"), "/winner")
    invalid(nme.post("/disputes", {"about": 99, "reason": "why?"}), "/about")
    invalid(nme.post("/rulings", {"about": 99, "rule": "x", "reason": "y"}), "/about")
    invalid(
        nme.post("/rulings", {"rule": "x", "reason": "y", "changes": [{"fig": "nobody", "field": "x", "value": 1}]}),
        "/changes/0/fig",
    )
    assert invalid(nme.post("/branches", {"at": 99}), "/at")["errors"][0]["legal"] == ["6"]
    assert invalid(nme.post("/branches", {"at": 3}), "/at")["errors"][0]["legal"] == ["6"]
    problem(nme.post("/disputes/1/resolve", {"withdrawn": True}), "not-found", 404)
    problem(nme.post("/disputes/x/resolve", {"withdrawn": True}), "not-found", 404)
    problem(nme.post("/undo/0", {"withdraw": True}), "not-found", 404)
    assert problem(nme.post("/undo/7", {"withdraw": True}), "undo-refused", 409)["rule"] == "no-such-request"
    assert problem(nme.post("/undo", {"to_before": 99}), "undo-refused", 409)["rule"] == "unknown-action"


def test_figs_off_the_table_or_on_top_of_each_other(client: TestClient) -> None:
    figs = opening("nme")["figs"]
    figs[0] |= {"x": 0}
    figs[1] |= {"x": 1.5}
    table = open_table(client, "nme", figs=figs)
    for x, rule in ((-0.001, "TABLE-01"), (0.6, "TABLE-02")):
        body = problem(table.act("move", fig="sarge", to={"x": x, "y": 10}), "rule-refused", 409)
        assert body["rule"] == rule
        assert body["legal"]
        there = {"rule": "x", "reason": "y", "changes": [{"fig": "sarge", "field": "x", "value": x}]}
        assert problem(table.post("/rulings", there), "rule-refused", 409)["rule"] == rule
    assert table.head == 6
    for place in ({"x": 48.001}, {"y": -0.001}):
        figs = opening("nme")["figs"]
        figs[1] |= place
        invalid(client.post("/v1/battles", json=opening("nme", figs=figs)), "/figs/1")
    figs = opening("nme")["figs"]
    figs[1] |= {"x": 10.5}
    invalid(client.post("/v1/battles", json=opening("nme", figs=figs)), "/figs/1")
    assert len(client.get("/v1/battles").json()["battles"]) == 2


NUMBERS = {
    b"NaN": "is no number in JSON",
    b"Infinity": "is no number in JSON",
    b"-0": "write 0, not -0",
    b"-0.0": "write 0, not -0",
    b"1e308": "between -1000 and 1000",
    b"-1e308": "between -1000 and 1000",
    b"1e309": "so large",
    b"1e-400": "so small",
    b"1.0001": "at most three decimals",
    b"7" * 10_000: "at most 28 characters",
    b'"1"': "as a number",
    b"true": "as a number",
    b"null": "as a number",
    b"[1]": "as a number",
    b"{}": "as a number",
    b"1000.001": "between -1000 and 1000",
}


@pytest.mark.parametrize(("number", "said"), NUMBERS.items(), ids=range(len(NUMBERS)))
def test_numbers(nme: Table, number: bytes, said: str) -> None:
    answer = nme.raw("/actions", b'{"do":"move","fig":"sarge","to":{"x":%b,"y":10}}' % number)
    assert said in say(invalid(answer, "/to/x"))


@pytest.mark.parametrize(
    "number", [b"1.0", b"1e0", b'"1"', b"true", b"1e308", b"-1", b"0", b"9007199254740993"], ids=range(8)
)
def test_counts_are_whole_numbers(nme: Table, number: bytes) -> None:
    invalid(nme.raw("/disputes", b'{"about":%b,"reason":"why?"}' % number), "/about")


def test_keys_and_text(nme: Table) -> None:
    invalid(nme.raw("/actions", b'{"do":"end_turn","do":"end_turn"}'), "")
    invalid(nme.raw("/actions", b'{"do":"move","fig":"sarge","to":{"x":1,"x":2,"y":1}}'), "/to")
    invalid(nme.raw("/disputes", b'{"about":1,"reason":"\\ud800"}'), "/reason")
    for control in (b"\\u0000", b"\\u001b", b"\\n", b"\\u0085"):
        body = invalid(nme.raw("/disputes", b'{"about":1,"reason":"a%bb"}' % control), "/reason")
        assert "control characters" in say(body)
    invalid(nme.post("/disputes", {"about": 1, "reason": "x" * 501}), "/reason")
    invalid(nme.post("/disputes", {"about": 1, "reason": ""}), "/reason")
    invalid(nme.raw("/disputes", b'{"about":1,"reason":"a\x00b"}'), "")
    for name in ("Sarge!", "", "x" * 41, "a b", "\u017f", "sarge\n", "sarge\u0000"):
        assert say(invalid(nme.act("aim", fig=name, target="ganger"), "/fig")) == ID
    said = say(invalid(nme.act("aim", fig="Sarge", target="ganger"), "/fig"))
    assert said == f'{ID}; ids are lower case, like "sarge"'


def test_shapes(nme: Table) -> None:
    words = "must be one of move, turn, hide, aim, shoot, fight, recover, injure, last_ditch, end_phase, end_turn, "
    assert say(invalid(nme.act("dance"), "/do")).startswith(words)
    assert say(invalid(nme.post("/actions", {}), "/do")).startswith("is needed, and must be one of move")
    invalid(nme.post("/actions", {"do": ["move"]}), "/do")
    for body in ([], 5, "move", True, [{"do": "end_turn"}]):
        assert say(invalid(nme.post("/actions", body), "")) == "must be an object"
    invalid(nme.raw("/actions", b"null"), "")
    assert say(invalid(nme.raw("/actions", b""), "")) == "a JSON body is needed"
    assert say(invalid(nme.post("/undo"), "")) == "a JSON body is needed"
    assert say(invalid(nme.act("end_turn", turn=1), "/turn")) == "there is no such field here"
    invalid(nme.act("move", fig="sarge", to={"x": 1, "y": 1, "z": 1}), "/to/z")
    assert say(invalid(nme.act("turn", fig="sarge", toward=5), "/toward")) == "must be a string or an object"
    invalid(nme.act("turn", fig="sarge", toward={"x": 1}), "/toward/y")
    assert say(invalid(nme.act("turn", fig="sarge", toward="NOBODY"), "/toward")).startswith(ID)
    invalid(nme.act("turn", fig="sarge", facing=361), "/facing")
    invalid(nme.act("turn", fig="sarge", facing=1.5), "/facing")
    invalid(nme.act("shoot", fig="sarge", weapon="stub-gun", sight={"GANGER": "open"}), "/sight/GANGER")
    invalid(nme.act("shoot", fig="sarge", weapon="stub-gun", sight={"ganger": "dark"}), "/sight/ganger")
    invalid(
        nme.post("/rulings", {"rule": "x", "reason": "y", "changes": [{"fig": "sarge", "field": "luck"}]}),
        "/changes/0/field",
    )
    invalid(nme.post("/rulings", {"rule": "x", "reason": "y", "changes": [{"fig": "sarge"}]}), "/changes/0/field")
    odd = [{"fig": "sarge", "field": "x", "value": "here"}, {"fig": "sarge", "field": "status", "value": "fine"}]
    invalid(nme.post("/rulings", {"rule": "x", "reason": "y", "changes": odd}), "/changes/0/value", "/changes/1/value")
    invalid(nme.post("/undo/1", {"agree": True}), "/head")
    invalid(nme.post("/undo/1", {"withdraw": False}), "/withdraw")
    invalid(nme.post("/undo/1", {"withdraw": True, "agree": True}), "/agree")
    invalid(nme.post("/disputes", {"about": 1}), "/reason")


@pytest.mark.parametrize("body", [b"1.5", b"1", b"-8.5e-135", b'"x"', b"[]", b"true"], ids=range(6))
def test_a_number_is_no_object(client: TestClient, nme: Table, body: bytes) -> None:
    for path in ("/branches", "/redo", "/close", "/seats/side:red/rotate", "/undo", "/disputes", "/actions"):
        assert say(invalid(nme.raw(path, body), "")) == "must be an object"
    for name in ("table", "tags", "policy"):
        whole = json.dumps(opening("nme") | {name: "?"}).encode().replace(b'"?"', body)
        answer = client.post("/v1/battles", content=whole, headers={"Content-Type": "application/json"})
        assert say(invalid(answer, f"/{name}")).startswith("must be an object")


def test_what_is_no_object_is_shown_one(client: TestClient, nme: Table) -> None:
    said = say(invalid(nme.act("move", fig="sarge", to=[14, 11]), "/to"))
    assert said == 'must be an object, like {"x": 14, "y": 11}'
    figs = [{"id": "a", "side": "knights", "x": 1, "y": 1, "weapons": ["pistol"]}]
    answer = client.post("/v1/battles", json=opening("mfd", figs=figs))
    assert say(invalid(answer, "/figs/0/weapons/0")) == 'must be an object, like {"id": "pistol", "kind": "pistol"}'


def test_a_face_that_the_die_has_not_is_counted_as_people_count(nme: Table) -> None:
    shot = {"fig": "sarge", "weapon": "stub-gun", "target": "ganger", "mode": "aimed", "cover": "open"}
    said = say(invalid(nme.act("shoot", **shot, dice=[3, 5, 5, 5, 2, 1, 3, 7]), "/dice/7"))
    assert said == "the 8th die is a 7; a d6 has no such face"


def test_dice_that_do_not_fit(nme: Table, mfd: Table) -> None:
    invalid(nme.post("/actions", SHOT | {"dice": [7]}), "/dice/0")
    invalid(nme.post("/actions", SHOT | {"dice": [1, 2, 1, 9]}), "/dice/3")
    invalid(nme.post("/actions", SHOT | {"dice": [1, 2, 1, 1, 1, 1]}), "/dice")
    invalid(nme.post("/actions", SHOT | {"dice": [0]}), "/dice/0")
    invalid(nme.post("/actions", SHOT | {"dice": [1.5]}), "/dice/0")
    invalid(nme.post("/actions", SHOT | {"dice": ["1"]}), "/dice/0")
    invalid(nme.post("/actions", SHOT | {"dice": [1] * 1001}), "/dice")
    invalid(nme.act("end_turn", dice=[1]), "/dice")
    invalid(mfd.act("shoot", fig="roland", weapon="pistol", target="anne", dice=[3]), "/dice")


def test_dice_are_asked_for_roll_by_roll(nme: Table) -> None:
    shot, asked = SHOT | {"cover": "open"}, []
    for dice in ([], [3], [3, 5], [3, 5, 5, 5], [3, 5, 5, 5, 1]):
        body = problem(nme.post("/actions", shot | {"dice": dice}), "dice-wanted", 409)
        (wanted,) = body["wanted"]
        asked.append((wanted["purpose"], wanted["count"], wanted["sides"], [t["faces"] for t in body["so_far"]]))
    assert asked == [
        ("ammo", 2, 6, []),
        ("ammo", 1, 6, [[3]]),
        ("to_hit", 3, 6, [[3, 5]]),
        ("to_hit", 1, 6, [[3, 5], [5, 5]]),
        ("injury", 1, 6, [[3, 5], [5, 5, 1]]),
    ]


def test_a_body_must_be_json_by_its_type(nme: Table) -> None:
    body = json.dumps({"do": "end_turn"}).encode()
    for kind in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/xml",
        "x",
        "",
    ):
        problem(nme.raw("/actions", body, kind=kind), "unsupported-media-type", 415)
    for kind in (
        "application/json; charset=utf-16",
        "application/json; charset=latin-1",
        "application/jsonx",
        "text/json",
    ):
        problem(nme.raw("/actions", body, kind=kind), "unsupported-media-type", 415)
    headers = nme.headers("referee")
    problem(nme.client.post(f"{nme.url}/actions", content=body, headers=headers), "unsupported-media-type", 415)
    packed = headers | {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    problem(nme.client.post(f"{nme.url}/actions", content=body, headers=packed), "unsupported-media-type", 415)


@pytest.mark.parametrize(
    "kind", ["application/json", "Application/JSON; Charset=UTF-8", 'application/json;charset="utf-8"']
)
def test_ways_to_say_json(nme: Table, kind: str) -> None:
    assert nme.raw("/actions?dry_run=true", b'{"do":"end_turn"}', kind=kind).status_code == 200


def test_sizes(client: TestClient, nme: Table) -> None:
    problem(nme.raw("/actions", b'{"do":"end_turn"}' + b" " * 2**20), "too-large", 413)

    def chunks() -> Iterator[bytes]:
        for _ in range(20):
            yield b" " * 2**16

    headers = nme.headers("referee", Content_Type="application/json")
    problem(nme.client.post(f"{nme.url}/actions", content=chunks(), headers=headers), "too-large", 413)
    invalid(nme.raw("/actions", b"[" * 2**20), "")
    invalid(nme.raw("/actions", b'{"do":' * 100_000), "")
    invalid(nme.raw("/disputes", b'{"about":1,"reason":"' + b"x" * (2**20 - 100) + b'"}'), "/reason")
    invalid(nme.raw("/actions", b'{"do":"end_turn","' + b"x" * (2**20 - 100) + b'":1}'), "/" + "x" * (2**20 - 100))
    fig = {"id": "a", "side": "red", "x": 1, "y": 1, "bs": 3}
    many = [fig | {"id": f"fig-{n}"} for n in range(10_000)]
    invalid(client.post("/v1/battles", json=opening("nme", figs=many)), "")
    body = invalid(client.post("/v1/battles", json=opening("nme", figs=many[:1_000])), "/figs")
    assert say(body) == "must have at most 200 items"
    empty = client.post("/v1/battles", json=opening("nme", figs=[{}] * 10_000))
    assert len(problem(empty, "invalid", 422)["errors"]) == 20


def test_openings(client: TestClient) -> None:
    def no(*places: str, **more: Any) -> dict[str, Any]:
        return invalid(client.post("/v1/battles", json=opening("nme") | more), *places)

    assert say(no("/system", system="chess")) == "must be one of nme, mfd"
    no("/sides", sides=[{"id": "red"}])
    no("/sides/1/id", sides=[{"id": "red"}, {"id": "red"}])
    no("/figs/1/side", sides=[{"id": "red"}, {"id": "green"}])
    no("/figs", figs=[])
    no("/figs", figs=opening("nme")["figs"][:1])
    no("/policy/luck", policy={"luck": 1})
    no("/policy/private", policy={"private": "yes"})
    no("/policy/armour", policy={"armour": 3})
    no("/table/width", table={"width": 0})
    assert say(no("/table/width", table={"width": 0.5})) == 'must be at least 1"'
    no("/terrain/0/cover", terrain=[opening("nme")["terrain"][0] | {"cover": "full"}])
    no("/title", title="x" * 121)
    no("/tags/colour", tags={"colour": "red"})
    fig = opening("nme")["figs"][0]

    def no_fig(*places: str, **more: Any) -> dict[str, Any]:
        return no(*places, figs=[fig | more, opening("nme")["figs"][1]])

    assert no_fig("/figs/0/weapons/0", weapons=["bow"])["errors"][0]["legal"][0] == "stub-gun"
    assert say(no_fig("/figs/0/weapons/0", weapons=[5])) == "must be an object or a string"
    weapon = {"id": "gun", "er": 7, "strength": 3, "ammo_rating": 4}
    assert say(no_fig("/figs/0/weapons/0/er", weapons=[weapon])) == 'must be a multiple of 5"'
    no_fig("/figs/0/weapons/0/er", weapons=[{k: v for k, v in weapon.items() if k != "er"}])
    no_fig("/figs/0/base", base=0)
    no_fig("/figs/0/to_hit", to_hit=3)
    no_fig("/figs/0/id", id="Sarge!")
    no_fig("/figs/0/name", name="")
    no_fig("/figs/0/weapons/1/id", weapons=["stub-gun", "stub-gun"])


def test_queries(client: TestClient, nme: Table) -> None:
    invalid(nme.post("/actions?dryrun=true", {"do": "end_turn"}), "dryrun")
    invalid(nme.post("/actions?dry_run=maybe", {"do": "end_turn"}), "dry_run")
    invalid(nme.post("/actions?dry_run=true&dry_run=false", {"do": "end_turn"}), "dry_run")
    for query in ("limit=0", "limit=-1", "limit=x", "limit=", "limit=1.5"):
        invalid(client.get(f"/v1/battles?{query}"), "limit")
        invalid(nme.get(f"/entries?{query}"), "limit")
    for query in ("after=-1", "after=x", f"after={10**30}", "after=9007199254740992"):
        invalid(client.get(f"/v1/battles?{query}"), "after")
        invalid(nme.get(f"/entries?{query}"), "after")
    invalid(client.get("/v1/battles?status=won"), "status")
    invalid(client.get("/v1/battles?colour=red"), "colour")
    invalid(client.get(f"/v1/battles?event={'x' * 81}"), "event")
    for page in (client.get(f"/v1/battles?limit={10**30}"), nme.get("/entries?limit=501")):
        assert page.status_code == 200
    invalid(nme.get("/entries", Last_Event_ID="-1", Accept="text/event-stream"), "Last-Event-ID")
    invalid(nme.get("/entries", Last_Event_ID="x"), "Last-Event-ID")
    for head in ("57", "W/57", "last"):
        said = say(invalid(nme.post("/actions", {"do": "end_turn"}, If_Match=head), "If-Match"))
        assert said == 'must be the number of the last entry in quotes, like "57", or *'


def test_methods(nme: Table) -> None:
    for method in ("PUT", "DELETE", "PATCH", "BREW"):
        answer = nme.client.request(method, f"{nme.url}/actions")
        problem(answer, "method-not-allowed", 405)
        assert answer.headers["allow"] == "OPTIONS, POST"
    answer = nme.client.request("DELETE", nme.url)
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS"
    problem(nme.client.get(f"{nme.url}/actions"), "method-not-allowed", 405)
