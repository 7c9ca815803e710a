"""The policy: what a verifier trusts and asks for. Law: it comes from whoever verifies, and never out of the file."""

from dataclasses import dataclass

from replays.audit.vkey import PublicKey


@dataclass(frozen=True, slots=True)
class Policy:
    """Trusted keys and wishes.

    `keys` sign battles (type 0x01; none: only the inner consistency is checked), `global_keys` the log of battles,
    `referees` cosign (0x04). `receipts` are notes that somebody kept: name and bytes. `origin` is the log that is
    wanted; with `cosigned` the end has to be cosigned by all sides or a referee.
    """

    keys: tuple[PublicKey, ...] = ()
    global_keys: tuple[PublicKey, ...] = ()
    referees: tuple[PublicKey, ...] = ()
    receipts: tuple[tuple[str, bytes], ...] = ()
    origin: str | None = None
    cosigned: bool = False
