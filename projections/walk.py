"""Walk: the one way in which a projection reads a log. Law: the table of a step is the table as it was known then.

`along_line` sees only what still counts; `along_log` sees everything, struck out or not, batch by batch.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Never

from domain.battle import Battle
from domain.entry import Entry
from domain.evolve import evolve
from domain.record import Act, Record
from domain.refusals import Refusal, Refused
from domain.timeline import advance, batches, effective


class Step(NamedTuple):
    """An entry between two tables; `before` is None at the very first."""

    entry: Entry
    before: Battle | None
    after: Battle


class Batch(NamedTuple):
    """One batch of a log between two records; `act` is the act that it became, if it is strikable at all."""

    before: Record | None
    steps: list[Step]
    after: Record

    @property
    def act(self) -> Act | None:
        """The act of the batch; None for procedure."""
        tip = self.after.tip
        return tip if tip is not None and tip.seq == self.steps[0].entry.seq else None


class Log(NamedTuple):
    """A whole battle, as its store gives it: id, fold, and every entry in order (a branch with what it inherits)."""

    battle: str
    record: Record
    entries: Sequence[Entry]


def steps_from(table: Battle | None, entries: Iterable[Entry]) -> Iterator[Step]:
    """Entries and the tables round them, beginning at `table`; nothing is taken back on the way."""
    for entry in entries:
        after = evolve(table, entry.body)
        yield Step(entry, table, after)
        table = after


def along_line(entries: Sequence[Entry]) -> Iterator[Step]:
    """What still counts, in order."""
    return steps_from(None, effective(entries))


def along_log(entries: Iterable[Entry]) -> Iterator[Batch]:
    """The whole log by batches, struck-out ones included; the last batch may be cut short."""
    record: Record | None = None
    for batch in batches(entries):
        before = record
        record = advance(before, batch)
        yield Batch(before, list(steps_from(before.battle if before else None, batch)), record)


def absent(reason: str, known: Iterable[str]) -> Never:
    """Say that what was asked about is not there."""
    raise Refused(Refusal("not-found", "NOT-FOUND", reason, tuple(known)))
