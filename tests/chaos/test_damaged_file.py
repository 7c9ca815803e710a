"""A damaged database: said to be damaged, or read as it was at an earlier moment; never as something that never was."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import Settings
from replays.store import Damaged, Store, StoreUnavailable, schema
from tests.replays.rooms import gangs
from tests.replays.test_store_files import A, batch
from tests.replays.test_store_leaves import check, entries, kept, tables, version_2

PAGE = 4096


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "battles.db"


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Files as a killed program leaves them: of 12 batches the file has one, the write-ahead log the others."""
    name = str(tmp_path_factory.mktemp("left") / "battles.db")
    with closing(Store.open(name)) as store:
        store.append(A, batch(0))
        store._recorder.settle()
        for n in range(1, 12):
            store.append(A, batch(5 * n))
        return {ending: Path(name + ending).read_bytes() for ending in ("", "-wal", "-shm")}


def put_back(file: Path, files: dict[str, bytes]) -> None:
    for ending in ("", "-wal", "-shm"):
        Path(f"{file}{ending}").unlink(missing_ok=True)
        if ending in files:
            Path(f"{file}{ending}").write_bytes(files[ending])


def whole(store: Store) -> int:
    """How many batches there are; each is whole, and none is missing in between."""
    head = store.head(A)
    assert head % 5 == 0
    assert store.read(A) == [entry for start in range(0, head, 5) for entry in batch(start)]
    assert store.frontier(A).size == head
    return head // 5


def test_a_killed_programs_files_give_all_that_was_written_with_or_without_the_index(
    file: Path, left: dict[str, bytes]
) -> None:
    for index in (left["-shm"], bytes(32_768), os.urandom(32_768), b"", None):
        put_back(file, left | {"-shm": index} if index is not None else {k: left[k] for k in ("", "-wal")})
        with closing(Store.open(str(file))) as store:
            assert whole(store) == 12


