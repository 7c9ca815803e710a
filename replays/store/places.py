"""Where a store is. Law: a password in an address is shown to nobody.

A database is a file, `:memory:`, or the address of a PostgreSQL database (`postgresql://user@host/name`).
"""

import re
from typing import Final

MEMORY: Final = ":memory:"
"""A database that ends with the process."""

_POSTGRES: Final = ("postgresql://", "postgres://")
_AFTER_A_USER: Final = re.compile("[:/?]")


def on_postgres(database: str) -> bool:
    """Whether `database` is the address of a PostgreSQL database."""
    return database.startswith(_POSTGRES)


def shown(database: str) -> str:
    """`database` as it may be printed and logged: of an address only user, host, port and name."""
    scheme, mark, rest = database.partition("://")
    if not mark:
        return database
    # A password may hold anything, so that only what is surely none of it is kept.
    before, at, after = rest.rpartition("@")
    user = _AFTER_A_USER.split(before)[0]
    return f"{scheme}://{user}{at}{after.partition('?')[0]}"
