"""Entry: one immutable event in its envelope. Law: ten members, the same for every event, from the first day on."""

import msgspec

from domain.events import Event


class Entry(msgspec.Struct, frozen=True, gc=False):
    """One line of a log, decoded.

    `seq` counts from 1 without gaps; `action` is the seq of the batch's first entry; `time` is UTC milliseconds;
    `actor` the seat; `prev` the leaf hash of the entry before; `state` the hash of the table after it; `v` the body's
    version.
    """

    battle: str
    seq: int
    action: int
    time: int
    actor: str
    type: str
    v: int
    prev: str
    state: str
    body: Event