def test_a_write_ahead_log_that_was_cut_gives_an_earlier_moment_whole(file: Path, left: dict[str, bytes]) -> None:
    log, seen = left["-wal"], []
    for length in range(0, len(log) + 1, len(log) // 40):
        put_back(file, left | {"-wal": log[:length]})
        with closing(Store.open(str(file))) as store:
            seen.append(whole(store))
            store.append(A, batch(5 * seen[-1]))
            assert whole(store) == seen[-1] + 1
    assert seen == sorted(seen)
    assert seen[0] == 1
    assert len(set(seen)) > 6


def test_a_write_ahead_log_with_a_bad_byte_gives_an_earlier_moment_whole(file: Path, left: dict[str, bytes]) -> None:
    log = left["-wal"]
    for place in range(0, len(log), len(log) // 30):
        put_back(file, left | {"-wal": log[:place] + bytes([log[place] ^ 1]) + log[place + 1 :]})
        with closing(Store.open(str(file))) as store:
            assert 1 <= whole(store) <= 12


def pages(file: Path, of: str) -> list[int]:
    """The places of a table's pages, but the first, in a file that nobody has open."""
    with closing(sqlite3.connect(file)) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (of,)).fetchone()
    data = file.read_bytes()
    return [place for place in range(PAGE, len(data), PAGE) if place // PAGE + 1 == root]


@pytest.mark.parametrize("spoil", [bytes(PAGE), b"\xff" * PAGE], ids=["zeros", "ones"])
@pytest.mark.parametrize("table", ["stored_events", "keys", "seats", "summaries"])
def test_a_damaged_page_stops_what_needs_it_until_a_good_copy_is_back(file: Path, table: str, spoil: bytes) -> None:
    with house(file) as client:
        battle, secret = opened(client)
    (place,) = pages(file, table)
    data = file.read_bytes()
    file.write_bytes(data[:place] + spoil + data[place + PAGE :])
    with house(file) as client:
        answers = [act(client, battle, secret) for _ in range(2)]
        assert answers == [503, 503]
        assert client.get("/healthz").status_code == 200
    file.write_bytes(data)  # a good copy is put back
    with house(file) as client:
        assert act(client, battle, secret) == 201


def leaf_pages(data: bytes, root: int) -> list[int]:
    """The places of the pages of a b-tree that lead to no others."""
    place = (root - 1) * PAGE
    if data[place] in {0x0A, 0x0D}:
        return [place]
    cells = int.from_bytes(data[place + 3 : place + 5])
    at = [int.from_bytes(data[place + 12 + 2 * n : place + 14 + 2 * n]) for n in range(cells)]
    below = [int.from_bytes(data[place + n : place + n + 4]) for n in at]
    return [leaf for page in [*below, int.from_bytes(data[place + 8 : place + 12])] for leaf in leaf_pages(data, page)]


def readable(file: Path, battle: str) -> bool:
    """Whether SQLite itself reads a battle's entries."""
    select = "SELECT state FROM stored_events WHERE originator_id = ? ORDER BY originator_version"
    with closing(sqlite3.connect(file)) as db, suppress(sqlite3.DatabaseError):
        return len(db.execute(select, (battle,)).fetchall()) == 12
    return False


def older(file: Path, battles: list[str]) -> bytes:
    """A file as version 3 left it."""
    version_2(file, *((battle, [*entries(1, 12, battle * 5)]) for battle in battles))
    with closing(sqlite3.connect(file)) as db:
        db.executescript(";".join(schema.STATEMENTS))  # the tables of version 3; those that are there stay
        db.executescript("REPLACE INTO meta VALUES ('schema', 3); PRAGMA wal_checkpoint(TRUNCATE)")
    return file.read_bytes()


@pytest.mark.parametrize("table", ["stored_events", "sqlite_autoindex_stored_events_1", "leaves", "heads"])
def test_one_bad_page_of_a_file_of_an_older_version_costs_no_battle_that_does_not_need_it(
    file: Path, table: str
) -> None:
    battles = [f"{n:032x}" for n in range(60)]
    good = older(file, battles)
    with closing(sqlite3.connect(file)) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    places = leaf_pages(good, root)
    assert len(places) > 1
    for place in places:
        put_back(file, {"": good[:place] + b"\xff" * 64 + good[place + 64 :]})
        can = {battle for battle in battles if readable(file, battle)}
        assert (len(can) < len(battles)) == ("stored_events" in table)
        with closing(Store.open(str(file))) as store:
            for battle in can:
                check(store, battle)
            for battle in {*battles} - can:
                with pytest.raises((Damaged, StoreUnavailable)):
                    store.read(battle)
        assert {"leaves", "heads"} <= tables(file)
        assert table == "stored_events" or {battle for battle, seq in kept(file) if seq == 12} >= can


def test_a_page_that_only_a_write_meets_holds_up_no_battle_when_a_file_is_raised(file: Path) -> None:
    battles = [f"{n:032x}" for n in range(30)]
    older(file, battles)
    with closing(sqlite3.connect(file)) as db:
        db.executescript("CREATE TABLE filler (x); INSERT INTO filler VALUES (zeroblob(80000)); DROP TABLE filler;")
    data = file.read_bytes()
    place = (int.from_bytes(data[32:36]) - 1) * PAGE  # the list of free pages
    put_back(file, {"": data[:place] + b"\xff" * PAGE + data[place + PAGE :]})
    with closing(Store.open(str(file))) as store:
        for battle in battles:
            check(store, battle)


def test_a_file_of_an_older_version_whose_schema_is_damaged_is_refused(file: Path) -> None:
    good = older(file, [A])
    put_back(file, {"": good[:100] + b"\xff" * 64 + good[164:]})
    before = file.read_bytes()
    with pytest.raises(StoreUnavailable, match="damaged"):
        Store.open(str(file))
    assert file.read_bytes() == before


def test_a_service_whose_file_was_raised_by_a_newer_version_is_not_ready(file: Path) -> None:
    with house(file) as client:
        assert client.get("/readyz").status_code == 200
        with closing(sqlite3.connect(file)) as db:
            db.execute("UPDATE meta SET value = value + 1")
            db.commit()
        answer = client.get("/readyz")
        assert answer.status_code == 503
        assert "a newer version of this program has raised it" in answer.json()["detail"]
        assert str(file.parent) not in answer.text


def test_a_file_that_was_cut_short_is_refused_at_the_start_in_words(file: Path) -> None:
    with closing(Store.open(str(file))) as store:
        for n in range(40):
            store.append(A, batch(5 * n))
    data = file.read_bytes()
    for length in (len(data) // 2 // PAGE * PAGE, len(data) - PAGE, len(data) - 100, PAGE, 1000, 50):
        file.write_bytes(data[:length])
        with pytest.raises(StoreUnavailable, match=r"battles\.db: it is (damaged|no SQLite database)"):
            Store.open(str(file)).append(A, batch(200))
    file.write_bytes(data)
    with closing(Store.open(str(file))) as store:
        assert whole(store) == 40


def test_a_log_that_lost_what_was_signed_is_signed_no_more(file: Path) -> None:
    with house(file) as client:
        battle, secret = opened(client)
        assert act(client, battle, secret) == 201
        for ending in ("", "-wal"):
            shutil.copy(f"{file}{ending}", f"{file}{ending}.kept")
        before = client.get(f"/v1/battles/{battle}").json()["seq"]
        assert act(client, battle, secret) == 201
        assert client.get(f"/v1/battles/{battle}/log/checkpoint").status_code == 200
    # Power is gone, and with it the end of the write-ahead log.
    for ending in ("", "-wal"):
        shutil.copy(f"{file}{ending}.kept", f"{file}{ending}")
    with house(file) as client:
        assert client.get(f"/v1/battles/{battle}").json()["seq"] == before
        refused = client.get(f"/v1/battles/{battle}/log/checkpoint")
        assert (refused.status_code, refused.json()["type"]) == (409, "/problems/log-forked")


@contextmanager
def house(file: Path) -> Iterator[TestClient]:
    """The service, in this process."""
    settings = Settings(database=str(file), log_format="none", rate=0, poll=0.05, publish=60)
    with TestClient(create_app(settings), client=("10.0.0.1", 50_000)) as client:
        yield client


def opened(client: TestClient) -> tuple[str, str]:
    """A battle's id and its referee's secret."""
    answer = client.post("/v1/battles", json=gangs()).json()
    return answer["id"], answer["seats"]["referee"]


def act(client: TestClient, battle: str, secret: str) -> int:
    """Ask for an action, with a key."""
    headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": os.urandom(8).hex()}
    answer = client.post(f"/v1/battles/{battle}/actions", json={"do": "end_turn"}, headers=headers)
    assert answer.status_code in {201, 503}, answer.text
    return answer.status_code
