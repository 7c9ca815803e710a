"""The store on PostgreSQL: what only a server can do to it. The rest of its tests run on both databases."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any

import pytest

from replays.store import (
    Beside,
    BranchRow,
    CosignatureRow,
    KeyRow,
    NameRow,
    PublishedRow,
    Sealed,
    SeatRow,
    SecretRow,
    SetAside,
    SideTotal,
    Store,
    StoreUnavailable,
    Summary,
    WeaponTotal,
    schema,
    shown,
)
from replays.store.postgres.appending import VERSION
from tests.cluster import Cluster
from tests.replays.test_store import summary
from tests.replays.test_store_races import A, B, batch, key, soon


@contextmanager
def line(address: str) -> Iterator[Any]:
    """A connection of somebody else's."""
    psycopg = pytest.importorskip("psycopg")
    with psycopg.connect(address, autocommit=True) as connection:
        yield connection


def cut_off(address: str) -> None:
    """Break every connection to the database but one's own."""
    with line(address) as db:
        others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        db.execute(f"SELECT pg_terminate_backend(pid, 1000) {others}")


# --- tables and versions ---


def test_every_row_has_the_fields_of_its_table_in_order(postgres: str) -> None:
    tables = {
        "keys": KeyRow, "seats": SeatRow, "secrets": SecretRow, "branches": BranchRow, "summaries": Summary,
        "cosignatures": CosignatureRow, "published": PublishedRow, "names": NameRow,
        "side_totals": SideTotal, "weapon_totals": WeaponTotal, "set_aside": SetAside,
    }  # fmt: skip
    with line(postgres) as db:
        for table, row in tables.items():
            columns = [column.name for column in db.execute(f"SELECT * FROM {table}").description]  # noqa: S608 - ours
            assert [name for name in columns if name != "id"] == list(row.__struct_fields__)


def test_both_databases_have_the_same_tables_but_for_the_trees() -> None:
    pytest.importorskip("psycopg")
    from replays.store.postgres.schema import TABLES  # noqa: PLC0415 - needs psycopg

    assert TABLES.keys() == schema.TABLES.keys() | {"leaves", "heads"}


def test_a_newer_database_is_refused_and_left_alone(cluster: Cluster) -> None:
    address = cluster.new()
    Store.open(address).close()
    with line(address) as db:
        db.execute("UPDATE meta SET value = 99; DROP TABLE names")
        with pytest.raises(StoreUnavailable, match=rf"version 99.*knows version {VERSION}.*newer battlelog"):
            Store.open(address)
        assert db.execute("SELECT to_regclass('names')").fetchall() == [(None,)]


def test_a_database_of_something_else_is_refused_and_left_alone(cluster: Cluster) -> None:
    address = cluster.new()
    with line(address) as db:
        db.execute("CREATE TABLE recipes (name text)")
        with pytest.raises(StoreUnavailable, match="something else"):
            Store.open(address)
        found = db.execute("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace").fetchall()
        assert found == [("recipes",)]


def test_what_is_missing_is_made(cluster: Cluster) -> None:
    address = cluster.new()
    Store.open(address).close()
    with line(address) as db:
        db.execute(f"DROP TABLE seats; DROP INDEX summaries_status; DROP FUNCTION battlelog_append_{VERSION}")
    with closing(Store.open(address)) as store:
        store.append(A, batch(0), Beside(seats=(SeatRow(A, "referee", b"r"),)))
        assert store.seat_digests(A) == {"referee": b"r"}


