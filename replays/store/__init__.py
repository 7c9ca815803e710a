"""The store. Law: bytes in, the same bytes out; all of an append is kept, or none of it.

It knows nothing of what an entry means. No other room imports `eventsourcing`, `sqlite3` or `psycopg`, and this one
imports them only when a store is opened.
"""

from replays.store.places import MEMORY, on_postgres, shown
from replays.store.refusals import Conflict, KeyTaken, OutcomeUnknown, StoreUnavailable
from replays.store.rows import (
    Beside,
    BranchRow,
    CosignatureRow,
    KeyRow,
    NameRow,
    PublishedRow,
    Sealed,
    SeatRow,
    SecretKind,
    SecretRow,
    Summary,
)
from replays.store.store import Store

__all__ = [
    "MEMORY",
    "Beside",
    "BranchRow",
    "Conflict",
    "CosignatureRow",
    "KeyRow",
    "KeyTaken",
    "NameRow",
    "OutcomeUnknown",
    "PublishedRow",
    "Sealed",
    "SeatRow",
    "SecretKind",
    "SecretRow",
    "Store",
    "StoreUnavailable",
    "Summary",
    "on_postgres",
    "shown",
]
