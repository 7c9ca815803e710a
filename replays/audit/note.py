"""Signed notes, read strictly. Law: nothing in a note counts before a trusted key has signed exactly its text.

C2SP signed-note: the text, which ends in a line feed; an empty line; one or more signature lines. It is stricter than
the page where the page leaves room: base64 in one spelling only, one signature a known key, and a known key with a bad
signature refuses the whole note.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from replays.audit.unproven import Unproven
from replays.audit.vkey import COSIGNATURE, ID_BYTES, PublicKey, Signature, need_name, strict_base64, time_of

MOST_BYTES: Final = 1_000_000
"""The largest note, in bytes."""

MOST_SIGNATURES: Final = 100
"""The most signature lines of a note; C2SP asks for at least 16."""

CHECKPOINT: Final = "E-CHECKPOINT"
"""The code of a note that does not hold, unless whoever opens it has another."""

_DASH: Final = "\u2014 "


@dataclass(frozen=True, slots=True)
class Note:
    """A note as it was written: `text`, with its last line feed, and `signatures`. Not to be believed yet."""

    text: str
    signatures: tuple[Signature, ...]

    def to_bytes(self) -> bytes:
        """The note, byte for byte as `parsed` read it."""
        return f"{self.text}\n{''.join(signature.line for signature in self.signatures)}".encode()


@dataclass(frozen=True, slots=True)
class Signed:
    """A signature that holds: `key` made it, at `time` (POSIX seconds, by its own clock) if it is of type 0x04."""

    key: PublicKey
    time: int | None


@dataclass(frozen=True, slots=True)
class Opened:
    """A note that holds: its `text`, who signed it (each key once, in the order of the lines), the lines of others."""

    text: str
    signed: tuple[Signed, ...]
    unknown: tuple[Signature, ...]


def parsed(data: bytes, code: str = CHECKPOINT) -> Note:
    """The parts of a note, with no signature checked. Raises `Unproven` ("malformed note: ...") with this code."""
    try:
        return _parsed(data)
    except ValueError as fault:
        raise Unproven(code, f"malformed note: {fault}") from None


def opened(data: bytes, keys: Iterable[PublicKey], code: str = CHECKPOINT) -> Opened:
    """Open a note with the `keys` that the reader trusts, from anywhere but the sender of the note.

    Raises `Unproven` with this code for a malformed note, a signature of one of the keys that does not hold, two of one
    key, no signature of any of them, and two keys of the same name and id.
    """
    known = _by_name_and_id(keys, code)
    note = parsed(data, code)
    signed: list[Signed] = []
    unknown: list[Signature] = []
    for signature in note.signatures:
        key = known.get((signature.name, signature.id))
        if key is None:
            unknown.append(signature)
        elif not key.accepts(note.text, signature.blob):
            raise Unproven(code, f"invalid signature for key {key.label}")
        elif any(key == other.key for other in signed):
            raise Unproven(code, f"malformed note: key {key.label} has signed it twice")
        else:
            signed.append(Signed(key, time_of(signature.blob) if key.kind == COSIGNATURE else None))
    if not signed:
        raise Unproven(code, "note has no verifiable signatures")
    return Opened(note.text, tuple(signed), tuple(unknown))


def written(text: str, signatures: Sequence[Signature]) -> bytes:
    """A note of this text and these signatures, in their order; `ValueError` if nobody could read it again."""
    note = Note(text, tuple(signatures))
    if _parsed(note.to_bytes()) != note:
        raise ValueError("this text and these signatures make another note")
    return note.to_bytes()


def need_text(text: str) -> None:
    """`ValueError` unless a note may have this text: it ends in a line feed and has no other control character."""
    if not text.endswith("\n"):
        raise ValueError("the text does not end in a line feed")
    if any(sign < " " and sign != "\n" for sign in text):
        raise ValueError("there is a control character in it")


def _by_name_and_id(keys: Iterable[PublicKey], code: str) -> dict[tuple[str, bytes], PublicKey]:
    known: dict[tuple[str, bytes], PublicKey] = {}
    for key in keys:
        if known.setdefault((key.name, key.id), key) != key:
            raise Unproven(code, f"two of the known keys are {key.label}: nobody can tell their signatures apart")
    return known


def _parsed(data: bytes) -> Note:
    if len(data) > MOST_BYTES:
        raise ValueError(f"it has {len(data)} bytes, more than {MOST_BYTES}")
    text, gap, tail = data.decode().rpartition("\n\n")
    if not gap:
        raise ValueError("there is no empty line before the signatures")
    need_text(f"{text}\n")
    if not tail.endswith("\n"):
        raise ValueError("its last line does not end in a line feed")
    lines = tail[:-1].split("\n")
    if len(lines) > MOST_SIGNATURES:
        raise ValueError(f"it has {len(lines)} signatures, more than {MOST_SIGNATURES}")
    return Note(f"{text}\n", tuple(_signature(number, line) for number, line in enumerate(lines, 1)))


def _signature(number: int, line: str) -> Signature:
    try:
        return _read(line)
    except ValueError as fault:
        raise ValueError(f"line {number} of the signatures: {fault}") from None


def _read(line: str) -> Signature:
    name, _, encoded = line.removeprefix(_DASH).partition(" ")
    need_name(name)
    data = strict_base64(encoded)
    signature = Signature(name, data[:ID_BYTES], data[ID_BYTES:])
    if not signature.blob or signature.line != f"{line}\n":
        raise ValueError("a signature has a dash, a name, base64 of more than four bytes, and a space between")
    return signature
