"""The seat's own program: what it refuses to sign or release, what it keeps, and what it says to who runs it."""

import json
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from api.seatclient.requests import BadRequest, signed_part
from api.seatclient.seatkey import SIGNATURE, SeatKey
from api.seatclient.service import Service
from api.seatclient.sight import Sight, Suspicion
from api.terminal.seating import SECRET, Wanted, sit
from api.terminal.stop import FOUND_WRONG, USED_WRONGLY, Stop
from replays.audit.dicechain import Chain, ChainId
from replays.examine import examine
from tests.api.live_server import Server, served
from tests.laws.fields import gangs, shooting_range, shot_by
from tests.replays.seated import SHOT

ONCE = Wanted(once=True, act=None, kind="actions", new_key=False, as_json=False)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("served") / "battles.db") as running:
        yield running


@dataclass
class Club:
    """A battle of the running service, and a folder with what its players have."""

    url: str
    folder: Path
    id: str = ""
    seats: dict[str, str] = field(default_factory=dict)

    def open(self, **body: Any) -> "Club":
        opened = httpx2.post(f"{self.url}/v1/battles", json=body, timeout=10).json()
        self.id, self.seats = opened["id"], opened["seats"]
        return self

    def state(self, seat: str) -> Path:
        return self.folder / f"{seat.replace(':', '-')}.json"

    def kept(self, seat: str) -> dict[str, Any]:
        kept: dict[str, Any] = json.loads(self.state(seat).read_bytes())
        return kept

    def keep(self, seat: str, **changes: Any) -> None:
        self.state(seat).write_text(json.dumps(self.kept(seat) | changes))

    def sit(self, seat: str, wanted: Wanted = ONCE, secret: str | None = None) -> None:
        file = self.folder / "secret"
        file.write_text(f"{self.seats[seat] if secret is None else secret}\n")
        sit(self.url, self.id, seat, file, self.state(seat), wanted)

    def act(self, seat: str, /, **body: Any) -> None:
        self.send(seat, "actions", body)

    def send(self, seat: str, kind: str, body: Any, *, as_json: bool = False) -> None:
        self.sit(seat, ONCE._replace(act=json.dumps(body), kind=kind, as_json=as_json))

    def stops(self, seat: str, wanted: Wanted = ONCE, secret: str | None = None) -> Stop:
        with pytest.raises(Stop) as caught:
            self.sit(seat, wanted, secret)
        return caught.value

    def post(self, seat: str, kind: str, body: Any = None, **headers: str) -> httpx2.Response:
        named = {"Authorization": f"Bearer {self.seats[seat]}", **headers}
        return httpx2.post(f"{self.url}/v1/battles/{self.id}/{kind}", json=body or {}, headers=named, timeout=10)

    @property
    def log(self) -> list[bytes]:
        with closing(Service(self.url, self.id, self.seats["referee"])) as service:
            return service.entries(0)[0]

    @property
    def entries(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log]

    def types(self) -> list[str]:
        return [entry["type"] for entry in self.entries]


@pytest.fixture
def club(server: Server, tmp_path: Path) -> Club:
    """A battle at level L2."""
    return Club(server.url, tmp_path).open(**shooting_range(policy={"contributors": "all"}))


@pytest.fixture
def table(server: Server, tmp_path: Path) -> Club:
    """A battle with table dice that are confirmed and signed."""
    policy = {"table_dice": "confirmed", "signed": "required"}
    return Club(server.url, tmp_path).open(**gangs(policy=policy))


# --- playing ---


def test_two_seats_join_and_settle_a_roll(club: Club, capsys: pytest.CaptureFixture[str]) -> None:
    club.sit("side:red")
    club.sit("side:blue")
    club.act("side:red", **shot_by("r0"))
    assert club.types()[-1] == "LinkReleased", "its own link is opened at once"
    club.sit("side:blue")
    assert examine(club.log).findings == ()
    out = capsys.readouterr().out
    assert "side:red has joined with a chain of 4096 links, epoch 0" in out
    assert "shoot of red: ammo" in out
    assert "(checked against the links of the service, side:red, side:blue)" in out
    assert "\x1b" not in out
    assert {entry["body"]["length"] for entry in club.entries if entry["type"] == "SeatJoined"} == {4096}


