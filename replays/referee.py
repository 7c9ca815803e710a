"""The referee: the effects of one request. Law: read, decide, throw, append, remember the key; all of it, or nothing.

Time, ids and seat secrets are passed in. A lost race is decided again on the new table; a request that was answered
before gets its first answer again.
"""

from collections.abc import Callable, Sequence
from typing import Literal

from domain import events as e
from domain import procedure, rolls, undo
from domain.commands import Action, command_from
from domain.decider import acting_side, decide
from domain.dice import DiceWanted
from domain.draft import Seat
from domain.entry import Entry
from domain.muster import NewMfd, NewNme, muster
from domain.record import Record
from domain.refusals import Refusal, Refused, battle_over, invalid
from domain.timeline import advance
from replays.asking import Asked, BranchAsked, Busy, KeyMisused, Preview, Proposal, Receipt, Signed
from replays.codec import Codec
from replays.dicebox import Cup, DiceBox
from replays.naming import named
from replays.roller import BadFace, DryTape
from replays.sealing import Batch, seal, summary_of, unsealed
from replays.seatwork import joined, released, seat_signature, signs_itself
from replays.shelf import Book, Shelf, digest
from replays.store import Beside, BranchRow, Conflict, KeyRow, KeyTaken, NameRow, SeatRow, SecretRow, Store

