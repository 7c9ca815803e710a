"""The referee: the effects of one request. Law: read, decide, throw, append, remember the key; all of it, or nothing.

Time, ids and seat secrets are passed in. A lost race is decided again on the new table; a request that was answered
before gets its first answer again.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Literal

import msgspec
from pydantic import Field

from domain import events as e
from domain import procedure, undo
from domain.battle import Battle
from domain.commands import Action
from domain.decider import decide
from domain.dice import DiceWanted, Roll, Throw
from domain.draft import Seat
from domain.entry import Entry
from domain.evolve import evolve
from domain.muster import NewMfd, NewNme, muster
from domain.refusals import Refusal, Refused, battle_over, invalid
from domain.timeline import Record, advance
from domain.words import Asked as AskedModel
from domain.words import Seq, Text
from replays.codec import WIRE, Codec, Fingerprint, leaf
from replays.dicebox import Cup, DiceBox
from replays.roller import BadFace
from replays.shelf import Book, Shelf, digest
from replays.store import Beside, BranchRow, Conflict, KeyRow, KeyTaken, Sealed, SeatRow, SecretRow, Store, Summary

MOST_RACES = 50
"""How often a lost race is run again before the writer is told to try later."""


class BranchAsked(AskedModel):
    """A what-if: after which entry it parts (the head if left out), and with which dice."""

    at: Seq | None = None
    dice: Literal["fresh", "recorded", "table"] = "fresh"
    title: Annotated[Text, Field(max_length=120)] = ""


class Asked(msgspec.Struct, frozen=True):
    """Who asks, and how: idempotency key and digest of the raw request, the head it takes for granted, or a dry run."""

    seat: Seat
    key: str = ""
    digest: bytes = b""
    if_match: int | None = None
    dry_run: bool = False


class Receipt(msgspec.Struct, frozen=True):
    """The answer to a write: the batch as it was stored. `seats` holds new secrets, shown once."""

    battle: str
    action: int
    seq: int
    data: tuple[bytes, ...]
    replayed: bool = False
    seats: dict[str, str] = {}


class Preview(msgspec.Struct, frozen=True):
    """What would happen, or which dice would be thrown; nothing was written."""

    events: tuple[e.Event, ...]
    record: Record
    wanted: tuple[Roll, ...] = ()
    so_far: tuple[Throw, ...] = ()


class KeyMisused(Exception):  # noqa: N818 - the caller's mistake, answered as 422
    """An idempotency key came again with another request."""


class Busy(Exception):  # noqa: N818 - answered as "try again"
    """The battle's head moved too often while a request was decided."""


class Proposal(msgspec.Struct, frozen=True):
    """A batch that somebody proposes, and what is stored beside it."""

    events: tuple[e.Event, ...]
    secrets: tuple[SecretRow, ...] = ()


