"""The page of a battle: its table, log and reports, at every moment, and its what-ifs."""

import re

import pytest
from starlette.testclient import TestClient

from tests.api.page import HELD, SUMP, WIDE, YARD, page
from tests.recorded_battles import RECORDED


def test_a_battle_shows_its_table_log_and_reports(recorded: TestClient) -> None:
    read = page(recorded.get(f"/battles/{SUMP}"))
    for words in (
        "Sump Crows wins.",
        'Mother Rook runs 6.14" to (9, 11.3).',
        "ammo 2 4; to hit 5 5 2 5 1 3",
        "Old Wick of Lamplighters is down: by Jackdaw with the autogun",
        "Dispute 1, settled by a ruling",
        "Snuff is pinned instead of down",
        "What if Mother Rook's boltgun had not jammed?",
        "in combat with snuff",
    ):
        assert words in read.text
    assert 'Magpie walks 3.985" to (12.3, 11.8).' in read.struck
    assert "Struck out by Sump Crows, Lamplighters agreed, entry 83: we forgot Jackdaw's initiative test" in read.text
    assert "boltgun" in read.struck, "a useless weapon"
    shapes = [tag for tag, _ in read.tags]
    assert "svg" in shapes
    assert "down" in {f["class"].split()[-1] for tag, f in read.tags if tag == "g" and "fig" in f["class"]}


def test_a_moment_of_a_battle(recorded: TestClient) -> None:
    read = page(recorded.get(f"/battles/{SUMP}?at=80"))
    assert "This is the table after entry 80 of 289, as it was known then." in read.text
    assert not read.struck
    assert "The battle goes on: turn 3, Sump Crows." in read.text
    assert "a" in [tag for tag, f in read.tags if f.get("rel") == "next" and f["href"] == "?at=81"]


def test_moments_lead_from_the_first_to_the_last(recorded: TestClient) -> None:
    def leads(query: str) -> dict[str, str]:
        tags = page(recorded.get(f"/battles/{WIDE}{query}")).tags
        return {f["rel"]: f["href"] for tag, f in tags if tag == "a" and f.get("rel") in ("prev", "next")}

    moment, moments = leads("?at=31"), ["?at=31"]
    assert "prev" not in moment, "the muster ends there"
    while "next" in moment:
        moments.append(moment["next"])
        moment = leads(moment["next"])
        assert moment["prev"] == moments[-2]
    assert moments[-1] == "?at=249"
    assert len(moments) == 50


@pytest.mark.parametrize("at", [1, 5, 20, 133, 287])
def test_a_moment_in_the_middle_of_an_action_can_be_looked_at(at: int, recorded: TestClient) -> None:
    assert f"after entry {at} of 289" in page(recorded.get(f"/battles/{SUMP}?at={at}")).text


def test_a_what_if_is_marked_and_stands_in_its_tree(recorded: TestClient) -> None:
    read = page(recorded.get(f"/battles/{WIDE}"))
    assert "What if. This is no record of what was played" in read.text
    assert {f"/battles/{YARD}", f"/battles/{HELD}", f"/battles/{HELD}?at=225"} <= set(read.links())
    assert ("strong", {"aria-current": "page"}) in read.tags
    assert "inherited" in read.text


def test_a_long_log_shows_its_latest_turns(recorded: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.pages.scene.MOST_LINES", 10)
    read = page(recorded.get(f"/battles/{SUMP}"))
    assert "Turn 1, Sump Crows" not in read.text
    (more,) = [link for link in read.links() if "log=all" in link]
    assert "Turn 1, Sump Crows" in page(recorded.get(f"/battles/{SUMP}{more.partition('#')[0]}")).text


def test_the_log_is_there_to_take_away(recorded: TestClient) -> None:
    answer = recorded.get(f"/battles/{SUMP}/log.jsonl")
    assert answer.content == (RECORDED / "nme-sump-crossing.jsonl").read_bytes()
    assert answer.headers["content-type"] == "application/jsonl"
    assert f'"{SUMP}.jsonl"' in answer.headers["content-disposition"]


def test_words_do_not_run_together(recorded: TestClient) -> None:
    words = " ".join(page(recorded.get(f"/battles/{WIDE}")).text.split())
    assert "What if Lugger had held his fire? parts after entry 211, playing" in words
    assert re.search(r"\w\.?inherited", words) is None
    assert " inherited" in words


def test_turns_have_their_own_numbers(recorded: TestClient) -> None:
    read = page(recorded.get(f"/battles/{SUMP}"))
    assert {"muster", "turn-1", "turn-2", "turn-10"} <= set(read.ids)
    assert re.search(r'id="turn-2">Turn 2,', recorded.get(f"/battles/{SUMP}").text)


def test_in_a_line_nobody_is_left_without_a_name(recorded: TestClient) -> None:
    told = page(recorded.get(f"/battles/{YARD}")).text
    line = "hit, Fender out of the battle, Fuel drum out of the battle, Lugger saved by armour."
    assert f"Anvil shoots Fuel drum with the mortar: {line}" in told
