"""Opening a battle, and the table as it stands or stood."""

from starlette.testclient import TestClient

from tests.api.table import Table, invalid, open_table, opening, problem


def test_an_opened_battle_answers_with_its_address_its_secrets_and_its_first_batch(client: TestClient) -> None:
    answer = client.post("/v1/battles", json=opening("nme"))
    assert answer.status_code == 201
    body = answer.json()
    assert answer.headers["location"] == f"/v1/battles/{body['id']}"
    assert answer.headers["etag"] == f'"{body["seq"]}"'
    assert answer.headers["cache-control"] == "no-store"
    assert list(body["seats"]) == ["referee", "side:red", "side:blue"]
    assert len(set(body["seats"].values())) == 3
    assert body["action"] == 1
    assert [entry["seq"] for entry in body["entries"]] == list(range(1, body["seq"] + 1))
    assert body["entries"][0]["type"] == "BattleStarted"


def test_the_batch_is_the_stored_bytes(client: TestClient) -> None:
    answer = client.post("/v1/battles", json=opening("mfd"))
    table = Table(client, answer.json()["id"], answer.json()["seats"])
    spliced = b'"entries":[' + table.log().replace(b"\n", b",").removesuffix(b",") + b"]"
    assert spliced in answer.content
    acted = table.act("end_turn")
    assert acted.status_code == 201
    for line in table.log().splitlines()[-acted.json()["seq"] + acted.json()["action"] - 1 :]:
        assert line in acted.content


def test_inches_are_exact_decimals_of_their_digits(client: TestClient) -> None:
    figs = opening("nme")["figs"]
    figs[0]["x"], figs[0]["y"] = 10.125, 0.001
    table = open_table(client, "nme", figs=figs)
    mustered = next(e for e in table.entries() if e["type"] == "FigMustered")
    assert (mustered["body"]["x"], mustered["body"]["y"]) == (10_125, 1)
    assert table.get("/figs/sarge").json()["state"]["y"] == 0.001
    body = b'{"do":"move","fig":"sarge","to":{"x":%b,"y":1}}'
    invalid(table.raw("/actions", body % b"10.0001"), "/to/x")
    invalid(table.raw("/actions", body % b"1e-9"), "/to/x")
    assert table.raw("/actions", body % b"1012.5e-2").status_code == 201


def test_the_table_now_and_at_every_entry(nme: Table) -> None:
    nme.done("move", fig="sarge", to={"x": 12, "y": 10})
    now = nme.get()
    assert now.headers["etag"] == f'"{now.json()["seq"]}"'
    assert now.json()["figs"]["sarge"]["x"] == 12
    for at in range(1, nme.head + 1):
        then = nme.get(f"?at={at}")
        assert then.status_code == 200, then.text
        assert then.json()["seq"] == at
        assert then.headers["etag"] == f'"{at}"'
    assert nme.get("?at=6").json()["figs"]["sarge"]["x"] == 10
    assert nme.get(f"?at={nme.head}").json() == now.json()


def test_the_table_at_the_end_of_a_turn(nme: Table) -> None:
    nme.done("move", fig="sarge", to={"x": 12, "y": 10})
    nme.done("end_turn")
    nme.done("move", fig="ganger", to={"x": 17, "y": 12})
    first, second = nme.get("?turn=1").json(), nme.get("?turn=2").json()
    assert (first["turn"], first["figs"]["sarge"]["x"], first["figs"]["ganger"]["y"]) == (1, 12, 10)
    assert (second["turn"], second["figs"]["ganger"]["y"]) == (2, 12)
    assert second["seq"] == nme.head
    following = nme.entries()[first["seq"]]
    assert following["type"] == "TurnStarted"


def test_the_end_of_a_turn_is_that_of_the_line(nme: Table) -> None:
    ended = nme.done("end_turn")
    nme.post("/undo", {"to_before": ended["action"], "reason": "too early"})
    nme.done("move", fig="sarge", to={"x": 12, "y": 10})
    assert nme.get("?turn=1").json()["seq"] == nme.head
    problem(nme.get("?turn=2"), "not-found", 404)
    nme.done("end_turn")
    assert nme.get("?turn=1").json()["figs"]["sarge"]["x"] == 12


def test_moments_that_are_not_there(nme: Table) -> None:
    problem(nme.get("?at=99"), "not-found", 404)
    problem(nme.get("?turn=2"), "not-found", 404)
    problem(nme.get("/figs/sarge?at=99"), "not-found", 404)
    problem(nme.get("/casualties?at=99"), "not-found", 404)
    invalid(nme.get("?at=0"), "at")
    invalid(nme.get("?turn=0"), "turn")
    invalid(nme.get("?at=x"), "at")
    invalid(nme.get("?at=1&turn=1"), "")
    invalid(nme.get("?at=1&at=2"), "at")
    invalid(nme.get(f"?at={'9' * 5000}"), "at")


def test_a_view_that_is_known_already_is_not_sent_again(nme: Table) -> None:
    for path in ("", "/figs/sarge", "/turns", "/casualties", "/entries", "/entries/1/why"):
        tag = nme.get(path).headers["etag"]
        for held in (tag, f'"0", {tag}', f"W/{tag}", "*"):
            again = nme.get(path, If_None_Match=held)
            assert (again.status_code, again.content) == (304, b""), path
            assert again.headers["etag"] == tag
        nme.done("end_turn")
        assert nme.get(path, If_None_Match=tag).status_code == 200


def test_a_fig_tells_what_made_it_so(nme: Table) -> None:
    nme.done("move", fig="sarge", to={"x": 12, "y": 10})
    view = nme.get("/figs/sarge").json()
    assert view["made_by"][0]["type"] == "FigMustered"
    assert view["made_by"][-1]["type"] == "FigMoved"
    assert nme.get("/figs/sarge?at=6").json()["state"]["x"] == 10
    assert problem(nme.get("/figs/nobody"), "not-found", 404)["legal"] == ["sarge", "ganger"]
    problem(nme.get("/figs/NOBODY%00"), "not-found", 404)


def test_reports(nme: Table) -> None:
    nme.done("end_turn")
    assert nme.get("/casualties").json()["seq"] == nme.head
    assert nme.get("/turns").json()["turn"] == 2
    assert nme.get("/entries/7/why").json()["do"] == "end_turn"
    problem(nme.get("/entries/99/why"), "not-found", 404)
    problem(nme.get("/entries/0/why"), "not-found", 404)
    problem(nme.get("/entries/x/why"), "not-found", 404)
    problem(nme.get(f"/entries/{'9' * 5000}/why"), "not-found", 404)


def test_there_is_no_such_battle(client: TestClient) -> None:
    for name in ("0" * 32, "x", "0" * 31, "0" * 33, "A" * 32, "%00", "0" * 31 + "%0a", "..%2f"):
        for path in ("", "/turns", "/entries", "/branches", "/casualties", "/figs/a", "/entries/1/why"):
            problem(client.get(f"/v1/battles/{name}{path}"), "not-found", 404)
        problem(client.post(f"/v1/battles/{name}/actions", json={"do": "end_turn"}), "not-found", 404)
    problem(client.get("/v1/nothing"), "not-found", 404)
    problem(client.get("/v1/battles/"), "not-found", 404)