class Referee:
    """Carries out requests against a store."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Callable[[], int],
        new_id: Callable[[], str],
        new_secret: Callable[[], str],
        codec: Codec | None = None,
        heard: Callable[[str, int], None] = lambda _battle, _seq: None,
    ) -> None:
        self.store = store
        self.codec = codec or Codec()
        self.shelf = Shelf(store, self.codec)
        self._dice = DiceBox(store)
        self._clock = clock
        self._new_id = new_id
        self._new_secret = new_secret
        self._heard = heard

    # --- beginnings ------------------------------------------------------------------------------------------------

    def open(self, new: NewNme | NewMfd, asked: Asked) -> Receipt | Preview:
        """Open a battle; the receipt holds the secret of each seat."""
        again = self._answered("battles", asked)
        if again is not None:
            return again
        battle = self._new_id()
        beside: list[e.Event] = []
        secrets: list[SecretRow] = []
        if new.dice == "server":
            anchor, row = self._dice.new_chain(battle, 0)
            beside.append(anchor)
            secrets.append(row)
        events = muster(new, beside)
        if asked.dry_run:
            return Preview(events, advance(None, _unsealed(battle, events)))
        seats = self._seats(["referee", *(f"side:{side.id}" for side in new.sides)], private=new.policy.private)
        return self._begin(Book(battle, None, 0), events, asked, "battles", seats, tuple(secrets), None)

    def branch(self, battle: str, what: BranchAsked, asked: Asked) -> Receipt | Preview:
        """Open a what-if that shares the battle's past by reference."""
        again = self._answered(battle, asked)
        if again is not None:
            return again
        parent = self.shelf.book(battle)
        self._fresh(parent, asked)
        record = parent.record
        procedure.may_branch(record, asked.seat)
        at = record.seq if what.at is None else what.at
        if at > record.seq or not parent.ends(at):
            near = parent.nearest_end(min(at, record.seq)) or parent.first_end
            invalid(f"a branch parts where an action ends; the nearest is {near}", "/at", [str(near)])
        while parent.parent is not None and at <= parent.at:
            # An inherited entry is another battle's; who parts there is a branch of that one.
            parent = self.shelf.book(parent.parent.battle)
        record = parent.record
        branch = self._new_id()
        anchor, row = self._dice.new_whatif(branch, 0)
        title = what.title or f"What if, from {at}: {record.battle.title}"[:120]
        mode: Literal["server", "table"] = "table" if what.dice == "table" else "server"
        leaf = parent.leaf_at(at)
        opened = e.BranchOpened(parent.battle, at, leaf, record.seq, what.dice, mode, title, anchor.anchor)
        if asked.dry_run:
            return Preview((opened,), record)
        names = ["referee", *(f"side:{side}" for side in record.battle.sides)]
        seats = self._seats(names, private=record.battle.policy.private)
        book = Book(branch, parent, at)
        return self._begin(book, (opened,), asked, battle, seats, (row,), BranchRow(branch, parent.battle, at))

    def _begin(
        self,
        book: Book,
        events: tuple[e.Event, ...],
        asked: Asked,
        scope: str,
        seats: dict[str, str],
        secrets: tuple[SecretRow, ...],
        branch: BranchRow | None,
    ) -> Receipt:
        record = book.record_at(book.at) if book.parent is not None else None
        entries, sealed, after = self._sealed(book, record, events, "referee" if branch is None else asked.seat.actor)
        beside = Beside(
            key=self._key_row(scope, asked, book.battle, entries[0].seq),
            seats=tuple(SeatRow(book.battle, seat, digest(secret.encode())) for seat, secret in seats.items()),
            secrets=secrets,
            branch=branch,
            summary=summary_of(book.battle, after),
        )
        try:
            self.store.append(book.battle, sealed, beside)
        except KeyTaken:
            again = self._answered(scope, asked)
            assert again is not None
            return again
        self._heard(book.battle, after.seq)
        return Receipt(book.battle, entries[0].seq, after.seq, tuple(s.data for s in sealed), seats=seats)

    def _seats(self, names: Sequence[str], *, private: bool) -> dict[str, str]:
        return {name: self._new_secret() for name in [*names, *(["spectator"] if private else [])]}

    # --- play ------------------------------------------------------------------------------------------------------

    def act(self, battle: str, command: Action, asked: Asked) -> Receipt | Preview:
        """Carry out an action. Raises `Refused` or `DiceWanted`."""

        def propose(book: Book, record: Record) -> Proposal:
            record, cup = self._cup(book, record, command, asked)
            try:
                decision = decide(record.battle, command, asked.seat, cup.tape)
            except BadFace as bad:
                invalid(str(bad), f"/dice/{bad.position}", [f"1 to {bad.sides}"])
            cup.check_empty()
            return self._rolled(book, record, decision.events, cup)

        return self._submit(battle, asked, propose)

    def _cup(self, book: Book, record: Record, command: Action, asked: Asked) -> tuple[Record, Cup]:
        """The action's dice, and the record on which they fall."""
        lost = None if asked.dry_run else self._dice.lost(book, record)
        if lost is not None:
            # An imported battle comes without its seed: it commits to a new one before its next roll, in the log. A
            # request that is refused leaves the log as it was, and one without dice needs none.
            dry = self._dice.cup(book, record, command.dice, dry=True)
            try:
                decide(record.battle, command, asked.seat, dry.tape)
            except DiceWanted:
                record = self._anchored(book, record, *lost)
            else:
                return record, dry
        return record, self._dice.cup(book, record, command.dice, dry=asked.dry_run)

    def _anchored(self, book: Book, record: Record, anchor: e.DiceAnchored, row: SecretRow) -> Record:
        entries, sealed, after = self._sealed(book, record, (anchor,), "referee")
        self.store.append(book.battle, sealed, Beside(secrets=(row,), summary=summary_of(book.battle, after)))
        book.take(entries, [s.data for s in sealed])
        self._heard(book.battle, after.seq)
        return after

    def _rolled(self, book: Book, record: Record, events: tuple[e.Event, ...], cup: Cup) -> Proposal:
        head, rest = events[0], events[1:]
        if not cup.used_up:
            return Proposal((head, *cup.drawn, *rest))
        anchored, row = self._dice.new_chain(book.battle, record.anchor.epoch + 1)
        return Proposal((head, *cup.drawn, *rest, anchored), (row,))

    def undo(self, battle: str, to_before: int, reason: str, asked: Asked) -> Receipt | Preview:
        """Strike out that action and all after it, or ask for it. Raises `Refused`."""
        return self._propose(battle, asked, lambda record: undo.undo(record, to_before, asked.seat, reason))

    def redo(self, battle: str, reason: str, asked: Asked) -> Receipt | Preview:
        """Restore what was struck out last, or ask for it. Raises `Refused`."""
        return self._propose(battle, asked, lambda record: undo.redo(record, asked.seat, reason))

    def answer(self, battle: str, request: int, head: int, asked: Asked, *, agree: bool) -> Receipt | Preview:
        """A side's answer to an open undo request. Raises `Refused`."""
        return self._propose(
            battle, asked, lambda record: undo.answer(record, request, asked.seat, agree=agree, head=head)
        )

    def withdraw(self, battle: str, request: int, asked: Asked) -> Receipt | Preview:
        """Take an open undo request back. Raises `Refused`."""
        return self._propose(battle, asked, lambda record: undo.withdraw(record, request, asked.seat))

    def rule(self, battle: str, ruling: procedure.Ruling, asked: Asked) -> Receipt | Preview:
        """Make a ruling. Raises `Refused`."""
        return self._propose(battle, asked, lambda record: procedure.rule(record, ruling, asked.seat))

    def dispute(self, battle: str, what: procedure.DisputeAsked, asked: Asked) -> Receipt | Preview:
        """Open a dispute. Raises `Refused`."""
        return self._propose(battle, asked, lambda record: procedure.dispute(record, what, asked.seat))

    def resolve(
        self, battle: str, number: int, how: procedure.Resolution, asked: Asked
    ) -> Receipt | Preview:
        """Settle a dispute. Raises `Refused`."""

        def propose(book: Book, record: Record) -> Proposal:
            def is_ruling(seq: int) -> bool:
                return any(isinstance(entry.body, e.RulingMade) for entry in book.entries(seq - 1, seq))

            return Proposal(procedure.resolve(record, number, how, asked.seat, is_ruling))

        return self._submit(battle, asked, propose)

    def close(self, battle: str, reason: str, asked: Asked) -> Receipt | Preview:
        """Close the battle for good. Raises `Refused`."""
        return self._propose(battle, asked, lambda record: procedure.close(record, asked.seat, reason))

    # --- one way in ------------------------------------------------------------------------------------------------

    def _propose(
        self, battle: str, asked: Asked, events: Callable[[Record], tuple[e.Event, ...]]
    ) -> Receipt | Preview:
        return self._submit(battle, asked, lambda _book, record: Proposal(events(record)))

    def _submit(
        self, battle: str, asked: Asked, propose: Callable[[Book, Record], Proposal]
    ) -> Receipt | Preview:
        book = self.shelf.book(battle)
        with book.lock:
            again = self._answered(battle, asked)
            if again is not None:
                return again
            for _ in range(MOST_RACES):
                self._fresh(book, asked)
                record = book.record
                if record.docket.closed:
                    battle_over("the battle is closed; nothing is written any more")
                try:
                    proposal = propose(book, record)
                except Conflict:
                    self.shelf.catch_up(book)
                    continue
                except DiceWanted as dry:
                    if asked.dry_run:
                        return Preview((), record, (dry.wanted,), dry.so_far)
                    raise
                if asked.dry_run:
                    return Preview(proposal.events, record)
                record = book.record
                entries, sealed, after = self._sealed(book, record, proposal.events, asked.seat.actor)
                beside = Beside(
                    key=self._key_row(battle, asked, battle, entries[0].seq),
                    secrets=proposal.secrets,
                    summary=summary_of(battle, after),
                )
                try:
                    self.store.append(battle, sealed, beside)
                except Conflict:
                    self.shelf.catch_up(book)
                    continue
                except KeyTaken:
                    self.shelf.catch_up(book)
                    again = self._answered(battle, asked)
                    assert again is not None
                    return again
                data = tuple(s.data for s in sealed)
                book.take(entries, data)
                self._heard(battle, after.seq)
                return Receipt(battle, entries[0].seq, after.seq, data)
        raise Busy(battle)

    def _fresh(self, book: Book, asked: Asked) -> None:
        if asked.if_match is not None and asked.if_match != book.head:
            why = f"the battle stands at {book.head}, not at {asked.if_match}; read it again"
            raise Refused(Refusal("stale", "IF-MATCH", why, (str(book.head),)))

    def _answered(self, scope: str, asked: Asked) -> Receipt | None:
        if not asked.key or asked.dry_run:
            return None
        row = self.store.key(scope, asked.seat.actor, asked.key)
        if row is None:
            return None
        if row.digest != asked.digest:
            raise KeyMisused(asked.key)
        book = self.shelf.book(row.battle)
        batch = _batch_at(book, row.first)
        return Receipt(row.battle, row.first, batch[-1].seq, tuple(book.data(row.first - 1, batch[-1].seq)), replayed=True)

    @staticmethod
    def _key_row(scope: str, asked: Asked, battle: str, first: int) -> KeyRow | None:
        return KeyRow(scope, asked.seat.actor, asked.key, asked.digest, battle, first) if asked.key else None

    def _sealed(
        self, book: Book, record: Record | None, events: tuple[e.Event, ...], actor: str
    ) -> tuple[list[Entry], list[Sealed], Record]:
        first = (record.seq if record is not None else 0) + 1
        time, prev = self._clock(), book.tail
        states = _states(book.fingerprint, record, events, first, time, actor)
        entries: list[Entry] = []
        sealed: list[Sealed] = []
        for n, event in enumerate(events):
            entry = Entry(book.battle, first + n, first, time, actor, WIRE[type(event)], 1, prev, states[n], event)
            sealed.append(self.codec.seal(entry))
            prev = leaf(sealed[-1].data)
            entries.append(entry)
        return entries, sealed, advance(record, entries)


