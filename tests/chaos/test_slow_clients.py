"""Slow and cut connections: whoever dawdles is cut off, whoever hangs up writes nothing, and the others play on."""

import contextlib
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import httpx2
import pytest

from tests.api.live_server import Server
from tests.chaos.lives import Player, begun

resource = pytest.importorskip("resource")
PATIENCE = 1.5
FEW_FILES = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (160, 160)); \
os.execvp(sys.argv[1], sys.argv[1:])"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("slow")
    few = [sys.executable, "-c", FEW_FILES]
    with begun(folder / "club.db", folder, *few, PATIENCE=str(PATIENCE)) as server:
        yield server


@pytest.fixture
def player(server: Server) -> Iterator[Player]:
    with Player(server.url) as player:
        player.open()
        yield player


def line(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=10)


def request(player: Player, body: bytes, length: int = 0) -> bytes:
    head = (
        f"POST /v1/battles/{player.battle}/actions HTTP/1.1\r\nHost: club\r\nAuthorization: Bearer {player.secret}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length or len(body)}\r\n\r\n"
    )
    return head.encode() + body


def dribbled(end: socket.socket, data: bytes, pause: float) -> tuple[int, float]:
    """How many bytes could be sent, one at a time, and how long that went on."""
    began = time.monotonic()
    for n in range(len(data)):
        try:
            end.sendall(data[n : n + 1])
        except OSError:
            return n, time.monotonic() - began
        time.sleep(pause)
    return len(data), time.monotonic() - began


def test_a_client_that_sends_a_byte_now_and_then_is_cut_off_and_writes_nothing(server: Server, player: Player) -> None:
    head = len(player.log())
    whole = request(player, b'{"do": "end_turn"}')
    for start in (0, 40, len(whole) - 12):  # nothing said, within the head, within the body
        with line(server) as end:
            end.sendall(whole[:start])
            sent, took = dribbled(end, whole[start:] * 9, 0.2)
            assert sent < len(whole[start:] * 9)
            assert took < PATIENCE + 3
    assert len(player.log()) == head
    assert player.act() == 201


def test_a_client_that_is_slow_but_within_patience_is_answered(server: Server, player: Player) -> None:
    whole = request(player, b'{"do": "end_turn"}')
    with line(server) as end:
        for _ in range(2):  # and its line may be used again
            dribbled(end, whole, 0.5 * PATIENCE / len(whole))
            assert b"201 Created" in end.recv(65_536)
            time.sleep(0.3)


@pytest.mark.parametrize("times", [1, 1_000])
def test_line_ends_after_an_answer_keep_no_line_open(server: Server, player: Player, times: int) -> None:
    with line(server) as end:
        end.sendall(request(player, b'{"do": "end_turn"}'))
        answer = b""
        while not answer.endswith(b"}"):
            answer += end.recv(65_536)
        assert b"201 Created" in answer
        began = time.monotonic()
        with contextlib.suppress(ConnectionError):
            dribbled(end, b"\r\n" * times, 0.1)
            assert end.recv(1) == b""
        assert time.monotonic() - began < PATIENCE + 3


@pytest.mark.slow
def test_a_request_that_comes_at_a_least_pace_is_answered_however_long_it_takes(server: Server, player: Player) -> None:
    whole = request(player, b" " * 60_000 + b'{"do": "end_turn"}')
    with line(server) as end:
        began = time.monotonic()
        for start in range(0, len(whole), 1_000):  # three times the least pace
            time.sleep(max(0, began + start / 12_000 - time.monotonic()))
            end.sendall(whole[start : start + 1_000])
        assert time.monotonic() - began > 3 * PATIENCE
        assert b"201 Created" in end.recv(65_536)


def test_a_head_without_end_is_cut_however_fast_it_comes(server: Server) -> None:
    with line(server) as end:
        end.sendall(b"GET /healthz HTTP/1.1\r\nHost: club\r\n")
        began = time.monotonic()
        with contextlib.suppress(ConnectionError):
            while time.monotonic() < began + 3 * PATIENCE + 3:
                end.sendall(b"Again: " + b"x" * 200_000 + b"\r\n")
                time.sleep(0.1)
        assert time.monotonic() - began < 3 * PATIENCE + 3


def test_a_body_that_is_cut_in_the_middle_writes_nothing(server: Server, player: Player) -> None:
    head = len(player.log())
    whole = request(player, b'{"do": "end_turn"}')
    for length in range(len(whole) - 18, len(whole)):
        with line(server) as end:
            end.sendall(whole[:length])
            if length % 2:
                end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # with a reset
    time.sleep(0.2)
    assert len(player.log()) == head
    assert player.act() == 201


