"""The load of the drills keeps its own word: what broke is asked again until it is answered, and the checker agrees."""

import signal
from pathlib import Path
from time import sleep

from deploy.checking import check_all
from deploy.load import Load
from deploy.rolling import free_port
from deploy.services import Service


def test_a_service_that_is_killed_under_load_keeps_its_promises(tmp_path: Path) -> None:
    settings = {"KEYS": str(tmp_path / "keys"), "RATE": "0", "HEARTBEAT": "0.5"}
    service = Service(free_port(), str(tmp_path / "battles.db"), tmp_path, settings)
    service.start()
    try:
        service.wait()
        load = Load([service.place], [service.place, service.place], pause=0)
        load.begin(4)
        sleep(1)
        service.stop(signal.SIGKILL)
        service.start()
        service.wait()
        sleep(1)
        assert load.end() == []
        wrong, entries = check_all([service.place], load.battles, load.promises, load.followers)
    finally:
        service.stop()
    assert wrong == []
    assert load.odd == []
    assert load.failures, "the players met the kill"
    assert all(follower.broke for follower in load.followers)
    assert entries > len(load.promises) > 10
