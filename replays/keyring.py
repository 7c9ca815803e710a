"""The keyring: the service's own keys. Law: made at the first start, kept apart from the log, and used for notes alone.

A folder beside the database (mode 0700) holds the keys of the logs of battles and of the global log (`audit.keys`) and,
in `signed`, what was signed last for each log. Keep it out of the backups of the database, or a database that is put
back would meet a signer that has forgotten as much as it has.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Final, Self

from replays.audit.checkpoint import battle_origin, global_origin
from replays.audit.durable import make_folder
from replays.audit.keys import UnsafeKeys, first_keys, name_of, read_vkey
from replays.audit.remembered import Remembered, RememberedFiles
from replays.audit.secretkey import SecretKey
from replays.audit.signer import Signer

SIGNED: Final = "signed"
"""The folder, in that of the keys, that remembers what was signed last."""


class OtherHost(UnsafeKeys):
    """The keys in a folder are those of another host."""

    def __init__(self, folder: Path, has: str, wanted: str) -> None:
        super().__init__(f"the keys in {folder} are those of {has}, wanted {wanted}")
        self.folder = folder
        self.has = has


class RememberedHere:
    """A memory that ends with the process, for a log that does too."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._last: dict[str, tuple[int, bytes]] = {}

    @contextmanager
    def hold(self, origin: str) -> Iterator[None]:  # noqa: ARG002 - one lock for all of them is enough
        """See `Remembered`."""
        with self._lock:
            yield

    def get(self, origin: str) -> tuple[int, bytes] | None:
        """See `Remembered`."""
        return self._last.get(origin)

    def put(self, origin: str, size: int, root: bytes) -> None:
        """See `Remembered`."""
        self._last[origin] = (size, root)


@dataclass(frozen=True)
class Keyring:
    """The keys of `host`: `signer` signs for all its logs, `vkeys` are the public halves, one word each.

    `made` says that they were made just now, in a folder that had none.
    """

    host: str
    signer: Signer
    vkeys: tuple[str, ...]
    made: bool = False

    @classmethod
    def open(cls, folder: Path | None, host: str) -> Self:
        """The keys in a folder, made where there are none; without a folder they last as long as the process.

        Raises `UnsafeKeys`, in words, for a folder or a host that cannot be used; `OtherHost` is one of these.
        """
        try:
            if folder is None:
                secrets = [SecretKey.fresh(name_of("log", host)), SecretKey.fresh(name_of("global", host))]
                return cls._of(host, secrets, RememberedHere())
            make_folder(folder)
            _need_host(folder, host)
            made = not any(folder.glob("*.key"))
            secrets = [*first_keys(folder, "log", host), *first_keys(folder, "global", host)]
            return replace(cls._of(host, secrets, RememberedFiles(folder / SIGNED)), made=made)
        except UnsafeKeys:
            raise
        except (OSError, ValueError) as fault:
            raise UnsafeKeys(str(fault)) from fault

    @classmethod
    def _of(cls, host: str, secrets: list[SecretKey], remembered: Remembered) -> Self:
        return cls(host, Signer(secrets, remembered), tuple(secret.public.vkey for secret in secrets))

    def origin(self, battle: str) -> str:
        """The origin of a battle's log."""
        return battle_origin(self.host, battle)

    @property
    def global_origin(self) -> str:
        """The origin of the log of battles."""
        return global_origin(self.host)


def _need_host(folder: Path, host: str) -> None:
    public = folder / "log-1.vkey"
    if not public.exists():
        return
    with suppress(ValueError):  # what is no key is told when the keys are read
        has = read_vkey(public).name
        if has != name_of("log", host):
            raise OtherHost(folder, has, host)
