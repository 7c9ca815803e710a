"""Every rule of the N:ME page has a test that bears its id."""

import re
from pathlib import Path

IDS = [*(f"{n:02}" for n in range(1, 31)), "21b"]


def test_every_rule_has_a_test_of_its_name() -> None:
    text = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    named = set(re.findall(r"def test_nme_(\d\d|21b)_", text))
    assert [rule for rule in IDS if rule not in named] == []