MOST_RACES = 50
"""How often a lost race is run again before the writer is told to try later."""


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
            return Preview(events, advance(None, unsealed(battle, events)))
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
            procedure.may_branch(parent.record, asked.seat)
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
        actor = "referee" if branch is None else asked.seat.actor
        written = seal(self.codec, self._clock, book, record, [Batch(events, actor)])
        sealed, after, first = written.sealed, written.record, written.entries[0].seq
        beside = Beside(
            key=self._key_row(scope, asked, book.battle, first),
            seats=tuple(SeatRow(book.battle, seat, digest(secret.encode())) for seat, secret in seats.items()),
            secrets=secrets,
            branch=branch,
            summary=summary_of(book.battle, after),
        )
        try:
            self.store.append(book.battle, sealed, beside, lambda: book.tree)
        except KeyTaken:
            again = self._answered(scope, asked)
            assert again is not None
            return again
        self._heard(book.battle, after.seq)
        return Receipt(book.battle, first, after.seq, tuple(s.data for s in sealed), seats=seats)

    def _seats(self, names: Sequence[str], *, private: bool) -> dict[str, str]:
        return {name: self._new_secret() for name in [*names, *(["spectator"] if private else [])]}

    # --- play ------------------------------------------------------------------------------------------------------

    def act(self, battle: str, command: Action, asked: Asked) -> Receipt | Preview:
        """Carry out an action. Raises `Refused` or `DiceWanted`."""

        def propose(book: Book, record: Record) -> Proposal:
            rolls.check_settled(record)
            if rolls.contributes(record) and not asked.dry_run:
                return self._requested(book, record, command, asked)
            cup = self._dice.cup(book, record, command.dice, dry=asked.dry_run)
            try:
                decision = decide(record.battle, command, asked.seat, cup.tape)
            except BadFace as bad:
                invalid(str(bad), f"/dice/{bad.position}", [f"1 to {bad.sides}"])
            cup.check_empty()
            if decision.thrown and rolls.confirms(record, asked.seat) and not asked.dry_run:
                return Proposal(rolls.typed(command, acting_side(record.battle, command, asked.seat)))
            return self._rolled(book, record, decision.events, cup)

        return self._submit(battle, asked, propose)

    def _requested(self, book: Book, record: Record, command: Action, asked: Asked) -> Proposal:
        """Where seats contribute, an action with dice is a request first; one without is decided at once."""
        if command.dice is not None:
            invalid("the service and the seats throw the dice of this battle", "/dice", ["leave dice out"])
        try:
            return Proposal(decide(record.battle, command, asked.seat, DryTape()).events)
        except DiceWanted:
            # The request has to name a link that this service can open.
            self._dice.check_here(book, record)
            return Proposal(rolls.request(record, command, acting_side(record.battle, command, asked.seat)))

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

    def resolve(self, battle: str, number: int, how: procedure.Resolution, asked: Asked) -> Receipt | Preview:
        """Settle a dispute. Raises `Refused`."""

        def propose(book: Book, record: Record) -> Proposal:
            def is_ruling(seq: int) -> bool:
                return any(isinstance(entry.body, e.RulingMade) for entry in book.entries(seq - 1, seq))

            return Proposal(procedure.resolve(record, number, how, asked.seat, is_ruling))

        return self._submit(battle, asked, propose)

    def join(self, battle: str, seat: str, what: rolls.Join, asked: Asked) -> Receipt | Preview:
        """A seat shows its key and commits to its dice. Raises `Refused`."""

        def propose(_book: Book, record: Record) -> Proposal:
            return Proposal(joined(battle, record, seat, what, asked.seat))

        return self._submit(battle, asked, propose)

    def release(self, battle: str, roll: int, what: rolls.Release, asked: Asked) -> Receipt | Preview:
        """A seat opens its link for the open roll; the last one carries the action out. Raises `Refused`."""

        def propose(book: Book, record: Record) -> Proposal:
            events = released(book, record, roll, what, asked.seat)
            return self._carried_out(book, record, events, asked)

        return self._submit(battle, asked, propose)

    def forfeit(self, battle: str, roll: int, what: rolls.Forfeit, asked: Asked) -> Receipt | Preview:
        """The referee ends the wait for a seat's link. Raises `Refused`."""

        def propose(book: Book, record: Record) -> Proposal:
            return self._carried_out(book, record, rolls.forfeit(record, roll, what, asked.seat), asked)

        return self._submit(battle, asked, propose)

    def renew(self, battle: str, reason: str, asked: Asked) -> Receipt | Preview:
        """Have the service commit to new dice; an open roll is void then. Raises `Refused`."""

        def propose(book: Book, record: Record) -> Proposal:
            lost = self._dice.lost(book, record)
            anchor, row = self._dice.renewed(book, record)
            return Proposal(rolls.renew(record, reason, asked.seat, anchor, lost=lost), (row,))

        return self._submit(battle, asked, propose)

    def confirm(self, battle: str, roll: int, what: rolls.Confirm, asked: Asked) -> Receipt | Preview:
        """A seat confirms dice that another typed in. Raises `Refused`."""

        def propose(book: Book, record: Record) -> Proposal:
            return self._carried_out(book, record, rolls.confirm(record, roll, what, asked.seat), asked)

        return self._submit(battle, asked, propose)

    def _carried_out(self, book: Book, record: Record, events: tuple[e.Event, ...], asked: Asked) -> Proposal:
        """The answer to an open roll and, if nothing is missing any longer, the action that waited for it."""
        actor = asked.seat.actor
        entries = [Entry(book.battle, record.seq + 1, record.seq + 1, 0, actor, "", 1, "", "", x) for x in events]
        waits = advance(record, entries).pending
        assert waits is not None
        if not waits.ready or asked.dry_run:
            return Proposal(events)
        cup = self._dice.settled(book, record, waits)
        try:
            decision = decide(record.battle, command_from(waits.request), Seat.of(waits.actor), cup.tape)
        except (BadFace, DiceWanted) as off:
            invalid(f"these dice do not fit the action: {off}", "/faces", ["as many as the rules ask, each of its die"])
        cup.check_empty()
        done = self._rolled(book, record, decision.events, cup)
        return Proposal(events, done.secrets, Batch(done.events, waits.actor))

    def name(self, battle: str, row: NameRow, asked: Asked) -> Receipt | Preview:
        """Write down who sits on a seat: a commitment in the log, the name and its salt beside it. Raises `Refused`."""
        return self._submit(battle, asked, lambda _, record: Proposal(named(record, row, asked.seat), names=(row,)))

    def close(self, battle: str, reason: str, asked: Asked) -> Receipt | Preview:
        """Close the battle for good. Raises `Refused`."""
        return self._propose(battle, asked, lambda record: procedure.close(record, asked.seat, reason))

    # --- one way in ------------------------------------------------------------------------------------------------

    def _propose(self, battle: str, asked: Asked, events: Callable[[Record], tuple[e.Event, ...]]) -> Receipt | Preview:
        return self._submit(battle, asked, lambda _book, record: Proposal(events(record)))

    def _submit(self, battle: str, asked: Asked, propose: Callable[[Book, Record], Proposal]) -> Receipt | Preview:
        book = asked.book or self.shelf.book(battle)
        assert book.battle == battle
        with book.lock:
            for _ in range(MOST_RACES):
                # After a lost race, too: who won it may have been an earlier try of this very request.
                again = self._answered(battle, asked)
                if again is not None:
                    return again
                self._fresh(book, asked)
                record = book.record
                if record.docket.closed:
                    battle_over("the battle is closed; nothing is written any more")
                try:
                    proposal = propose(book, record)
                except Conflict:
                    self._catch_up(book)
                    continue
                except DiceWanted as dry:
                    if asked.dry_run:
                        return Preview((), record, (dry.wanted,), dry.so_far)
                    raise
                if asked.dry_run:
                    return Preview(proposal.events, record)
                written = seal(self.codec, self._clock, book, book.record, self._batches(book, proposal, asked))
                action = written.entries[0].seq
                beside = Beside(
                    key=self._key_row(battle, asked, battle, action),
                    secrets=proposal.secrets,
                    names=proposal.names,
                    summary=summary_of(battle, written.record),
                )
                try:
                    tree = self.store.append(battle, written.sealed, beside, lambda: book.tree)
                except Conflict:
                    self._catch_up(book)
                    continue
                except KeyTaken:
                    self.shelf.catch_up(book)
                    again = self._answered(battle, asked)
                    assert again is not None
                    return again
                data = tuple(s.data for s in written.sealed)
                book.take(written.entries, data, written.records, tree)
                self._heard(battle, written.record.seq)
                return Receipt(battle, action, action + written.first - 1, data[: written.first])
        raise Busy(battle)

    def _catch_up(self, book: Book) -> None:
        head = book.head
        if not self.shelf.catch_up(book):
            raise Busy(book.battle)  # the store has another past: whoever asks again sees that one
        if book.head == head:
            self.shelf.check(book)

    def _batches(self, book: Book, proposal: Proposal, asked: Asked) -> list[Batch]:
        signature = () if signs_itself(book.record, asked) else seat_signature(book, asked)
        batch = Batch((*proposal.events, *signature), asked.seat.actor)
        return [batch] if proposal.then is None else [batch, proposal.then]

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
        return Receipt(
            row.battle, row.first, batch[-1].seq, tuple(book.data(row.first - 1, batch[-1].seq)), replayed=True
        )

    @staticmethod
    def _key_row(scope: str, asked: Asked, battle: str, first: int) -> KeyRow | None:
        return KeyRow(scope, asked.seat.actor, asked.key, asked.digest, battle, first) if asked.key else None


def _batch_at(book: Book, first: int) -> list[Entry]:
    batch: list[Entry] = []
    seq = first
    while entries := book.entries(seq - 1, seq):
        if entries[0].action != first:
            break
        batch += entries
        seq += 1
    return batch


__all__ = ["Asked", "BranchAsked", "Busy", "KeyMisused", "Preview", "Receipt", "Referee", "Signed", "summary_of"]
