"""The run: every check in its turn. Law: what stands first is said first, and what makes the rest unreadable ends it.

Framing, notes, root; each entry; each action's seats, dice and undo; the end. `CHECKS` is the whole of it: a verifier
that lacks one of them is another verifier, and takes what this one refuses.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from replays.audit.bundle import Bundle
from replays.audit.findings import Finding, Status, status_of
from replays.audit.verify import dice, ending, entries, globally, notes, rolls, seats, undo
from replays.audit.verify.case import Case, Check, Findings, Step
from replays.audit.verify.ending import Ending, ending_of
from replays.audit.verify.line import Line
from replays.audit.verify.policy import Policy
from replays.audit.verify.tally import Tally, undone

CHECKS: Final[tuple[Check, ...]] = (
    Check("checkpoint", "notes", notes.checkpoint),
    Check("declared", "notes", notes.declared),
    Check("origin", "notes", notes.origin),
    Check("size", "notes", notes.size),
    Check("receipts", "notes", notes.receipts),
    Check("root", "notes", notes.root),
    Check("canon", "line", entries.canon),
    Check("envelope", "line", entries.envelope),
    Check("shape", "line", entries.shape),
    Check("battle", "line", entries.battle),
    Check("number", "line", entries.number),
    Check("prev", "line", entries.prev),
    Check("action", "line", entries.action),
    Check("time", "line", entries.time),
    Check("start", "line", entries.start),
    Check("after_end", "line", entries.after_end),
    Check("joined", "batch", seats.joined),
    Check("command", "batch", seats.command),
    Check("contributors", "batch", rolls.contributors),
    Check("index", "batch", dice.index),
    Check("single", "batch", dice.single),
    Check("single_open", "batch", rolls.single_open),
    Check("abandoned", "batch", rolls.abandoned),
    Check("link", "batch", dice.link),
    Check("share", "batch", rolls.share),
    Check("released", "batch", rolls.released),
    Check("value", "batch", dice.value),
    Check("physical", "batch", rolls.physical),
    Check("forfeited", "batch", rolls.forfeited),
    Check("seen_dice", "batch", undo.seen_dice),
    Check("struck_once", "batch", undo.struck_once),
    Check("consent", "batch", undo.consent),
    Check("rules", "end", entries.rules),
    Check("closed", "end", entries.closed),
    Check("cosigned", "end", ending.cosigned),
    Check("included", "end", globally.included),
    Check("stamp", "end", ending.stamp),
    Check("names", "end", ending.names),
)
"""Every check of the proof half, in its order."""

MOST_FINDINGS: Final = 50
"""After so many nothing more is looked for."""

_UNREADABLE: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)


@dataclass(frozen=True, slots=True)
class Verified:
    """What the proof half found; `tally` counts what could be read, `ending` tells who cosigned."""

    findings: tuple[Finding, ...]
    tally: Tally
    ending: Ending

    @property
    def status(self) -> Status:
        """What it comes to."""
        return status_of(self.findings)


def verify(
    bundle: Bundle,
    policy: Policy,
    *,
    checks: Sequence[Check] = CHECKS,
    first: bool = False,
    seen: Callable[[int], None] = lambda _seq: None,
) -> Verified:
    """Verify a bundle; with `first` the first error ends it; `seen` is told of every entry that was looked at."""
    case, tally = Case(bundle, policy), Tally()
    found: list[Finding] = []
    for finding in _all(case, tally, checks, seen):
        found.append(finding)
        if (first and finding.error) or len(found) >= MOST_FINDINGS:
            break
    tally.undone_dice = undone(case.trail.dice, case.trail.struck)
    return Verified(tuple(found), tally, ending_of(case))


def _all(case: Case, tally: Tally, checks: Sequence[Check], seen: Callable[[int], None]) -> Iterator[Finding]:
    for check in checks:
        if check.when == "notes":
            yield from check.look(case)
    if not case.bundle.entries:
        yield Finding("E-START", "there is no entry in it")
        return
    lines = [check for check in checks if check.when == "line"]
    steps = [check for check in checks if check.when == "batch"]
    at = 0
    told: list[Finding] = []
    try:
        for batch in _batches(case, lines, told):
            step = Step(case, batch)
            at = batch[-1].seq
            yield from told
            told.clear()
            for check in steps:
                yield from check.look(step)
            tally.take(step)
            case.trail.advance(batch)
            seen(at)
        yield from told
        if any(finding.error for finding in told):
            return
    except _UNREADABLE as fault:
        yield Finding("E-FORMAT", f"what follows cannot be read: {fault!r}", at)
        return
    for check in checks:
        if check.when == "end":
            yield from check.look(case)


def _batches(case: Case, checks: Iterable[Check], found: list[Finding]) -> Iterator[list[Line]]:
    """The actions, up to the first entry that is not well; what its checks find goes to `found`."""
    before: Line | None = None
    batch: list[Line] = []
    looks = [check.look for check in checks]
    for line in _lines(case):
        if _wrong(case, line, before, looks, found):
            break
        if case.first is None:
            case.first = line
        case.closed = line.type == "BattleClosed" or (
            case.closed and before is not None and line.doc["action"] == before.doc["action"]
        )
        if before is not None and line.doc["action"] != before.doc["action"]:
            yield batch
            batch = []
        batch.append(line)
        before = line
    if batch:
        yield batch


def _lines(case: Case) -> Iterator[Line]:
    for at, (data, leaf) in enumerate(zip(case.bundle.entries, case.leaves, strict=True), start=1):
        yield Line(at, data, leaf)


def _wrong(
    case: Case, line: Line, before: Line | None, looks: Iterable[Callable[..., Findings]], found: list[Finding]
) -> bool:
    """Whether a check finds an error in an entry; one that trips over it has found that it cannot be read."""
    try:
        for look in looks:
            for finding in look(case, line, before):
                found.append(finding)
                if finding.error:
                    return True
    except _UNREADABLE as fault:
        found.append(Finding("E-FORMAT", f"it cannot be read: {fault!r}", line.seq))
        return True
    return False
