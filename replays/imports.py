"""Import: a log from elsewhere. Law: examined first, ids kept, never written over, new seats minted.

A branch's file holds its inherited past; each battle in it is stored under its own id. A battle that is here already
may be the same, or shorter (then it is carried on); one that says something else under the same id is refused.
"""

from collections.abc import Callable, Sequence

import msgspec

from domain import events as e
from domain.entry import Entry
from domain.record import Record
from domain.timeline import recorded
from replays.examine import Examined
from replays.sealing import summary_of
from replays.shelf import digest
from replays.store import Beside, BranchRow, Conflict, Sealed, SeatRow, SecretKind, Store


class Imported(msgspec.Struct, frozen=True):
    """What an import came to: how many entries of each battle are new, and the new seats of battles that are new."""

    battle: str
    added: dict[str, int]
    seats: dict[str, dict[str, str]]


class Clash(Exception):  # noqa: N818 - an answer, not a fault
    """Another battle is stored under that id."""


class _Part(msgspec.Struct, frozen=True):
    battle: str
    first: int
    last: int
    branch: BranchRow | None


def import_log(store: Store, examined: Examined, new_secret: Callable[[], str]) -> Imported:
    """Store an examined log; raises `Clash`, and then nothing of that battle was written.

    Only the file's own battle gets seats: an inherited past that comes along is there to be read, until its own file
    comes.
    """
    parts = _parts(examined.entries)
    heads = [_shared(store, examined, part) for part in parts]
    added: dict[str, int] = {}
    seats: dict[str, dict[str, str]] = {}
    for part, head in zip(parts, heads, strict=True):
        added[part.battle] = max(part.last - max(head, part.first - 1), 0)
        record = recorded(None, examined.entries[: part.last])
        minted: dict[str, str] = {}
        if part is parts[-1] and not store.seat_digests(part.battle):
            minted = seats[part.battle] = {name: new_secret() for name in seats_of(record)}
        if added[part.battle]:
            _append(store, examined, part, head, record, minted)
        elif minted:
            for name, secret in minted.items():
                store.replace_seat(SeatRow(part.battle, name, digest(secret.encode())))
    return Imported(parts[-1].battle, added, seats)


def _shared(store: Store, examined: Examined, part: _Part) -> int:
    """The seq up to which the store has the part already; refuses a store that has something else."""
    head = store.head(part.battle)
    both = min(head, part.last)
    if [s.data for s in store.read(part.battle, upto=both)] != list(examined.data[:both]):
        raise Clash(f"another battle is stored as {part.battle}: it differs from this file")
    if 0 < head < part.last and _dice_here(store, examined, part, head):
        raise Clash(f"{part.battle} is played here, with this service's dice: nobody else can have carried it on")
    return head


def _dice_here(store: Store, examined: Examined, part: _Part, head: int) -> bool:
    anchor = recorded(None, examined.entries[:head]).anchor
    kind: SecretKind = "chain" if part.branch is None else "whatif"
    return store.secret(part.battle, kind, anchor.epoch) is not None


def _append(store: Store, examined: Examined, part: _Part, head: int, record: Record, minted: dict[str, str]) -> None:
    new = range(max(head, part.first - 1), part.last)
    sealed = [Sealed(n + 1, examined.entries[n].type, examined.entries[n].v, examined.data[n]) for n in new]
    beside = Beside(
        seats=tuple(SeatRow(part.battle, name, digest(secret.encode())) for name, secret in minted.items()),
        branch=None if head else part.branch,
        summary=summary_of(part.battle, record),
    )
    try:
        store.append(part.battle, sealed, beside)
    except Conflict:
        raise Clash(f"{part.battle} was written to during the import; try again") from None


def _parts(entries: Sequence[Entry]) -> list[_Part]:
    parts: list[_Part] = []
    first, branch = 1, None
    for entry in entries:
        if isinstance(entry.body, e.BranchOpened):
            parts.append(_Part(entry.body.parent, first, entry.seq - 1, branch))
            first, branch = entry.seq, BranchRow(entry.battle, entry.body.parent, entry.body.at)
    parts.append(_Part(entries[-1].battle, first, len(entries), branch))
    return parts


def seats_of(record: Record) -> list[str]:
    """The seats that a battle has, a secret for each."""
    names = ["referee", *(f"side:{side}" for side in record.battle.sides)]
    return [*names, "spectator"] if record.battle.policy.private else names
