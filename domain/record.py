"""The record: a log up to one entry, as one value. Law: every act keeps the table as it was before it.

So undo, redo and a look back cost the same at action 10 and at action 10,000. On the line stand the acts that still
count and the table that they led to; the docket, the seats and the dice are beside it, and no undo rewinds them.
"""

from typing import Literal

import msgspec

from domain.battle import Battle
from domain.commitments import Anchor, Joined, Pending
from domain.docket import Docket


class Act(msgspec.Struct, frozen=True, eq=False):
    """One action (or ruling) on the line: a batch of entries `seq`..`last`, and the table `before` it.

    `side` is the side of the acting fig, whoever typed; `dice` counts the dice in the batch. Acts are linked, and only
    what garbage is searched in is let go link by link: without that a long line would not fit on the stack.
    """

    seq: int
    last: int
    do: str
    actor: str
    side: str
    turn: int
    phase: str
    dice: int
    ends_turn: bool
    last_ditch: bool
    ends_battle: bool
    before: Battle
    previous: "Act | None"


class Struck(msgspec.Struct, frozen=True, eq=False):
    """A span that a redo would restore, and the table that it led to; `below` is what a second redo would restore."""

    to_before: int
    tip: Act
    battle: Battle
    dice: int
    below: "Struck | None"


class Origin(msgspec.Struct, frozen=True):
    """Where a branch parts from its parent."""

    parent: str
    at: int
    head: int
    dice: Literal["fresh", "recorded", "table"]


class Record(msgspec.Struct, frozen=True, eq=False):
    """The fold of a log up to entry `seq`; `shown` are all keys and anchors that seats ever showed, and whose."""

    seq: int
    time: int
    battle: Battle
    tip: Act | None
    struck: Struck | None
    docket: Docket
    anchor: Anchor
    origin: Origin | None = None
    turned: int = 0
    seats: dict[str, Joined] = {}
    shown: dict[str, str] = {}
    pending: Pending | None = None

    @property
    def floor(self) -> int:
        """The entry that no undo reaches across: the muster, or the opening of the branch."""
        return self.origin.at + 1 if self.origin else 1

    @property
    def head(self) -> int:
        """The last strikable seq (decision 3.2)."""
        return self.tip.last if self.tip else self.floor

    @property
    def seen(self) -> int:
        """What an answer to an undo request has to have seen: the head, or a later redo that made the line longer."""
        return max(self.head, self.turned)

    @property
    def status(self) -> str:
        """`playing`, `ended` or `closed`."""
        return "closed" if self.docket.closed else self.battle.status


def span_from(tip: Act | None, to_before: int) -> list[Act]:
    """The acts of the line from `to_before` on, the newest first; empty where it is not on the line."""
    span: list[Act] = []
    act = tip
    while act is not None and act.seq >= to_before:
        span.append(act)
        act = act.previous
    return span if span and span[-1].seq == to_before else []


def line_of(record: Record) -> list[Act]:
    """All acts on the line, the oldest first."""
    acts: list[Act] = []
    act = record.tip
    while act is not None:
        acts.append(act)
        act = act.previous
    acts.reverse()
    return acts
