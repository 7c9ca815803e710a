"""What was signed is kept to: backups, restarts, two services on one file; and what seats sign."""

import sqlite3
from contextlib import closing
from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import BadSettings, Settings
from replays.audit.bundle import Bundle
from replays.audit.checkpoint import opened_checkpoint
from replays.audit.secretkey import SecretKey
from replays.audit.vkey import COSIGNATURE
from tests.api.live_server import served
from tests.api.proving import TEXT, head_of, join, keys
from tests.api.table import Table, open_table, problem

# --- what was signed before ---


def test_a_restored_backup_shows_as_a_problem_and_never_as_a_fault(settings: Settings, tmp_path: Path) -> None:
    backup = str(tmp_path / "backup.db")
    with TestClient(create_app(settings)) as client:
        table = open_table(client, "nme")
        with closing(sqlite3.connect(settings.database)) as db, closing(sqlite3.connect(backup)) as copy:
            db.backup(copy)
        table.done("end_turn")
        signed = head_of(table)
    with closing(sqlite3.connect(settings.database)) as db, closing(sqlite3.connect(backup)) as copy:
        copy.backup(db)
    with TestClient(create_app(settings)) as client:
        table = Table(client, table.id, table.seats)
        for path in ("/log/checkpoint", "/log/proof/inclusion?index=0", "/log/proof/consistency?old=1", "/bundle"):
            found = problem(table.get(path), "log-forked", 409)
            assert found["signed"] == signed.text
            assert f"size {signed.size} was signed before" in found["detail"]
        problem(table.post("/log/publish"), "log-forked", 409)
        table.done("move", fig="sarge", to={"x": 12, "y": 10})  # play goes on; it is not vouched for
        table.done("end_turn")
        problem(table.get("/log/checkpoint"), "log-forked", 409)
        other = open_table(client, "mfd")
        assert head_of(other).size == other.head


def test_a_restart_keeps_the_keys_and_goes_on_signing(settings: Settings) -> None:
    with TestClient(create_app(settings)) as client:
        table, known = open_table(client, "nme"), keys(client)
        was = table.get("/log/checkpoint").content
    with TestClient(create_app(settings)) as client:
        table = Table(client, table.id, table.seats)
        assert keys(client) == known
        assert table.get("/log/checkpoint").content == was
        table.done("end_turn")
        assert head_of(table).size == table.head


def test_two_services_on_one_file_sign_one_history(settings: Settings) -> None:
    with served(Path(settings.database)) as other, TestClient(create_app(settings)) as client:
        table = open_table(client, "nme")
        for n in range(6):
            if n % 2:
                table.done("end_turn")
            else:
                headers = table.headers("referee")
                httpx2.post(other.url + table.url + "/actions", json={"do": "end_turn"}, headers=headers)
            there = httpx2.get(other.url + table.url + "/log/checkpoint").content
            assert table.get("/log/checkpoint").content == there
            assert head_of(table, there).size == table.head


def test_keys_that_cannot_be_used_stop_the_start_in_words(settings: Settings) -> None:
    create_app(settings).state.house.store.close()
    Path(f"{settings.database}.keys").chmod(0o755)
    with pytest.raises(BadSettings, match=r"BATTLELOG_KEYS: others than the owner"):
        create_app(settings)
    elsewhere = Path(settings.database).parent / "elsewhere"
    create_app(settings.model_copy(update={"keys": str(elsewhere)})).state.house.store.close()
    assert (elsewhere / "log-1.key").is_file()
    with pytest.raises(BadSettings, match="HOST_NAME"):
        Settings.read({"BATTLELOG_HOST_NAME": "War Example"})


# --- cosignatures ---


def test_both_seats_sign_the_end(nme: Table) -> None:
    sides = [seat for seat in nme.seats if seat.startswith("side:")]
    secrets = [join(nme, seat, n) for n, seat in enumerate(sides, 1)]
    nme.done("end_battle", winner=None, reason="time")
    nme.post("/close", {"reason": "done"})
    text, own = head_of(nme).text, nme.get("/log/checkpoint").content
    note = own
    for secret in secrets:
        answer = nme.raw(
            f"/log/cosign?size={nme.head}", secret.cosign(text, 1_764_450_000).line.encode(), "", "text/plain"
        )
        assert (answer.status_code, answer.headers["content-type"]) == (200, TEXT)
        note = answer.content
    assert nme.get("/log/checkpoint").content == note
    assert note.startswith(own)
    found = opened_checkpoint(note, [*keys(nme.client), *(secret.public for secret in secrets)]).note
    assert [by.key for by in found.signed[1:]] == sorted((s.public for s in secrets), key=lambda key: key.name)
    bundle = Bundle.parse(nme.get("/bundle").content)
    assert (bundle.meta.closed, set(bundle.meta.cosigners)) == (True, {secret.public for secret in secrets})
    assert bundle.checkpoint == note


def test_signatures_of_others_and_of_other_heads_are_refused(nme: Table) -> None:
    red = join(nme, "side:red", 1)
    head = head_of(nme)
    stranger = SecretKey(red.public.name, bytes(32), COSIGNATURE)

    def sent(body: bytes, query: str = "", kind: str = "text/plain") -> tuple[int, str]:
        answer = nme.raw(f"/log/cosign{query}", body, "", kind)
        return answer.status_code, answer.json()["type"].rpartition("/")[2]

    good = red.cosign(head.text, 5).line.encode()
    assert sent(stranger.cosign(head.text, 5).line.encode()) == (403, "bad-cosignature")
    assert sent(red.cosign("nonsense\n", 5).line.encode()) == (403, "bad-cosignature")
    assert sent(good, "?size=1") == (409, "other-size")
    for bad in (b"", good[:-1], b"\xff", good * 101):
        assert sent(bad) == (400, "malformed")
    assert sent(good, "?size=x") == (400, "malformed")
    assert sent(good, "?Size=1") == (422, "invalid")
    assert sent(good, kind="application/json") == (415, "unsupported-media-type")
    assert sent(b"x" * (2**20 + 1)) == (413, "too-large")
    nme.done("end_turn")
    assert sent(good) == (403, "bad-cosignature")
    assert nme.get("/log/checkpoint").text.count("\u2014") == 1
