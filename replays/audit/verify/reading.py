"""Reading: the actions of a log, one after the other. Law: what stands behind an entry that is not well is not read."""

from collections.abc import Iterator, Sequence

from replays.audit.findings import Finding
from replays.audit.verify.case import Case, Check
from replays.audit.verify.line import Line, stretches_of
from replays.audit.verify.skims import UNREADABLE, unsure


def batches(case: Case, checks: Sequence[Check], found: list[Finding]) -> Iterator[list[Line]]:
    """The actions that are whole, up to the first entry that is not well; what its checks find goes to `found`.

    Of what stands before such an entry, or before the end of a log that was cut, nobody knows whether it is whole.
    """
    before: Line | None = None
    batch: list[Line] = []
    for stretch in stretches_of(case.bundle.entries, case.leaves):
        looks = unsure(case, stretch, checks)
        for line in stretch.lines:
            if looks and _wrong(case, line, before, looks, found):
                return
            if before is None:
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


def _wrong(case: Case, line: Line, before: Line | None, checks: Sequence[Check], found: list[Finding]) -> bool:
    """Whether a check finds an error in an entry; one that trips over it has found that it cannot be read."""
    try:
        for check in checks:
            for finding in check.look(case, line, before):
                found.append(finding)
                if finding.error:
                    return True
    except UNREADABLE as fault:
        found.append(Finding("E-FORMAT", f"it cannot be read: {fault!r}", line.seq))
        return True
    return False
