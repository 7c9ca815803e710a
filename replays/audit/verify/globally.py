"""The log of battles. Law: this very checkpoint is a leaf of it, under a head that the reader's own key has signed.

`global` is a C2SP tlog-proof: `c2sp.org/tlog-proof@v1`, `index <n>`, the hashes in base64, an empty line, the head
of the log of battles. The leaf is `wlog/v1/battle-checkpoint`, a line feed, and the text of the battle's checkpoint.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from replays.audit.checkpoint import global_origin, opened_checkpoint
from replays.audit.findings import Finding
from replays.audit.merkle import leaf_hash, proves_inclusion
from replays.audit.note import Note, parsed
from replays.audit.unproven import Unproven
from replays.audit.verify.case import Case, Findings
from replays.audit.vkey import PublicKey, strict_base64

CODE: Final = "E-GLOBAL"
LEAF: Final = b"wlog/v1/battle-checkpoint\n"
"""How a leaf begins that holds the checkpoint of a battle."""

_FIRST: Final = "c2sp.org/tlog-proof@v1"
_INDEX: Final = re.compile(r"index (0|[1-9][0-9]{0,18})")


class Proof(NamedTuple):
    """The first part of a tlog-proof: the index of the leaf, and the hashes beside its path."""

    leaf: int
    hashes: tuple[bytes, ...]


def written_proof(index: int, hashes: Sequence[bytes], note: bytes) -> bytes:
    """A tlog-proof of leaf `index` under the signed `note` of its log's head."""
    lines = [_FIRST, f"index {index}", *(b64encode(part).decode() for part in hashes), "", ""]
    return "\n".join(lines).encode() + note


def read_proof(data: bytes) -> tuple[Proof, bytes]:
    """The proof and the note under it, not to be believed yet; `ValueError` unless as `written_proof` writes it."""
    top, gap, note = data.partition(b"\n\n")
    first, *lines = top.decode().split("\n")
    index = _INDEX.fullmatch(lines[0]) if lines else None
    if not gap or first != _FIRST or index is None:
        raise ValueError(f"it begins with {_FIRST}, an index, and hashes up to an empty line")
    return Proof(int(index[1]), tuple(strict_base64(line) for line in lines[1:])), note


def split_proof(data: bytes) -> tuple[Proof | None, Note | None]:
    """The proof and its note as far as they can be read."""
    try:
        proof, note = read_proof(data)
        return proof, parsed(note, CODE)
    except (ValueError, Unproven):
        return None, None


def stranger(case: Case, note: Note | None, keys: Iterable[PublicKey]) -> str:
    """Who signed a note, if it was none of those whom the reader trusts."""
    known = {(key.name, key.id): key.label for key in keys}
    if note is None or not known or known.keys() & {(line.name, line.id) for line in note.signatures}:
        return ""
    cosigned = {(key.name, key.id) for key in case.bundle.meta.cosigners}
    others = [line.label for line in note.signatures if (line.name, line.id) not in cosigned]
    labels = others or [line.label for line in note.signatures]
    return f"signed by {' and '.join(labels)}; you gave {' and '.join(known.values())}"


def included(case: Case) -> Findings:
    """The log of battles holds this checkpoint; without a key only a warning says that it was not looked at."""
    data, keys, note = case.bundle.global_proof, case.policy.global_keys, case.note
    if not data:
        yield _missing(case)
        return
    if not keys:
        yield Finding("W-GLOBAL", "the proof from the log of battles was not checked: no --global-key")
        return
    other = stranger(case, split_proof(data)[1], keys)
    if other:
        yield Finding(CODE, other)
        return
    try:
        proof, head = read_proof(data)
        above = opened_checkpoint(head, keys, global_origin(case.bundle.meta.host)).checkpoint
    except Unproven as no:
        yield Finding(CODE, no.text)
        return
    except ValueError as fault:
        yield Finding(CODE, f"malformed proof: {fault}")
        return
    leaf = leaf_hash(LEAF + (b"" if note is None else note.text.encode()))
    if not proves_inclusion(proof.hashes, leaf, proof.leaf, above.size, above.root):
        yield Finding(CODE, f"the log of battles does not hold this checkpoint at index {proof.leaf}")


def _missing(case: Case) -> Finding:
    """What it means that there is no proof: a battle that goes on waits for one; one that is closed has to have it."""
    if not case.policy.global_keys:
        return Finding("W-GLOBAL", "no proof from the log of battles is in it: none was made, or it was taken out")
    if not case.closed:
        return Finding("W-GLOBAL", "this head is not in the log of battles yet: the battle is open")
    return Finding(CODE, "the bundle has no proof from the log of battles: none was made, or it was taken out")
