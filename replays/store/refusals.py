"""How the store says no. Law: whichever of these is raised, nothing was written; but for `OutcomeUnknown`."""


class Conflict(Exception):  # noqa: N818 - not an error: somebody else was faster
    """The log is not as the writer thought: its head has moved, or a row stands already where one should go."""


class KeyTaken(Exception):  # noqa: N818 - not an error: the request was answered before
    """The idempotency key is stored already, with the answer it led to."""

    def __init__(self, scope: str, seat: str, key: str) -> None:
        super().__init__(f"the key {key!r} of {seat} in {scope} is stored already")
        self.scope = scope
        self.seat = seat
        self.key = key


class StoreUnavailable(Exception):  # noqa: N818 - a state of the world, not of the program
    """The database cannot be used as things stand: missing, read-only, full, locked, damaged, newer or not ours."""


class Damaged(Exception):  # noqa: N818 - what is said of a log, not a fault of who asked for it
    """A stored log cannot be read from entry `seq` on (0: at all); nothing is written to it."""

    def __init__(self, battle: str, seq: int, said: str) -> None:
        where = f"entry {seq} of battle {battle} cannot be read" if seq else f"battle {battle}"
        super().__init__(f"{where}: {said}")
        self.battle = battle
        self.seq = seq
        self.said = said


class OutcomeUnknown(StoreUnavailable):
    """The server went away in the middle of a commit, and did not come back in time to say what became of it.

    Whoever asks again with the same idempotency key gets the answer.
    """
