"""What-ifs: every endpoint answers for them, the parent never notices."""

from starlette.testclient import TestClient

from tests.api.table import Table, problem


def branch_of(table: Table, **asked: object) -> Table:
    answer = table.post("/branches", asked)
    assert answer.status_code == 201, answer.text
    assert answer.headers["location"] == f"/v1/battles/{answer.json()['id']}"
    return Table(table.client, answer.json()["id"], answer.json()["seats"])


def test_a_branch_answers_like_a_battle(client: TestClient, nme: Table) -> None:
    nme.done("end_turn")
    log = nme.log()
    branch = branch_of(nme, at=6, dice="table", title="What if he runs?")
    assert branch.log().startswith(b"\n".join(log.split(b"\n")[:6]))
    assert branch.get().json()["branch"] is True
    assert branch.get().json()["what_if"]["parent"] == nme.id
    assert branch.get("?turn=1").json()["seq"] == branch.head
    problem(branch.get("?turn=2"), "not-found", 404)
    branch.done("move", fig="sarge", to={"x": 12, "y": 10})
    for path in ("/turns", "/casualties", "/figs/sarge", "/entries", "/entries/8/why", "/branches", "?at=3", "?at=7"):
        assert branch.get(path).status_code == 200, path
    assert nme.log() == log
    assert nme.get("/casualties").json()["seq"] == nme.head
    below = branch_of(branch)
    assert below.head == branch.head + 1
    tree = nme.get("/branches").json()
    assert [(b["id"], b["parent"], b["depth"]) for b in tree["branches"]] == [
        (branch.id, nme.id, 1),
        (below.id, branch.id, 2),
    ]
    assert (tree["parent"], tree["complete"]) == (None, True)
    assert branch.get("/branches").json()["parent"] == nme.id
    assert [b["id"] for b in branch.get("/branches").json()["branches"]] == [below.id]
    rows = client.get("/v1/battles").json()["battles"]
    assert [row["parent"] for row in rows] == [None, nme.id, branch.id]
    assert [row["tags"]["event"] for row in rows] == ["club night", "", ""]


def test_two_lines_compared(nme: Table) -> None:
    branch = branch_of(nme)
    nme.done("end_turn")
    branch.done("move", fig="sarge", to={"x": 12, "y": 10})
    body = nme.get(f"/compare/{branch.id}").json()
    assert body["parted_at"] == 6
    assert "sarge" in body["figs"]
    assert nme.get(f"/compare/{nme.id}").json()["same_table"] is True


def test_no_undo_across_the_opening(nme: Table) -> None:
    moved = nme.done("move", fig="sarge", to={"x": 12, "y": 10})
    branch = branch_of(nme)
    body = problem(branch.post("/undo", {"to_before": moved["action"], "reason": "x"}), "undo-refused", 409)
    assert body["rule"] == "before-branch"


def test_the_parents_secrets_do_not_work_there(nme: Table) -> None:
    branch = branch_of(nme)
    for seat in nme.seats:
        problem(Table(nme.client, branch.id, nme.seats).act("end_turn", seat), "unauthorized", 401)
        assert set(branch.seats) == set(nme.seats)
