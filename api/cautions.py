"""Cautions: what whoever starts the service should know. Law: said once, at the start; none of it stops the service."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from api.settings import Settings, strangers
from replays.keyring import Keyring
from replays.store import MEMORY, Store, on_postgres

_OTHERS_READ: Final = 0o044
_OTHERS_ENTER: Final = 0o011


def cautions(settings: Settings, store: Store, keyring: Keyring) -> Iterator[str]:
    """What is to be said of a service that has just opened its database and its keys."""
    yield from strangers()
    yield from _of_the_file(settings.database)
    yield from _of_the_keys(settings.key_folder, store, keyring)


def _of_the_file(database: str) -> Iterator[str]:
    if os.name != "posix" or database == MEMORY or on_postgres(database):
        return
    file = Path(database).absolute()
    mode, folder = file.stat().st_mode & 0o777, file.parent.stat().st_mode
    if mode & _OTHERS_READ and folder & _OTHERS_ENTER:
        yield (
            f"others than its owner may read {database} (mode {mode:04o}): dice seeds lie in it, and who has them "
            f"foretells dice. Unless they are meant to: stop, `chmod 600 {database}`, and start again"
        )


def _of_the_keys(folder: Path | None, store: Store, keyring: Keyring) -> Iterator[str]:
    # Only what was published was surely signed; battles alone may have come by `battlelog import`.
    if keyring.made and store.ledger.published(0, 1):
        yield (
            f"THIS DATABASE WAS SIGNED BY OTHER KEYS: there were none in {folder}, and new ones were made. If the old "
            "ones are only elsewhere, stop now, put their folder in the place of this one, and start again. If they "
            "are lost, play goes on under the new ones: give everybody the new public key, and say why"
        )
