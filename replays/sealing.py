"""Sealing: events become entries. Law: numbered without gaps, linked by `prev`, each with the hash of its table."""

from collections.abc import Callable, Sequence

import msgspec

from domain import events as e
from domain.battle import Battle
from domain.entry import Entry
from domain.evolve import evolve
from domain.record import Record
from domain.refusals import refuse
from domain.timeline import advance
from replays.codec import MOST_BYTES, WIRE, Codec, Fingerprint, leaf
from replays.shelf import Book
from replays.store import Sealed, Summary


class Batch(msgspec.Struct, frozen=True):
    """Events that are stored as one action, and the seat whose act it is."""

    events: tuple[e.Event, ...]
    actor: str


class Written(msgspec.Struct, frozen=True):
    """Sealed entries of one or more batches; `first` counts those of the first batch, `records` stand after each."""

    entries: list[Entry]
    sealed: list[Sealed]
    first: int
    records: list[Record]

    @property
    def record(self) -> Record:
        """The record after all of them."""
        return self.records[-1]


def seal(
    codec: Codec, clock: Callable[[], int], book: Book, record: Record | None, batches: Sequence[Batch]
) -> Written:
    """Seal batches that follow on a book's head (record None: they begin its log)."""
    time, prev = clock(), book.tail
    entries: list[Entry] = []
    sealed: list[Sealed] = []
    records: list[Record] = []
    seq = record.seq if record is not None else 0
    for batch in batches:
        action = seq + 1
        states = _states(book.fingerprint, record, batch, action, time)
        written: list[Entry] = []
        for event, state in zip(batch.events, states, strict=True):
            seq += 1
            entry = Entry(book.battle, seq, action, time, batch.actor, WIRE[type(event)], 1, prev, state, event)
            written.append(entry)
            sealed.append(codec.seal(entry))
            if len(sealed[-1].data) > MOST_BYTES:
                refuse("FORMAT-01", f"an entry would be longer than {MOST_BYTES} bytes", ["take smaller steps"])
            prev = leaf(sealed[-1].data)
        record = advance(record, written)
        records.append(record)
        entries += written
    return Written(entries, sealed, len(batches[0].events), records)


def _states(fingerprint: Fingerprint, record: Record | None, batch: Batch, action: int, time: int) -> list[str]:
    """The `state` of each entry: the table on the line after it."""
    battle: Battle | None = record.battle if record is not None else None
    states = []
    for n, event in enumerate(batch.events):
        if isinstance(event, e.ActionsUndone | e.ActionsRestored):
            entry = Entry("", action + n, action, time, batch.actor, "", 1, "", "", event)
            battle = advance(record, [entry]).battle
        else:
            battle = evolve(battle, event)
        states.append(fingerprint.of(battle))
    return states


def unsealed(battle: str, events: Sequence[e.Event]) -> list[Entry]:
    """Entries of a first batch that is only looked at (a dry run)."""
    return [Entry(battle, n, 1, 0, "referee", WIRE[type(x)], 1, "", "", x) for n, x in enumerate(events, start=1)]


def summary_of(battle: str, record: Record) -> Summary:
    """The battle's row on the referee's desk; a what-if has no tags of its own (decision 3.5)."""
    table, docket = record.battle, record.docket
    tags = {} if record.origin is not None else table.tags
    return Summary(
        battle=battle,
        system=table.system,
        title=table.title,
        status=record.status,
        turn=table.turn,
        phase=table.phase,
        side=table.side,
        event=tags.get("event", ""),
        round=tags.get("round", ""),
        table=tags.get("table", ""),
        head=record.seq,
        disputes=sum(d.status == "open" for d in docket.disputes.values()),
        undo_pending=docket.request is not None,
        parent=record.origin.parent if record.origin is not None else "",
        private=table.policy.private,
        time=record.time,
    )
