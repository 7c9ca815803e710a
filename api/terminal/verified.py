"""Verified: what a verification came to, told. Law: the first error first; what was not checked is called unchecked."""

from typing import Any, Final, NamedTuple

import msgspec

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
            "level": tally.level,
            "ending": answer.proof.ending,
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
    if answer.rules is not None:
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
    tally, meta = answer.proof.tally, answer.bundle.meta
    level = {"": "the service threw no dice", "L0": "L0, the service alone"}.get(
        tally.level, f"{tally.level}, seats contributed to every roll"
    )
    lines += [
        f"Battle {meta.battle}, rules {meta.rules}; dice: {level}; end: {_ENDING[answer.proof.ending]}.",
        f"{tally.entries} entries, {tally.actions} actions; {tally.rolls} rolls of {tally.dice} dice.",
        f"{tally.physical} of the rolls were thrown at the table, {tally.simulated} in a what-if.",
        f"{tally.undos} undos and {tally.restored} redos; {tally.undone_dice} dice were seen and then struck out.",
        f"{tally.anchors} chains of dice, {tally.replaced} of them in place of one that was not used up.",
        f"{tally.disputes} disputes, {tally.rulings} rulings, {tally.branches} branches in its past.",
        f"{tally.signed} requests of sides are signed, {tally.unsigned} are not.",
    ]
    lines += [_forfeit(forfeit.seat, forfeit.request, forfeit.withheld) for forfeit in tally.forfeits]
    if answer.rules is None:
        lines.append("The rules were not checked: no action was decided again.")
    else:
        lines += [
            f"{name}: {side.start} figs at the muster; {side.active} active, {side.pinned} pinned, {side.down} down, "
            f"{side.out} out."
            for name, side in answer.rules.score.items()
        ]
    for sides, faces in sorted(tally.faces.items()):
        odds = f"chi-square {chi_square(faces, sides):.2f} with {sides - 1} degrees of freedom"
        lines.append(f"{sum(faces.values())} d{sides}: {odds} (for information).")
    return lines


def _forfeit(seat: str, request: int, withheld: list[int] | None) -> str:
    dice = "its dice have not come to light" if withheld is None else f"the dice that it withheld: {withheld}"
    return f"{seat} forfeited the roll of entry {request}; {dice}."
