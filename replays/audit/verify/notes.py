"""The signed head: notes, size, receipts, root. Law: this was signed, whole, and nothing was signed against it."""

from collections.abc import Iterable

from replays.audit.checkpoint import Checkpoint, battle_origin, opened_checkpoint
from replays.audit.findings import Finding
from replays.audit.note import CHECKPOINT, Note, parsed
from replays.audit.unproven import Unproven
from replays.audit.verify.case import Case, Findings
from replays.audit.verify.globally import split_proof, stranger
from replays.audit.vkey import ED25519, PublicKey


def checkpoint(case: Case) -> Findings:
    """The note is signed by a log's key that the reader trusts; without any, it can at least be read."""
    other = stranger(case, case.note, case.policy.keys)
    if other:
        yield Finding(CHECKPOINT, other)
        return
    try:
        if case.policy.keys:
            opened_checkpoint(case.bundle.checkpoint, case.policy.keys)
        else:
            Checkpoint.parse(parsed(case.bundle.checkpoint).text)
    except Unproven as no:
        yield Finding(no.code, f"{no.text}: the head was altered, or its signature" if _altered(case) else no.text)
    except ValueError as fault:
        yield Finding(CHECKPOINT, f"malformed checkpoint: {fault}")


def _altered(case: Case) -> bool:
    """Whether a signature of a key that the reader trusts is there, and does not hold for this head."""
    if case.note is None:
        return False
    known = {(key.name, key.id): key for key in case.policy.keys}
    mine = [(known[line.name, line.id], line) for line in case.note.signatures if (line.name, line.id) in known]
    return any(not key.accepts(case.note.text, line.blob) for key, line in mine)


def origin(case: Case) -> Findings:
    """The checkpoint is of the log of this very battle, and of the one that is wanted."""
    head, meta = case.checkpoint, case.bundle.meta
    if head is None:
        return
    for wanted in (battle_origin(meta.host, meta.battle), case.policy.origin or head.origin):
        if head.origin != wanted:
            yield Finding("E-ORIGIN", f"checkpoint is of {head.origin}, wanted {wanted}")
            return


def declared(case: Case) -> Findings:
    """Both notes carry the signatures that the bundle declares and the log's own; each holds; there are no more."""
    trusted = case.policy.keys
    signers = [*_signers(case, case.note, trusted)]
    if case.bundle.global_proof:
        above, keys = split_proof(case.bundle.global_proof)[1], case.policy.global_keys
        signers += _signers(case, above, () if stranger(case, above, keys) else keys)
    for told in signers:
        if isinstance(told, Finding):
            yield told
    for key in case.bundle.meta.cosigners:
        times = sum(signer == key for signer in signers)
        if times != 1 and key not in (*trusted, *case.policy.global_keys):
            yield Finding(CHECKPOINT, f"the bundle declares {key.label} once; it has signed {times} of its notes")


def _signers(case: Case, note: Note | None, trusted: Iterable[PublicKey]) -> list[PublicKey | Finding]:
    """The key of each signature, or what is wrong with it."""
    if note is None:
        return []
    known = {(key.name, key.id): key for key in (*case.bundle.meta.cosigners, *trusted)}
    found: list[PublicKey | Finding] = []
    own = note.text.partition("\n")[0].partition("/battle/")[0]
    for line in note.signatures:
        key = known.get((line.name, line.id))
        if key is None:
            if trusted or line.name != own:
                found.append(Finding(CHECKPOINT, f"the bundle does not declare the signature of {line.label}"))
        elif key in found:
            found.append(Finding(CHECKPOINT, f"key {key.label} has signed twice"))
        elif len(line.blob) != (64 if key.kind == ED25519 else 72) or not key.accepts(note.text, line.blob):
            found.append(Finding(CHECKPOINT, f"invalid signature for key {key.label}"))
        else:
            found.append(key)
    return found


def size(case: Case) -> Findings:
    """There are as many entries as were signed."""
    held = len(case.bundle.entries)
    if case.checkpoint is not None and case.checkpoint.size != held:
        yield Finding("E-SIZE", f"the bundle has {held} entries, its checkpoint says {case.checkpoint.size}")


def receipts(case: Case) -> Findings:
    """Every note that somebody kept is a beginning of this log."""
    held = len(case.bundle.entries)
    for name, data in case.policy.receipts:
        try:
            kept = opened_checkpoint(data, case.policy.keys).checkpoint
        except Unproven as no:
            yield Finding("E-RECEIPT", f"{name}: {no.text}")
            continue
        if case.checkpoint is not None and kept.origin != case.checkpoint.origin:
            yield Finding("E-RECEIPT", f"{name} is of {kept.origin}")
        elif kept.size > held:
            yield Finding("E-ROLLBACK", f"{name}: a receipt of size {kept.size} exists, the bundle has only {held}")
        elif kept.root != case.root_over(kept.size):
            text = f"the log signed another history of the first {kept.size} entries: keep both notes, they prove it"
            yield Finding("E-FORK", f"{name}: {text}")


def root(case: Case) -> Findings:
    """The entries give the root that was signed; a head that was altered says nothing of them."""
    head = case.checkpoint
    if head is not None and case.root_over(len(case.leaves)) != head.root and not _altered(case):
        text = "the entries do not give the signed root: an entry was altered, added, dropped or reordered"
        kept = _kept(case)
        yield Finding("E-ROOT", f"{text}; entries 1 to {kept} are those of a receipt" if kept else text)


def _kept(case: Case) -> int:
    """How many entries a receipt vouches for, whatever became of those behind them."""
    kept = 0
    for _, data in case.policy.receipts:
        try:
            mine = opened_checkpoint(data, case.policy.keys).checkpoint
        except Unproven:
            continue
        same = case.checkpoint is not None and mine.origin == case.checkpoint.origin
        if same and kept < mine.size <= len(case.leaves) and mine.root == case.root_over(mine.size):
            kept = mine.size
    return kept
