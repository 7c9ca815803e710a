"""The dice box: which dice an action gets. Law: a link belongs to (battle, epoch, index); only a commit uses it up.

A lost race or a crash uses the same link again, unseen. Nothing that anybody can choose (time, text, order) enters the
derivation; an undo never puts the index back.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from functools import partial
from threading import Lock
from typing import Never

from domain import events as e
from domain.commitments import Pending
from domain.dice import Roll, Tape, Throw
from domain.record import Record
from domain.refusals import invalid, refuse
from domain.timeline import effective
from replays import roller
from replays.audit.dicechain import LENGTH, Chain, ChainId, roll_key, whatif_key
from replays.forfeited import settling_tape
from replays.shelf import Book
from replays.store import SecretKind, SecretRow, Store

MOST_CHAINS = 64
"""How many chains are kept at hand (128 KiB each)."""


class Cup:
    """The dice of one action: a tape, and what has to be written once it is used."""

    def __init__(self, tape: Tape, fresh: roller.StreamTape | None, drawn: e.DiceDrawn | None, left: int = 0) -> None:
        self.tape = tape
        self._fresh = fresh
        self._drawn = drawn
        self._length = left

    @property
    def drawn(self) -> tuple[e.Event, ...]:
        """`DiceDrawn` if a fresh die fell."""
        if self._drawn is None:
            return ()
        forfeited = self._drawn.source == "forfeit"
        return (self._drawn,) if forfeited or (self._fresh is not None and self._fresh.used) else ()

    @property
    def used_up(self) -> bool:
        """Whether the action takes the chain's last link."""
        return bool(self.drawn) and self._drawn is not None and self._drawn.index == self._length

    def check_empty(self) -> None:
        """Refuse dice that nobody asked for."""
        left = self.tape.left if isinstance(self.tape, roller.TableTape) else 0
        if left:
            invalid(f"{left} dice too many; the rules ask for no more", "/dice", ["send only the dice that were asked"])


def _refuse_lost() -> Never:
    why = "the seed of these dice is not here: the battle was moved or put back; the service has to commit to new ones"
    refuse("DICE-07", why, ["the referee: POST /v1/battles/{id}/dice/renew with a reason"])


class _LostTape:
    """The dice of a battle whose seed stayed elsewhere: the first die is refused."""

    def throw(self, roll: Roll) -> Throw:  # noqa: ARG002 - whatever is asked for
        """Refuse."""
        _refuse_lost()