def test_what_it_keeps_is_for_its_owner_alone(club: Club) -> None:
    club.sit("side:red")
    assert stat.S_IMODE(club.state("side:red").stat().st_mode) == 0o600
    kept = club.kept("side:red")
    assert (kept["epoch"], kept["length"], kept["size"]) == (0, 4096, len(club.log))
    sight = Sight(0, "")
    sight.take(club.log, len(club.log))
    assert sight.root == kept["root"]


def test_typed_dice_are_confirmed_with_a_signature(table: Club, capsys: pytest.CaptureFixture[str]) -> None:
    table.sit("side:blue")
    table.act("side:red", **SHOT, dice=[1, 1])
    roll = next(entry["seq"] for entry in table.entries if entry["type"] == "DiceTyped")
    table.send("side:blue", f"rolls/{roll}/confirm", {"faces": [1, 1]})
    table.act("side:red", do="end_turn")
    assert "DiceConfirmed" in table.types()
    assert [entry["body"]["kind"] for entry in table.entries if entry["type"] == "RequestSigned"] == [
        "actions",
        f"rolls/{roll}/confirm",
        "actions",
    ]
    assert examine(table.log).findings == ()
    assert f"roll {roll}: shoot of red: 1 1 typed by side:red, to be confirmed" in capsys.readouterr().out


def test_json_is_one_object_a_line(club: Club, capsys: pytest.CaptureFixture[str]) -> None:
    club.send("side:red", "actions", {"do": "end_turn"}, as_json=True)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == {"joined": "side:red", "epoch": 0, "length": 4096}
    assert [entry["type"] for entry in lines[1]["entries"]][-1] == "RequestSigned"


def test_a_refusal_is_told_and_is_exit_code_1(club: Club) -> None:
    stop = club.stops("side:blue", ONCE._replace(act='{"do": "end_turn"}'))
    assert stop.code == FOUND_WRONG
    assert "only red or the referee" in stop.said


def test_a_key_signs_for_a_player_who_speaks_http(club: Club) -> None:
    club.sit("side:red")
    log, body = club.log, b'{"do": "end_phase"}'
    key = SeatKey(club.id, bytes.fromhex(club.kept("side:red")["key"]))
    sight = Sight(0, "")
    sight.take(log, len(log))
    header = key.header(len(log) + 1, sight.tail, "actions", signed_part("actions", body))
    assert club.post("side:red", "actions", json.loads(body)).status_code == 403
    assert club.post("side:red", "actions", json.loads(body), **{SIGNATURE: header}).status_code == 201
    assert club.post("side:red", "actions", json.loads(body), **{SIGNATURE: header}).status_code == 412


@pytest.mark.parametrize(
    ("kind", "body", "part"),
    [
        (
            "actions",
            {"do": "move", "fig": "r1", "to": {"x": 10.5, "y": 7}},
            {"do": "move", "fig": "r1", "to": {"x": 10_500, "y": 7000}, "pace": None, "inches": None, "cover": None},
        ),
        ("undo", {"to_before": 9}, {"to_before": 9, "reason": ""}),
        ("undo/3", {"agree": True, "head": 9}, {"agree": True, "head": 9}),
        ("undo/3", {"withdraw": True}, {"withdraw": True}),
        ("redo", {}, {"reason": ""}),
        ("disputes/1/resolve", {"agreed": True}, {"ruling": None, "agreed": True, "withdrawn": None}),
        ("rolls/9/forfeit", {"seat": "side:red", "reason": "gone"}, {"seat": "side:red", "reason": "gone"}),
        ("actions", {"do": "end_turn", "dice": [1]}, {"do": "end_turn", "waive": None, "dice": [1]}),
    ],
)
def test_what_is_signed_is_what_the_service_makes_of_it(kind: str, body: Any, part: Any) -> None:
    assert signed_part(kind, json.dumps(body).encode()) == part


