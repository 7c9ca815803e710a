"""Sight: the log as this seat has seen it. Law: what was seen once stays as it was, and every batch is decided again.

A log that is shorter than it was, that begins otherwise, that holds an act which its seat did not sign or dice which do
not follow from the links: each ends the client. The person at the table has to know, and nothing more is released.
"""

from collections.abc import Iterable, Sequence

from domain import events as e
from domain.draft import Seat
from domain.entry import Entry
from domain.record import Record
from domain.rolls import must_sign
from domain.timeline import advance, batches
from replays.audit.merkle import Frontier
from replays.audit.statements import command_message, holds
from replays.codec import START, Codec, Fingerprint, Misread, canonical, leaf
from replays.readjudicate import readjudicate

UNSIGNED = (e.BattleStarted, e.BranchOpened, e.SeatJoined, e.SeatNamed, e.LinkReleased)
"""What heads a batch that carries a signature of its own, or none."""

ACTS = (e.ActionDeclared, e.RollRequested, e.DiceTyped)
"""What heads the batch of an action."""


class Suspicion(Exception):  # noqa: N818 - what the person at the table has to hear
    """The log is not what it was, or not what the rules and the dice make of it."""


class Sight:
    """A log, checked as far as it was read; `size` and `root` are those that are remembered from before."""

    def __init__(self, size: int, root: str) -> None:
        self.record: Record | None = None
        self.leaves: list[str] = []
        self._known = (size, root)
        self._frontier = Frontier()
        self._codec = Codec()
        self._fingerprint = Fingerprint()
        self._last: Entry | None = None

    @property
    def size(self) -> int:
        """How many entries were read."""
        return len(self.leaves)

    @property
    def root(self) -> str:
        """The root over all that was read."""
        return self._frontier.root.hex()

    @property
    def tail(self) -> str:
        """The leaf hash of the last entry."""
        return self.leaves[-1] if self.leaves else START

    def leaf_at(self, seq: int) -> str:
        """The leaf hash of an entry."""
        return self.leaves[seq - 1]

    def take(self, lines: Iterable[bytes], head: int) -> list[tuple[Record | None, list[Entry]]]:
        """Take in what follows the last entry read; `head` is where the log ends, as the service says.

        The first line repeats the last entry that was read. Gives each new batch with the record before it. Raises
        `Suspicion`.
        """
        data = list(lines)
        if head < max(self.size, self._known[0]):
            there = max(self.size, self._known[0])
            raise Suspicion(f"the log had {there} entries and has {head} now: the server shows another past")
        if self.leaves and (not data or leaf(data.pop(0)) != self.tail):
            raise Suspicion(f"entry {self.size} is not the one that stood there: the server shows another past")
        taken = []
        for batch in batches([self._placed(line) for line in data]):
            taken.append((self.record, batch))
            self._follow(batch)
        return taken

    def _placed(self, line: bytes) -> Entry:
        seq = self.size + 1
        try:
            entry = self._codec.parse(line)
        except Misread as off:
            raise Suspicion(f"entry {seq} cannot be read: {off}") from None
        last = self._last
        if (entry.seq, entry.prev) != (seq, self.tail):
            raise Suspicion(f"entry {seq} does not follow on entry {seq - 1}: the server shows another past")
        same = last is not None and entry.action == last.action
        if last is None or not same:
            parted = isinstance(entry.body, e.BranchOpened) and last is not None and entry.body.parent == last.battle
            if entry.action != seq or (last is not None and entry.battle != last.battle) != parted:
                raise Suspicion(f"entry {seq} is of another battle or action")
        elif (entry.battle, entry.time, entry.actor) != (last.battle, last.time, last.actor):
            raise Suspicion(f"entry {seq} is not of the action that it claims to be of")
        self.leaves.append(leaf(line))
        self._frontier = self._frontier.appended(bytes.fromhex(self.tail))
        if seq == self._known[0] and self.root != self._known[1]:
            raise Suspicion(f"the first {seq} entries are not those that were seen: the server shows another past")
        self._last = entry
        return entry

    def _follow(self, batch: Sequence[Entry]) -> None:
        head = batch[0]
        if (self.record is None) != isinstance(head.body, e.BattleStarted):
            raise Suspicion(f"entry {head.seq}: a log begins with BattleStarted, and only there")
        finding = readjudicate(self.record, batch, self.leaf_at)
        if finding is not None:
            raise Suspicion(f"entry {finding.seq} does not follow: {finding.message}")
        off = self.record is not None and forged(self.record, batch)
        if off:
            raise Suspicion(f"entry {head.seq}: {off}")
        for n, entry in enumerate(batch):
            if self._fingerprint.of(advance(self.record, batch[: n + 1]).battle) != entry.state:
                raise Suspicion(f"entry {entry.seq}: the table after it is another")
        self.record = advance(self.record, batch)


def forged(record: Record, batch: Sequence[Entry]) -> str:
    """What is wrong with the signature of a batch; empty if nothing is."""
    head = batch[0]
    signed = [entry.body for entry in batch if isinstance(entry.body, e.RequestSigned)]
    if not signed:
        waits = record.pending
        carried = isinstance(head.body, e.ActionDeclared) and waits is not None and waits.ready
        needed = must_sign(record, Seat.of(head.actor)) and not carried and not isinstance(head.body, UNSIGNED)
        return f"{head.actor} did not sign it" if needed else ""
    seat, said = record.seats.get(head.actor), signed[0]
    if seat is None or len(signed) > 1:
        return f"it is signed, and {head.actor} has no key or signs twice"
    request = said.request
    if isinstance(head.body, ACTS):
        stands = head.body.request
        asked = stands if request is None else {name: value for name, value in request.items() if name != "dice"}
        if said.kind != "actions" or asked != stands:
            return f"{head.actor} signed another request than stands here"
        request = stands if request is None else request
    message = command_message(head.battle, head.seq, head.prev, said.kind, canonical(request or {}))
    return "" if holds(seat.key, said.sig, message) else f"{head.actor} did not sign it"
