"""Old shapes: they are raised on reading, their bytes stay what they were, and a whole old battle goes on.

The old release of these tests knew no `FigMoved`; it wrote `FigWalked`, first without the inches and then with them.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from domain import events as e
from replays.codec import START, Codec, Fingerprint, Misread, Upcaster, leaf
from replays.store import Beside, Sealed
from tests.laws.fields import bricks
from tests.laws.game import Game
from tests.replays.rooms import Room

Line = dict[str, Any]


def counted(body: Line) -> tuple[str, int, Line]:
    """Version 1 had no inches: a walk counted what it measured."""
    return "FigWalked", 2, body | {"inches": body["measured"]}


def renamed(body: Line) -> tuple[str, int, Line]:
    """Version 2 was `FigMoved` under another name, with its places in a list."""
    start, to = body["way"]
    rest = {name: value for name, value in body.items() if name != "way"}
    return "FigMoved", 1, rest | {"from": start, "to": to}


RAISED: dict[tuple[str, int], Upcaster] = {("FigWalked", 1): counted, ("FigWalked", 2): renamed}


def written(line: Line) -> bytes:
    return json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def aged(data: bytes, v: int) -> bytes:
    """An entry as the old release wrote it."""
    line: Line = json.loads(data)
    if line["type"] != "FigMoved":
        return data
    body = line["body"]
    body["way"] = [body.pop("from"), body.pop("to")]
    if v == 1:
        del body["inches"]
    return written(line | {"type": "FigWalked", "v": v, "body": body})


def old_log(game: Game) -> list[bytes]:
    """The whole log as the old release wrote it, its chain of hashes too."""
    prev, log = START, []
    for n, data in enumerate(game.book.data()):
        line: Line = json.loads(aged(data, 1 + n % 2))
        log.append(written(line | {"prev": prev}))
        prev = leaf(log[-1])
    return log


def sealed(data: bytes) -> Sealed:
    line: Line = json.loads(data)
    return Sealed(line["seq"], line["type"], line["v"], data)


def played() -> Game:
    game = Game(bricks())
    for y in (9, 9.5, 10):
        game.does("red", do="move", fig="r1", to={"x": 10, "y": y})
    move = game.does("red", do="move", fig="r1", to={"x": 10, "y": 10.5})
    game.undo(move, by="red")
    game.does("red", do="end_turn")
    return game


def moved_entry() -> bytes:
    game = played()
    return next(data for entry, data in zip(game.entries, game.book.data(), strict=True) if entry.type == "FigMoved")


# --- one entry ---


@pytest.mark.parametrize("v", [1, 2])
def test_an_old_entry_is_raised_to_what_it_is_called_today(v: int) -> None:
    new = moved_entry()
    old = aged(new, v)
    codec = Codec(RAISED)
    for read in (codec.parse(old), codec.read(sealed(old))):
        assert read.body == codec.parse(new).body
        assert (read.type, read.v) == ("FigMoved", 1)


@pytest.mark.parametrize("v", [1, 2])
def test_who_has_no_upcaster_does_not_read_it(v: int) -> None:
    old = aged(moved_entry(), v)
    with pytest.raises(Misread, match=f"FigWalked version {v}"):
        Codec().parse(old)
    with pytest.raises(Misread, match=f"FigWalked version {v}"):
        Codec().read(sealed(old))


def test_a_version_of_the_future_is_not_read() -> None:
    with pytest.raises(Misread, match="FigMoved version 2"):
        Codec(RAISED).parse(moved_entry().replace(b'"v":1', b'"v":2'))


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        (b'"seq":', b'"seq": '),
        (b'"total":1000', b'"total":1000.0'),
        (b'"total":1000', b'"total":9007199254740992'),
        (b'"pace":"walk","total"', b'"pace":"walk","pace":"walk","total"'),
        (b"walk", b"\\u0077alk"),
    ],
)
def test_old_shapes_are_held_to_the_canonical_form_too(good: bytes, bad: bytes) -> None:
    old = aged(moved_entry(), 1)
    assert old.count(good) == 1
    with pytest.raises(Misread):
        Codec(RAISED).parse(old.replace(good, bad))


def test_an_old_body_that_lacks_what_its_upcaster_needs_is_misread() -> None:
    old = written(json.loads(aged(moved_entry(), 2)) | {"body": {"fig": "r1"}})
    with pytest.raises(Misread):
        Codec(RAISED).parse(old)


# --- a whole battle ---


def test_a_whole_old_battle_replays_and_goes_on(tmp_path: Path) -> None:
    game = played()
    log = old_log(game)
    assert sum(b"FigWalked" in line for line in log) == 4
    room = Room(str(tmp_path / "old.db"), codec=Codec(RAISED))
    room.store.append(game.id, [sealed(line) for line in log], Beside())
    old = Game.of(room, game.id)
    assert old.record.battle == game.record.battle
    assert [entry.body for entry in old.entries] == [entry.body for entry in game.entries]
    assert old.log == b"".join(line + b"\n" for line in log)
    old.does("blue", do="end_turn")
    assert old.log.startswith(b"".join(line + b"\n" for line in log))
    assert old.entries[len(log)].prev == leaf(log[-1])
    assert Fingerprint().of(old.record.battle) == old.entries[-1].state


def test_an_undo_in_an_old_battle_brings_back_the_old_table() -> None:
    game = played()
    room = Room(codec=Codec(RAISED))
    room.store.append(game.id, [sealed(line) for line in old_log(game)], Beside())
    old = Game.of(room, game.id)
    turn = old.record.tip
    assert turn is not None
    old.undo(turn.seq)
    assert old.record.battle == turn.before
    assert any(isinstance(entry.body, e.FigMoved) for entry in old.entries)