class DiceBox:
    """Makes cups; keeps the seeds' chains at hand."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._chains: OrderedDict[tuple[str, int], Chain] = OrderedDict()
        self._lock = Lock()

    def new_chain(self, battle: str, epoch: int) -> tuple[e.DiceAnchored, SecretRow]:
        """A new commitment and its seed, which is stored beside the log."""
        seed = roller.new_seed()
        chain = Chain(ChainId(bytes.fromhex(battle), epoch=epoch), seed)
        return e.DiceAnchored(0, epoch, LENGTH, chain.anchor.hex()), SecretRow(battle, "chain", epoch, seed)

    def new_whatif(self, battle: str, epoch: int) -> tuple[e.DiceAnchored, SecretRow]:
        """A what-if's secret, and the hash that commits to it."""
        secret = roller.new_seed()
        commitment = hashlib.sha256(b"wlog/v1/whatif-commit\n" + bytes.fromhex(battle) + secret).hexdigest()
        return e.DiceAnchored(0, epoch, 0, commitment), SecretRow(battle, "whatif", epoch, secret)

    def lost(self, book: Book, record: Record) -> bool:
        """Whether the seed is not in this store: the battle was imported, or seeds were forgotten after a restore.

        The store is asked each time: a chain that lies at hand still would outlive its seed.
        """
        if record.battle.dice == "table":
            return False
        kind: SecretKind = "chain" if record.origin is None else "whatif"
        return self._store.secret(book.battle, kind, record.anchor.epoch) is None

    def check_here(self, book: Book, record: Record) -> None:
        """Refuse to go on without the seed (DICE-07)."""
        if self.lost(book, record):
            _refuse_lost()

    def renewed(self, book: Book, record: Record) -> tuple[e.DiceAnchored, SecretRow]:
        """A commitment to new dice, for the next epoch."""
        make = self.new_chain if record.origin is None else self.new_whatif
        return make(book.battle, record.anchor.epoch + 1)

    def cup(self, book: Book, record: Record, dice: Sequence[int] | None, *, dry: bool) -> Cup:
        """The dice for the next action of this battle; `dice` are those thrown at the table."""
        if record.battle.dice == "table":
            return Cup(roller.TableTape(dice or ()), None, None)
        if dice is not None:
            invalid("the service throws the dice of this battle", "/dice", ["leave dice out"])
        if dry:
            return Cup(roller.DryTape(), None, None)
        if self.lost(book, record):
            return Cup(_LostTape(), None, None)
        return self._chained(book, record) if record.origin is None else self._whatif(book, record)

    def _chained(self, book: Book, record: Record) -> Cup:
        anchor = record.anchor
        chain, index = self._chain(book.battle, anchor.epoch), anchor.used + 1
        link = chain.link(index)
        stream = roller.StreamTape(partial(roll_key, chain.of, index, link))
        return Cup(stream, stream, e.DiceDrawn("chain", anchor.epoch, index, link.hex()), anchor.length)

    def settled(self, book: Book, record: Record, waits: Pending) -> Cup:
        """The dice of an action that waited: confirmed at the table, or drawn with every link that was released."""
        if waits.kind == "table":
            return Cup(roller.TableTape(waits.faces), None, None)
        self.check_here(book, record)
        chain = self._chain(book.battle, waits.epoch)
        link = chain.link(waits.index)
        links = tuple(e.Link(party, waits.released[party]) for party in sorted(waits.released))
        key = roll_key(chain.of, waits.index, link, {x.party: bytes.fromhex(x.link) for x in links})
        if waits.forfeited:
            drawn = e.DiceDrawn("forfeit", waits.epoch, waits.index, link.hex(), links)
            return Cup(settling_tape(record.battle, waits, key), None, drawn, record.anchor.length)
        stream = roller.StreamTape(key)
        drawn = e.DiceDrawn("chain", waits.epoch, waits.index, link.hex(), links)
        return Cup(stream, stream, drawn, record.anchor.length)

    def _whatif(self, book: Book, record: Record) -> Cup:
        assert record.origin is not None
        secret = self._store.secret(book.battle, "whatif", record.anchor.epoch)
        assert secret is not None, "a branch without its secret"
        ordinal = record.anchor.used + 1
        key = whatif_key(secret, bytes.fromhex(book.battle), ordinal)
        stream = roller.StreamTape(key)
        drawn = e.DiceDrawn("whatif", record.anchor.epoch, ordinal, key.hex())
        if record.origin.dice != "recorded":
            return Cup(stream, stream, drawn)
        assert book.parent is not None
        line = effective(book.parent.entries(0, record.origin.head))
        recorded = [t for entry in line if entry.seq > record.origin.at for t in e.dice_of(entry.body)]
        used = [t for entry in book.entries(book.at) for t in e.dice_of(entry.body)]
        return Cup(roller.RecordedTape(roller.remaining(recorded, used), stream), stream, drawn)

    def _chain(self, battle: str, epoch: int) -> Chain:
        with self._lock:
            chain = self._chains.get((battle, epoch))
            if chain is None:
                seed = self._store.secret(battle, "chain", epoch)
                assert seed is not None, "a battle with server dice without its seed"
                chain = Chain(ChainId(bytes.fromhex(battle), epoch=epoch), seed)
                self._chains[battle, epoch] = chain
                if len(self._chains) > MOST_CHAINS:
                    self._chains.popitem(last=False)
            else:
                self._chains.move_to_end((battle, epoch))
            return chain