def test_a_database_that_cannot_hold_every_text_is_refused(cluster: Cluster) -> None:
    address = cluster.new()
    name = address.partition("?")[0].rpartition("/")[2]
    cluster.run(f"DROP DATABASE {name}")
    cluster.run(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'SQL_ASCII'")
    with pytest.raises(StoreUnavailable, match="make one in UTF8"):
        Store.open(address)


def test_the_environment_says_nothing_to_the_store(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "PERSISTENCE_MODULE": "eventsourcing.popo", "POSTGRES_DBNAME": "elsewhere", "CREATE_TABLE": "n",
        "ORIGINATOR_ID_TYPE": "uuid", "PGCLIENTENCODING": "LATIN1",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    with closing(Store.open(postgres)) as store:
        store.append(A, batch(0, "\u20ac"), Beside(summary=summary(A, 3, title="\u20ac")))
    monkeypatch.undo()
    with line(postgres) as db:
        assert db.execute("SELECT state FROM stored_events LIMIT 1").fetchall() == [("\u20ac 1".encode(),)]
        assert db.execute("SELECT title FROM summaries").fetchall() == [("\u20ac",)]


# --- where it cannot be used ---


@pytest.mark.parametrize(
    ("address", "told", "words"),
    [
        ("postgresql://me:hush@/x?host=/nowhere", "postgresql://me@/x", "cannot be reached"),
        ("postgres://me:hush@127.0.0.1:1/x", "postgres://me@127.0.0.1:1/x", "cannot be reached"),
        ("postgresql://me:hush%zz@h/x", "postgresql://me@h/x", "no address of the form"),
        ("postgresql://me:hu/sh@h/x?y=z", "postgresql://me@h/x", "no address of the form"),
        ("postgresql://h/x?password=hush&nonsense=a@b", "postgresql://h@b", "no address of the form"),
        ("mysql://me:hush@h/x", "mysql://me@h/x", "only a file"),
    ],
)
def test_an_address_that_leads_nowhere_is_refused_without_its_password(address: str, told: str, words: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(StoreUnavailable) as no:
        Store.open(address, patience=0)
    assert str(no.value).startswith(f"{told}: ")
    assert words in str(no.value)
    assert shown(address) == told
    for error in (no.value, no.value.__cause__, None if no.value.__suppress_context__ else no.value.__context__):
        assert "hush" not in str(error)
        assert "hu/sh" not in str(error)


def test_a_database_that_is_not_there_is_named(cluster: Cluster) -> None:
    with pytest.raises(StoreUnavailable, match=r"/nothing: .*does not exist"):
        Store.open(cluster.address("nothing"))


def test_a_server_that_only_lets_itself_be_read_is_read(cluster: Cluster) -> None:
    address = cluster.new()
    with closing(Store.open(address, patience=0)) as store:
        store.append(A, batch(0))
        name = address.partition("?")[0].rpartition("/")[2]
        cluster.run(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        cut_off(address)
        assert not store.ready()
        with pytest.raises(StoreUnavailable, match="only lets itself be read"):
            store.append(A, batch(3))
        assert store.read(A) == batch(0)
        cluster.run(f"ALTER DATABASE {name} RESET default_transaction_read_only")
        cut_off(address)
        assert soon(store.ready)
        store.append(A, batch(3))


def test_what_no_column_takes_is_the_callers_fault_and_not_told_in_full(postgres: str) -> None:
    with closing(Store.open(postgres)) as store:
        with pytest.raises(ValueError, match="cannot be stored"):
            store.append(A, batch(0), Beside(summary=summary(A, 3, title="nu\0l")))
        secrets = (SecretRow(A, "chain", 0, b"hush"), SecretRow(A, "chain", None, b"hush"))  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="null value in column") as no:
            store.append(A, batch(0), Beside(secrets=secrets))
        assert b"hush".hex() not in str(no.value)
        assert not store.exists(A)
        assert store.summaries(0, 10, event="nu\0l") == []
        assert store.key(A, "referee", "nu\0l") is None


# --- lines ---


def test_lines_that_were_cut_are_opened_anew_and_nothing_is_missed(postgres: str) -> None:
    with closing(Store.open(postgres)) as one, closing(Store.open(postgres)) as other:
        one.append(A, batch(0), Beside(key=key("first")))
        before = one.changes()
        cut_off(postgres)
        assert one.read(A) == batch(0)
        other.append(A, batch(3))
        assert soon(lambda: one.changes() != before)
        cut_off(postgres)
        one.append(A, batch(6))
        assert other.read(A) == batch(0) + batch(3) + batch(6)
        assert soon(one._recorder.hearing.listens.is_set)  # type: ignore[attr-defined]
        before = one.changes()
        other.append(B, batch(0))
        assert soon(lambda: one.changes() != before)


def test_a_burst_of_readers_shares_a_few_lines(postgres: str) -> None:
    with closing(Store.open(postgres)) as store, ThreadPoolExecutor(40) as hands:
        store.append(A, batch(0))
        store.changes()
        found = [hands.submit(store.read, A) for _ in range(400)]
        assert all(each.result() == batch(0) for each in found)
        with line(postgres) as db:
            open_now = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            assert db.execute(open_now).fetchall()[0][0] <= 12 + 1 + 1


def test_a_writer_sees_what_was_written_while_it_waited(cluster: Cluster) -> None:
    address = cluster.new()
    name = address.partition("?")[0].rpartition("/")[2]
    cluster.run(f"ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'")
    with closing(Store.open(address)) as one, closing(Store.open(address)) as other, ThreadPoolExecutor(8) as hands:
        for n in range(20):
            word = f"b{n:031x}"
            list(hands.map(lambda store, word=word: store.ledger.publish(word, 1, word.encode()), [one, other] * 4))
        assert [row.place for row in one.ledger.published(0, 99)] == list(range(20))


def test_entries_are_read_through_any_store_as_soon_as_they_are_acknowledged(postgres: str) -> None:
    with closing(Store.open(postgres)) as one, closing(Store.open(postgres)) as other:
        for n in range(0, 60, 3):
            one.append(A, batch(n))
            assert other.head(A) == n + 3
            assert other.read(A, after=n) == [Sealed(n + m, "HitRolled", 1, b"x %d" % (n + m)) for m in (1, 2, 3)]
