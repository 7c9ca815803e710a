"""What goes into the store and comes out of it. Law: a row is a value, with its fields in the order of its table.

Entries are the log itself. All other rows stand beside the log, are written in the transaction of the entries they
belong to, and never enter it.
"""

from typing import Literal

import msgspec

SecretKind = Literal["chain", "whatif"]
"""What a dice seed is for: the committed chain of a battle, or a branch that asks what might have been."""


class Sealed(msgspec.Struct, frozen=True, gc=False):
    """One entry ready to be stored: `data` is the canonical bytes, and they are the leaf of the Merkle tree."""

    seq: int
    type: str
    v: int
    data: bytes


class KeyRow(msgspec.Struct, frozen=True):
    """An idempotency key: SHA-256 of the raw body it came with, and where the answer is found (`first` is a seq)."""

    scope: str
    seat: str
    key: str
    digest: bytes
    battle: str
    first: int


class SeatRow(msgspec.Struct, frozen=True):
    """The hash of a seat's secret; the secret itself is kept by nobody but its owner."""

    battle: str
    seat: str
    digest: bytes


class SecretRow(msgspec.Struct, frozen=True):
    """A dice seed. Written once and never replaced, or dice already thrown could no longer be proved."""

    battle: str
    kind: SecretKind
    epoch: int
    secret: bytes

    def __repr__(self) -> str:
        return f"SecretRow(battle={self.battle!r}, kind={self.kind!r}, epoch={self.epoch}, secret=<hidden>)"


class BranchRow(msgspec.Struct, frozen=True):
    """Where a branch begins: its past is the entries 1..`at` of its parent, by reference."""

    battle: str
    parent: str
    at: int


class Summary(msgspec.Struct, frozen=True):
    """A battle as the referee's desk lists it; tags, and the parent of what is no branch, are ''."""

    battle: str
    system: str
    title: str
    status: str
    turn: int
    phase: str
    side: str
    event: str
    round: str
    table: str
    head: int
    disputes: int
    undo_pending: bool
    parent: str
    private: bool
    time: int


class CosignatureRow(msgspec.Struct, frozen=True):
    """A seat's signature under a checkpoint of a battle: the name of its key, its line in the note, and its vkey."""

    battle: str
    size: int
    name: str
    root: bytes
    line: str
    vkey: str


class PublishedRow(msgspec.Struct, frozen=True):
    """A leaf of the global log: at `place` (from 0) stands `data`, a checkpoint of `battle` with `size` leaves."""

    place: int
    battle: str
    size: int
    data: bytes
    hash: bytes


class NameRow(msgspec.Struct, frozen=True):
    """Who sits on a seat. It never enters the log, which has only a commitment, and it can be erased with its salt."""

    battle: str
    seat: str
    salt: bytes
    name: str

    def __repr__(self) -> str:
        return f"NameRow(battle={self.battle!r}, seat={self.seat!r}, salt=<hidden>, name=<hidden>)"


class Tracked(msgspec.Struct, frozen=True):
    """How far a read model has come: every entry up to `position` (a place in the store) is in its rows.

    `version` is the shape of its rows; a rebuild has a `generation` of its own.
    """

    version: int
    generation: int
    position: int


Result = Literal["won", "drawn", "lost", "playing"]
"""What a battle was for a side."""


class SideTotal(msgspec.Struct, frozen=True):
    """What a side did in one battle, by the entries up to `seq`; objects are no figs."""

    battle: str
    side: str
    generation: int
    seq: int
    name: str
    result: Result
    figs: int
    figs_lost: int
    wounds: int
    shots: int
    blows: int
    hits: int
    criticals: int
    jams: int
    pins: int
    downs: int
    kills: int
    objects: int
    friendly_fire: int


class WeaponTotal(msgspec.Struct, frozen=True):
    """What was done with a weapon in one battle, by the entries up to `seq`; '' is bare hands."""

    battle: str
    weapon: str
    generation: int
    seq: int
    shots: int
    blows: int
    hits: int
    criticals: int
    jams: int
    downs: int
    kills: int
    objects: int
    friendly_fire: int


class SetAside(msgspec.Struct, frozen=True):
    """A battle that the totals had to leave out: its entry `seq`, met at `place` in the store, and why."""

    battle: str
    place: int
    seq: int
    reason: str


class Beside(msgspec.Struct, frozen=True):
    """What an append stores beside its entries, in the same transaction."""

    key: KeyRow | None = None
    seats: tuple[SeatRow, ...] = ()
    secrets: tuple[SecretRow, ...] = ()
    branch: BranchRow | None = None
    summary: Summary | None = None
    names: tuple[NameRow, ...] = ()


NOTHING = Beside()
"""Beside these entries, nothing."""
