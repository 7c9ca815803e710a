"""The end: who stands by it, and who sat there. Law: a cosignature counts under the key that its seat has shown."""

import hmac
from typing import Final, Literal

from replays.audit.findings import Finding
from replays.audit.verify.canon import canonical, read_loosely
from replays.audit.verify.case import Case, Findings
from replays.audit.vkey import COSIGNATURE, PublicKey

Ending = Literal["C", "R", "0"]
"""Who cosigned the end: all sides, a referee, or neither."""

PERSON: Final = b"wlog/v1/person\n"
"""How the message of a commitment to a name begins."""


def seat_key(case: Case, seat: str) -> PublicKey | None:
    """The key under which a seat cosigns checkpoints, by what it has shown in the log."""
    joined = case.trail.seats.get(seat)
    if joined is None or case.checkpoint is None:
        return None
    try:
        return PublicKey(f"{case.checkpoint.origin}/{seat.replace(':', '-')}", bytes.fromhex(joined.key), COSIGNATURE)
    except ValueError:
        return None  # a key under which anybody can sign


def ending_of(case: Case) -> Ending:
    """Who cosigned the checkpoint: C if every side has, R for a referee, 0 for neither."""
    if case.note is None:
        return "0"
    sides = [seat_key(case, f"side:{side}") for side in case.trail.sides]
    if sides and all(key is not None and _signed(case, key) for key in sides):
        return "C"
    referees = [*case.policy.referees, seat_key(case, "referee")]
    return "R" if any(key is not None and _signed(case, key) for key in referees) else "0"


def _signed(case: Case, key: PublicKey) -> bool:
    assert case.note is not None
    lines = [line for line in case.note.signatures if (line.name, line.id) == (key.name, key.id)]
    return any(len(line.blob) == 72 and key.accepts(case.note.text, line.blob) for line in lines)


def cosigned(case: Case) -> Findings:
    """Where it is asked for, the end is cosigned by every side, or by a referee."""
    if case.policy.cosigned and ending_of(case) == "0":
        yield Finding("E-COSIGN", "the end of the log is not cosigned by all sides, nor by a referee")


def person(salt: bytes, name: str) -> bytes:
    """The commitment (32 bytes) to a name, under 32 random bytes of salt that are erased together with it."""
    return hmac.digest(salt, PERSON + canonical({"name": name}), "sha256")


def names(case: Case) -> Findings:
    """A name that is shown is the one that was committed to; what was erased is simply not there."""
    if not case.bundle.names:
        return
    shown = read_loosely(case.bundle.names)  # the names of seats are no keys of the narrow profile
    if not shown or _spelled(shown) != case.bundle.names:
        yield Finding("E-NAME", "malformed names: they are canonical JSON, seat to name and salt")
        return
    for seat, row in shown.items():
        said = case.trail.people.get(seat)
        if said is None or said != _committed(row):
            yield Finding("E-NAME", f"{seat} is not who the bundle says, or never was named", field="names")


def _spelled(value: object) -> bytes:
    try:
        return canonical(value)
    except ValueError:
        return b""


def _committed(row: object) -> str:
    if not isinstance(row, dict) or row.keys() != {"name", "salt"}:
        return ""
    name, salt = row["name"], row["salt"]
    try:
        held = bytes.fromhex(salt) if isinstance(salt, str) else b""
    except ValueError:
        return ""
    return person(held, name).hex() if isinstance(name, str) and len(held) == 32 and held.hex() == salt else ""


def stamp(case: Case) -> Findings:
    """There is room for a time stamp, and nothing that reads one yet."""
    if case.bundle.tsr:
        yield Finding("W-TSA", "the time stamp was not checked: this release reads none")
