"""Totals across battles. Law: rows and the place up to which they hold change together, in one transaction.

`side_totals` and `weapon_totals` have rows for each battle that is no what-if. What is asked across battles is summed
when it is asked, of battles that are not private. Places count the entries of all battles as they were committed.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import astuple

from replays.store.ports import Recorder, Statement
from replays.store.rows import SetAside, SideTotal, Tracked, WeaponTotal

MODEL: Final = "totals"
"""The name under which it keeps its place."""

_TRACKED: Final = "SELECT version, generation, position FROM tracking WHERE name = ?"
_BEGIN: Final = "INSERT INTO tracking VALUES (?, ?, ?, ?) ON CONFLICT (name) DO NOTHING"
_MOVE: Final = """UPDATE tracking SET version = ?, generation = ?, position = ?
    WHERE name = ? AND version = ? AND generation = ? AND position = ?"""
_SIDE: Final = f"INSERT INTO side_totals VALUES ({', '.join('?' * len(SideTotal.__struct_fields__))})"  # noqa: S608 - marks
_WEAPON: Final = f"INSERT INTO weapon_totals VALUES ({', '.join('?' * len(WeaponTotal.__struct_fields__))})"  # noqa: S608 - marks
_ASIDE: Final = "INSERT INTO set_aside VALUES (?, ?, ?, ?)"
_LEFT_OUT: Final = """SELECT a.battle, a.place, a.seq, a.reason FROM set_aside AS a
    JOIN summaries AS s ON s.battle = a.battle WHERE NOT s.private ORDER BY a.battle LIMIT ?"""
_OF_BATTLE: Final = ("side_totals", "weapon_totals", "set_aside")
WEAPON_COUNTS: Final = WeaponTotal.__struct_fields__[4:]
"""What is counted of a weapon."""

SIDE_COUNTS: Final = SideTotal.__struct_fields__[6:]
"""What is counted of a side."""


class News(NamedTuple):
    """An entry, and its place in the store."""

    place: int
    battle: str
    seq: int


class Folded(NamedTuple):
    """What one battle comes to: its rows, or that it is set aside; neither for a what-if."""

    battle: str
    sides: Sequence[SideTotal] = ()
    weapons: Sequence[WeaponTotal] = ()
    aside: SetAside | None = None


class Filter(NamedTuple):
    """Which battles are summed: with this tag, this round, this system; None is all of them."""

    event: str | None = None
    round: str | None = None
    system: str | None = None


class Totals:
    """The rows across battles in a store."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        place = recorder.place
        self._news = f"""SELECT {place}, originator_id, originator_version FROM stored_events
            WHERE {place} > ? ORDER BY {place} LIMIT ?"""  # noqa: S608 - a column of ours
        self._battles = f"SELECT originator_id FROM stored_events GROUP BY originator_id ORDER BY min({place})"  # noqa: S608 - a column of ours
        self._newest = f"SELECT max({place}) FROM stored_events"  # noqa: S608 - a column of ours

    # --- following the log ---

    def tracked(self) -> Tracked | None:
        """How far the rows have come; None where nobody has begun."""
        found = self._recorder.rows(_TRACKED, (MODEL,))
        return Tracked(*found[0]) if found else None

    def newest(self) -> int:
        """The place of the entry that was stored last, 0 without any."""
        return int(self._recorder.rows(self._newest, ())[0][0] or 0)

    def news(self, after: int, limit: int) -> list[News]:
        """The next entries behind a place, of all battles, in the order in which they were committed."""
        return [News(*row) for row in self._recorder.rows(self._news, (after, limit))]

    def battles(self) -> list[str]:
        """Every battle of the store, what-ifs too, in the order in which they began."""
        return [battle for (battle,) in self._recorder.rows(self._battles, ())]

    def seqs(self, battles: Iterable[str], generation: int) -> dict[str, int]:
        """Up to which entry the rows of these battles hold, as far as they are of that generation."""
        asked = list(battles)
        marks = ", ".join("?" * len(asked))
        where = f"generation = ? AND battle IN ({marks})"
        statement = f"SELECT battle, max(seq) FROM side_totals WHERE {where} GROUP BY battle"  # noqa: S608 - marks
        return dict(self._recorder.rows(statement, (generation, *asked))) if asked else {}

    def move(self, was: Tracked | None, to: Tracked, folded: Iterable[Folded]) -> bool:
        """Put rows in the place of a battle's old ones and move on; False, and nothing done, if somebody else has."""
        if was is None:
            first = Statement(_BEGIN, (MODEL, *astuple(to)))
        else:
            first = Statement(_MOVE, (*astuple(to), MODEL, *astuple(was)))
        return self._recorder.together(first, [statement for one in folded for statement in _written(one)])

    def sweep(self, generation: int) -> None:
        """Drop the rows of earlier generations."""
        for table in ("side_totals", "weapon_totals"):
            self._recorder.execute(f"DELETE FROM {table} WHERE generation < ?", (generation,))  # noqa: S608 - constants

    def set_aside(self) -> list[SetAside]:
        """The battles that are left out, and why."""
        return [SetAside(*row) for row in self._recorder.rows("SELECT * FROM set_aside ORDER BY battle", ())]

    def left_out(self, limit: int) -> list[SetAside]:
        """The same, without private ones, and at most so many."""
        return [SetAside(*row) for row in self._recorder.rows(_LEFT_OUT, (limit,))]

    def all_rows(self) -> tuple[list[SideTotal], list[WeaponTotal]]:
        """Every row, in the order of battles: what a rebuild is compared with."""
        sides = self._recorder.rows("SELECT * FROM side_totals ORDER BY battle, side", ())
        weapons = self._recorder.rows("SELECT * FROM weapon_totals ORDER BY battle, weapon", ())
        return [SideTotal(*row) for row in sides], [WeaponTotal(*row) for row in weapons]

    # --- asked across battles ---

    def players(self, wanted: Filter, limit: int, after: int) -> list[dict[str, Any]]:
        """Sums by the name of a side: who won most first, then drew most, lost least, took more figs than it lost."""
        results = ", ".join(
            f"count(*) FILTER (WHERE t.result = '{word}') AS {word}" for word in ("won", "drawn", "lost", "playing")
        )
        where, values = _where(wanted)
        statement = f"""SELECT t.name, count(DISTINCT t.battle) AS battles, {results}, {_sums(SIDE_COUNTS)}
            FROM side_totals AS t JOIN summaries AS s ON s.battle = t.battle WHERE {where} GROUP BY t.name
            ORDER BY won DESC, drawn DESC, lost, sum(t.kills) - sum(t.figs_lost) DESC, t.name LIMIT ? OFFSET ?"""  # noqa: S608 - constants
        names = ("name", "battles", "won", "drawn", "lost", "playing", *SIDE_COUNTS)
        return _named(names, self._recorder.rows(statement, (*values, limit, after)))

    def weapons(self, wanted: Filter, limit: int, after: int) -> list[dict[str, Any]]:
        """Sums by system and weapon: what was used most first."""
        where, values = _where(wanted)
        statement = f"""SELECT s.system, t.weapon, count(*) AS battles, {_sums(WEAPON_COUNTS)}
            FROM weapon_totals AS t JOIN summaries AS s ON s.battle = t.battle WHERE {where}
            GROUP BY s.system, t.weapon
            ORDER BY sum(t.shots) + sum(t.blows) DESC, s.system, t.weapon LIMIT ? OFFSET ?"""  # noqa: S608 - constants
        return _named(
            ("system", "weapon", "battles", *WEAPON_COUNTS), self._recorder.rows(statement, (*values, limit, after))
        )


def _written(one: Folded) -> Iterable[Statement]:
    for table in _OF_BATTLE:
        yield Statement(f"DELETE FROM {table} WHERE battle = ?", (one.battle,))  # noqa: S608 - constants
    yield from (Statement(_SIDE, astuple(row)) for row in one.sides)
    yield from (Statement(_WEAPON, astuple(row)) for row in one.weapons)
    if one.aside is not None:
        yield Statement(_ASIDE, astuple(one.aside))


def _sums(counts: Iterable[str]) -> str:
    # PostgreSQL sums integers to what is none.
    return ", ".join(f"CAST(sum(t.{name}) AS bigint) AS {name}" for name in counts)


def _where(wanted: Filter) -> tuple[str, list[object]]:
    columns: Mapping[str, str | None] = {
        "s.event": wanted.event,
        's."round"': wanted.round,
        "s.system": wanted.system,
    }
    asked = {name: value for name, value in columns.items() if value is not None}
    where = " AND ".join(["NOT s.private", *(f"{name} = ?" for name in asked)])
    return where, list(asked.values())


def _named(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(names, row, strict=True)) for row in rows]
