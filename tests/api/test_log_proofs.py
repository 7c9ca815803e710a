"""A battle's log as a stranger checks it over HTTP: heads, entries and proofs."""

from starlette.testclient import TestClient

from replays.audit.merkle import leaf_hash, proves_consistency, proves_inclusion, root
from tests.api.proving import hashes, head_of
from tests.api.table import Table, invalid, open_table, problem

# --- heads and entries ---


def test_the_signed_head_is_the_root_over_the_bytes_of_the_log(nme: Table) -> None:
    for _ in range(3):
        nme.done("end_turn")
        head, lines = head_of(nme), nme.log().splitlines()
        assert head.size == len(lines)
        assert head.root == root(leaf_hash(line) for line in lines)


def test_a_write_answers_with_its_leaf_and_size_which_the_log_proves_later(nme: Table) -> None:
    answer = nme.act("end_turn")
    leaf, size = bytes.fromhex(answer.headers["battlelog-leaf"]), int(answer.headers["battlelog-size"])
    assert size == answer.json()["seq"]
    nme.done("end_turn")
    proof = nme.get(f"/log/proof/inclusion?index={size - 1}")
    head = head_of(nme, proof.content.partition(b"\n\n")[2])
    assert proves_inclusion(hashes(proof.text), leaf, size - 1, head.size, head.root)
    opened = nme.client.post("/v1/battles", json={"system": "mfd", "sides": []})
    assert "battlelog-leaf" not in opened.headers


def test_entries_are_the_stored_bytes_by_index(nme: Table) -> None:
    nme.done("end_turn")
    whole = nme.log()
    answer = nme.get("/log/entries")
    assert (answer.content, answer.headers["content-type"]) == (whole, "application/x-ndjson")
    assert answer.headers["cache-control"] == "no-store"
    some = nme.get("/log/entries?start=2&end=5")
    assert some.content == b"".join(line + b"\n" for line in whole.splitlines()[2:5])
    assert some.headers["cache-control"] == "public, max-age=31536000, immutable"
    beyond = nme.get("/log/entries?start=4&end=999")
    assert beyond.content == b"".join(line + b"\n" for line in whole.splitlines()[4:])
    assert beyond.headers["cache-control"] == "no-store"
    assert nme.get("/log/entries?start=5&end=5").content == nme.get("/log/entries?start=7&end=2").content == b""


def test_a_witness_that_followed_sees_that_the_log_only_grew(nme: Table) -> None:
    was = head_of(nme)
    nme.done("end_turn")
    nme.done("end_turn")
    answer = nme.get(f"/log/proof/consistency?old={was.size}")
    assert answer.text.startswith(f"old {was.size}\n")
    head = head_of(nme, answer.content.partition(b"\n\n")[2])
    assert proves_consistency(hashes(answer.text), was.size, was.root, head.size, head.root)
    assert nme.get(f"/log/proof/consistency?old=0&new={head.size}").text.startswith("old 0\n\n")


def test_a_branch_is_a_log_of_its_own(nme: Table) -> None:
    nme.done("end_turn")
    body = nme.post("/branches", {}).json()
    branch = Table(nme.client, body["id"], body["seats"])
    branch.done("end_turn")
    head = head_of(branch)
    assert head.root == root(leaf_hash(line) for line in branch.log().splitlines())
    assert branch.get("/log/entries?start=0&end=7").content == nme.get("/log/entries?start=0&end=7").content


def test_what_makes_no_sense_is_refused(nme: Table) -> None:
    for query in ("inclusion?index=x", "inclusion?index=-1", "inclusion?index=01", "consistency?old=%2B1",
                  "consistency?old=1&new=2.0", "inclusion?index=1&size="):  # fmt: skip
        problem(nme.get(f"/log/proof/{query}"), "malformed", 400)
    problem(nme.get("/log/entries?start=a"), "malformed", 400)
    problem(nme.get("/bundle?names=yes"), "malformed", 400)
    invalid(nme.get("/log/proof/inclusion"), "index")
    invalid(nme.get("/log/checkpoint?size=3"), "size")
    size = head_of(nme).size
    problem(nme.get(f"/log/proof/inclusion?index={size}"), "no-proof", 422)
    problem(nme.get(f"/log/proof/consistency?old={size + 1}"), "no-proof", 422)
    problem(nme.get(f"/log/proof/inclusion?index=0&size={size + 1}"), "no-proof", 422)
    assert problem(nme.get("/log/proof/inclusion?index=0&size=1"), "other-size", 409)["size"] == size
    for path in ("checkpoint", "entries", "proof/inclusion?index=0"):
        problem(nme.client.get(f"/v1/battles/{'0' * 32}/log/{path}"), "not-found", 404)


def test_a_private_battle_shows_its_log_to_seats_only(client: TestClient) -> None:
    table = open_table(client, "nme", policy={"private": True})
    for path in (
        "/log/checkpoint",
        "/log/entries",
        "/log/proof/inclusion?index=0",
        "/log/proof/consistency?old=1",
        "/bundle",
    ):
        problem(table.get(path), "unauthorized", 401)
        assert table.get(path, "spectator").status_code == 200
    assert "private" in table.get("/log/entries?end=1", "spectator").headers["cache-control"]