def _states(
    fingerprint: Fingerprint, record: Record | None, events: Sequence[e.Event], first: int, time: int, actor: str
) -> list[str]:
    """The `state` of each entry: the table on the line after it."""
    battle: Battle | None = record.battle if record is not None else None
    states = []
    for n, event in enumerate(events):
        if isinstance(event, e.ActionsUndone | e.ActionsRestored):
            entry = Entry("", first + n, first, time, actor, "", 1, "", "", event)
            battle = advance(record, [entry]).battle
        else:
            battle = evolve(battle, event)
        states.append(fingerprint.of(battle))
    return states


def _unsealed(battle: str, events: Sequence[e.Event]) -> list[Entry]:
    return [Entry(battle, n, 1, 0, "referee", WIRE[type(x)], 1, "", "", x) for n, x in enumerate(events, start=1)]


def _batch_at(book: Book, first: int) -> list[Entry]:
    batch: list[Entry] = []
    seq = first
    while entries := book.entries(seq - 1, seq):
        if entries[0].action != first:
            break
        batch += entries
        seq += 1
    return batch


def summary_of(battle: str, record: Record) -> Summary:
    """The battle's row on the referee's desk."""
    table, docket = record.battle, record.docket
    tags: Mapping[str, str] = {} if record.origin is not None else table.tags
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


__all__ = ["Asked", "BranchAsked", "Busy", "KeyMisused", "Preview", "Receipt", "Referee", "summary_of"]
