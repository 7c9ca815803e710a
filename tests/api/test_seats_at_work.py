"""Two seats over a real socket: the service and a seat's program are killed in mid-roll, and nothing is lost."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api.seatclient.client import SeatClient
from api.seatclient.following import within
from api.seatclient.service import Service
from api.seatclient.statefile import opened
from domain import events as e
from replays.codec import Codec
from replays.examine import examine
from tests.api.live_server import ROOT, free_port
from tests.laws.fields import shooting_range, shot_by

ENV = {k: v for k, v in os.environ.items() if not k.startswith("BATTLELOG_")} | {"PYTHONPATH": str(ROOT)}
PROGRAM = [sys.executable, "-c", "from api.cli import main; main()"]


class Mortal:
    """The service on one port and one file, to be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.port, self._folder = free_port(), folder
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        chosen = {"DATABASE": str(self._folder / "battles.db"), "PORT": str(self.port), "RATE": "0", "POLL": "0.05"}
        env = ENV | {f"BATTLELOG_{name}": value for name, value in chosen.items()}
        with (self._folder / "server.log").open("ab") as out:
            self.process = subprocess.Popen([sys.executable, "-m", "api.server"], env=env, stdout=out, stderr=out)
        until = time.monotonic() + 20
        while time.monotonic() < until:
            try:
                if httpx2.get(f"{self.url}/readyz", timeout=2).status_code == 200:
                    return
            except httpx2.HTTPError:
                time.sleep(0.05)
        raise AssertionError((self._folder / "server.log").read_text())

    def kill(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(10)


class SeatProgram:
    """`battlelog seat` for one side, following."""

    def __init__(self, folder: Path, url: str, battle: str, side: str, secret: str) -> None:
        self.state, self.out, self.side = folder / f"{side}.json", folder / f"{side}.out", side
        file = folder / f"{side}.secret"
        file.write_text(f"{secret}\n")
        named = ["--secret-file", str(file), "--state", str(self.state), "--json"]
        self._command = [*PROGRAM, "seat", url, battle, f"side:{side}", *named]
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.out.open("ab") as out:
            self.process = subprocess.Popen(self._command, env=ENV, stdout=out, stderr=out)

    def kill(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(10)

    def told(self) -> list[dict[str, Any]]:
        lines = self.out.read_text().splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]


class Play:
    """A battle at level L2 that red plays, and the programs that follow it."""

    def __init__(self, stack: ExitStack, folder: Path) -> None:
        self.service = Mortal(folder)
        stack.callback(self.service.kill)
        self.service.start()
        body = shooting_range(policy={"contributors": "all"})
        opening = httpx2.post(f"{self.service.url}/v1/battles", json=body, timeout=10).json()
        self.battle, seats = opening["id"], opening["seats"]
        self.programs = {}
        self.players = {}
        for side in ("red", "blue"):
            program = SeatProgram(folder, self.service.url, self.battle, side, seats[f"side:{side}"])
            stack.callback(program.kill)
            program.start()
            self.programs[side] = program
            until(program.state.is_file)
            until(lambda: '"size": 0' not in program.state.read_text())  # noqa: B023 - looked at once
            file = stack.enter_context(opened(program.state, self.battle, f"side:{side}"))
            assert not file.held, "the program has it"
            service = Service(self.service.url, self.battle, seats[f"side:{side}"])
            stack.callback(service.close)
            self.players[side] = SeatClient(service, file, tell=lambda _told: None)
        until(lambda: len(self.looked("red").record.seats) == 2)

    def looked(self, side: str) -> SeatClient:
        player = self.players[side]
        within(20, player.catch_up)
        return player

    def act(self, side: str, name: str, **command: Any) -> None:
        player = self.looked(side)
        answer = within(20, lambda: player.act("actions", json.dumps(command).encode(), name))
        assert answer.done, answer

    def settled(self) -> bool:
        return self.looked("red").record.pending is None


def until(true: Any, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.02)


@contextmanager
def played(folder: Path) -> Iterator[Play]:
    with ExitStack() as stack:
        yield Play(stack, folder)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_killed_in_mid_roll_again_and_again_every_roll_is_settled_once(tmp_path: Path) -> None:
    with played(tmp_path) as play:
        roll = 0
        for turn in range(3):
            for fig in range(10):
                roll += 1
                away = {4: "red", 14: "blue", 24: "red"}.get(roll)
                if away is not None:
                    play.programs[away].kill()
                play.act("red", f"roll-{roll}", **shot_by(f"r{fig}"))
                if away is not None:
                    assert not play.settled(), "it waits, and all can see for whom"
                    play.programs[away].start()
                elif roll in (7, 17, 27):
                    play.service.kill()
                    play.service.start()
                elif roll in (11, 21):
                    play.programs["blue"].kill()
                    play.programs["blue"].start()
                until(play.settled)
            for side in ("red", "blue"):
                play.act(side, f"end-{turn}-{side}", do="end_turn")
        log, _ = play.looked("blue").service.entries(0)
        until(lambda: len({told["roll"] for told in play.programs["red"].told() if "dice" in told}) == 30)

    examined = examine(log)
    assert examined.findings == ()
    entries = [Codec().parse(line) for line in log]
    requests = [entry.seq for entry in entries if isinstance(entry.body, e.RollRequested)]
    drawn = [entry.body for entry in entries if isinstance(entry.body, e.DiceDrawn)]
    assert len(requests) == 30
    assert [(x.index, x.source, len(x.contributors)) for x in drawn] == [(n, "chain", 2) for n in range(1, 31)]
    released = [entry.body for entry in entries if isinstance(entry.body, e.LinkReleased)]
    assert sorted((x.request, x.party) for x in released) == [(seq, party) for seq in requests for party in (1, 2)]
    assert len({x.link for x in released}) == 60
    for side in ("red", "blue"):
        kept = json.loads(play.programs[side].state.read_text())["released"]
        assert sorted(kept) == sorted(f"0:{n}" for n in range(1, 31))
        assert len(set(kept.values())) == 30, "no link was opened for two requests"
