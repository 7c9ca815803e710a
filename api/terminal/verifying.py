"""Verifying: is a file what it claims to be? Law: keys come from whoever asks; no server and no store is ever loaded.

Exit codes: 0 valid, 1 invalid, 2 used wrongly, 3 valid, but the battle is not closed.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from api.terminal.printing import out, show_json, words
from api.terminal.stop import FOUND_WRONG, GOOD, Stop
from api.terminal.verdict import telling
from api.terminal.verified import Answer, report_of, told
from api.terminal.verifying_both import UNSIGNED, broken, halves
from replays.audit.bundle import Bundle, is_bundle
from replays.audit.findings import Finding, Status
from replays.audit.keys import read_vkey
from replays.audit.unproven import Unproven
from replays.audit.verify.checks import CHECKS
from replays.audit.verify.policy import Policy
from replays.audit.verify.salvage import plain
from replays.audit.vkey import COSIGNATURE, ED25519, PublicKey

STILL_OPEN: Final = 3
"""Exit code: all of it holds, but the battle is not closed."""

_EXPORT: Final = (
    "it looks like an export, which holds no signature: fetch the battle's bundle, or check with --unsigned, and "
    "without --key, whether the export agrees with itself"
)
_EXIT: Final[dict[Status, int]] = {"valid": GOOD, "invalid": FOUND_WRONG, "open": STILL_OPEN}


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
    code = _EXIT[answer.status]
    with telling(code):
        if as_json:
            show_json(report_of(answer, signed=bool(asked.keys)))
        else:
            for line in told(answer, signed=bool(asked.keys)):
                out().print(words(line), soft_wrap=True)
    return code


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
    if not is_bundle(data) and asked.unsigned:
        lines = data.removesuffix(b"\n").split(b"\n") if data else []
        return halves(plain(lines), policy, source, UNSIGNED, rules=asked.rules)
    try:
        bundle = Bundle.parse(data)
    except Unproven as no:
        if is_bundle(data):
            return broken(data, no, policy, source, rules=asked.rules)
        text = f"{no.text}; {_EXPORT}" if data.startswith(b"{") else no.text
        return Answer(None, None, None, (Finding(no.code, text),))
    return halves(bundle, policy, source, CHECKS, rules=asked.rules)
