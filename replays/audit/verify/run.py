"""The run: every check in its turn. Law: what stands first is said first, and what makes the rest unreadable ends it.

Framing, notes, root; each entry; each action's seats, dice and undo; the end. `CHECKS` is the whole of it: a verifier
that lacks one of them is another verifier, and takes what this one refuses.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from replays.audit.bundle import Bundle
from replays.audit.findings import Finding, Status, status_of
from replays.audit.note import CHECKPOINT
from replays.audit.verify import dice, ending, entries, globally, notes, rolls, seats, undo
from replays.audit.verify.case import Case, Check, Findings, Step
from replays.audit.verify.ending import Ending, ending_of
from replays.audit.verify.line import Line, lines_of
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
    Check("joined", "batch", seats.joined, {"SeatJoined"}),
    Check("command", "batch", seats.command),
    Check("contributors", "batch", rolls.contributors, {"DiceDrawn", "RollRequested"}),
    Check("index", "batch", dice.index, {"BranchOpened", "DiceAnchored", "DiceDrawn", "RollRequested"}),
    Check("single", "batch", dice.single, {"DiceDrawn"}),
    Check("single_open", "batch", rolls.single_open),
    Check("abandoned", "batch", rolls.abandoned, {"BattleClosed"}),
    Check("link", "batch", dice.link, {"DiceDrawn"}),
    Check("share", "batch", rolls.share, {"LinkReleased"}),
    Check("released", "batch", rolls.released, {"LinkReleased"}),
    Check("value", "batch", dice.value, {"DiceDrawn"}),
    Check("physical", "batch", rolls.physical),
    Check("forfeited", "batch", rolls.forfeited, {"DiceDrawn", "RollForfeited"}),
    Check("seen_dice", "batch", undo.seen_dice, {"ActionsUndone"}),
    Check("struck_once", "batch", undo.struck_once, {"ActionsRestored", "ActionsUndone"}),
    Check("consent", "batch", undo.consent, {"ActionsRestored", "ActionsUndone", "UndoAgreed"}),
    Check("rules", "end", entries.rules),
    Check("closed", "end", entries.closed),
    Check("cosigned", "end", ending.cosigned),
    Check("included", "end", globally.included),
    Check("stamp", "end", ending.stamp),
    Check("names", "end", ending.names),
)
"""Every check of the proof half, in its order."""

UNREAD: Final = "E-UNREAD"
"""The code that says where reading stopped; something else was found before it."""

MOST_FINDINGS: Final = 50
"""After so many errors nothing more is looked for; so many warnings are told, and no number of them ends it."""

_UNREADABLE: Final = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)


@dataclass(frozen=True, slots=True)
class Verified:
    """What the proof half found; `tally` counts what could be judged, `ending` tells who cosigned.

    `read` is the last entry that could be read, `signed` how many there should be.
    """

    findings: tuple[Finding, ...]
    tally: Tally
    ending: Ending
    read: int
    signed: int

    @property
    def judged(self) -> int:
        """Up to which entry whole actions were judged."""
        return min(self.tally.entries, self.read)

    @property
    def partial(self) -> bool:
        """Whether some of it was not judged, so that nothing can be said of the whole."""
        return self.judged < self.signed

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
    errors = warnings = 0
    for finding in _all(case, tally, checks, seen):
        errors += finding.error
        warnings += finding.warning
        if not finding.warning or warnings <= MOST_FINDINGS:
            found.append(finding)
        if (first and finding.error) or errors >= MOST_FINDINGS:
            break
    tally.undone_dice = undone(case.trail.dice, case.trail.struck)
    return Verified(tuple(found), tally, ending_of(case), case.read, case.signed)


def _all(case: Case, tally: Tally, checks: Sequence[Check], seen: Callable[[int], None]) -> Iterator[Finding]:
    yield from _heads(case, checks)
    if not case.bundle.entries:
        yield Finding("E-START", "there is no entry in it")
        return
    told: list[Finding] = []
    needed = _by_types(checks)
    at = 1
    try:
        for batch in _batches(case, [check.look for check in checks if check.when == "line"], told):
            step, at = Step(case, batch), batch[0].seq
            if told:
                yield from told
                told.clear()
            for look in needed(step.types):
                yield from look(step)
            tally.take(step)
            case.trail.advance(batch)
            seen(batch[-1].seq)
    except _UNREADABLE as fault:
        case.read = at - 1
        told.append(Finding("E-FORMAT", f"what follows cannot be read: {fault!r}", at))
    yield from told
    if case.read < case.signed:
        yield Finding(UNREAD, f"read up to entry {case.read} of {case.signed}: nothing behind it was judged")
        return
    for check in checks:
        if check.when == "end":
            yield from check.look(case)


def _heads(case: Case, checks: Sequence[Check]) -> Iterator[Finding]:
    """What is wrong with the file as a whole; of a head that does not hold once is enough."""
    broken = False
    for check in checks:
        if check.when != "notes":
            continue
        for finding in check.look(case):
            if finding.code != CHECKPOINT or not broken:
                yield finding
            broken = broken or finding.code == CHECKPOINT


def _by_types(checks: Sequence[Check]) -> Callable[[frozenset[str]], Sequence[Callable[..., Findings]]]:
    """The checks that an action of these types needs."""
    steps = [check for check in checks if check.when == "batch"]

    @cache
    def needed(types: frozenset[str]) -> Sequence[Callable[..., Findings]]:
        return [check.look for check in steps if check.about is None or check.about & types]

    return needed


def _batches(case: Case, looks: Sequence[Callable[..., Findings]], found: list[Finding]) -> Iterator[list[Line]]:
    """The actions that are whole, up to the first entry that is not well; what its checks find goes to `found`.

    Of what stands before such an entry, or before the end of a log that was cut, nobody knows whether it is whole.
    """
    before: Line | None = None
    batch: list[Line] = []
    for line in lines_of(case.bundle.entries, case.leaves):
        if _wrong(case, line, before, looks, found):
            return
        if case.first is None:
            case.first = line
        goes_on = before is not None and line.doc["action"] == before.doc["action"]
        case.closed = line.type == "BattleClosed" or (case.closed and goes_on)
        if batch and not goes_on:
            yield batch
            batch = []
        batch.append(line)
        before = line
        case.read = line.seq
    if batch and case.read == case.signed:
        yield batch


def _wrong(
    case: Case, line: Line, before: Line | None, looks: Sequence[Callable[..., Findings]], found: list[Finding]
) -> bool:
    """Whether a check finds an error in an entry; one that trips over it has found that it cannot be read."""
    try:
        for look in looks:
            said = look(case, line, before)
            if said:
                for finding in said:
                    found.append(finding)
                    if finding.error:
                        return True
    except _UNREADABLE as fault:
        found.append(Finding("E-FORMAT", f"it cannot be read: {fault!r}", line.seq))
        return True
    return False
