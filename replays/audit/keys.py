"""Key files. Law: a private key is written once, read by its owner alone, and never overwritten, moved or made again.

A folder of mode 0700 holds `log-1.key`, mode 0600, and `log-1.vkey`, its public half, for everybody; after a rotation
`log-2.key`, and so on; the same for `global` and, on the organiser's own machine, `root`. Roles never share a key.
"""

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from replays.audit.checkpoint import global_origin
from replays.audit.durable import PUBLIC, make_folder, write_new
from replays.audit.secretkey import SecretKey
from replays.audit.vkey import PublicKey

Role = Literal["log", "global", "root"]
"""What a key is for: the logs of battles, the log of battles, or the list of keys."""

_OTHERS: Final = 0o077


class UnsafeKeys(Exception):  # noqa: N818 - says what was found
    """Key files that must not be used: others can read them, they are damaged, or they are of another service."""


def name_of(role: Role, host: str) -> str:
    """The name of the keys of `role`: `<host>`, `<host>/global` or `<host>/root`.

    `ValueError` for a host that no origin can have.
    """
    names: dict[Role, str] = {"log": host, "global": global_origin(host), "root": f"{host}/root"}
    return names[role]


def first_keys(folder: Path, role: Role, host: str) -> tuple[SecretKey, ...]:
    """All keys of `role`, the oldest first; at the first start one is made. Raises as `load_keys` and `make_key` do.

    Services that start at the same time find the same key.
    """
    keys = load_keys(folder, role, host)
    if not keys:
        with suppress(FileExistsError):  # another process was first
            _make(folder, role, host, 1)
        keys = load_keys(folder, role, host)
    return keys


def make_key(folder: Path, role: Role, host: str) -> SecretKey:
    """Make the next key of `role`, write both its files, and return it.

    Raises `FileExistsError` if another process makes one at the same time, `UnsafeKeys` for a folder that others may
    enter, `ValueError` for a host that is none, and `OSError`.
    """
    return _make(folder, role, host, len(load_keys(folder, role, host)) + 1)


def load_keys(folder: Path, role: Role, host: str) -> tuple[SecretKey, ...]:
    """All keys of `role`, the oldest first; none if there is no folder. A public file that is missing is written again.

    Raises `UnsafeKeys` for a folder or a key file that anybody else can use (POSIX only), for a file that holds no key
    or one of another name, for numbers with a gap, and for a public file of another key; and `OSError`.
    """
    if not folder.exists():
        return ()
    _need_own(folder)
    return tuple(_loaded(path, name_of(role, host)) for path in _files(folder, role))


def read_vkey(path: Path) -> PublicKey:
    """The key in a public file, one vkey and a line feed; raises `ValueError` for anything else, and `OSError`."""
    return PublicKey.parse(_one_line(path.read_bytes()))


def _files(folder: Path, role: Role) -> list[Path]:
    named = re.compile(rf"{role}-[0-9]+\.key")
    found = {path.name for path in folder.iterdir() if named.fullmatch(path.name)}
    wanted = [f"{role}-{number}.key" for number in range(1, len(found) + 1)]
    if found != set(wanted):
        raise UnsafeKeys(f"{folder} has {', '.join(sorted(found))}: keys are numbered from 1, without a gap")
    return [folder / name for name in wanted]


def _make(folder: Path, role: Role, host: str, number: int) -> SecretKey:
    key = SecretKey.fresh(name_of(role, host))
    make_folder(folder)
    path = folder / f"{role}-{number}.key"
    write_new(path, f"{key.encoded()}\n".encode())
    _publish(path, key)
    return key


def _loaded(path: Path, name: str) -> SecretKey:
    with path.open("rb") as file:
        _need_own(path, os.fstat(file.fileno()).st_mode)
        data = file.read()
    try:
        key = SecretKey.parse(_one_line(data))
    except ValueError as fault:
        raise UnsafeKeys(f"{path}: {fault}") from None
    if key.public.name != name:
        raise UnsafeKeys(f"{path} is a key of {key.public.name}, wanted {name}")
    _publish(path, key)
    return key


def _publish(path: Path, key: SecretKey) -> None:
    public = path.with_suffix(".vkey")
    if not public.exists():
        with suppress(FileExistsError):
            write_new(public, f"{key.public.vkey}\n".encode(), PUBLIC)
    if public.read_bytes() != f"{key.public.vkey}\n".encode():
        raise UnsafeKeys(f"{public} is not the public half of {path}")


def _need_own(path: Path, mode: int | None = None) -> None:
    mode = path.stat().st_mode if mode is None else mode
    if os.name == "posix" and mode & _OTHERS:
        raise UnsafeKeys(f"others than the owner can use {path}: its mode is {mode & 0o777:04o}")


def _one_line(data: bytes) -> str:
    line = data.decode("ascii").removesuffix("\n")
    if f"{line}\n".encode() != data:
        raise ValueError("there is not one line in it")
    return line
