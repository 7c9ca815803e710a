"""The ledger: what is shown to the world, and what never enters a log. Law: a leaf stays at its place for ever.

The global log has a leaf for a battle's checkpoint, each once, in the order in which they came. Cosignatures belong to
one size and root of a battle. Names of people are the only rows of a store that are meant to be erased.
"""

from collections.abc import Iterable
from typing import Final

from msgspec.structs import astuple

from replays.audit.merkle import leaf_hash
from replays.store.ports import Recorder
from replays.store.rows import CosignatureRow, NameRow, PublishedRow

# One statement, so that whoever writes at the same time gets the next place.
_PUBLISH: Final = """INSERT INTO published (place, battle, size, data, hash)
    SELECT coalesce(max(place) + 1, 0), ?, ?, ?, ? FROM published WHERE true ON CONFLICT (hash) DO NOTHING"""
_OWED: Final = """SELECT battle FROM summaries AS s
    WHERE NOT EXISTS (SELECT 1 FROM published AS p WHERE p.battle = s.battle)
    OR (status IN ('ended', 'closed')
        AND NOT EXISTS (SELECT 1 FROM published AS p WHERE p.battle = s.battle AND p.size >= s.head))
    ORDER BY id"""
_COSIGN: Final = "INSERT INTO cosignatures VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (battle, size, name) DO NOTHING"


class Ledger:
    """The global log, the cosignatures and the names in a store."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    # --- the global log ---

    def publish(self, battle: str, size: int, data: bytes) -> int:
        """Append a leaf, and give its place (from 0); one that is there already keeps the place it has."""
        leaf = leaf_hash(data)
        if self.place(leaf) is None:
            self._recorder.execute(_PUBLISH, (battle, size, data, leaf))
        place = self.place(leaf)
        assert place is not None
        return place

    def place(self, leaf: bytes) -> int | None:
        """Where the leaf with this hash stands, None if it is not there."""
        found = self._recorder.rows("SELECT place FROM published WHERE hash = ?", (leaf,))
        return int(found[0][0]) if found else None

    def published(self, start: int, end: int) -> list[PublishedRow]:
        """The leaves at places `start` to `end` - 1, as far as there are any."""
        statement = "SELECT * FROM published WHERE place >= ? AND place < ? ORDER BY place"
        return [PublishedRow(*row) for row in self._recorder.rows(statement, (start, end))]

    def published_hashes(self, after: int) -> list[bytes]:
        """The hashes of all leaves but the first `after`."""
        found = self._recorder.rows("SELECT hash FROM published WHERE place >= ? ORDER BY place", (after,))
        return [leaf for (leaf,) in found]

    def owed(self) -> list[str]:
        """The battles that the global log has not seen since they began, ended or were closed."""
        return [battle for (battle,) in self._recorder.rows(_OWED, ())]

    # --- cosignatures ---

    def cosign(self, rows: Iterable[CosignatureRow]) -> None:
        """Keep signatures; the first one of a key under a size stays."""
        for row in rows:
            self._recorder.execute(_COSIGN, astuple(row))

    def cosignatures(self, battle: str, size: int, root: bytes) -> list[CosignatureRow]:
        """The signatures under this checkpoint, in the order of the names of their keys."""
        statement = "SELECT * FROM cosignatures WHERE battle = ? AND size = ? AND root = ? ORDER BY name"
        return [CosignatureRow(*row) for row in self._recorder.rows(statement, (battle, size, root))]

    # --- names ---

    def names(self, battle: str) -> list[NameRow]:
        """Who sits where, as far as it was said and not erased."""
        found = self._recorder.rows("SELECT * FROM names WHERE battle = ? ORDER BY seat", (battle,))
        return [NameRow(*row) for row in found]

    def erase_name(self, battle: str, seat: str) -> bool:
        """Erase a name with its salt, in the file as well; whether there was one."""
        known = any(row.seat == seat for row in self.names(battle))
        self._recorder.execute("DELETE FROM names WHERE battle = ? AND seat = ?", (battle, seat))
        self._recorder.settle()
        return known