@pytest.mark.parametrize(("kind", "body"), [("seats/referee/rotate", b"{}"), ("actions", b"{"), ("undo", b'{"to": 1}')])
def test_what_makes_no_sense_is_not_signed(kind: str, body: bytes) -> None:
    with pytest.raises(BadRequest):
        signed_part(kind, body)


# --- cut off, and gone on with ---


def test_killed_between_writing_down_and_sending_it_releases_the_same_link(club: Club) -> None:
    for seat in ("side:blue", "side:red"):
        club.sit(seat)
    club.act("side:red", **shot_by("r0"))
    roll = next(entry for entry in club.entries if entry["type"] == "RollRequested")
    sight = Sight(0, "")
    sight.take(club.log, len(club.log))
    club.keep("side:blue", released={"0:1": sight.leaf_at(roll["seq"])})
    club.sit("side:blue")
    assert club.types().count("LinkReleased") == 2
    assert examine(club.log).findings == ()


def test_killed_between_choosing_a_seed_and_joining_it_joins_with_that_seed(club: Club) -> None:
    club.sit("side:red")
    club.sit("side:blue")
    club.keep("side:blue", epoch=1, length=4096)
    stop = club.stops("side:blue")
    assert "is in epoch 0, this file in 1" in stop.said


def test_a_chain_that_is_used_up_is_followed_by_the_next(club: Club) -> None:
    club.sit("side:red")
    key = SeatKey(club.id, bytes([7]) * 32)
    short = Chain(ChainId(bytes.fromhex(club.id), 2, 0), bytes([8]) * 32, 1)
    assert club.post(
        "side:blue", "seats/side:blue/join", json.loads(key.join(2, 0, short).model_dump_json())
    ).is_success
    club.act("side:red", **shot_by("r0"))
    sight = Sight(0, "")
    sight.take(club.log, len(club.log))
    roll = sight.record.pending if sight.record else None
    assert roll is not None
    release = key.release(short, 1, roll.seq, sight.leaf_at(roll.seq))
    assert club.post("side:blue", f"rolls/{roll.seq}/release", json.loads(release.model_dump_json())).is_success
    state = {"battle": club.id, "seat": "side:blue", "key": "07" * 32, "seed": "08" * 32, "length": 1}
    club.state("side:blue").write_text(json.dumps(state))
    club.sit("side:blue")
    assert club.kept("side:blue")["epoch"] == 1
    club.act("side:red", **shot_by("r1"))
    club.sit("side:blue")
    assert club.kept("side:blue")["released"].keys() == {"1:1"}
    assert examine(club.log).findings == ()


def test_a_state_file_that_is_lost_is_replaced_only_if_that_is_said(club: Club) -> None:
    club.sit("side:red")
    club.state("side:red").unlink()
    stop = club.stops("side:red")
    assert stop.code == FOUND_WRONG
    assert "--new-key" in stop.said
    stop = club.stops("side:red", ONCE._replace(new_key=True))
    assert "the referee has to vouch" in stop.said
    vouched = club.post("referee", "seats/side:red/join", json.loads(stop.said[stop.said.index("{") :]))
    assert vouched.status_code == 201
    club.sit("side:red", ONCE._replace(new_key=True))
    club.act("side:red", do="end_turn")
    assert club.kept("side:red")["epoch"] == 1
    assert examine(club.log).findings == ()


# --- a server that is not what it was ---


def test_a_log_that_is_shorter_than_it_was(club: Club) -> None:
    club.sit("side:red")
    club.keep("side:red", size=len(club.log) + 1)
    stop = club.stops("side:red")
    assert stop.code == FOUND_WRONG
    assert "the server shows another past" in stop.said


def test_a_log_that_begins_otherwise_than_it_did(club: Club) -> None:
    club.sit("side:red")
    club.keep("side:red", root="ab" * 32)
    assert "are not those that were seen" in club.stops("side:red").said


