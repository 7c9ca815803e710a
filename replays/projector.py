"""The projector: totals across battles kept up with the log. Law: the rows are a fold of the log, and nothing else.

It reads the entries of all battles in the order of their commits and, for each battle that has news, puts the fold of
its whole log in the place of its rows. Rows and place change in one transaction, so that a kill loses nothing and
doubles nothing; of two processes that do the same work one wins. A battle that cannot be folded is set aside, said with
the entry that it failed at, and holds up no other.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from domain.entry import Entry
from domain.record import Record
from domain.refusals import Refused
from replays.audit.merkle import Frontier
from replays.codec import Codec, leaf
from replays.sealing import summary_of
from replays.shelf import Shelf
from replays.store import (
    Damaged,
    Folded,
    News,
    SetAside,
    SideTotal,
    Store,
    StoreUnavailable,
    Summary,
    Tracked,
    WeaponTotal,
)

AT_ONCE: Final = 500
"""Entries of the log that a step looks at."""

_LONGEST: Final = 500
"""Characters of a reason."""

Rows = tuple[Sequence[SideTotal], Sequence[WeaponTotal]]
Fold = Callable[[str, Record, Sequence[Entry], int], Rows]
"""The rows of a battle: its id, its record, its whole log, and the generation that they are of."""


class Came(NamedTuple):
    """How far a step has come, how much it folded, and the battles that it had to set aside."""

    position: int
    newest: int
    battles: int
    aside: tuple[SetAside, ...] = ()

    @property
    def there(self) -> bool:
        """Whether nothing is left to do."""
        return self.position >= self.newest


class Projector:
    """Keeps the totals of a store. `version` is the shape of the rows: a new one makes them all anew."""

    def __init__(
        self,
        store: Store,
        fold: Fold,
        version: int,
        *,
        shelf: Shelf | None = None,
        codec: Codec | None = None,
        at_once: int = AT_ONCE,
    ) -> None:
        self.totals = store.totals
        self._store = store
        self._fold = fold
        self._version = version
        self._shelf = shelf or Shelf(store, codec or Codec())
        self._at_once = at_once
        self._swept = False
        self._retried = False

    def begin_anew(self) -> int:
        """Start a new generation from the first entry on; the old rows are told until each is replaced."""
        while True:
            was = self.totals.tracked()
            to = Tracked(self._version, was.generation + 1 if was else 1, 0)
            if self.totals.move(was, to, ()):
                self._swept = False
                return to.generation

    def step(self) -> Came:
        """Take in the next entries, as many as are looked at in one; durable on return. Raises `StoreUnavailable`."""
        was = self._tracked()
        newest = self.totals.newest()
        if was.version > self._version:
            return Came(newest, newest, 0)  # a newer program looks after them
        news = self.totals.news(was.position, self._at_once)
        again = [] if self._retried else [row.battle for row in self.totals.set_aside()]
        folded = self._folded(was.generation, news, again)
        position = news[-1].place if news else was.position
        if (news or folded) and not self.totals.move(was, Tracked(was.version, was.generation, position), folded):
            return Came(was.position, newest, 0)  # another process was faster
        self._retried = True
        if position >= newest and not self._swept:
            self.totals.sweep(was.generation)
            self._swept = True
        aside = tuple(one.aside for one in folded if one.aside is not None)
        return Came(position, newest, len(folded), aside)

    def desk(self, *, mend: bool) -> Iterator[tuple[str, bool]]:
        """Work out each battle's row of the desk again; its id, and whether what stood there was wrong."""
        for battle in self.totals.battles():
            wanted = self._row(battle)
            if wanted is None:
                continue
            stands = self._store.summary(battle)
            wrong = stands != wanted and (stands is None or stands.head <= wanted.head)
            if wrong and mend:
                self._store.mend_summary(wanted)
            yield battle, wrong

    def _row(self, battle: str) -> Summary | None:
        try:
            return summary_of(battle, self._shelf.glance(battle).record)
        except StoreUnavailable:
            raise
        except Exception:  # noqa: BLE001 - it is set aside by a step, which says why
            return None

    def differs(self) -> list[str]:
        """The battles whose rows are not what their log comes to, in the order of their ids."""
        sides, weapons = self.totals.all_rows()
        generation = self._tracked().generation
        stand: dict[str, list[SideTotal | WeaponTotal]] = {}
        everything: list[SideTotal | WeaponTotal] = [*sides, *weapons]
        for row in everything:
            stand.setdefault(row.battle, []).append(row)
        aside = {left.battle for left in self.totals.set_aside()}
        every = self.totals.battles()
        played = [battle for battle in every if not self._store.branch_of(battle)]
        wrong = (set(stand) - set(played)) | {battle for battle in every if not self._rooted(battle)}
        for battle in played:
            told = stand.get(battle, [])
            one = self._one(generation, News(0, battle, 0), told[0].seq if told else None)
            if [*one.sides, *one.weapons] != told or (one.aside is not None) != (battle in aside):
                wrong.add(battle)
        return sorted(wrong)

    def _rooted(self, battle: str) -> bool:
        """Whether the leaves and the tree of a battle are those of its entries; what cannot be read is set aside."""
        try:
            book = self._shelf.glance(battle)
        except (Damaged, Refused):
            return True
        leaves = [bytes.fromhex(leaf(data)) for data in book.data()]
        stored, tree = self._store.leaf_hashes(battle, len(leaves)), self._store.frontier(battle)
        # It may have grown since.
        return stored == leaves and (tree.size > len(leaves) or tree == Frontier().extended(leaves))

    def _tracked(self) -> Tracked:
        was = self.totals.tracked()
        if was is None or was.version < self._version:
            self.begin_anew()
            was = self.totals.tracked()
        assert was is not None
        return was

    def _folded(self, generation: int, news: Sequence[News], again: Sequence[str]) -> list[Folded]:
        latest = {battle: News(0, battle, 0) for battle in again} | {one.battle: one for one in news}
        stand = self.totals.seqs(latest, generation)
        wanted = (one for one in latest.values() if stand.get(one.battle, -1) < one.seq)
        return [self._one(generation, one) for one in wanted if not self._store.branch_of(one.battle)]

    def _one(self, generation: int, news: News, upto: int | None = None) -> Folded:
        """The rows of a battle as it is now (or by the entries `upto` one), or why there are none."""
        battle = news.battle
        try:
            book = self._shelf.glance(battle)
            record = book.record if upto is None else book.record_at(upto)
            return Folded(battle, *self._fold(battle, record, book.entries(0, record.seq), generation))
        except StoreUnavailable:
            raise
        except Exception as fault:  # noqa: BLE001 - one battle that cannot be told holds up no other
            return Folded(battle, aside=self._aside(news, fault))

    def _aside(self, news: News, fault: Exception) -> SetAside:
        seq, said = (fault.seq, fault.said) if isinstance(fault, Damaged) else (0, f"{type(fault).__name__}: {fault}")
        return SetAside(news.battle, news.place, seq, said[:_LONGEST])
