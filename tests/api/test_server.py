"""The service as people run it: sockets, several processes on one file, and how it ends."""

import concurrent.futures
import contextlib
import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api.examples import NME_OPENING
from tests.api.live_server import ROOT, Server, free_port, served

END = {"do": "end_turn"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("live") / "battles.db") as server:
        yield server


def opened(server: Server) -> tuple[str, dict[str, str]]:
    body = httpx2.post(f"{server.url}/v1/battles", json=NME_OPENING).json()
    return f"/v1/battles/{body['id']}", {"Authorization": f"Bearer {body['seats']['referee']}"}


def lines(server: Server, url: str) -> list[dict[str, Any]]:
    text = httpx2.get(f"{server.url}{url}/entries", headers={"Accept": "application/jsonl"}).content
    return [json.loads(line) for line in text.splitlines()]


@contextlib.contextmanager
def following(server: Server, url: str, after: int = 0) -> Iterator[Iterator[tuple[int, dict[str, Any]]]]:
    """The frames of a live feed, as (id, entry)."""
    headers = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
    with httpx2.stream("GET", f"{server.url}{url}/entries", headers=headers, timeout=15) as answer:
        assert answer.status_code == 200

        def frames() -> Iterator[tuple[int, dict[str, Any]]]:
            seq = 0
            for line in answer.iter_lines():
                name, _, value = line.partition(": ")
                if name == "id":
                    seq = int(value)
                elif name == "data":
                    yield seq, json.loads(value)

        yield frames()


def test_two_followers_are_cut_off_at_every_entry_while_another_process_writes(server: Server) -> None:
    url, seat = opened(server)
    turns = 3
    with served(Path(server.log).parent / "battles.db") as other:
        total = 6 + 6 * turns

        def write() -> None:
            for n in range(turns):
                where = (server, other)[n % 2]
                assert httpx2.post(f"{where.url}{url}/actions", json=END, headers=seat).status_code == 201

        def follow(who: Server) -> list[int]:
            seen: list[int] = []
            while len(seen) < total:
                with following(who, url, len(seen)) as frames:
                    seq, entry = next(frames)
                    assert entry["seq"] == seq
                    seen.append(seq)
            return seen

        with concurrent.futures.ThreadPoolExecutor(3) as threads:
            seen = [threads.submit(follow, who) for who in (server, other)]
            threads.submit(write).result()
            assert [future.result() for future in seen] == [list(range(1, total + 1))] * 2
    assert len(lines(server, url)) == total


def test_a_stop_sends_followers_home_and_loses_nothing(tmp_path: Path) -> None:
    database = tmp_path / "battles.db"
    with served(database, GRACE="10") as server:
        url, seat = opened(server)
        ended = threading.Event()
        seen: list[int] = []

        def follow() -> None:
            with following(server, url) as frames:
                for seq, _ in frames:
                    seen.append(seq)
                    if seq == 12:
                        ready.set()
            ended.set()

        ready = threading.Event()
        thread = threading.Thread(target=follow)
        thread.start()
        assert httpx2.post(f"{server.url}{url}/actions", json=END, headers=seat).status_code == 201
        assert ready.wait(10)
        took = server.stop()
        thread.join(10)
        assert ended.is_set()
        assert took < 5, "a live feed held it up"
        assert server.process.returncode in (0, -signal.SIGTERM)
        before = seen
    with served(database) as server:
        assert [entry["seq"] for entry in lines(server, url)] == before == list(range(1, 13))
        with following(server, url, 12) as frames:
            assert httpx2.post(f"{server.url}{url}/actions", json=END, headers=seat).status_code == 201
            assert next(frames)[0] == 13


def test_killed_in_the_middle_of_writing(tmp_path: Path) -> None:
    database = tmp_path / "battles.db"
    with served(database) as server:
        url, seat = opened(server)
        acknowledged: list[int] = []

        def write() -> None:
            with contextlib.suppress(httpx2.HTTPError), httpx2.Client(base_url=server.url, headers=seat) as client:
                for n in range(10_000):
                    answer = client.post(f"{url}/actions", json=END, headers={"Idempotency-Key": f"turn-{n}"})
                    acknowledged.append(answer.json()["seq"])
                    if n == 20:
                        busy.set()

        busy = threading.Event()
        thread = threading.Thread(target=write)
        thread.start()
        assert busy.wait(20)
        server.stop(signal.SIGKILL)
        thread.join(20)
    with served(database) as server:
        entries = lines(server, url)
        assert [entry["seq"] for entry in entries] == list(range(1, len(entries) + 1))
        assert entries[acknowledged[-1] - 1]["seq"] == acknowledged[-1]
        assert entries[-1]["type"] == "PhaseStarted", "the last action is whole"
        n = len(acknowledged)
        again = httpx2.post(f"{server.url}{url}/actions", json=END, headers=seat | {"Idempotency-Key": f"turn-{n}"})
        # Whether it was stored before the answer got lost or not: it counts once.
        assert again.status_code == 201
        assert httpx2.get(f"{server.url}{url}").json()["turn"] == n + 2


def test_what_is_no_request_of_ours(server: Server) -> None:
    for raw in (
        b"\x00\x01\x02\r\n\r\n",
        b"GET /%ff HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /v1/battles HTTP/1.1\r\n" * 3 + b"\r\n",
    ):
        with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
            connection.sendall(raw)
            assert connection.recv(12).startswith((b"HTTP/1.1 400", b"HTTP/1.1 404"))
    answer = httpx2.get(f"{server.url}/healthz")
    assert answer.status_code == 200
    assert "server" not in answer.headers


def test_a_body_that_never_ends_is_cut_off(server: Server) -> None:
    url, seat = opened(server)
    head = f"POST {url}/actions HTTP/1.1\r\nHost: x\r\nAuthorization: {seat['Authorization']}\r\n"
    head += "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as connection:
        connection.sendall(head.encode())
        answer = b""
        with contextlib.suppress(ConnectionError):
            for _ in range(64):
                connection.sendall(b"10000\r\n" + b" " * 2**16 + b"\r\n")
        with contextlib.suppress(ConnectionError):
            answer = connection.recv(100)
        assert answer.startswith(b"HTTP/1.1 413") or not answer
    assert len(lines(server, url)) == 6


def test_it_says_why_it_does_not_start(tmp_path: Path) -> None:
    for settings, said in (
        ({"BATTLELOG_PORT": "x"}, "BATTLELOG_PORT"),
        ({"BATTLELOG_DATABASE": str(tmp_path / "no" / "folder.db")}, "there is no folder"),
    ):
        environment = {"PYTHONPATH": str(ROOT), "BATTLELOG_PORT": str(free_port()), "PATH": "", **settings}
        done = subprocess.run(
            [sys.executable, "-m", "api.server"], env=environment, capture_output=True, timeout=30, check=False
        )
        assert done.returncode == 2
        assert said in done.stderr.decode()
        assert "Traceback" not in done.stderr.decode()
