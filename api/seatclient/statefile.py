"""The state file of a seat. Law: written whole, to the disk, and before anything that follows from it is sent.

It holds the seat's private key and the seed of its chain, so that only its owner may read it; whoever loses it can open
no link any longer. A second program on the same file is told that there is one already.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from replays.audit.durable import make_folder, write_new, write_over
from replays.audit.merkle import EMPTY
from replays.roller import new_seed

if os.name == "posix":
    import fcntl

_LOCKS: Final = os.name == "posix"
"""Whether the system can say that another program has a file."""


class BadState(Exception):  # noqa: N818 - told to whoever started the client
    """A state file that cannot be used; the text says why."""


class State(msgspec.Struct, forbid_unknown_fields=True):
    """What a seat must never forget.

    `released` maps `epoch:index` to the leaf hash of the request that this link was opened for; `size` and `root` are
    of the log that was seen last. Keys, seed and hashes in hex.
    """

    battle: str
    seat: str
    key: str
    seed: str
    epoch: int = 0
    length: int = 0
    released: dict[str, str] = {}
    size: int = 0
    root: str = EMPTY.hex()

    @staticmethod
    def fresh(battle: str, seat: str) -> "State":
        """A seat with a key and a seed that nobody has had before."""
        return State(battle, seat, Ed25519PrivateKey.generate().private_bytes_raw().hex(), new_seed().hex())


class StateFile:
    """A seat's state on the disk; `held` tells whether this program is the one that follows with it."""

    def __init__(self, path: Path, state: State, *, held: bool) -> None:
        self.path = path
        self.state = state
        self.held = held

    def save(self) -> None:
        """Have it on the disk."""
        try:
            write_over(self.path, msgspec.json.format(msgspec.json.encode(self.state)))
        except OSError as no:
            raise BadState(f"{self.path} cannot be written: {no.strerror}") from None


@contextmanager
def opened(path: Path, battle: str, seat: str) -> Iterator[StateFile]:
    """The state in a file; one is made for a seat that has none. Raises `BadState`."""
    lock = _lock(path)
    try:
        yield StateFile(path, _state(path, battle, seat), held=lock is not None or not _LOCKS)
    finally:
        if lock is not None:
            lock.close()


def _state(path: Path, battle: str, seat: str) -> State:
    if not path.exists():
        try:
            write_new(path, msgspec.json.encode(State.fresh(battle, seat)))
        except FileExistsError:
            pass  # another program has just made it
        except OSError as no:
            raise BadState(f"{path} cannot be written: {no.strerror}") from None
    state = _read(path)
    if (state.battle, state.seat) != (battle, seat):
        raise BadState(f"{path} is the state of {state.seat} in battle {state.battle}: name another file")
    return state


def _read(path: Path) -> State:
    try:
        state = msgspec.json.decode(path.read_bytes(), type=State)
        if [len(bytes.fromhex(text)) for text in (state.key, state.seed, state.root)] == [32, 32, 32]:
            return state
    except OSError as no:
        raise BadState(f"{path} cannot be read: {no.strerror}") from None
    except (msgspec.MsgspecError, ValueError):
        pass
    raise BadState(f"{path} is no state of a seat")


def _lock(path: Path) -> TextIO | None:
    """A lock on the file for as long as this program runs, however it ends; None where another program has it."""
    if not _LOCKS:
        return None
    try:
        make_folder(path.parent)
        lock = path.with_name(f"{path.name}.lock").open("w")
    except OSError as no:
        raise BadState(f"{path} cannot be used: {no.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return None
    return lock
