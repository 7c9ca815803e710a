"""Verifying: is a file what it claims to be? Law: keys come from whoever asks; no server and no store is ever loaded.

Exit codes: 0 valid, 1 invalid, 2 used wrongly, 3 valid, but the battle is not closed.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from api.terminal.printing import out, progress, show_json, words
from api.terminal.stop import FOUND_WRONG, GOOD, Stop
from replays.audit.bundle import Bundle, Meta, is_bundle
from replays.audit.findings import Finding, Status, status_of
from replays.audit.keys import read_vkey
from replays.audit.unproven import Unproven
from replays.audit.verify.canon import read_loosely
from replays.audit.verify.policy import Policy
from replays.audit.verify.run import CHECKS, Verified, verify
from replays.audit.verify.tally import chi_square
from replays.audit.vkey import COSIGNATURE, ED25519, PublicKey
from replays.reexamine import Reexamined, reexamine

STILL_OPEN: Final = 3
"""Exit code: all of it holds, but the battle is not closed."""

_EXIT: Final[dict[Status, int]] = {"valid": GOOD, "invalid": FOUND_WRONG, "open": STILL_OPEN}
_SAID: Final[dict[Status, str]] = {
    "valid": "VALID",
    "invalid": "INVALID",
    "open": "VALID, BUT OPEN: the battle is not closed, so that nothing shows that its end was not cut off",
}
_INNER: Final = "Only the inner consistency was checked: no key was given, so anybody could have written this file."
_ENDING: Final = {"C": "cosigned by all sides (C)", "R": "cosigned by a referee (R)", "0": "cosigned by nobody (0)"}
_UNSIGNED_CHECKS: Final = frozenset({"checkpoint", "declared", "origin", "size", "receipts", "root", "cosigned", "included"})


class Asked(NamedTuple):
    """What was typed."""

    keys: Sequence[str] = ()
    global_keys: Sequence[str] = ()
    referees: Sequence[str] = ()
    receipts: Sequence[Path] = ()
    origin: str | None = None
    cosigned: bool = False
    unsigned: bool = False
    rules: bool = True


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


def run(source: Path, asked: Asked, *, as_json: bool) -> int:
    """Verify a file and tell; the exit code."""
    policy = policy_of(asked)
    answer = answered(_read(source), source, asked, policy)
    if as_json:
        show_json(report_of(answer, asked))
    else:
        for line in told(answer, asked):
            out().print(words(line), soft_wrap=True)
    return _EXIT[answer.status]


def policy_of(asked: Asked) -> Policy:
    """The policy that was typed; raises `Stop` for keys that are none, and where nothing says whom to trust."""
    if not asked.keys and not asked.unsigned:
        raise Stop(
            "say with --key whose signature you trust (a vkey, or a file that holds one, from the organiser and not from "
            "whoever sent the file); --unsigned checks the inner consistency alone, which anybody can forge"
        )
    if asked.keys and asked.unsigned:
        raise Stop("--unsigned is for a file without a key: leave one of the two out")
    if asked.unsigned and (asked.receipts or asked.global_keys):
        raise Stop("--receipt and --global-key need --key")
    return Policy(
        keys=tuple(_key(word, ED25519) for word in asked.keys),
        global_keys=tuple(_key(word, ED25519) for word in asked.global_keys),
        referees=tuple(_key(word, COSIGNATURE) for word in asked.referees),
        receipts=tuple((str(path), _read(path)) for path in asked.receipts),
        origin=asked.origin,
        cosigned=asked.cosigned,
    )


def _key(word: str, kind: int) -> PublicKey:
    try:
        key = read_vkey(Path(word)) if Path(word).is_file() else PublicKey.parse(word)
    except (ValueError, OSError) as no:
        raise Stop(f"{word} is no public key, and no file that holds one: {no}") from None
    if key.kind != kind:
        raise Stop(f"{key.label} is a key of type {key.kind:02x}; here one of type {kind:02x} is wanted")
    return key


def _read(path: Path) -> bytes:
    try:
        return sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as no:
        raise Stop(f"{path} cannot be read: {no.strerror}") from None


def answered(data: bytes, source: Path, asked: Asked, policy: Policy) -> Answer:
    """Both halves on the bytes of a file."""
    checks, bundle = CHECKS, None
    if is_bundle(data) or not asked.unsigned:
        try:
            bundle = Bundle.parse(data)
        except Unproven as no:
            return Answer(None, None, None, (Finding(no.code, no.text),))
    else:
        checks = tuple(check for check in CHECKS if check.name not in _UNSIGNED_CHECKS)
        bundle = plain(data)
    with progress(f"checking the proof of {source}") as seen:
        proof = verify(bundle, policy, checks=checks, seen=seen)
    rules = None
    if asked.rules:
        with progress(f"deciding {source} again") as seen:
            rules = reexamine(bundle.entries, seen=seen)
    return Answer(bundle, proof, rules, merged(proof, rules))


def plain(data: bytes) -> Bundle:
    """A bundle around a bare export, which has no checkpoint; its claims are those of its first and last entries."""
    lines = tuple(data.removesuffix(b"\n").split(b"\n")) if data else ()
    first, last = (read_loosely(lines[0]), read_loosely(lines[-1])) if lines else ({}, {})
    body = first.get("body")
    rules = str(body.get("rules", "")) if isinstance(body, dict) else ""
    closed = last.get("type") == "BattleClosed"
    return Bundle(Meta(str(last.get("battle", "")), "unsigned", rules, closed), lines, b"")


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


_STRUCTURE: Final = frozenset({"E-CANON", "E-FORMAT", "E-BATTLE", "E-SEQ", "E-PREV"})


def report_of(answer: Answer, asked: Asked) -> dict[str, Any]:
    """The answer as JSON."""
    report: dict[str, Any] = {
        "status": answer.status,
        "signed": not asked.unsigned,
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
                {"request": f.request, "seat": f.seat, "reason": f.reason, "withheld": f.withheld} for f in tally.forfeits
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


def told(answer: Answer, asked: Asked) -> list[str]:
    """The answer in lines."""
    lines = [_SAID[answer.status]]
    lines += [f"  {finding.told}" for finding in answer.findings]
    if asked.unsigned:
        lines.append(_INNER)
    if answer.proof is None or answer.bundle is None:
        return lines
    tally, meta = answer.proof.tally, answer.bundle.meta
    level = {"": "the service threw no dice", "L0": "L0, the service alone"}.get(
        tally.level, f"{tally.level}, seats contributed to every roll"
    )
    lines += [
        f"Battle {meta.battle}, rules {meta.rules}; dice: {level}; end: {_ENDING[answer.proof.ending]}.",
        f"{tally.entries} entries, {tally.actions} actions; {tally.rolls} rolls of {tally.dice} dice, "
        f"{tally.physical} of the rolls at the table, {tally.simulated} in a what-if.",
        f"{tally.undos} undos and {tally.restored} redos; {tally.undone_dice} dice were seen and then struck out.",
        f"{tally.anchors} chains, {tally.replaced} of them in place of one that was not used up; "
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
    lines += [
        f"{sum(faces.values())} d{sides}: chi-square {chi_square(faces, sides):.2f} with {sides - 1} degrees of freedom "
        "(for information)."
        for sides, faces in sorted(tally.faces.items())
    ]
    return lines


def _forfeit(seat: str, request: int, withheld: list[int] | None) -> str:
    dice = "its dice have not come to light" if withheld is None else f"the dice that it withheld: {withheld}"
    return f"{seat} forfeited the roll of entry {request}; {dice}."
