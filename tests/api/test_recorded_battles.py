"""The recorded battles: played again they give the same bytes, they hold, and they show what they are meant to show."""

import json
from pathlib import Path
from typing import Any

import pytest

from replays.examine import examine
from tests.recorded_battles import RECORDED, played, scripts

LOGS = sorted(RECORDED.glob("*.jsonl"))


def bodies(name: str, kind: str) -> list[dict[str, Any]]:
    entries = [json.loads(line) for line in (RECORDED / name).read_bytes().splitlines()]
    return [entry["body"] for entry in entries if entry["type"] == kind]


@pytest.mark.parametrize("script", scripts(), ids=lambda path: path.name.partition(".")[0])
def test_played_again_it_gives_the_same_bytes(script: Path) -> None:
    logs = played(script)
    stem = script.name.partition(".")[0]
    assert sorted(logs) == [log.name for log in LOGS if log.name.startswith(stem)]
    for name, log in logs.items():
        assert log == (RECORDED / name).read_bytes(), (
            f"{name} differs: python -m tests.recorded_battles records it anew"
        )


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.stem)
def test_every_action_is_decided_again_as_it_was(log: Path) -> None:
    found = examine(log.read_bytes().splitlines())
    assert found.good, found.findings


def test_the_sump_crossing_shows_n_me() -> None:
    log = "nme-sump-crossing.jsonl"
    pins = {body["cause"] for body in bodies(log, "FigPinned")}
    assert pins == {"near_miss", "cover_save", "hit"}
    assert {body["result"] for body in bodies(log, "InjuryRolled")} >= {"clipped", "dropped", "iced"}
    assert {body["template"] for body in bodies(log, "TemplatePlaced")} == {"flamer", "blast"}
    assert {body["saved"] for body in bodies(log, "CoverSaveRolled")} == {True, False}
    assert len(bodies(log, "WeaponFailed")) == 3
    hits = bodies(log, "HitRolled")
    assert any(hit["critical"] and not hit["point_blank"] for hit in hits)
    assert any(hit["critical"] and hit["point_blank"] for hit in hits)
    assert {body["friend"] for body in bodies(log, "RecoveryRolled")} >= {"mother-rook", "chough"}
    assert [body["pace"] for body in bodies(log, "FigMoved")].count("charge") == 2
    assert bodies(log, "FigRemoved")
    assert bodies(log, "FigDowned")


def test_the_brick_yard_shows_minifig_death() -> None:
    log = "mfd-brick-yard.jsonl"
    (called,) = bodies(log, "LastDitchCalled")
    assert (called["start"], called["left"]) == (12, 1)
    rules = {m["rule"] for body in bodies(log, "HitRolled") for m in body["modifiers"]}
    assert rules >= {"MFD-11", "MFD-12", "MFD-13", "MFD-14", "MFD-16", "MFD-19", "MFD-20", "MFD-27"}
    assert [body["victim"] for body in bodies(log, "VictimDrawn")] == ["keel"]
    assert max(body["turns"] for body in bodies(log, "AimTaken")) == 3
    assert len(bodies(log, "MeleeFought")) == 3
    assert any(body["weapon"] is None for body in bodies(log, "DamageRolled"))


@pytest.mark.parametrize("log", ["nme-sump-crossing.jsonl", "mfd-brick-yard.jsonl"])
def test_each_shows_what_a_referee_has_to_do(log: str) -> None:
    assert any(body["agreed"] for body in bodies(log, "ActionsUndone"))
    assert bodies(log, "UndoRefused")
    assert bodies(log, "ActionsRestored")
    assert any(body["changes"] for body in bodies(log, "RulingMade"))
    assert "ruling" in {body["how"] for body in bodies(log, "DisputeClosed")}
    assert bodies(log, "BattleEnded")
    assert bodies(log, "BattleClosed")


def test_branches_share_their_parents_bytes() -> None:
    parent = (RECORDED / "mfd-brick-yard.held.jsonl").read_bytes().splitlines()
    child = (RECORDED / "mfd-brick-yard.held-wide.jsonl").read_bytes().splitlines()
    opened = [json.loads(line) for line in child if json.loads(line)["type"] == "BranchOpened"]
    assert [entry["body"]["at"] for entry in opened] == [211, 225]
    assert child[:225] == parent[:225]
