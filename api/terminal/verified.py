"""Verified: what a verification came to, told. Law: the first error first; what was not checked is called unchecked."""

from typing import Any, Final, NamedTuple

import msgspec

from api.terminal.verified_counts import counted, faces_of, level_of, score_of
from replays.audit.bundle import Bundle
from replays.audit.findings import Finding, Status, status_of
from replays.audit.verify.run import Verified
from replays.audit.verify.tally import chi_square
from replays.reexamine import Reexamined

_SAID: Final[dict[Status, str]] = {
    "valid": "VALID",
    "invalid": "INVALID",
    "open": "VALID, BUT OPEN: the battle is not closed, so that nothing shows that its end was not cut off",
}
_INNER: Final = "Only the inner consistency was checked: no key was given, so anybody could have written this file."
_ENDING: Final = {"C": "cosigned by all sides (C)", "R": "cosigned by a referee (R)", "0": "cosigned by nobody (0)"}


class Answer(NamedTuple):
    """What both halves say of a file; `rules` is None where that half was left out."""

    bundle: Bundle | None
    proof: Verified | None
    rules: Reexamined | None
    findings: tuple[Finding, ...]

    @property
    def status(self) -> Status:
        """What it comes to."""
        return status_of(self.findings)

    @property
    def partial(self) -> bool:
        """Whether some of the log was not judged, so that nothing can be said of the whole."""
        return self.proof is not None and self.proof.partial


def report_of(answer: Answer, *, signed: bool) -> dict[str, Any]:
    """The answer as JSON."""
    report: dict[str, Any] = {
        "status": answer.status,
        "signed": signed,
        "rules_checked": answer.rules is not None,
        "findings": [
            {"code": f.code, "seq": f.seq, "field": f.field, "text": f.text, "error": f.error} for f in answer.findings
        ],
    }
    if answer.bundle is not None and answer.proof is not None:
        meta, tally = answer.bundle.meta, answer.proof.tally
        report |= {
            "battle": meta.battle,
            "rules": meta.rules,
            "read": {"judged": answer.proof.judged, "read": answer.proof.read, "signed": answer.proof.signed},
            "level": None if answer.proof.partial else tally.level,
            "ending": None if answer.proof.partial else answer.proof.ending,
            "counts": {name: getattr(tally, name) for name in _COUNTS},
            "forfeits": [
                {"request": f.request, "seat": f.seat, "reason": f.reason, "withheld": f.withheld}
                for f in tally.forfeits
            ],
            "faces": {
                str(sides): {"count": sum(faces.values()), "chi_square": round(chi_square(faces, sides), 3)}
                for sides, faces in sorted(tally.faces.items())
            },
        }
    if answer.rules is not None and not answer.partial:
        report["score"] = {side: msgspec.to_builtins(score) for side, score in answer.rules.score.items()}
    return report


_COUNTS: Final = (
    "entries",
    "actions",
    "rolls",
    "dice",
    "physical",
    "simulated",
    "undone_dice",
    "undos",
    "restored",
    "anchors",
    "replaced",
    "disputes",
    "rulings",
    "branches",
    "signed",
    "unsigned",
)


def told(answer: Answer, *, signed: bool) -> list[str]:
    """The answer in lines."""
    lines = [_SAID[answer.status]]
    lines += [f"  {finding.told}" for finding in answer.findings]
    if not signed:
        lines.append(_INNER)
    if answer.proof is None or answer.bundle is None:
        return lines
    meta, proof = answer.bundle.meta, answer.proof
    if answer.status == "invalid":
        lines.append("What follows is what the file says of itself; it is not proved:")
    if not answer.partial:
        ending = f"dice: {level_of(proof.tally.level)}; end: {_ENDING[proof.ending]}"
        lines.append(f"Battle {meta.battle}, rules {meta.rules}; {ending}.")
        return lines + counted(proof.tally) + score_of(answer.rules) + faces_of(proof.tally)
    lines.append(f"Battle {meta.battle}, rules {meta.rules}; it was not judged whole.")
    if not proof.judged:
        return [*lines, "No action of it could be judged, and nothing was counted."]
    lines.append(f"Of entries 1 to {proof.judged} only:")
    return lines + counted(proof.tally) + ([] if answer.rules else score_of(None)) + faces_of(proof.tally)
