"""The store. Law: bytes in, the same bytes out; all of an append is kept, or none of it.

It knows nothing of what an entry means. No other room imports `eventsourcing`, `sqlite3` or `psycopg`, and this one
imports them only when a store is opened.
"""

from replays.store.places import MEMORY, on_postgres, shown
from replays.store.refusals import Conflict, Damaged, KeyTaken, OutcomeUnknown, StoreUnavailable
from replays.store.rows import (
    Beside,
    BranchRow,
    CosignatureRow,
    KeyRow,
    NameRow,
    PublishedRow,
    Result,
    Sealed,
    SeatRow,
    SecretKind,
    SecretRow,
    SetAside,
    SideTotal,
    Summary,
    Tracked,
    WeaponTotal,
)
from replays.store.store import Store
from replays.store.totals import Filter, Folded, News, Totals

__all__ = [
    "MEMORY",
    "Beside",
    "BranchRow",
    "Conflict",
    "CosignatureRow",
    "Damaged",
    "Filter",
    "Folded",
    "KeyRow",
    "KeyTaken",
    "NameRow",
    "News",
    "OutcomeUnknown",
    "PublishedRow",
    "Result",
    "Sealed",
    "SeatRow",
    "SecretKind",
    "SecretRow",
    "SetAside",
    "SideTotal",
    "Store",
    "StoreUnavailable",
    "Summary",
    "Totals",
    "Tracked",
    "WeaponTotal",
    "on_postgres",
    "shown",
]
