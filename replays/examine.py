"""Examine: is this a log that this service could have written? Law: the bytes are believed in nothing.

For each entry: canonical form, battle, seq, action, `prev`, `state`; for each action: decided again. The proof that
nothing was cut off at the end is the business of a signed checkpoint, not of this page.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import msgspec

from domain import events as e
from domain.entry import Entry
from domain.record import Record
from domain.timeline import advance, batches
from domain.words import clean
from replays.codec import MOST_BYTES, START, Codec, Fingerprint, Misread, leaf
from replays.readjudicate import Finding, readjudicate

MOST_ENTRIES = 1_000_000
"""No log that is read is longer than this many entries."""


_BATTLE: Final = re.compile("[0-9a-f]{32}")
_LATEST: Final = 32_503_680_000_000
"""UTC milliseconds of the year 3000."""
_OF_LINKS: Final = frozenset({"index", "source", "link", "contributors"})
_ANOTHER: Final = "the table after it is another: something in this entry, or the state itself, was altered"
_LONGEST: Final = 500
"""No text in a log is longer; longer ones are refused at the door."""


class Examined(msgspec.Struct, frozen=True):
    """What an examination found; `entries` and `data` are good up to the first structural finding."""

    entries: tuple[Entry, ...]
    data: tuple[bytes, ...]
    record: Record | None
    findings: tuple[Finding, ...]

    @property
    def good(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


def examine(
    lines: Iterable[bytes],
    *,
    rules: bool = True,
    whole: bool = True,
    seen: Callable[[int], None] = lambda _seq: None,
) -> Examined:
    """Examine the lines of a log; `rules` decides every action again; `seen` is told how far it is.

    Where reading stopped before the end, or where more was signed than is there (not `whole`), the last action may not
    be all there: then only what stands in it is judged, and not what is missing.
    """
    entries, data, findings = _read(lines)
    whole = whole and not findings
    record: Record | None = None
    fingerprint = Fingerprint()

    def leaf_at(seq: int) -> str:
        return leaf(data[seq - 1])

    for batch in batches(entries):
        at_end = batch[-1].seq == len(entries)
        finding = _started(record, batch) or _drawn_once(batch)
        if finding is None and rules:
            finding = readjudicate(record, batch, leaf_at, at_end=at_end)
            if finding is not None and at_end and not whole and not _stands(finding):
                finding = None
        if finding is not None:
            findings.append(finding)
        try:
            for n in range(len(batch)):
                after = advance(record, batch[: n + 1])
                if fingerprint.of(after.battle) != batch[n].state:
                    findings.append(Finding(batch[n].seq, "state", "state", _ANOTHER))
                    break
            record = advance(record, batch)
        except (KeyError, AssertionError, IndexError, AttributeError, TypeError, msgspec.MsgspecError) as off:
            findings.append(Finding(batch[0].seq, "rules", "", f"the table cannot follow: {off!r}"))
            break
        seen(batch[-1].seq)
    findings.sort(key=lambda f: f.seq)
    return Examined(tuple(entries), tuple(data), record, tuple(findings))


def _odd(entry: Entry) -> Finding | None:
    """What no entry of this service has, whatever the rules say."""
    if not _BATTLE.fullmatch(entry.battle):
        return Finding(entry.seq, "battle", "battle", "a battle's id is 32 lower-case hex digits")
    if not 0 <= entry.time < _LATEST:
        return Finding(entry.seq, "action", "time", "that is no time of this millennium")
    bad = next((text for text in _texts(msgspec.to_builtins(entry.body)) if not _plain(text)), None)
    if bad is not None:
        return Finding(entry.seq, "format", "body", f"a text that no request could hold: {bad[:40]!r}")
    return None


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _plain(text: str) -> bool:
    try:
        return len(text) <= _LONGEST and clean(text) == text
    except ValueError:
        return False


def _started(record: Record | None, batch: Sequence[Entry]) -> Finding | None:
    first = batch[0].body
    if (record is None) != isinstance(first, e.BattleStarted):
        return Finding(batch[0].seq, "rules", "type", "a log begins with BattleStarted, and only there")
    return None


def _drawn_once(batch: Sequence[Entry]) -> Finding | None:
    drawn = [entry for entry in batch if isinstance(entry.body, e.DiceDrawn)]
    if len(drawn) < 2:
        return None
    return Finding(drawn[1].seq, "open", "", "one link for one action: this one was opened beside another")


def _stands(finding: Finding) -> bool:
    """Whether it is about an entry that is there, whatever may follow: a member of its body, or its link."""
    return finding.field[:1].isupper() or (finding.check == "dice" and finding.field in _OF_LINKS)


def _read(lines: Iterable[bytes]) -> tuple[list[Entry], list[bytes], list[Finding]]:
    codec = Codec()
    entries: list[Entry] = []
    data: list[bytes] = []
    reading = iter(lines)
    for line in reading:
        seq = len(entries) + 1
        if len(line) > MOST_BYTES or seq > MOST_ENTRIES:
            return entries, data, [Finding(seq, "format", "", "the entry or the log is too long")]
        try:
            entry = codec.parse(line)
        except Misread as off:
            cut = bool(line) and not line.endswith(b"}") and next(reading, None) is None
            said = f"the file ends in the middle of entry {seq}" if cut else str(off)
            return entries, data, [Finding(seq, "format", "", said)]
        finding = _placed(entry, entries, data)
        if finding is not None:
            return entries, data, [finding]
        entries.append(entry)
        data.append(line)
    if not entries:
        return entries, data, [Finding(0, "format", "", "there is no entry in it")]
    return entries, data, []


def _placed(entry: Entry, entries: Sequence[Entry], data: Sequence[bytes]) -> Finding | None:
    seq = len(entries) + 1
    last = entries[-1] if entries else None
    prev = leaf(data[-1]) if data else START
    odd = _odd(entry)
    if odd is not None:
        return odd
    if entry.seq != seq:
        return Finding(seq, "seq", "seq", f"entry {seq} is numbered {entry.seq}: one was dropped, added or moved")
    if entry.prev != prev:
        return Finding(seq, "prev", "prev", f"it does not follow on entry {seq - 1}: one of the two was altered")
    if entry.action != seq and (last is None or entry.action != last.action):
        return Finding(seq, "action", "action", f"entry {seq} is of action {entry.action}, which is another's")
    if last is not None and entry.action == last.action and (entry.time, entry.actor) != (last.time, last.actor):
        return Finding(seq, "action", "time", "entries of one action have one time and one actor")
    if last is not None and entry.battle != last.battle:
        opened = entry.body
        if not isinstance(opened, e.BranchOpened) or opened.parent != last.battle or opened.at != seq - 1:
            return Finding(seq, "battle", "battle", "an entry of another battle")
        if any(entry.battle == other.battle for other in entries):
            return Finding(seq, "battle", "battle", "a branch has an id that no battle had before it")
    elif isinstance(entry.body, e.BranchOpened):
        return Finding(seq, "battle", "battle", "a branch has an id of its own")
    return None
