"""The page of an entry: why it is as it is, and who rolled."""

import re

from starlette.testclient import TestClient

from tests.api.page import SUMP, WIDE, YARD, page


def test_why_an_entry_is_as_it_is(recorded: TestClient) -> None:
    read = page(recorded.get(f"/battles/{SUMP}/entries/80"))
    for words in ("Why entry 80?", "ammo roll 2, 5 passed", '3 hits reach 15"', "NME-20", "Ember is in cover"):
        assert words in read.text
    assert "Ember is pinned to the ground" in read.struck
    modified = page(recorded.get(f"/battles/{YARD}/entries/65"))
    assert "-3 the target is fully behind cover (MFD-14)" in modified.text


def test_every_entry_has_a_page(recorded: TestClient) -> None:
    for battle, last in ((SUMP, 289), (WIDE, 249)):
        for seq in range(1, last + 1, 7):
            page(recorded.get(f"/battles/{battle}/entries/{seq}"))


def test_who_rolled_is_told(recorded: TestClient) -> None:
    rolls = page(recorded.get(f"/battles/{YARD}/entries/72"))
    assert "Who" in rolls.text
    assert re.search(r"<td>Anvil</td><td>to hit", recorded.get(f"/battles/{YARD}/entries/65").text)
    assert "for " in rolls.text
