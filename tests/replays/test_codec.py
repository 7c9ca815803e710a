"""Entries as bytes: one canonical spelling each, the same as RFC 8785's, for every event that there is."""

import hashlib
import json
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from domain import events as e
from domain.entry import Entry
from domain.measures import Point
from replays.codec import START, WIRE, Codec, Misread, canonical, leaf, lines
from tests.laws.game import Game, effort
from tests.laws.play import attempt, next_idea, seeds, skirmish

MOST = 2**53 - 1

NAMES = (
    "ActionDeclared", "ActionsRestored", "ActionsUndone", "AimLost", "AimTaken", "AmmoRolled", "BattleClosed",
    "BattleEnded", "BattleStarted", "BranchOpened", "CoverSaveRolled", "DamageRolled", "DiceAnchored",
    "DiceConfirmed", "DiceContested", "DiceDrawn", "DiceTyped", "DisputeClosed", "DisputeOpened", "FigDowned",
    "FigHid", "FigHit", "FigMoved", "FigMustered", "FigPinned", "FigRecovered", "FigRemoved", "FigRevealed",
    "FigTurned", "HitRolled", "InjuryAwaited", "InjuryReported", "InjuryRolled", "LastDitchCalled", "LinkReleased",
    "MeleeFought", "MeleeJoined", "MeleeLeft", "PhaseStarted", "RecoveryRolled", "RequestSigned", "RollForfeited",
    "RollRequested", "RulingMade", "SeatJoined", "SeatNamed", "ShotFired", "SideConceded", "TemplatePlaced",
    "TerrainPlaced", "TurnEnded", "TurnStarted", "UndoAgreed", "UndoAsked", "UndoRefused", "UndoWithdrawn",
    "VictimDrawn", "WeaponFailed",
)  # fmt: skip
"""Wire names of release 1. Names are only ever added; a new shape is a new version, and what stands here stays."""

# --- every event there could be ---

ints = st.integers(-MOST, MOST) | st.integers(-9, 9)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
keys = st.from_regex("[A-Za-z0-9_-]{1,40}", fullmatch=True)
plain: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | ints | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=6,
)
SIMPLE: dict[Any, st.SearchStrategy[Any]] = {
    str: texts,
    int: ints,
    bool: st.booleans(),
    NoneType: st.none(),
    Any: plain,
}


