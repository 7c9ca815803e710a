"""The library's own tests of a recorder, run against ours."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast
from uuid import uuid4

import pytest
from eventsourcing.persistence import ApplicationRecorder, InfrastructureFactory, StoredEvent
from eventsourcing.tests.persistence import ApplicationRecorderTestCase, NonInterleavingNotificationIDsBaseCase

from replays.store import Sealed, Store
from replays.store.postgres.recorder import BattleRecorder as PostgresRecorder
from replays.store.recorder import BattleRecorder


def recorder_in(database: str, clean_up: Callable[[Callable[[], None]], object]) -> BattleRecorder:
    settings = {"PERSISTENCE_MODULE": "replays.store.recorder:BattleFactory", "SQLITE_DBNAME": database}
    factory: InfrastructureFactory = InfrastructureFactory.construct(settings)
    clean_up(factory.close)
    return cast("BattleRecorder", factory.application_recorder())


class TestInAFile(ApplicationRecorderTestCase[BattleRecorder]):
    def new_originator_id(self) -> str:
        return uuid4().hex

    def create_recorder(self) -> BattleRecorder:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return recorder_in(str(Path(folder.name) / "battles.db"), self.addCleanup)


class TestInMemory(ApplicationRecorderTestCase[BattleRecorder]):
    def new_originator_id(self) -> str:
        return uuid4().hex

    def create_recorder(self) -> BattleRecorder:
        return recorder_in(":memory:", self.addCleanup)


class TestNotificationIds(NonInterleavingNotificationIDsBaseCase):
    def new_originator_id(self) -> str:
        return uuid4().hex

    def create_recorder(self) -> ApplicationRecorder:
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return recorder_in(str(Path(folder.name) / "battles.db"), self.addCleanup)


def on_postgres(database: str, clean_up: Callable[[Callable[[], None]], object]) -> PostgresRecorder:
    settings = {
        "PERSISTENCE_MODULE": "replays.store.postgres.factory:BattleFactory",
        "POSTGRES_DBNAME": database,
        "POSTGRES_LOCK_TIMEOUT": "5",
    }
    factory: InfrastructureFactory = InfrastructureFactory.construct(settings)
    clean_up(factory.close)
    return cast("PostgresRecorder", factory.application_recorder())


class TestOnPostgres(ApplicationRecorderTestCase[PostgresRecorder]):
    @pytest.fixture(autouse=True)
    def _server(self, postgres: str) -> None:
        self.database = postgres

    def new_originator_id(self) -> str:
        return uuid4().hex

    def create_recorder(self) -> PostgresRecorder:
        return on_postgres(self.database, self.addCleanup)

    def test_insert_subscribe(self) -> None:
        self.optional_test_insert_subscribe()


class TestNotificationIdsOnPostgres(NonInterleavingNotificationIDsBaseCase):
    @pytest.fixture(autouse=True)
    def _server(self, postgres: str) -> None:
        self.database = postgres

    def new_originator_id(self) -> str:
        return uuid4().hex

    def create_recorder(self) -> ApplicationRecorder:
        return on_postgres(self.database, self.addCleanup)


def test_topics_are_wire_names_and_states_the_bytes(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    database = str(tmp_path / "battles.db")
    store = Store.open(database)
    request.addfinalizer(store.close)
    store.append("a" * 32, [Sealed(1, "HitRolled", 3, b'{"seq":1}')])
    recorder = recorder_in(database, request.addfinalizer)
    assert recorder.select_events("a" * 32) == [StoredEvent("a" * 32, 1, "HitRolled/3", b'{"seq":1}')]


def test_a_notification_id_is_never_given_out_twice(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    database = str(tmp_path / "battles.db")
    recorder = recorder_in(database, request.addfinalizer)
    assert recorder.insert_events([StoredEvent("a" * 32, n, "t/1", b"") for n in (1, 2)]) == [1, 2]
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("DELETE FROM stored_events")
    assert recorder.insert_events([StoredEvent("a" * 32, 1, "t/1", b"")]) == [3]
    assert recorder.max_notification_id() == 3
