"""Import: a log from elsewhere. Law: examined first, ids kept, never written over, new seats minted.

A branch's file holds its inherited past; each battle in it is stored under its own id. A battle that is here already may
be the same, or shorter (then it is carried on); one that says something else under the same id is refused.
"""

from collections.abc import Callable, Sequence

import msgspec

from domain import events as e
from domain.entry import Entry
from domain.timeline import Record, recorded
from replays.codec import Codec
from replays.examine import Examined
from replays.referee import summary_of
from replays.shelf import digest
from replays.store import Beside, BranchRow, Conflict, SeatRow, Store


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
    """Store an examined log; raises `Clash`, and then nothing of that battle was written."""
    added: dict[str, int] = {}
    seats: dict[str, dict[str, str]] = {}
    codec = Codec()
    parts = _parts(examined.entries)
    for part in parts:
        here = store.read(part.battle)
        if [s.data for s in here] != list(examined.data[: len(here)])[: len(here)] and not _longer(here, examined):
            raise Clash(f"another battle is stored as {part.battle}: it differs from this file")
        new = [entry for entry in examined.entries[part.first - 1 : part.last] if entry.seq > len(here)]
        added[part.battle] = len(new)
        if not new:
            continue
        record = recorded(None, examined.entries[: part.last])
        minted = {} if here else {name: new_secret() for name in _names(record)}
        seats[part.battle] = minted
        beside = Beside(
            seats=tuple(SeatRow(part.battle, name, digest(secret.encode())) for name, secret in minted.items()),
            branch=None if here else part.branch,
            summary=summary_of(part.battle, record),
        )
        try:
            store.append(part.battle, [codec.seal(entry) for entry in new], beside)
        except Conflict:
            raise Clash(f"{part.battle} was written to during the import; try again") from None
    return Imported(parts[-1].battle, added, {name: new for name, new in seats.items() if new})


def _longer(here: Sequence[object], examined: Examined) -> bool:
    data = [getattr(s, "data", b"") for s in here]
    return len(data) > len(examined.data) and data[: len(examined.data)] == list(examined.data)


def _parts(entries: Sequence[Entry]) -> list[_Part]:
    parts: list[_Part] = []
    first, branch = 1, None
    for entry in entries:
        if isinstance(entry.body, e.BranchOpened):
            parts.append(_Part(entry.body.parent, first, entry.seq - 1, branch))
            first, branch = entry.seq, BranchRow(entry.battle, entry.body.parent, entry.body.at)
    parts.append(_Part(entries[-1].battle, first, len(entries), branch))
    return parts


def _names(record: Record) -> list[str]:
    names = ["referee", *(f"side:{side}" for side in record.battle.sides)]
    return [*names, "spectator"] if record.battle.policy.private else names
