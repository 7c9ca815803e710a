"""The page `docs/format.md` is true: its table of events, and what an independent reader makes of real logs."""

from pathlib import Path
from typing import get_args

import msgspec
import pytest

from domain import events as e
from replays.codec import WIRE, lines
from tests.replays.rooms import Room, skirmish
from tests.replays.stdlib_checker import check

PAGE = Path(__file__).parents[2] / "docs" / "format.md"


def members(kind: type) -> str:
    """The members of an event's body as the page lists them."""
    names = sorted(f.encode_name for f in msgspec.structs.fields(kind))
    tag = msgspec.structs.fields(kind) and getattr(kind, "__struct_config__").tag_field  # noqa: B009
    return " ".join(sorted([*names, *([tag] if tag else [])]))


def event_table() -> str:
    """The table of events as it has to stand in the page."""
    rows = [f"| `{WIRE[kind]}` | {members(kind)} |" for kind in get_args(e.Event)]
    return "\n".join(["| type | members of the body |", "|--|--|", *rows])


def test_the_page_lists_every_event_with_its_members() -> None:
    assert event_table() in PAGE.read_text(encoding="utf-8")


def test_an_independent_reader_agrees_with_a_battle_of_server_dice() -> None:
    room = Room()
    battle = skirmish(room, turns=4)
    assert check(lines(room.book(battle).data()))["dice"] > 0


def test_an_independent_reader_agrees_with_a_nested_branch() -> None:
    room = Room()
    battle = skirmish(room, turns=2)
    inner = room.branch(room.branch(battle))
    room.act(inner, do="end_turn")
    assert check(lines(room.book(inner).data()))["entries"] == room.book(inner).head


@pytest.mark.parametrize("at", [0, 3, 20])
def test_an_independent_reader_sees_a_flipped_bit(at: int) -> None:
    room = Room()
    battle = skirmish(room, turns=2)
    data = room.book(battle).data()
    n = min(at, len(data) - 2)
    spoilt = bytearray(data[n])
    spoilt[len(spoilt) // 2] ^= 1
    with pytest.raises((ValueError, AssertionError)):
        check(lines([*data[:n], bytes(spoilt), *data[n + 1 :]]))
