"""A desk: a store, and the notary beside it. Law: nothing is stood in for but the clock."""

from base64 import b64decode
from pathlib import Path
from typing import Final

from replays.audit.checkpoint import Checkpoint, battle_origin, opened_checkpoint
from replays.audit.vkey import PublicKey
from replays.keyring import Keyring
from replays.notary import Notary
from replays.store import Sealed, Store

A, B, C = ("a" * 32, "b" * 32, "c" * 32)
HOST: Final = "war.example"
NOW: Final = 1_764_450_000


def batch(head: int, count: int = 3, word: str = "") -> list[Sealed]:
    return [Sealed(head + n, "HitRolled", 1, f"{word} {head + n}".encode()) for n in range(1, count + 1)]


class Desk:
    """A store in a file (or in another `database`), and a notary beside it."""

    def __init__(self, file: Path, most: int = 200_000, database: str | None = None) -> None:
        self.file = file
        self.store = Store.open(database or str(file))
        self.notary = Notary(self.store, Keyring.open(Path(f"{file}.keys"), HOST), lambda: NOW * 1000, most)

    @property
    def keys(self) -> list[PublicKey]:
        return [PublicKey.parse(vkey) for vkey in self.notary.keyring.vkeys]

    def play(self, battle: str, count: int = 3, word: str = "") -> None:
        self.store.append(battle, batch(self.store.head(battle), count, word))

    def opened(self, note: bytes, battle: str = A) -> Checkpoint:
        return opened_checkpoint(note, self.keys, battle_origin(HOST, battle)).checkpoint

    def close(self) -> None:
        self.store.close()


def split(text: bytes) -> tuple[list[str], list[bytes], bytes]:
    """The words before the hashes, the hashes, and the note."""
    top, _, note = text.partition(b"\n\n")
    lines = top.decode().split("\n")
    words = [line for line in lines if " " in line or "@" in line]
    return words, [b64decode(line) for line in lines if line not in words], note
