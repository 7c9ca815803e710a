"""The timeline: the only definition of "undone". Law: nothing is deleted; the line is what still counts.

A log is read by whole batches: an act moves the table and stands on the line; all else is procedure (`proceedings`).
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from domain import events as e
from domain.battle import Battle
from domain.commitments import Anchor
from domain.docket import Docket
from domain.entry import Entry
from domain.evolve import evolve
from domain.proceedings import played_on, proceed
from domain.record import Act, Record
from domain.settling import anchored

_ROLLED = frozenset(e.ROLLED)


def batches(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Entries by action, in order."""
    batch: list[Entry] = []
    for entry in entries:
        if batch and entry.action != batch[0].action:
            yield batch
            batch = []
        batch.append(entry)
    if batch:
        yield batch


def recorded(record: Record | None, entries: Iterable[Entry]) -> Record:
    """The fold of a log (or of what follows `record`); the last batch may be cut short."""
    for batch in batches(entries):
        record = advance(record, batch)
    assert record is not None
    return record


def advance(record: Record | None, batch: Sequence[Entry]) -> Record:
    """The record after one batch."""
    head = batch[0].body
    if record is None:
        return _mustered(batch)
    if isinstance(head, e.ActionDeclared) or (isinstance(head, e.RulingMade) and head.changes):
        return _acted(record, batch)
    for entry in batch:
        record = proceed(record, entry)
    return replace(record, seq=batch[-1].seq, time=batch[-1].time)


def _mustered(batch: Sequence[Entry]) -> Record:
    battle: Battle | None = None
    anchor = Anchor()
    for entry in batch:
        battle = evolve(battle, entry.body)
        anchor = anchored(anchor, entry.body)
    assert battle is not None
    return Record(batch[-1].seq, batch[-1].time, battle, None, None, Docket(), anchor)


def _acted(record: Record, batch: Sequence[Entry]) -> Record:
    battle, before, anchor = record.battle, record.battle, record.anchor
    head = batch[0].body
    dice, ends_turn, last_ditch, ends_battle = 0, False, False, False
    for entry in batch:
        body = entry.body
        battle = evolve(battle, body)
        kind = type(body)
        if kind in _ROLLED:
            for throw in e.dice_of(body):
                dice += len(throw.faces)
        elif kind is e.DiceDrawn or kind is e.DiceAnchored:
            anchor = anchored(anchor, body)
        elif kind is e.TurnEnded:
            ends_turn = True
        elif kind is e.LastDitchCalled:
            last_ditch = True
        elif kind is e.BattleEnded:
            ends_battle = True
    act = Act(
        seq=batch[0].seq,
        last=batch[-1].seq,
        do=head.do if isinstance(head, e.ActionDeclared) else "ruling",
        actor=batch[0].actor,
        side=head.side if isinstance(head, e.ActionDeclared) else "",
        turn=before.turn,
        phase=battle.phase if battle.turn == before.turn else before.phase,
        dice=dice,
        ends_turn=ends_turn,
        last_ditch=last_ditch,
        ends_battle=ends_battle,
        before=before,
        previous=record.tip,
    )
    docket = record.docket
    if docket.request is not None:
        docket = replace(docket, request=played_on(docket.request, battle))
    return replace(
        record,
        seq=batch[-1].seq,
        time=batch[-1].time,
        battle=battle,
        tip=act,
        struck=None,
        docket=docket,
        anchor=anchor,
        pending=None,
    )


def effective(entries: Sequence[Entry]) -> list[Entry]:
    """The entries that still count: what was struck out is gone, procedure stays, in the order of the log."""
    gone = struck_out(entries)
    return [entry for entry in entries if entry.action not in gone]


def struck_out(entries: Iterable[Entry]) -> set[int]:
    """The actions (by the seq of their first entry) that are struck out at the end of these entries."""
    gone: set[int] = set()
    for entry in entries:
        body = entry.body
        if isinstance(body, e.ActionsUndone):
            gone |= set(body.actions)
        elif isinstance(body, e.ActionsRestored):
            gone -= set(body.actions)
    return gone