def test_a_link_that_was_opened_for_another_request_stays_shut(club: Club) -> None:
    club.sit("side:red")
    club.sit("side:blue")
    club.act("side:red", **shot_by("r0"))
    club.keep("side:blue", released={"0:1": "ab" * 32})
    assert "opened for another request already" in club.stops("side:blue").said
    club.keep("side:blue", released={"0:2": "ab" * 32})
    assert "0:2 was opened before" in club.stops("side:blue").said
    assert club.types().count("LinkReleased") == 1


def lies(club: Club) -> dict[str, list[bytes]]:
    """Logs as a service might show them that is not honest."""
    club.sit("side:red")
    club.sit("side:blue")
    club.act("side:red", **shot_by("r0"))
    club.sit("side:blue")
    club.act("side:red", do="end_turn")
    log = club.log
    rolled = next(n for n, line in enumerate(log) if b'"type":"HitRolled"' in line)
    return {
        "an altered entry": [*log[:3], log[3].replace(b'"x":', b'"x":1'), *log[4:]],
        "a dropped entry": [*log[:5], *log[6:]],
        "other dice": [*log[:rolled], log[rolled].replace(b'"faces":[', b'"faces":[6,'), *log[rolled + 1 :]],
        "no signature": log[:-1],
        "no muster": log[5:],
        "no entries": [b"{}"],
    }


def test_what_does_not_follow_ends_it(club: Club) -> None:
    for name, log in lies(club).items():
        with pytest.raises(Suspicion) as caught:
            Sight(0, "").take(log, len(log))
        assert str(caught.value), name


def test_a_head_that_moved_is_seen_even_if_nothing_follows(club: Club) -> None:
    club.sit("side:red")
    log = club.log
    sight = Sight(0, "")
    sight.take(log, len(log))
    assert sight.take(log[-1:], len(log)) == []
    for lines, head in (([], len(log)), ([log[-2]], len(log)), (log[-1:], len(log) - 1)):
        with pytest.raises(Suspicion):
            sight.take(lines, head)


# --- used wrongly ---


def test_what_is_used_wrongly_is_said_in_a_sentence(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SECRET, raising=False)
    said = {
        "this secret opens no seat": club.stops("side:red", secret="nobody"),
        "only side:blue itself": club.stops("side:blue", secret=club.seats["side:red"]),
        "there is no seat's secret": club.stops("side:red", secret=""),
        "is called side:red": club.stops("red", secret="x"),
        "no request that a seat signs": club.stops("side:red", ONCE._replace(act="{}", kind="battles")),
    }
    other = Club(club.url, club.folder, "ab" * 16, club.seats)
    said["there is no battle"] = other.stops("referee")
    club.state("side:red").write_text("{}")
    said["is no state of a seat"] = club.stops("side:red")
    for words, stop in said.items():
        assert words in stop.said
        assert stop.code == USED_WRONGLY


def test_a_state_file_of_another_seat(club: Club) -> None:
    club.sit("side:red")
    club.state("side:red").rename(club.state("side:blue"))
    assert "is the state of side:red" in club.stops("side:blue").said


def test_a_secret_out_of_the_environment(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECRET, club.seats["referee"])
    sit(club.url, club.id, "referee", None, club.state("referee"), ONCE)
    assert club.types()[-1] == "SeatJoined"
    assert club.entries[-1]["body"]["length"] == 0


def test_a_service_that_is_not_there(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.terminal.seating.PATIENCE", 0.1)
    stop = Club("http://127.0.0.1:9", club.folder, club.id, club.seats).stops("side:red")
    assert (stop.code, stop.said[:31]) == (USED_WRONGLY, "the service cannot be reached: ")
    stop = Club("ftp://nowhere", club.folder, club.id, club.seats).stops("side:red")
    assert "no address of a service" in stop.said


def test_it_ends_when_the_battle_is_closed(table: Club, capsys: pytest.CaptureFixture[str]) -> None:
    assert table.post("referee", "actions", {"do": "end_battle"}).is_success
    assert table.post("referee", "close").is_success
    table.sit("side:red", ONCE._replace(once=False))
    assert "the battle is closed" in capsys.readouterr().out
