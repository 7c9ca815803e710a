"""Told to stop, a service first says so while it still serves; then it stops."""

import signal
import socket
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

import pytest

from deploy.following import Follower
from deploy.playing import FAILED, asked, opened
from tests.api.live_server import served


def test_while_it_drains_it_serves_and_says_that_it_is_leaving(tmp_path: Path) -> None:
    with served(tmp_path / "battles.db", DRAIN="2", HEARTBEAT="0.5") as server:
        place = "127.0.0.1", server.port
        battle = opened(place)
        follower = Follower(battle.id, place, lambda: 12)
        follower.start()
        told = monotonic()
        server.process.send_signal(signal.SIGTERM)
        while (answer := asked(place, "GET", "/readyz"))[0] == 200:
            assert monotonic() - told < 1.5
            sleep(0.02)
        assert answer[0] == 503
        assert b"about to stop" in answer[1]
        assert asked(place, "GET", "/healthz")[0] == 200
        seat = {"Authorization": f"Bearer {battle.secret}"}
        assert asked(place, "POST", f"/v1/battles/{battle.id}/actions", {"do": "end_turn"}, seat)[0] == 201
        follower.join(1.5)
        assert not follower.is_alive(), "who came before still follows"
        late = Follower(battle.id, place, lambda: 12)
        late.run()  # who comes in the meantime is served, too
        assert (late.faults, late.last, late.digest) == ([], 12, follower.digest)
        assert server.process.poll() is None
        server.process.wait(10)
        assert 2 <= monotonic() - told < 10
        assert server.process.returncode in (0, -signal.SIGTERM)


def test_followers_are_sent_home_at_the_end_of_the_drain(tmp_path: Path) -> None:
    with served(tmp_path / "battles.db", DRAIN="1") as server:
        place = "127.0.0.1", server.port
        follower = Follower(opened(place).id, place, lambda: 99)
        follower.daemon = True
        follower.start()
        while follower.last < 6:
            sleep(0.02)
        took = server.stop()
        assert 1 <= took < 5
    sleep(0.2)
    assert follower.broke[0][1] in ("end", "IncompleteRead", "ConnectionResetError")
    assert follower.broke[0][1] == "end", "an answer that ends as it should, so that they come again at once"


def test_without_a_drain_it_stops_at_once(tmp_path: Path) -> None:
    with served(tmp_path / "battles.db") as server:
        assert server.stop() < 1.5


def test_a_request_under_way_at_the_end_of_the_drain_is_answered(tmp_path: Path) -> None:
    with served(tmp_path / "battles.db", DRAIN="0.5", GRACE="10") as server:
        place = "127.0.0.1", server.port
        battle = opened(place)
        seat = {"Authorization": f"Bearer {battle.secret}"}
        answers: list[int] = []

        def play() -> None:
            path = f"/v1/battles/{battle.id}/actions"
            try:
                while True:
                    answers.append(asked(place, "POST", path, {"do": "end_turn"}, seat)[0])
            except FAILED as no:
                answers.append(0 if isinstance(no, ConnectionRefusedError) else -1)

        player = Thread(target=play)
        player.start()
        sleep(0.3)
        server.stop()
        player.join(10)
    assert set(answers[:-1]) == {201}
    assert answers[-1] in (0, -1)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_who_cannot_wait_says_so_twice(tmp_path: Path, how: signal.Signals) -> None:
    with served(tmp_path / "battles.db", DRAIN="60") as server:
        server.process.send_signal(how)
        while asked(("127.0.0.1", server.port), "GET", "/readyz")[0] == 200:
            sleep(0.02)
        sleep(0.2)
        assert server.process.poll() is None
        assert server.stop(how) < 5
        assert "draining for 60 s" in server.log.read_text()


def test_a_second_signal_cuts_the_drain_short_and_no_request(tmp_path: Path) -> None:
    with served(tmp_path / "battles.db", DRAIN="60", GRACE="10") as server:
        place = "127.0.0.1", server.port
        battle = opened(place)
        server.process.send_signal(signal.SIGTERM)
        with socket.create_connection(place) as line:
            body = b'{"do": "end_turn"}'
            head = (
                f"POST /v1/battles/{battle.id}/actions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {battle.secret}\r\n"
            )
            rest = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            line.sendall((head + rest).encode() + body[:4])
            sleep(0.3)
            server.process.send_signal(signal.SIGTERM)
            sleep(0.5)
            line.sendall(body[4:])
            line.settimeout(10)
            assert line.recv(100).startswith(b"HTTP/1.1 201")
        server.process.wait(10)
