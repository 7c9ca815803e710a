"""The signer. Law: it signs a tree only if that extends the last one it signed, and remembers before it hands out.

It is the first witness of its own log (C2SP tlog-checkpoint: a log must not sign a checkpoint that is inconsistent with
one it signed before). A database put back from a backup, or one that was written to twice, is met with a refusal that
shows both heads; nothing is signed until somebody has looked into it. Its keys sign checkpoints and nothing else.
"""

from collections.abc import Callable, Iterable, Sequence

from replays.audit.checkpoint import Checkpoint
from replays.audit.keylist import KeyList
from replays.audit.merkle import Frontier, proves_consistency
from replays.audit.note import written
from replays.audit.remembered import Remembered
from replays.audit.secretkey import SecretKey
from replays.audit.unproven import Unproven
from replays.audit.vkey import ED25519


class Contradiction(Unproven):
    """A checkpoint that was not signed: `asked` contradicts `signed`, the last that was."""

    def __init__(self, code: str, text: str, signed: Checkpoint, asked: Checkpoint) -> None:
        super().__init__(code, f"{text}\nsigned before:\n{signed.text}asked for now:\n{asked.text}")
        self.signed = signed
        self.asked = asked


class Fork(Contradiction):
    """E-FORK: the tree is not shown to extend the one signed before; if it does not, another history was written."""


class Rollback(Contradiction):
    """E-ROLLBACK: the tree has fewer leaves than the one signed before."""


class NoActiveKey(Exception):  # noqa: N818 - says what is missing
    """No key of the signer may sign for this log now."""


class Signer:
    """Signs checkpoints with `secrets`, all of type 0x01; with a list of keys, only with those that it has as active.

    Raises `ValueError` for a key of another type. Threads may share it.
    """

    def __init__(self, secrets: Iterable[SecretKey], remembered: Remembered, listed: KeyList | None = None) -> None:
        self._secrets = tuple(secrets)
        self._remembered = remembered
        self._listed = listed
        for secret in self._secrets:
            if secret.public.kind != ED25519:
                raise ValueError(f"{secret.public.label} is no key of a log")

    def last(self, origin: str) -> tuple[int, bytes] | None:
        """Size and root (32 bytes) that were signed last for `origin`; None if nothing was."""
        return self._remembered.get(origin)

    def sign(self, checkpoint: Checkpoint, proof: Sequence[bytes], now: int) -> bytes:
        """The note of a checkpoint, signed by all keys that are active at `now` (POSIX seconds).

        `proof` shows that it extends the `last` one (RFC 9162, 2.1.4; empty for the first, or for the same again).
        Raises `Rollback` for fewer leaves, `Fork` when the proof does not hold, `NoActiveKey`, `MemoryDamaged` and
        `OSError`; then nothing is signed.
        """

        def extends(size: int, root: bytes) -> bool:
            return proves_consistency(proof, size, root, checkpoint.size, checkpoint.root)

        return self._signed(checkpoint, extends, now)

    def sign_leaves(self, origin: str, leaves: Sequence[bytes], now: int) -> bytes:
        """The same for the tree over all leaf hashes (32 bytes each), which need no proof: both roots are computed."""

        def extends(size: int, root: bytes) -> bool:
            return Frontier().extended(leaves[:size]).root == root

        return self._signed(Checkpoint(origin, len(leaves), Frontier().extended(leaves).root), extends, now)

    def _signed(self, asked: Checkpoint, extends: Callable[[int, bytes], bool], now: int) -> bytes:
        secrets = self._active(asked.key_name, now)
        with self._remembered.hold(asked.origin):
            last = self._remembered.get(asked.origin)
            if last is not None:
                _need_extension(Checkpoint(asked.origin, *last), asked, extends)
            note = written(asked.text, [secret.sign(asked.text) for secret in secrets])
            self._remembered.put(asked.origin, asked.size, asked.root)
            return note

    def _active(self, name: str, now: int) -> list[SecretKey]:
        active = None if self._listed is None else self._listed.active_at(now)
        secrets = [
            secret
            for secret in self._secrets
            if secret.public.name == name and (active is None or secret.public in active)
        ]
        if not secrets:
            raise NoActiveKey(f"no key named {name} is active at {now}")
        return secrets


def _need_extension(signed: Checkpoint, asked: Checkpoint, extends: Callable[[int, bytes], bool]) -> None:
    if asked.size < signed.size:
        text = f"a checkpoint of size {signed.size} was signed before, this log has only {asked.size}"
        raise Rollback("E-ROLLBACK", text, signed, asked)
    if not extends(signed.size, signed.root):
        text = f"nothing shows that this log extends the {signed.size} leaves signed before: it may be another history"
        raise Fork("E-FORK", text, signed, asked)
