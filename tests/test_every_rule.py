"""Every rule has a test that bears its id, and every worked example of the rulebooks is among the vectors."""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from projections.rulebook import MFD, NME
from tests.rule_vectors import trials, vectors

IDS = {
    "mfd": [f"{n:02}" for n in range(1, 29)],
    "nme": [*(f"{n:02}" for n in range(1, 31)), "21b"],
}

ROWS = {
    "mfd": {
        "MFD-07": 7,  # forces
        "MFD-09": 13,  # weapon, inches moved, distance
        "MFD-09 table": 9,  # its cells
        "MFD-17": 2,
        "MFD-20": 6,
        "MFD-22": 1,
        "MFD-25": 6,  # forces at the start and left
        "MFD-28": 1,
        "MFD to-hit": 7,  # situations, and what they need
    },
    "nme": {
        "NME-13": 2,  # ammo ratings
        "NME-17": 3,
        "NME-18": 12,  # one example, and the accuracies of two effective ranges
        "NME-21": 5,
        "NME-22": 1,
        "NME-28": 2,
        "NME-29": 3,
        "NME-30": 3,
    },
}
"""How many lines of examples each rule has."""


def rules_named(system: str) -> set[str]:
    """The numbers of the rules that tests of the rules bear in their names: `test_mfd_03_05_...` bears two."""
    found: set[str] = set()
    for path in (Path(__file__).parent / "domain" / system).glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and (
                named := re.match(rf"test_{system}((?:_\d\d[a-z]?)+)_", node.name)
            ):
                found.update(named[1].strip("_").split("_"))
    return found


@pytest.mark.parametrize("system", ["mfd", "nme"])
def test_every_rule_has_a_test_of_its_name(system: str) -> None:
    named = rules_named(system)
    assert [rule for rule in IDS[system] if rule not in named] == []
    assert named <= set(IDS[system])


@pytest.mark.parametrize("system", ["mfd", "nme"])
def test_the_rulebook_has_a_line_for_every_rule(system: str) -> None:
    assert sorted({"mfd": MFD, "nme": NME}[system]) == sorted(f"{system.upper()}-{number}" for number in IDS[system])


@pytest.mark.parametrize("system", ["mfd", "nme"])
def test_every_worked_example_is_a_vector(system: str) -> None:
    rows = {vector["row"] for vector in vectors(system) if "row" in vector}
    assert Counter(row.partition("/")[0] for row in rows) == ROWS[system]


@pytest.mark.parametrize("system", ["mfd", "nme"])
def test_vectors_name_rules_that_there_are(system: str) -> None:
    ids = {f"{system.upper()}-{number}" for number in IDS[system]}
    for vector in vectors(system):
        assert vector["rules"], vector["id"]
        assert set(vector["rules"]) <= ids, vector["id"]


def test_no_two_trials_have_one_name() -> None:
    assert [name for name, times in Counter(trial.name for trial in trials()).items() if times > 1] == []
