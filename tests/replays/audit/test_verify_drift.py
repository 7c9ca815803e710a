"""Rules drift: another version of the rules names every outcome that it would change, each on the recorded table."""

import json
from pathlib import Path

import pytest

import domain.systems.nme.hits
from api.terminal import drifting
from api.terminal.stop import Stop
from domain.battle import Battle
from domain.commands import Action
from domain.draft import Draft
from domain.refusals import refuse
from domain.systems import VERSIONS
from domain.systems.nme import Nme1
from replays.examine import examine
from replays.rulesdiff import rules_diff
from tests.recorded_battles import RECORDED
from tests.replays.audit.wrapped import alone, by_hand, forfeited, sound, together

SUMP = RECORDED / "nme-sump-crossing.jsonl"


class Nme2(Nme1):
    """A toy: hits on 4 and more."""

    rules = "nme.2"
    score = 4

    def handle(self, draft: Draft, command: Action) -> None:
        """Decide with another threshold."""
        was = domain.systems.nme.hits.SCORE
        domain.systems.nme.hits.SCORE = self.score
        try:
            super().handle(draft, command)
        finally:
            domain.systems.nme.hits.SCORE = was


class Same(Nme2):
    """A toy that changes nothing."""

    score = 5


class Strict(Nme2):
    """A toy that refuses every command of its own."""

    def pending(self, _battle: Battle, _command: Action) -> None:
        """Refuse."""
        refuse("NME-00", "not today")


@pytest.fixture(params=["alone", "together", "forfeited", "by_hand"])
def log(request: pytest.FixtureRequest) -> list[bytes]:
    played = {"alone": alone, "together": together, "forfeited": forfeited, "by_hand": by_hand}
    return played[request.param]().data


def test_the_same_rules_change_nothing(log: list[bytes]) -> None:
    entries = examine(log).entries
    assert list(rules_diff(entries, VERSIONS["nme.1"])) == []
    assert list(rules_diff(entries, Same())) == []


def test_the_first_and_all_outcomes_that_would_change_are_named() -> None:
    played = together()
    drifts = list(rules_diff(examine(played.data).entries, Nme2()))
    docs = played.docs
    first = drifts[0]
    assert docs[first.seq - 1]["type"] == "HitRolled"
    assert first.field == "HitRolled.accuracy"
    assert first.action == docs[first.seq - 1]["action"]
    changed = {
        doc["seq"]: sum(face >= 4 for throw in doc["body"]["dice"] for face in throw["faces"])
        for doc in docs
        if doc["type"] == "HitRolled" and any(face == 4 for throw in doc["body"]["dice"] for face in throw["faces"])
    }
    assert {drift.seq: int(drift.now) for drift in drifts if drift.field == "HitRolled.hits"} == changed


def test_every_action_is_judged_on_the_recorded_table() -> None:
    drifts = list(rules_diff(examine(alone().data).entries, Strict()))
    declared = [doc["seq"] for doc in alone().docs if doc["type"] == "ActionDeclared"]
    assert [drift.seq for drift in drifts] == declared
    assert {drift.then for drift in drifts} == {"done"}


def test_the_command_says_it_in_lines_and_in_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "battle.wlog"
    path.write_bytes(sound(together()).to_bytes())
    versions = {**VERSIONS, "nme.2": Nme2()}
    assert drifting.run("nme.1", "nme.2", path, as_json=False, versions=versions) == 1
    assert "come out otherwise than by nme.1; the first is action" in capsys.readouterr().out
    assert drifting.run("nme.1", "nme.2", SUMP, as_json=True, versions=versions) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["drifts"][0].keys() == {"action", "seq", "field", "then", "now"}
    assert drifting.run("nme.1", "nme.1", path, as_json=False) == 0
    assert "every action comes out as it did" in capsys.readouterr().out


def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    for old, new, path in (
        ("nme.1", "nme.99", SUMP),
        ("mfd.1", "nme.1", SUMP),
        ("nme.1", "nme.1", tmp_path / "none"),
    ):
        with pytest.raises(Stop):
            drifting.run(old, new, path, as_json=False)
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(SUMP.read_bytes()[:-30])
    with pytest.raises(Stop, match="no sound log"):
        drifting.run("nme.1", "nme.1", broken, as_json=False)
