"""The run: every check in its turn. Law: what stands first is said first; what makes the rest unreadable ends it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from replays.audit.bundle import Bundle
from replays.audit.findings import Finding, Status, status_of
from replays.audit.note import CHECKPOINT
from replays.audit.verify.case import Case, Check, Findings, Step
from replays.audit.verify.checks import CHECKS
from replays.audit.verify.ending import Ending, ending_of
from replays.audit.verify.policy import Policy
from replays.audit.verify.reading import batches
from replays.audit.verify.skims import UNREADABLE
from replays.audit.verify.tally import Tally, undone

UNREAD: Final = "E-UNREAD"
"""The code that says where reading stopped; something else was found before it."""

MOST_FINDINGS: Final = 50
"""After so many errors nothing more is looked for; so many warnings are told, and no number of them ends it."""


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
        for batch in batches(case, [check for check in checks if check.when == "line"], told):
            step, at = Step(case, batch), batch[0].seq
            if told:
                yield from told
                told.clear()
            for look in needed(step.types):
                yield from look(step)
            tally.take(step)
            case.trail.advance(batch)
            seen(batch[-1].seq)
    except UNREADABLE as fault:
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
