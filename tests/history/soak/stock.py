"""Old battles for a service to keep at hand. Law: they weigh what played ones weigh; they are copies, never played on.

A few battles are really played, and then stored again and again under other ids: linked anew, so that whoever reads
them sees nothing odd. Their dice were thrown for another battle, which only an audit would find.
"""

from collections.abc import Iterator
from random import Random
from time import time_ns
from typing import Final
from uuid import uuid4

from msgspec.structs import replace

from domain.commands import COMMAND
from domain.draft import REFEREE
from domain.entry import Entry
from domain.muster import NEW_BATTLE
from domain.refusals import Refused
from replays.codec import START, Codec, leaf
from replays.referee import Asked, Receipt, Referee
from replays.sealing import summary_of
from replays.store import Beside, Sealed, Store
from tests.history.whims import opening
from tests.laws.play import next_idea

PLAYED: Final = 4
"""Battles that are really played."""


def stocked(database: str, entries: int, long: int, chance: Random) -> list[str]:
    """Store so many entries of battles that are each so `long`; their ids."""
    store = Store.open(database)
    try:
        referee = Referee(store, clock=lambda: time_ns() // 1_000_000, new_id=_id, new_secret=_id)
        played = [_played(referee, n, min(long, entries), chance) for n in range(PLAYED)]
        found: list[str] = []
        while entries > 0:
            battle = played[len(found) % PLAYED]
            found.append(_copied(store, referee, battle))
            entries -= referee.shelf.book(battle).head
        return found
    finally:
        store.close()


def _played(referee: Referee, n: int, long: int, chance: Random) -> str:
    opened = referee.open(NEW_BATTLE.validate_python(opening(n, chance, f"stock {n}").body), Asked(REFEREE))
    assert isinstance(opened, Receipt)
    book = referee.shelf.book(opened.battle)
    while book.head < long:
        idea = COMMAND.validate_python(next_idea(book.record.battle, chance.getrandbits(16)))
        try:
            referee.act(book.battle, idea, Asked(REFEREE))
        except Refused:
            continue
    return book.battle


def _copied(store: Store, referee: Referee, battle: str) -> str:
    book, copy = referee.shelf.book(battle), _id()
    store.append(copy, list(_sealed(book.entries(), copy)), Beside(summary=summary_of(copy, book.record)))
    return copy


def _sealed(entries: list[Entry], battle: str) -> Iterator[Sealed]:
    codec, prev = Codec(), START
    for entry in entries:
        sealed = codec.seal(replace(entry, battle=battle, prev=prev))
        prev = leaf(sealed.data)
        yield sealed


def _id() -> str:
    return uuid4().hex