def test_an_answer_that_nobody_waits_for_was_written_once_all_the_same(server: Server, player: Player) -> None:
    for n in range(10):
        whole = request(player, b'{"do":"end_turn"}').replace(b"\r\n", b"\r\nIdempotency-Key: lost-%d\r\n" % n, 1)
        with line(server) as end:
            end.sendall(whole)
        assert player.act(f"lost-{n}") == 201
    player.check()


def test_half_open_lines_keep_others_out_no_longer_than_patience_lasts(server: Server, player: Player) -> None:
    with contextlib.ExitStack() as half_open:
        for _ in range(400):  # far more than it may have files
            with contextlib.suppress(OSError):
                end = half_open.enter_context(line(server))
                end.sendall(request(player, b"{", length=100))
        assert player.act() == 201  # whoever is in stays in
        began = time.monotonic()
        until = began + PATIENCE + 8
        answered = 0
        while not answered and time.monotonic() < until:
            with contextlib.suppress(httpx2.HTTPError):
                answered = httpx2.get(f"{server.url}/readyz", timeout=2).status_code
            time.sleep(0.1)
        assert answered == 200
    assert player.act() == 201
    player.check()


@pytest.mark.slow
def test_one_who_stops_reading_a_feed_is_dropped_and_the_others_miss_nothing(server: Server, player: Player) -> None:
    seen: list[int] = []

    def follow() -> None:
        url = f"{server.url}/v1/battles/{player.battle}/entries"
        with httpx2.stream("GET", url, headers={"Accept": "text/event-stream"}, timeout=20) as answer:
            for text in answer.iter_lines():
                if text.startswith("id: "):
                    seen.append(int(text[4:]))
                if seen and seen[-1] >= head[0]:
                    return

    head = [10**9]
    follower = Thread(target=follow, daemon=True)
    follower.start()
    with line(server) as stuck:
        stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stuck.sendall(asking(player, "text/event-stream"))
        stop = time.monotonic() + 20
        while dropped(player) == 0 and time.monotonic() < stop:
            for _ in range(100):
                rule_at_length(player)
        assert dropped(player) == 1
    head[0] = player.act() and len(player.log())
    player.act()
    follower.join(10)
    assert seen == list(range(1, seen[-1] + 1))
    assert seen[-1] >= head[0]


def asking(player: Player, accept: str) -> bytes:
    path = f"/v1/battles/{player.battle}/entries"
    return f"GET {path} HTTP/1.1\r\nHost: club\r\nAccept: {accept}\r\n\r\n".encode()


def rule_at_length(player: Player) -> None:
    """Make the log longer."""
    answer = player.http.post(
        f"/v1/battles/{player.battle}/rulings",
        json={"about": None, "rule": "HOUSE", "reason": "x" * 480, "changes": []},
        headers={"Authorization": f"Bearer {player.secret}"},
    )
    assert answer.status_code == 201, answer.text


def dropped(player: Player) -> int:
    """How many followers were dropped for being slow."""
    rows = player.http.get("/metrics").text.splitlines()
    return sum(int(float(row.split()[-1])) for row in rows if row.startswith("battlelog") and "dropped_total" in row)


def sockets(server: Server) -> int:
    """How many sockets the server has open."""
    found = 0
    for file in Path(f"/proc/{server.process.pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found += str(file.readlink()).startswith("socket:")
    return found


@pytest.mark.slow
def test_a_long_answer_is_sent_whole_to_one_who_reads_steadily(server: Server, player: Player) -> None:
    for _ in range(2_500):
        rule_at_length(player)
    path = f"/v1/battles/{player.battle}/bundle"  # which is written in one piece
    whole = len(httpx2.get(server.url + path, timeout=20).content)
    with socket.socket() as steady:
        steady.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        steady.settimeout(10)
        steady.connect(("127.0.0.1", server.port))
        steady.sendall(f"GET {path} HTTP/1.1\r\nHost: club\r\n\r\n".encode() * 4)  # the system holds the first
        began, got = time.monotonic(), 0
        while got < 3 * whole:
            piece = steady.recv(4096)
            assert piece, f"cut after {got} of {3 * whole} bytes"
            got += len(piece)
            time.sleep(max(0, began + got / 400_000 - time.monotonic()))
        assert time.monotonic() - began > 3 * PATIENCE


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="nobody here tells what a process has open")
def test_one_who_stops_reading_a_long_answer_is_cut_off(server: Server, player: Player) -> None:
    for _ in range(120):
        rule_at_length(player)
    player.moved(server.url)  # no line of its own is open now
    time.sleep(0.3)
    before = sockets(server)
    with line(server) as stuck:
        stuck.sendall(asking(player, "application/jsonl") * 400)  # together more than any buffer holds
        time.sleep(PATIENCE + 0.2)
        assert sockets(server) == before + 1  # its requests have come whole
        until = time.monotonic() + 1.5 * PATIENCE + 5
        while sockets(server) > before and time.monotonic() < until:
            time.sleep(0.1)
        assert sockets(server) == before
    assert player.act() == 201