def values(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a type that occurs in an event."""
    origin, args = get_origin(hint), get_args(hint)
    if hint in SIMPLE:
        return SIMPLE[hint]
    if origin is Literal:
        return st.sampled_from(args)
    if origin in (Union, UnionType):
        return st.one_of([values(arg) for arg in args])
    if origin is tuple:
        return st.lists(values(args[0]), max_size=2).map(tuple)
    if origin is dict:
        return st.dictionaries(keys, values(args[1]), max_size=3)
    return structs(hint)


def structs(kind: Any) -> st.SearchStrategy[Any]:
    """Structs of a kind."""
    return st.builds(kind, **{field.name: values(field.type) for field in msgspec.structs.fields(kind)})


def entries(kind: type) -> st.SearchStrategy[Entry]:
    """Entries that hold an event of a kind."""
    hexes = st.binary(min_size=32, max_size=32).map(bytes.hex)
    return st.builds(
        Entry,
        battle=st.binary(min_size=16, max_size=16).map(bytes.hex),
        seq=st.integers(1, MOST),
        action=st.integers(1, MOST),
        time=st.integers(0, MOST),
        actor=st.sampled_from(["referee", "side:red", "spectator"]),
        type=st.just(WIRE[kind]),
        v=st.just(1),
        prev=hexes,
        state=hexes,
        body=structs(kind),
    )


def same(a: Entry, b: Entry) -> bool:
    return msgspec.structs.astuple(a) == msgspec.structs.astuple(b)


@pytest.mark.parametrize("kind", get_args(e.Event), ids=lambda kind: kind.__name__)
@given(data=st.data())
@effort(6)
def test_the_bytes_are_rfc_8785_and_read_back_as_they_were(kind: type, data: st.DataObject) -> None:
    entry = data.draw(entries(kind))
    stored = canonical(entry)
    assert stored == rfc8785.dumps(msgspec.to_builtins(entry))
    codec = Codec()
    assert codec.seal(entry).data == stored
    read = codec.parse(stored)
    assert same(read, entry)
    assert canonical(read) == stored
    assert same(codec.read(codec.seal(entry)), entry)


# --- names and bytes, for ever ---


def test_wire_names_and_versions_are_those_of_the_first_release() -> None:
    assert sorted(Codec()._readers) == [(name, 1) for name in NAMES]
    assert sorted(set(WIRE.values())) == sorted(NAMES)


GOLDEN = (
    b'{"action":3,"actor":"side:red","battle":"00000000000000000000000000000001","body":{"advanced":false,"fig":"r1",'
    b'"from":{"x":10000,"y":10000},"inches":1000,"measured":1000,"pace":"walk","to":{"x":10000,"y":9000},"total":1000},'
    b'"prev":"' + b"a" * 64 + b'","seq":4,"state":"' + b"b" * 64 + b'","time":1764450000000,"type":"FigMoved","v":1}'
)


def test_one_entry_to_the_byte() -> None:
    start, to = Point(10_000, 10_000), Point(10_000, 9000)
    moved = e.FigMoved("r1", start, to, inches=1000, measured=1000, total=1000, pace="walk", advanced=False)
    entry = Entry(f"{1:032x}", 4, 3, 1_764_450_000_000, "side:red", "FigMoved", 1, "a" * 64, "b" * 64, moved)
    assert canonical(entry) == GOLDEN
    assert same(Codec().parse(GOLDEN), entry)


def test_a_leaf_hash_is_that_of_rfc_6962() -> None:
    assert leaf(GOLDEN) == hashlib.sha256(b"\x00" + GOLDEN).hexdigest()


def test_a_log_begins_after_64_noughts() -> None:
    assert START == "0" * 64
    assert Game(skirmish("mfd", 2)).entries[0].prev == START


def test_lines_are_the_bytes_and_a_line_feed_each() -> None:
    assert lines([b"{}", b"[]"]) == b"{}\n[]\n"


# --- no other spelling ---

WORDY = canonical(
    Entry(
        battle=f"{1:032x}",
        seq=1,
        action=1,
        time=1,
        actor="referee",
        type="ActionDeclared",
        v=1,
        prev="0" * 64,
        state="0" * 64,
        body=e.ActionDeclared("shoot", "red", {"a": 1, "b": {"c": [2]}, "name": "Ann/\u00e9"}),
    )
)

SPELLINGS: dict[str, tuple[bytes, bytes]] = {
    "a blank before": (b'{"action"', b' {"action"'),
    "a blank inside": (b'"seq":1', b'"seq": 1'),
    "a line feed behind": (b'"v":1}', b'"v":1}\n'),
    "bytes behind": (b'"v":1}', b'"v":1}{}'),
    "a byte order mark": (b'{"action"', b'\xef\xbb\xbf{"action"'),
    "members out of order": (b'"type":"ActionDeclared","v":1', b'"v":1,"type":"ActionDeclared"'),
    "members of the body out of order": (b'"do":"shoot","modifiers":[]', b'"modifiers":[],"do":"shoot"'),
    "members of the request out of order": (b'"a":1,"b":{"c":[2]}', b'"b":{"c":[2]},"a":1'),
    "a member twice": (b'"seq":1', b'"seq":1,"seq":1'),
    "a member of the body twice": (b'"do":"shoot"', b'"do":"aim","do":"shoot"'),
    "a member of the request twice": (b'"a":1', b'"a":2,"a":1'),
    "a member too many": (b'"v":1}', b'"v":1,"w":1}'),
    "a member of the body too many": (b'"sights":[]', b'"sights":[],"z":1'),
    "a member too few": (b'"time":1,', b""),
    "a member of the body too few": (b'"modifiers":[],', b""),
    "an escaped solidus": (b"Ann/", b"Ann\\/"),
    "an escaped letter": (b"Ann", b"\\u0041nn"),
    "an escape where none is needed": ("\u00e9".encode(), b"\\u00e9"),
    "a capital in an escape": (b"Ann", b"\\u001F"),
    "a long escape for a short one": (b"Ann", b"\\u000a"),
    "a raw control character": (b"Ann", b"A\nn"),
    "a lone surrogate": (b"Ann", b"\\ud800"),
    "bytes that are no UTF-8": (b"Ann", b"\xff"),
    "a point in a number": (b'"seq":1', b'"seq":1.0'),
    "an exponent": (b'"seq":1', b'"seq":1e0'),
    "minus nought": (b'"a":1', b'"a":-0'),
    "a leading nought": (b'"seq":1', b'"seq":01'),
    "a point in the request": (b'"a":1', b'"a":1.0'),
    "a fraction in the request": (b'"a":1', b'"a":1.5'),
    "an exponent in the request": (b'"a":1', b'"a":1e300'),
    "a number beyond 2^53-1": (b'"a":1', b'"a":9007199254740992'),
    "a time beyond 2^53-1": (b'"time":1', b'"time":9007199254740992'),
    "a number below -(2^53-1)": (b'"a":1', b'"a":-9007199254740992'),
    "an odd key": (b'"name"', b'"na me"'),
    "an empty key": (b'"a":1', b'"":1'),
    "a text for a number": (b'"seq":1', b'"seq":"1"'),
    "a truth for a number": (b'"seq":1', b'"seq":true'),
    "null for a number": (b'"seq":1', b'"seq":null'),
    "another type": (b'"type":"ActionDeclared"', b'"type":"FigMoved"'),
    "an unknown type": (b'"type":"ActionDeclared"', b'"type":"Whatever"'),
    "an unknown version": (b'"v":1', b'"v":2'),
    "no object": (WORDY, b"[]"),
    "nothing": (WORDY, b""),
    "too deep": (b'"a":1', b'"a":' + b"[" * 5000 + b"]" * 5000),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_no_other_spelling_is_read(name: str) -> None:
    good, bad = SPELLINGS[name]
    assert WORDY.count(good) == 1
    assert same(Codec().parse(WORDY), Codec().parse(WORDY))
    with pytest.raises(Misread):
        Codec().parse(WORDY.replace(good, bad))


@given(st.integers(0, len(WORDY) * 8 - 1))
@effort(100)
def test_a_flipped_bit_is_another_entry_or_none(bit: int) -> None:
    spoilt = bytearray(WORDY)
    spoilt[bit // 8] ^= 1 << bit % 8
    try:
        read = Codec().parse(bytes(spoilt))
    except Misread:
        return
    assert canonical(read) == bytes(spoilt)
    assert not same(read, Codec().parse(WORDY))


@given(st.binary(max_size=60))
@effort(50)
def test_whatever_is_no_entry_is_misread(data: bytes) -> None:
    with pytest.raises(Misread):
        Codec().parse(data)


# --- what is really written ---


def fail(text: str) -> object:
    raise AssertionError(f"a number with a point or an exponent: {text}")


@given(st.sampled_from(["nme", "mfd"]), st.lists(seeds, min_size=5, max_size=12))
@effort(6)
def test_no_float_ever_enters_a_log(system: str, some: list[int]) -> None:
    game = Game(skirmish(system, 2))
    for seed in some:
        idea = next_idea(game.record.battle, seed)
        found = attempt(game.record.battle, idea, seed)
        assert found is not None
        game.act(**idea, **({"dice": list(found[1])} if found[1] else {}))
    game.rules({"fig": "red-0", "field": "facing", "value": 33})
    for line in game.log.splitlines():
        assert rfc8785.dumps(json.loads(line, parse_float=fail, parse_constant=fail)) == line
        Codec().parse(line)
