"""The rules half of the verifier. Law: every action is decided again, by the rules that the battle names.

It puts what `examine` finds into the words of the proof half (`replays.audit.findings`), and reads the score off the
table. Neither the store nor the API is anywhere near.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from domain import events as e
from domain.entry import Entry
from domain.record import Record
from domain.systems import VERSIONS
from replays.audit.findings import Finding
from replays.examine import Examined, examine
from replays.readjudicate import Finding as Doubt

_CODES: Final[Mapping[str, str]] = {
    "format": "E-TYPE",
    "seq": "E-SEQ",
    "prev": "E-PREV",
    "action": "E-FORMAT",
    "battle": "E-BATTLE",
    "state": "E-STATE",
    "dice": "E-DICE-VALUE",
    "open": "E-DICE-OPEN",
    "rules": "E-RULE",
}
_UNDO: Final = (e.UndoAsked, e.UndoAgreed, e.UndoRefused, e.UndoWithdrawn, e.ActionsUndone, e.ActionsRestored)
_TABLE: Final = (e.DiceTyped, e.DiceContested, e.DiceConfirmed)


class Side(msgspec.Struct, frozen=True):
    """How a side has come out of it: its figs at the muster, and how those on its list stand now."""

    start: int
    active: int
    pinned: int
    down: int
    out: int


class Reexamined(msgspec.Struct, frozen=True):
    """What the rules half found, and the table that the log leads to."""

    findings: tuple[Finding, ...]
    record: Record | None

    @property
    def score(self) -> dict[str, Side]:
        """Casualties by side."""
        return {} if self.record is None else _score(self.record)


def reexamine(
    entries: Sequence[bytes], *, whole: bool = True, seen: Callable[[int], None] = lambda _seq: None
) -> Reexamined:
    """Decide a log again; `seen` is told of every entry that was looked at; not `whole`: its end may be missing."""
    rules = _rules_of(entries)
    known = rules in VERSIONS
    examined = examine(entries, rules=known, whole=whole, seen=seen)
    findings = [_found(examined, doubt) for doubt in examined.findings]
    if not known and examined.entries:
        text = f"this release does not know the rules {rules!r}, and cannot decide anything by them"
        findings.insert(0, Finding("E-RULES", text, 1, "rules"))
    return Reexamined(tuple(_once(findings)), examined.record)


def _rules_of(entries: Sequence[bytes]) -> str:
    try:
        first: Any = msgspec.json.decode(entries[0])
        return str(first["body"]["rules"])
    except (msgspec.MsgspecError, UnicodeDecodeError, LookupError, TypeError):
        return ""


def _found(examined: Examined, doubt: Doubt) -> Finding:
    entry = examined.entries[doubt.seq - 1] if 0 < doubt.seq <= len(examined.entries) else None
    return Finding(_code(doubt, entry), doubt.message, doubt.seq, "" if doubt.check == "format" else doubt.field)


def _code(doubt: Doubt, entry: Entry | None) -> str:
    body = None if entry is None else entry.body
    match body:
        case e.BattleEnded() if doubt.check == "rules":
            return "E-RESULT"
        case _ if isinstance(body, _UNDO) and doubt.check == "rules":
            return "E-UNDO"
        case _ if isinstance(body, _TABLE) and doubt.check in ("rules", "dice"):
            return "E-PHYS"
        case e.DiceDrawn() if doubt.check == "dice" and doubt.field in ("index", "link"):
            return f"E-DICE-{doubt.field.upper()}"
        case _:
            return _CODES[doubt.check]


def _once(findings: Sequence[Finding]) -> list[Finding]:
    """Once a table is another, every later one is: only the first is told."""
    states = [finding for finding in findings if finding.code == "E-STATE"]
    return [finding for finding in findings if finding.code != "E-STATE" or finding is states[0]]


def _score(record: Record) -> dict[str, Side]:
    battle = record.battle
    score = {}
    for side in battle.sides.values():
        figs = [fig for fig in battle.figs.values() if fig.side == side.id]
        standing = [fig.status for fig in figs if getattr(fig.profile, "kind", "fig") != "object"]
        counts = (standing.count(status) for status in ("active", "pinned", "down", "out"))
        score[side.id] = Side(side.start, *counts)
    return score
