"""The worked examples of the rulebooks, played over HTTP with dice thrown at the table.

They are the very ones that `tests/domain/test_vectors.py` decides. Each is a battle of its own, all in one database.
"""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from api.app import create_app
from api.settings import Settings
from tests.api.table import Table, problem
from tests.rule_vectors import Row, Trial, check_events, told, trials


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = Settings(database=str(tmp_path_factory.mktemp("vectors") / "battles.db"), log_format="none", rate=0)
    with TestClient(create_app(settings), client=("10.0.0.1", 50_000)) as client:
        yield client


def throw_for(table: Table, action: Row, dice: tuple[int, ...], rolls: list[str]) -> None:
    """Throw roll by roll as the service asks, up to the last one."""
    thrown = 0
    for n, roll in enumerate(rolls):
        wanted = problem(table.post("/actions", action | {"dice": dice[:thrown]}), "dice-wanted", 409)
        (next_roll,) = wanted["wanted"]
        assert "{purpose} {count}d{sides}".format_map(next_roll) == roll
        assert [face for throw in wanted["so_far"] for face in throw["faces"]] == list(dice[:thrown])
        assert len(wanted["so_far"]) == n
        thrown += next_roll["count"]
    assert thrown == len(dice)


@pytest.mark.parametrize("trial", [pytest.param(trial, id=trial.name) for trial in trials()])
def test_over_http(service: TestClient, trial: Trial) -> None:
    expect = trial.expect
    opened = service.post("/v1/battles", json=trial.opening)
    if trial.action is None and "refused" in expect:
        assert problem(opened, "rule-refused", 409)["rule"] == expect["refused"]
        return
    assert opened.status_code == 201, opened.text
    if trial.action is None:
        return
    table = Table(service, opened.json()["id"], opened.json()["seats"])
    for step in trial.before:
        assert table.post("/actions" if "do" in step else "/rulings", step).status_code == 201
    if "refused" in expect:
        before = table.log()
        assert problem(table.post("/actions", trial.action), "rule-refused", 409)["rule"] == expect["refused"]
        assert table.log() == before
        return
    throw_for(table, trial.action, trial.dice, expect.get("rolls", []))
    answer = table.post("/actions", trial.action | ({"dice": trial.dice} if trial.dice else {}))
    assert answer.status_code == 201, answer.text
    check_events(expect, told([(entry["type"], entry["body"]) for entry in answer.json()["entries"]]))
    for fig, status in expect.get("status", {}).items():
        assert table.get(f"/figs/{fig}").json()["state"]["status"] == status
