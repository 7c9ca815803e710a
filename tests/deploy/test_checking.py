"""The checker of the drills finds what is lost, doubled, changed or out of order."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.checking import checked, delays, outage, told
from deploy.following import Follower
from deploy.playing import Promise
from replays.examine import examine

RECORDED = Path(__file__).parents[2] / "replays" / "recorded" / "nme-sump-crossing.jsonl"


@pytest.fixture(scope="module")
def log() -> list[bytes]:
    return RECORDED.read_bytes().splitlines()


@pytest.fixture
def promises(log: list[bytes]) -> list[Promise]:
    entries = examine(log).entries
    found = []
    for first in (entry for entry in entries if entry.type == "ActionDeclared"):
        last = [entry for entry in entries if entry.action == first.seq][-1]
        at = float(first.seq)
        found.append(Promise(first.battle, f"key-{first.seq}", first.seq, last.seq, last.state, at, at + 0.5))
    return found


def test_a_log_that_keeps_all_promises_is_good(log: list[bytes], promises: list[Promise]) -> None:
    assert len(promises) > 5
    assert checked(log, promises) == []


Harm = Callable[[list[bytes], list[Promise]], tuple[list[bytes], list[Promise]]]
HARMS: dict[str, tuple[str, Harm]] = {
    "the last action is gone": ("lost: ", lambda log, ps: (log[: ps[-1].action - 1], ps)),
    "an entry in the middle is gone": ("gap", lambda log, ps: ([*log[:9], *log[10:]], ps)),
    "an entry is there twice": ("gap", lambda log, ps: ([*log[:9], log[9], *log[9:]], ps)),
    "an action was written that nobody was promised": ("doubled", lambda log, ps: (log, ps[1:])),
    "two were promised the same": ("two requests", lambda log, ps: (log, [*ps, replace(ps[0], key="other")])),
    "another table was promised": ("another history", lambda log, ps: (log, [replace(ps[0], state="0"), *ps[1:]])),
    "a byte is another": (
        "entry 10",
        lambda log, ps: ([*log[:9], log[9].replace(b'"state":"', b'"state":"0'), *log[10:]], ps),
    ),
}


@pytest.mark.parametrize("name", HARMS)
def test_the_checker_finds_that(name: str, log: list[bytes], promises: list[Promise]) -> None:
    said, harm = HARMS[name]
    found = checked(*harm(log, promises))
    assert any(said in what for what in found), found


def follower_of(log: list[bytes], seqs: list[int]) -> Follower:
    follower = Follower("0" * 32, ("127.0.0.1", 1), lambda: None)
    for seq in seqs:
        follower._take({b"id": str(seq).encode(), b"event": b"X", b"data": log[seq - 1]})
    return follower


def test_a_follower_who_saw_all_of_it_once_is_content(log: list[bytes]) -> None:
    assert told(log, follower_of(log, list(range(1, len(log) + 1)))) == []


def test_a_follower_tells_of_gaps_doubles_and_other_bytes(log: list[bytes]) -> None:
    whole = list(range(1, len(log) + 1))
    assert "entry 6 came after 4" in told(log, follower_of(log, [*whole[:4], *whole[5:]]))[0]
    assert "entry 4 came after 4" in told(log, follower_of(log, [*whole[:4], *whole[3:]]))[0]
    assert "saw " in told(log, follower_of(log, whole[:-1]))[0]
    other = [*log[:3], json.dumps({"x": 1}).encode(), *log[4:]]
    assert "other bytes" in told(log, follower_of(other, whole))[0]


def test_an_outage_is_the_longest_time_without_an_answer(promises: list[Promise]) -> None:
    moments = [1.0, 1.5, 9.5, 10.0]
    answered = [replace(promises[0], answered=at) for at in moments]
    assert outage(answered, 0, 12) == 8
    assert outage(answered, 2, 12) == 7.5
    assert outage(answered, 9.75, 30) == 20, "it has not ended"
    assert outage([], 3, 12) == 9


def test_the_delay_runs_from_the_answer_to_the_frame(log: list[bytes], promises: list[Promise]) -> None:
    follower = follower_of(log, list(range(1, len(log) + 1)))
    follower.battle = promises[0].battle
    follower.seen = [0.0] * len(log)
    for promise in promises:
        follower.seen[promise.seq - 1] = promise.answered + 0.25
    assert delays(promises, [follower]) == (0.25, 0.25)
