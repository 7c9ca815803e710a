"""Commitments: what is promised of the dice before they fall. Law: links open in their order, and each is counted.

The service's anchor, the seats that showed a key and perhaps a chain, and the action that waits for its dice.
"""

from typing import Any, Literal

import msgspec


class Anchor(msgspec.Struct, frozen=True, gc=False):
    """The server's commitment that is in use, and how many links (or what-if keys) are used up.

    `link` is the last one opened, or the anchor itself: what the next has to lead back to. `shown` are all anchors that
    there were.
    """

    epoch: int = -1
    length: int = 0
    used: int = 0
    link: str = ""
    shown: frozenset[str] = frozenset()


class Joined(msgspec.Struct, frozen=True, gc=False):
    """A seat that has shown its key; it contributes to the dice if its chain has a `length`.

    `asked` counts the rolls of this epoch that it was asked for: its next link is `asked` + 1. `link` is the last one
    it opened (number `opened`; 0 is the anchor itself).
    """

    seat: str
    party: int
    key: str
    epoch: int
    length: int
    link: str
    opened: int = 0
    asked: int = 0


class Pending(msgspec.Struct, frozen=True, gc=False):
    """An action that waits for its dice: links that parties have to release, or faces that a seat has to confirm."""

    seq: int
    kind: Literal["chain", "table"]
    actor: str
    side: str
    request: dict[str, Any]
    epoch: int = 0
    index: int = 0
    parties: tuple[int, ...] = ()
    released: dict[int, str] = {}
    forfeited: tuple[int, ...] = ()
    faces: tuple[int, ...] = ()
    contested: bool = False
    confirmed: bool = False

    @property
    def missing(self) -> tuple[int, ...]:
        """The parties whose links are still awaited."""
        return tuple(p for p in self.parties if p not in self.released and p not in self.forfeited)

    @property
    def ready(self) -> bool:
        """Whether the dice are all there."""
        return self.confirmed if self.kind == "table" else not self.missing
