"""A service whose database is put back to an earlier moment, and what it says then; the same for both databases."""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import Any

from deploy.checking import log_of
from deploy.playing import Battle, Place, asked, opened
from replays.examine import examine
from tests.api.live_server import Server

END = {"do": "end_turn"}
ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "operations.md"


@dataclass
class Kept:
    """How a database is kept: served, copied while it is written to, and put back while nobody serves it."""

    serve: Callable[[], AbstractContextManager[Server]]
    copy: Callable[[], None]
    put_back: Callable[[], None]
    keys: Path


@dataclass
class Past:
    """What was played and signed before the database was put back."""

    signed_later: Battle
    signed_before: Battle
    logs: dict[str, list[bytes]] = field(default_factory=dict)
    signed: str = ""


def act(place: Place, battle: Battle, key: str = "") -> int:
    headers = {"Authorization": f"Bearer {battle.secret}"} | ({"Idempotency-Key": key} if key else {})
    return asked(place, "POST", f"/v1/battles/{battle.id}/actions", END, headers)[0]


def checkpoint(place: Place, battle: Battle) -> tuple[int, Any]:
    """The status, and the text of the signed head or the problem."""
    return _told(place, f"/v1/battles/{battle.id}/log/checkpoint")


def global_checkpoint(place: Place) -> tuple[int, Any]:
    return _told(place, "/log/checkpoint")


def _told(place: Place, path: str) -> tuple[int, Any]:
    status, body = asked(place, "GET", path)
    return status, body.decode().partition("\n\n")[0] + "\n" if status == 200 else json.loads(body)


def played_and_put_back(kept: Kept) -> Past:
    """Play and sign two battles, copy while somebody writes, play and sign on, and put the copy back."""
    with kept.serve() as server:
        place = "127.0.0.1", server.port
        past = Past(opened(place), opened(place))
        for battle in (past.signed_later, past.signed_before):
            assert act(place, battle) == 201
            assert checkpoint(place, battle)[0] == 200
        with writing(place, past.signed_later):
            kept.copy()
        for _ in range(3):
            assert act(place, past.signed_later) == 201
        status, past.signed = checkpoint(place, past.signed_later)
        assert status == 200
        opened(place)  # a battle that the copy does not have, published and signed in the log of battles
        assert asked(place, "GET", "/healthz")[0] == 200
        for battle in (past.signed_later, past.signed_before):
            past.logs[battle.id] = log_of(place, battle.id)
        _global_grows(place)
        server.stop()
    kept.put_back()
    return past


def _global_grows(place: Place) -> None:
    until = Event()
    for _ in range(200):
        status, text = global_checkpoint(place)
        if status == 200 and int(text.split("\n")[1]) >= 3:
            return
        until.wait(0.05)
    raise AssertionError("the battles were not published")


@contextmanager
def writing(place: Place, battle: Battle) -> Iterator[None]:
    """Somebody writes all the while."""
    over, done = Event(), Event()

    def write() -> None:
        while not over.is_set():
            assert act(place, battle) == 201
            done.set()

    thread = Thread(target=write)
    thread.start()
    try:
        assert done.wait(10)
        yield
    finally:
        over.set()
        thread.join(10)


def check_what_is_left(place: Place, past: Past) -> None:
    """The battles are whole, up to the moment of the copy."""
    for battle, before in past.logs.items():
        left = log_of(place, battle)
        assert left == before[: len(left)]
        assert examine(left).findings == ()
    assert len(log_of(place, past.signed_before.id)) == len(past.logs[past.signed_before.id])
    assert 12 <= len(log_of(place, past.signed_later.id)) < len(past.logs[past.signed_later.id])


def check_what_is_signed(place: Place, past: Past) -> None:
    """The battle whose signed past is gone is played on, and vouched for no more; the others go on."""
    assert forked(place, bool) == {past.signed_later.id}
    assert b"its proof is refused" in asked(place, "GET", "/")[1]
    status, problem = checkpoint(place, past.signed_later)
    assert (status, problem["type"]) == (409, "/problems/log-forked")
    assert problem["signed"] == past.signed
    assert act(place, past.signed_later) == 201
    for _ in range(60):
        assert act(place, past.signed_later) == 201  # longer than before, and still another history
    assert checkpoint(place, past.signed_later)[0] == 409
    assert checkpoint(place, past.signed_before)[0] == 200
    assert act(place, past.signed_before) == 201
    assert checkpoint(place, past.signed_before)[0] == 200
    assert checkpoint(place, opened(place))[0] == 200
    status, problem = global_checkpoint(place)
    assert (status, problem["type"]) == (409, "/problems/log-forked")


def forked(place: Place, enough: Callable[[set[str]], bool]) -> set[str]:
    """The battles that the desk says so of, once that is `enough`."""
    until, found = Event(), set[str]()
    for _ in range(200):
        rows = json.loads(asked(place, "GET", "/v1/battles")[1])["battles"]
        found = {row["id"] for row in rows if row["forked"]}
        if enough(found):
            return found
        until.wait(0.05)
    raise AssertionError(found)


def accept(kept: Kept, origin: str) -> None:
    """Do what the page tells an operator to do who accepts the loss: its own lines, for one origin."""
    page = PAGE.read_text(encoding="utf-8")
    script = page.partition("```sh accept\n")[2].partition("```")[0]
    assert script
    done = subprocess.run(
        ["/bin/sh", "-euc", script],
        env={"PATH": "/usr/bin:/bin", "KEYS": str(kept.keys), "ORIGIN": origin},
        cwd=kept.keys.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def check_that_the_loss_can_be_accepted(kept: Kept, place: Place, past: Past) -> None:
    asks: dict[str, Callable[[], tuple[int, Any]]] = {
        past.signed.split("\n")[0]: lambda: checkpoint(place, past.signed_later),
        "localhost/global": lambda: global_checkpoint(place),
    }
    for origin, again in asks.items():
        assert again()[0] == 409
        remembered = set((kept.keys / "signed").glob("*.checkpoint"))
        accept(kept, origin)
        assert len(remembered - set((kept.keys / "signed").glob("*.checkpoint"))) == 1
        status, text = again()
        assert status == 200
        assert text.startswith(origin + "\n")
        # What was put aside is the evidence: the head that was signed before.
        assert any(path.read_text().startswith(origin + "\n") for path in kept.keys.parent.glob("accepted-*"))
    assert forked(place, lambda found: not found) == set()
    assert b"its proof is refused" not in asked(place, "GET", "/")[1]
