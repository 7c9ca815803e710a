"""Verifying: is a file what it claims to be? Law: keys come from whoever asks; no server and no store is ever loaded.

Exit codes: 0 valid, 1 invalid, 2 used wrongly, 3 valid, but the battle is not closed.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from api.terminal.printing import out, progress, show_json, words
from api.terminal.stop import FOUND_WRONG, GOOD, Stop
from api.terminal.verified import Answer, report_of, told
from replays.audit.bundle import Bundle, Meta, is_bundle
from replays.audit.findings import Finding, Status
from replays.audit.keys import read_vkey
from replays.audit.unproven import Unproven
from replays.audit.verify.canon import read_loosely
from replays.audit.verify.policy import Policy
from replays.audit.verify.run import CHECKS, UNREAD, Verified, verify
from replays.audit.vkey import COSIGNATURE, ED25519, PublicKey
from replays.reexamine import Reexamined, reexamine

STILL_OPEN: Final = 3
"""Exit code: all of it holds, but the battle is not closed."""

_EXPORT: Final = (
    "it looks like an export, which holds no signature: fetch the battle's bundle, or check with --unsigned, and "
    "without --key, whether the export agrees with itself"
)
_EXIT: Final[dict[Status, int]] = {"valid": GOOD, "invalid": FOUND_WRONG, "open": STILL_OPEN}
_UNSIGNED_CHECKS: Final = frozenset(
    {"checkpoint", "declared", "origin", "size", "receipts", "root", "cosigned", "included"}
)


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


def run(source: Path, asked: Asked, *, as_json: bool) -> int:
    """Verify a file and tell; the exit code."""
    policy = policy_of(asked)
    answer = answered(_read(source), source, asked, policy)
    if as_json:
        show_json(report_of(answer, signed=bool(asked.keys)))
    else:
        for line in told(answer, signed=bool(asked.keys)):
            out().print(words(line), soft_wrap=True)
    return _EXIT[answer.status]


def policy_of(asked: Asked) -> Policy:
    """The policy that was typed; raises `Stop` for keys that are none, and where nothing says whom to trust."""
    if not asked.keys and not asked.unsigned:
        raise Stop(
            "say with --key whose signature you trust (a vkey, or a file that holds one, from the organiser and not "
            "from whoever sent the file); --unsigned checks the inner consistency alone, which anybody can forge"
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
    path = Path(word)
    if not path.is_file() and "+" not in word:
        raise Stop(f"{word}: there is no such file, and it is no vkey either")
    held = len(_read(path).split()) if path.is_file() else 1
    if held > 1:
        raise Stop(f"{word} holds {held} keys; say which one you trust: put it in a file of its own, or say it here")
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
            text = no.text if is_bundle(data) or not data.startswith(b"{") else f"{no.text}; {_EXPORT}"
            return Answer(None, None, None, (Finding(no.code, text),))
    else:
        checks = tuple(check for check in CHECKS if check.name not in _UNSIGNED_CHECKS)
        bundle = plain(data)
    with progress(f"checking the proof of {source}") as seen:
        proof = verify(bundle, policy, checks=checks, seen=seen)
    rules = None
    if asked.rules:
        with progress(f"deciding {source} again") as seen:
            rules = reexamine(bundle.entries, whole=all(f.code != UNREAD for f in proof.findings), seen=seen)
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
