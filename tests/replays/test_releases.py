"""Databases of earlier releases: each opens, goes on, and is then what a new one would be."""

import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest

from api.totals import projector
from domain.commands import COMMAND
from domain.draft import REFEREE
from domain.record import Record
from replays.codec import Codec
from replays.examine import examine
from replays.referee import Asked, Referee
from replays.shelf import Shelf
from replays.store import Damaged, Sealed, Store, StoreUnavailable
from tests.cluster import Cluster
from tests.replays.audit import trees

RELEASES: Final = Path(__file__).parent / "releases"
SQLITE: Final = sorted(file.stem for file in RELEASES.glob("*.sql") if not file.stem.endswith(".postgres"))
POSTGRES: Final = sorted(file.name.removesuffix(".postgres.sql") for file in RELEASES.glob("*.postgres.sql"))
PLAYED, WHAT_IF, PRIVATE, LATER = (f"{n:032x}" for n in (1, 2, 3, 4))
VERSIONS: Final = {"0.1.0": 2}
"""The version of the tables of each release."""


def on_sqlite(release: str, folder: Path) -> str:
    file = folder / "old.db"
    with closing(sqlite3.connect(file)) as db:
        db.executescript("PRAGMA journal_mode = WAL;" + (RELEASES / f"{release}.sql").read_text())
    return str(file)


def test_there_are_databases_of_releases_to_try() -> None:
    assert SQLITE == POSTGRES
    assert "0.1.0" in SQLITE


@pytest.mark.parametrize("release", SQLITE)
def test_a_file_of_an_earlier_release_opens_and_goes_on(release: str, tmp_path: Path) -> None:
    goes_on(on_sqlite(release, tmp_path))
    Store.open(str(tmp_path / "new.db")).close()
    assert shape(tmp_path / "old.db") == shape(tmp_path / "new.db")


@pytest.mark.parametrize("release", POSTGRES)
def test_a_postgresql_database_of_an_earlier_release_opens_and_goes_on(release: str, cluster: Cluster) -> None:
    import psycopg  # noqa: PLC0415 - without a server the test is skipped

    old, new = cluster.new(), cluster.new()
    with psycopg.connect(old, autocommit=True) as line:
        line.execute((RELEASES / f"{release}.postgres.sql").read_text())
    goes_on(old)
    Store.open(new).close()
    assert columns(old) == columns(new)
    with psycopg.connect(old, autocommit=True) as line:  # what a process of that release still calls
        append = f"battlelog_append_{VERSIONS[release]}"
        called = (
            f"SELECT outcome FROM {append}(%s::text, %s::text[], %s::bigint[], %s::text[], %b::bytea[], '{{}}', '')"  # noqa: S608 - ours
        )
        assert line.execute(called, (LATER, [LATER], [1], ["X/1"], [b"x"])).fetchone() == ("stored",)
    with closing(Store.open(old)) as store:
        assert store.read(LATER) == [Sealed(1, "X", 1, b"x")]
        assert store.frontier(LATER).root == sha256(b"\0x").digest()


@pytest.mark.parametrize("release", SQLITE)
def test_what_was_altered_before_a_file_is_raised_is_found_afterwards(release: str, tmp_path: Path) -> None:
    file = on_sqlite(release, tmp_path)
    with closing(sqlite3.connect(file)) as db:
        for state, battle, seq in (
            ("CAST(replace(state, '17', '18') AS BLOB)", PRIVATE, 10),
            ("7", WHAT_IF, 37),
        ):
            altered = f"UPDATE stored_events SET state = {state} WHERE originator_id = ? AND originator_version = ?"  # noqa: S608 - ours
            assert db.execute(altered, (battle, seq)).rowcount == 1
        db.commit()
    with closing(Store.open(file)) as store:
        for battle in (PRIVATE, WHAT_IF):
            with pytest.raises(Damaged):
                Shelf(store, Codec()).book(battle)
        assert Shelf(store, Codec()).book(PLAYED).head == 44


LAST: Final = "(SELECT max(originator_version) FROM stored_events WHERE originator_id = ?1)"
ALTER: Final = f"""UPDATE stored_events SET state = CAST(replace(state, '"time":17', '"time":18') AS BLOB)
    WHERE originator_id = ?1 AND originator_version = {LAST}"""  # noqa: S608 - ours
