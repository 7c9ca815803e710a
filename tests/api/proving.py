"""What a stranger does with a log: check heads, read proofs; and what a seat does: show its key."""

from base64 import b64decode

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from starlette.testclient import TestClient

from replays.audit.checkpoint import Checkpoint, opened_checkpoint
from replays.audit.secretkey import SecretKey
from replays.audit.statements import join_message
from replays.audit.vkey import COSIGNATURE, PublicKey
from tests.api.table import Table

TEXT = "text/plain; charset=utf-8"


def keys(client: TestClient) -> list[PublicKey]:
    return [PublicKey.parse(vkey) for vkey in client.get("/log/keys").text.splitlines()]


def head_of(table: Table, note: bytes | None = None) -> Checkpoint:
    """The battle's head, its signature checked."""
    if note is None:
        answer = table.get("/log/checkpoint")
        assert (answer.status_code, answer.headers["content-type"]) == (200, TEXT)
        assert answer.headers["cache-control"] == "no-store"
        note = answer.content
    return opened_checkpoint(note, keys(table.client), f"localhost/battle/{table.id}").checkpoint


def hashes(text: str) -> list[bytes]:
    return [b64decode(line) for line in text.partition("\n\n")[0].split("\n") if " " not in line and "@" not in line]


def publish(client: TestClient) -> None:
    client.app.state.house.notary.publish_owed(lambda battle, no: pytest.fail(f"{battle}: {no}"))  # type: ignore[attr-defined]


def join(table: Table, seat: str, party: int) -> SecretKey:
    """Show a seat's key; the key with which it cosigns."""
    seed = bytes([party]) * 32
    private = Ed25519PrivateKey.from_private_bytes(seed)
    key = private.public_key().public_bytes_raw().hex()
    proof = private.sign(join_message(table.id, party, 0, 0, key, "")).hex()
    answer = table.post(f"/seats/{seat}/join", {"key": key, "epoch": 0, "length": 0, "proof": proof}, seat)
    assert answer.status_code == 201, answer.text
    return SecretKey(f"localhost/battle/{table.id}/{seat.replace(':', '-')}", seed, COSIGNATURE)
