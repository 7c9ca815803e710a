"""The bundle and the log of battles, and what the verifier says of them."""

import json
import time

from starlette.testclient import TestClient

from api.app import create_app
from api.settings import Settings
from replays.audit.bundle import Bundle
from replays.audit.checkpoint import global_origin, opened_checkpoint
from replays.audit.merkle import Frontier, leaf_hash, proves_inclusion
from replays.audit.verify.globally import LEAF, read_proof
from replays.audit.verify.policy import Policy
from replays.audit.verify.run import verify
from tests.api.proving import head_of, join, keys, publish
from tests.api.table import Table, open_table, problem

# --- the bundle, and the log of battles ---


def test_the_bundle_is_the_battle_as_it_was_signed(nme: Table) -> None:
    nme.done("end_turn")
    answer = nme.get("/bundle")
    assert answer.headers["content-type"] == "application/vnd.wlog-bundle"
    assert answer.headers["content-disposition"].endswith(f'"{nme.id}.wlog"')
    bundle = Bundle.parse(answer.content)
    assert b"".join(entry + b"\n" for entry in bundle.entries) == nme.log()
    assert head_of(nme, bundle.checkpoint).size == len(bundle.entries)
    assert (bundle.meta.battle, bundle.meta.host, bundle.meta.rules) == (nme.id, "localhost", "nme.1")
    assert (bundle.meta.closed, bundle.global_proof, bundle.names) == (False, b"", b"")


def test_a_battle_is_in_the_log_of_battles_from_its_beginning_to_its_end(nme: Table) -> None:
    client = nme.client
    publish(client)
    problem(nme.post("/log/publish", seat="side:red"), "forbidden", 403)
    nme.done("end_turn")
    publish(client)  # a turn is nothing that it is owed
    assert nme.post("/log/publish").status_code == nme.post("/log/publish").status_code == 200
    nme.done("end_battle", winner=None, reason="time")
    publish(client)
    publish(client)
    nme.post("/close", {"reason": "done"})
    bundle = Bundle.parse(nme.get("/bundle").content)
    publish(client)
    head = opened_checkpoint(client.get("/log/checkpoint").content, keys(client), global_origin("localhost")).checkpoint
    assert head.size == 4
    tile = client.get("/log/tile/entries/000.p/4")
    assert tile.headers["cache-control"] == "public, max-age=31536000, immutable"
    leaves, data = [], tile.content
    while data:
        length = int.from_bytes(data[:2])
        leaves.append(data[2 : 2 + length])
        data = data[2 + length :]
    assert [leaf.split(b"\n")[:2] for leaf in leaves] == [[LEAF[:-1], f"localhost/battle/{nme.id}".encode()]] * 4
    assert client.get("/log/tile/0/000.p/4").content == b"".join(map(leaf_hash, leaves))
    assert head.root == Frontier().extended(map(leaf_hash, leaves)).root
    proof, note = read_proof(bundle.global_proof)
    above = opened_checkpoint(note, keys(client), global_origin("localhost")).checkpoint
    leaf = leaf_hash(LEAF + head_of(nme, bundle.checkpoint).text.encode())
    assert proves_inclusion(proof.hashes, leaf, proof.leaf, above.size, above.root)
    problem(client.get("/log/tile/0/000"), "not-found", 404)
    problem(client.get("/log/tile/0/0"), "malformed", 400)


def test_what_a_crash_left_unpublished_is_published_at_the_next_start(settings: Settings) -> None:
    app = create_app(settings)
    table = open_table(TestClient(app), "nme")  # without its lifespan: nobody publishes
    app.state.house.store.close()
    with TestClient(create_app(settings.model_copy(update={"publish": 0.05}))) as client:
        until, size = time.monotonic() + 10, 0
        while not size and time.monotonic() < until:
            size = opened_checkpoint(client.get("/log/checkpoint").content, keys(client)).checkpoint.size
        assert size == 1
        assert table.id.encode() in client.get("/log/tile/entries/000.p/1").content


# --- what the verifier says of all that ---


def test_the_verifier_finds_nothing_wrong_with_a_bundle_of_this_service(nme: Table) -> None:
    secrets = [join(nme, seat, n) for n, seat in enumerate(nme.seats, 0) if seat.startswith("side:")]
    for seat in nme.seats:
        nme.client.put(f"{nme.url}/seats/{seat}/name", json={"name": f"Ann {seat}"}, headers=nme.headers(seat))
    early = nme.get("/log/checkpoint").content
    nme.done("end_battle", winner=None, reason="time")
    nme.post("/close", {"reason": "done"})
    text = head_of(nme).text
    nme.raw(
        "/log/cosign", "".join(secret.cosign(text, 1_764_450_000).line for secret in secrets).encode(), "", "text/plain"
    )
    bundle = Bundle.parse(nme.get("/bundle?names=1", "referee").content)
    log, above = keys(nme.client)
    policy = Policy((log,), (above,), receipts=(("early", early),), origin=f"localhost/battle/{nme.id}", cosigned=True)
    assert len(json.loads(bundle.names)) == len(nme.seats)
    assert verify(bundle, policy).findings == ()
