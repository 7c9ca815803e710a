"""Both halves on one bundle. Law: the rules half judges no further than the proof half could read."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from api.terminal.printing import progress
from api.terminal.verified import Answer
from replays.audit.bundle import Bundle
from replays.audit.findings import Finding
from replays.audit.note import CHECKPOINT
from replays.audit.unproven import Unproven
from replays.audit.verify.case import Check
from replays.audit.verify.checks import CHECKS
from replays.audit.verify.policy import Policy
from replays.audit.verify.run import UNREAD, Verified, verify
from replays.audit.verify.salvage import salvaged
from replays.reexamine import Reexamined, reexamine

UNSIGNED: Final = tuple(
    check
    for check in CHECKS
    if check.name not in {"checkpoint", "declared", "origin", "size", "receipts", "root", "cosigned", "included"}
)
"""The checks of a log without a signature."""

_BY_LINE: Final = tuple(check for check in CHECKS if check.when == "line")
_STRUCTURE: Final = frozenset({"E-CANON", "E-FORMAT", "E-BATTLE", "E-SEQ", "E-PREV"})
_HEAD: Final = frozenset({CHECKPOINT, "E-ORIGIN", "E-SIZE", "E-RECEIPT", "E-ROLLBACK", "E-FORK", "E-ROOT", UNREAD})
_FOLLOW: Final = "there was only a look at how the entries follow on each other, which they do from"
_SOMEWHERE: Final = "the last entry, or a log rewritten from some entry on"


def halves(bundle: Bundle, policy: Policy, source: Path, checks: Sequence[Check], *, rules: bool) -> Answer:
    """What the proof half says, and with `rules` what the rules half does."""
    with progress(f"checking the proof of {source}") as seen:
        proof = verify(bundle, policy, checks=checks, seen=seen)
    again = None
    if rules:
        with progress(f"deciding {source} again") as seen:
            again = _reexamined(bundle, proof, seen)
    return Answer(bundle, proof, again, placed(merged(proof, again)))


def _reexamined(bundle: Bundle, proof: Verified, seen: Callable[[int], None]) -> Reexamined:
    if all(finding.code != UNREAD for finding in proof.findings):
        return reexamine(bundle.entries, seen=seen)
    if not proof.read:
        return Reexamined((), None)
    return reexamine(bundle.entries[: proof.read], whole=False, seen=seen)


def broken(data: bytes, no: Unproven, policy: Policy, source: Path, *, rules: bool) -> Answer:
    """A bundle that cannot be read: it is refused, and what can be found of it shows where it was altered."""
    bundle = salvaged(data)
    if bundle.checkpoint:
        found = halves(bundle, policy, source, CHECKS, rules=rules).findings
        more = [f for f in found if f.code in _HEAD or (f.error and f.seq)]
    else:
        # Of a file without its end nobody knows what is missing.
        proof = verify(bundle, policy, checks=_BY_LINE)
        more = [f for f in proof.findings if f.code in _STRUCTURE or f.code == UNREAD]
        far = f"{_FOLLOW} 1 to {proof.read}, and nothing else was judged" if proof.read else "no entry was found in it"
        more = more or [Finding(UNREAD, far)]
    return Answer(None, None, None, (Finding(no.code, no.text), *more))


def merged(proof: Verified, rules: Reexamined | None) -> tuple[Finding, ...]:
    """What both halves found; what both found is said once, in the words of the proof half."""
    if rules is None:
        return proof.findings
    said = {(finding.code, finding.seq) for finding in proof.findings}
    spoiled = {finding.seq for finding in proof.findings if finding.code in _STRUCTURE}
    more = [
        finding
        for finding in rules.findings
        if (finding.code, finding.seq) not in said
        and not (finding.seq in spoiled and finding.code in ("E-TYPE", *_STRUCTURE))
    ]
    return (*proof.findings, *more)


def placed(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Where nothing but the root says that an entry is another, it says which it can be."""
    if any(f.error and (f.seq or f.code in (UNREAD, "E-SIZE")) for f in findings):
        return findings
    return tuple(replace(f, text=_somewhere(f.text)) if f.code == "E-ROOT" else f for f in findings)


def _somewhere(text: str) -> str:
    told = "" if "receipt" in text else ": --receipt tells which"
    return f"{text}; it is {_SOMEWHERE}{told}"