CUT: Final = f"DELETE FROM stored_events WHERE originator_id = ?1 AND originator_version > {LAST} - 3"  # noqa: S608 - ours
NO_HEAD: Final = "DELETE FROM heads WHERE battle = ?1"
NO_ROW: Final = "DELETE FROM summaries WHERE battle = ?1"


@pytest.mark.parametrize("release", SQLITE)
@pytest.mark.parametrize("battle", [PLAYED, PRIVATE])
@pytest.mark.parametrize("done", [(ALTER,), (ALTER, NO_HEAD), (CUT, NO_ROW), (CUT, NO_ROW, NO_HEAD)])
def test_what_contradicts_what_the_old_file_knew_is_told_after_it_is_raised(
    release: str, battle: str, done: tuple[str, ...], tmp_path: Path
) -> None:
    file = on_sqlite(release, tmp_path)
    with closing(sqlite3.connect(file)) as db:
        for statement in done:
            assert db.execute(statement, (battle,)).rowcount > 0
        db.commit()
    with closing(Store.open(file)) as store:
        for one in {PLAYED, PRIVATE} - {battle}:
            assert Shelf(store, Codec()).book(one).head
        with pytest.raises(Damaged):
            Shelf(store, Codec()).book(battle)
        before = store.head(battle)
        with pytest.raises(Damaged):
            acted(store, battle)
        assert store.head(battle) == before


@pytest.mark.parametrize("release", SQLITE)
def test_a_file_of_an_earlier_release_that_cannot_be_raised_is_left_as_it_was(release: str, tmp_path: Path) -> None:
    file = on_sqlite(release, tmp_path)
    before = shape(Path(file))
    with closing(sqlite3.connect(file)) as db:
        db.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="another program"):
            Store.open(file, patience=0)
        db.rollback()
    assert shape(Path(file)) == before


def goes_on(database: str) -> None:
    """Everything that the release stored is there, holds, and can be played on; the totals are worked out of it."""
    with closing(Store.open(database)) as store:
        for battle in (PLAYED, WHAT_IF, PRIVATE):
            data = [sealed.data for sealed in store.read(battle)]
            assert examine(data, rules=True).good
            assert store.frontier(battle).root == trees.root([sha256(b"\0" + entry).digest() for entry in data])
        assert [row.name for row in store.ledger.names(PLAYED)] == ["Ada"]
        assert [one.title for _, one in store.summaries(0, 10)] == [
            "First release",
            "What if, from 36: First release",
            "Second battle",
        ]
        record = acted(store, PRIVATE)
        assert record.status == "ended"
        keeps = projector(store)
        while not keeps.step().there:
            pass
        assert keeps.differs() == []
        assert {row.battle for row in store.totals.all_rows()[0]} == {PLAYED, PRIVATE}
        assert not [battle for battle, wrong in keeps.desk(mend=False) if wrong]


def acted(store: Store, battle: str) -> Record:
    referee = Referee(store, clock=lambda: 1_800_000_000_000, new_id=_never, new_secret=_never)
    referee.act(battle, COMMAND.validate_python({"do": "end_battle", "winner": "red"}), Asked(REFEREE))
    return Shelf(store, Codec()).book(battle).record


def shape(file: Path) -> dict[str, str]:
    """What the tables and indexes of a file are made by."""
    with closing(sqlite3.connect(file)) as db:
        rows = db.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {name: " ".join(sql.split()) for name, sql in rows}


def columns(address: str) -> set[tuple[str, ...]]:
    """The columns and indexes of a database."""
    import psycopg  # noqa: PLC0415 - without a server the test is skipped

    with psycopg.connect(address) as line:
        found = line.execute("""SELECT table_name, column_name, data_type, collation_name, is_nullable
            FROM information_schema.columns WHERE table_schema = 'public'
            UNION ALL SELECT tablename, indexname, indexdef, '', '' FROM pg_indexes WHERE schemaname = 'public'""")
        return {tuple(map(str, row)) for row in found.fetchall()}


def _never() -> str:
    raise AssertionError("nothing new is opened here")
