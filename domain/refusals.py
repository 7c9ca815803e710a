"""Refusals. Law: every "no" is one value of one closed list; it names its rule and says what would be legal."""

from collections.abc import Iterable
from typing import Literal, Never

import msgspec

Kind = Literal[
    "rule-refused",
    "invalid",
    "not-found",
    "not-your-fig",
    "forbidden",
    "battle-over",
    "undo-refused",
    "stale",
]

UndoNo = Literal[
    "unknown-action",
    "already-struck",
    "not-strikable",
    "before-branch",
    "last-ditch",
    "battle-over",
    "battle-closed",
    "referee-only",
    "reason-needed",
    "request-open",
    "no-such-request",
    "too-many-requests",
    "refused-before",
    "not-asked",
    "nothing-to-redo",
    "spectators-read",
    "roll-open",
]
"""Why an undo is refused: the closed list of contract 5, shown as `rule`."""


class Refusal(msgspec.Struct, frozen=True):
    """One "no". `rule` is a rule id (`NME-06`), a house rule (`TURN-01`) or an `UndoNo`; `pointer` is a bad field."""

    kind: Kind
    rule: str
    reason: str
    legal: tuple[str, ...] = ()
    pointer: str = ""


class Refused(Exception):  # noqa: N818 - carries a Refusal through the call stack; it is an answer, not a fault
    """A refusal on its way to whoever asked."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.rule}: {refusal.reason}")
        self.refusal = refusal


def refuse(rule: str, reason: str, legal: Iterable[str] = ()) -> Never:
    """Say no with the id of the rule that says so, plain words, and what would be legal instead."""
    raise Refused(Refusal("rule-refused", rule, reason, tuple(legal)))


def unknown(what: str, name: str, known: Iterable[str], pointer: str) -> Never:
    """Say that the request names a fig, weapon, side or piece that this battle does not have."""
    names = tuple(known)
    raise Refused(Refusal("invalid", "UNKNOWN", f"there is no {what} {name!r} in this battle", names, pointer))


def invalid(reason: str, pointer: str, legal: Iterable[str] = ()) -> Never:
    """Say that a field of the request makes no sense here."""
    raise Refused(Refusal("invalid", "INVALID", reason, tuple(legal), pointer))


def forbidden(reason: str) -> Never:
    """Say that this seat may not do this at all."""
    raise Refused(Refusal("forbidden", "SEAT-01", reason))


def not_your_fig(reason: str) -> Never:
    """Say that a side reached for what belongs to another."""
    raise Refused(Refusal("not-your-fig", "SEAT-02", reason))


def battle_over(reason: str) -> Never:
    """Say that the battle has ended or is closed."""
    raise Refused(Refusal("battle-over", "TURN-04", reason))


def no_undo(why: UndoNo, reason: str, legal: Iterable[str] = ()) -> Never:
    """Refuse an undo or redo with a reason of the closed list."""
    raise Refused(Refusal("undo-refused", why, reason, tuple(legal)))
