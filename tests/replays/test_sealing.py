"""Sealing: an entry that no reader would take is never written."""

import pytest

from domain import events as e
from domain.refusals import Refused
from replays.codec import MOST_BYTES, Codec
from replays.sealing import Batch, seal
from tests.replays.rooms import Room, gangs


@pytest.mark.parametrize(("spare", "fits"), [(0, True), (1, False)])
def test_an_entry_may_be_as_long_as_a_reader_takes_and_not_a_byte_longer(*, spare: int, fits: bool) -> None:
    room = Room()
    book = room.book(room.open(gangs()))

    def sealed(reason: str) -> int:
        written = seal(Codec(), lambda: 0, book, book.record, [Batch((e.BattleClosed(reason),), "referee")])
        return len(written.sealed[0].data)

    longest = "x" * (MOST_BYTES - sealed("") + spare)
    if fits:
        assert sealed(longest) == MOST_BYTES
    else:
        with pytest.raises(Refused, match="FORMAT-01"):
            sealed(longest)
