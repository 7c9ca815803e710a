"""Names of people: beside the log, for who sits there only, and erasable with every proof intact."""

import hmac
import json
import sqlite3
from contextlib import closing
from pathlib import Path

from api.settings import Settings
from replays.audit.bundle import Bundle
from replays.audit.merkle import leaf_hash, root
from tests.api.table import Table, invalid, problem

NAME = "Änn O'Nymous"


def say(table: Table, name: str = NAME, seat: str = "side:red", by: str | None = None) -> int:
    headers = table.headers(seat if by is None else by)
    return table.client.put(f"{table.url}/seats/{seat}/name", json={"name": name}, headers=headers).status_code


def erase(table: Table, seat: str = "side:red", by: str | None = None) -> int:
    headers = table.headers(seat if by is None else by)
    return table.client.delete(f"{table.url}/seats/{seat}/name", headers=headers).status_code


def names(table: Table, seat: str = "referee") -> dict[str, str]:
    found: dict[str, str] = table.get("/names", seat).json()["names"]
    return found


def bundle_of(table: Table, query: str = "", seat: str = "referee") -> Bundle:
    answer = table.get(f"/bundle{query}", seat)
    assert answer.status_code == 200, answer.text
    return Bundle.parse(answer.content)


def test_the_log_holds_a_commitment_and_the_sidecar_the_name(nme: Table) -> None:
    assert say(nme) == 201
    entry = nme.entries()[-1]
    assert (entry["type"], entry["actor"], entry["body"]["seat"]) == ("SeatNamed", "side:red", "side:red")
    assert "Nymous" not in nme.log().decode()
    told = json.loads(bundle_of(nme, "?names=1").names)
    assert told["side:red"]["name"] == NAME
    salt = bytes.fromhex(told["side:red"]["salt"])
    message = b"wlog/v1/person\n" + json.dumps({"name": NAME}, ensure_ascii=False, separators=(",", ":")).encode()
    assert hmac.digest(salt, message, "sha256").hex() == entry["body"]["person"]
    assert len(salt) == 32


def test_only_who_sits_there_sees_names(nme: Table) -> None:
    say(nme)
    assert names(nme) == names(nme, "side:blue") == {"side:red": NAME}
    for path in ("/names", "/bundle?names=1"):
        problem(nme.get(path), "forbidden", 403)
    assert bundle_of(nme, seat="").names == bundle_of(nme, "?names=0", "").names == b""


def test_the_seat_and_the_referee_name_it_and_nobody_else(nme: Table) -> None:
    assert say(nme, by="referee") == 201
    assert say(nme, "Bob", "referee") == 201
    assert say(nme, by="side:blue") == say(nme, by="") == erase(nme, by="side:blue") == 403
    assert say(nme, seat="side:green", by="referee") == 404
    assert names(nme) == {"referee": "Bob", "side:red": NAME}


def test_the_same_name_again_changes_nothing_and_another_takes_its_place(nme: Table) -> None:
    say(nme)
    head = nme.head
    assert say(nme) == 200
    assert nme.head == head
    assert say(nme, "Bob") == 201
    assert (nme.head, names(nme)) == (head + 1, {"side:red": "Bob"})


def test_a_name_is_text_of_a_sane_length(nme: Table) -> None:
    for name in ("", "x" * 121, "a\nb", 7):
        answer = nme.client.put(f"{nme.url}/seats/side:red/name", json={"name": name}, headers=nme.headers("side:red"))
        invalid(answer, "/name")
    assert names(nme) == {}


def test_erasure_keeps_every_proof_and_leaves_no_trace_in_the_file(nme: Table, settings: Settings) -> None:
    say(nme, "Bob, who was first")
    say(nme)
    nme.done("end_turn")
    before, log, whole = nme.get("/log/checkpoint").content, nme.log(), bundle_of(nme)
    with closing(sqlite3.connect(settings.database)) as db:
        (salt,) = db.execute("SELECT salt FROM names").fetchone()
    assert erase(nme) == 204
    assert erase(nme) == 404
    assert names(nme) == {}
    assert (nme.get("/log/checkpoint").content, nme.log()) == (before, log)
    assert bundle_of(nme, "?names=1").to_bytes() == whole.to_bytes()
    assert root(map(leaf_hash, whole.entries)) == root(map(leaf_hash, log.splitlines()))
    for index in range(nme.head):
        assert nme.get(f"/log/proof/inclusion?index={index}").status_code == 200
    files = [path for path in Path(settings.database).parent.iterdir() if path.is_file()]
    assert len(files) == 3
    for path in files:
        data = path.read_bytes()
        for trace in (NAME.encode(), b"Bob", salt):
            assert trace not in data, path


def test_a_name_can_be_erased_after_the_battle_was_closed_but_not_said(nme: Table) -> None:
    say(nme)
    nme.done("end_battle", winner=None, reason="time")
    nme.post("/close", {"reason": "done"})
    head = nme.head
    assert say(nme, "Bob") == 409
    assert erase(nme, by="referee") == 204
    assert nme.head == head


def test_a_request_with_a_name_is_kept_nowhere(nme: Table, settings: Settings) -> None:
    headers = nme.headers("side:red", Idempotency_Key="once")
    nme.client.put(f"{nme.url}/seats/side:red/name", json={"name": NAME}, headers=headers)
    with closing(sqlite3.connect(settings.database)) as db:
        assert db.execute("SELECT * FROM keys").fetchall() == []
