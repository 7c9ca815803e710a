"""Every bit counts: a bundle with one bit turned over, from the events section on, is refused."""

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from bench.flip import Kept, bits, survivors
from replays.audit.bundle import Bundle
from replays.audit.verify.canon import canonical
from replays.audit.verify.ending import person
from replays.audit.verify.policy import Policy
from replays.audit.verify.run import verify
from tests.replays.audit.notes import WITNESS
from tests.replays.audit.wrapped import GLOBAL, POLICY, Doc, by_hand, forged, with_global

STRICT = replace(POLICY, global_keys=(GLOBAL.public,))


def whole() -> bytes:
    """A bundle of some twenty entries with something in every section that is read."""

    def name(docs: list[Doc]) -> None:
        body = {"seat": "side:red", "person": person(b"s" * 32, "Ada").hex()}
        docs.insert(-1, docs[-1] | {"type": "SeatNamed", "action": 90_000, "body": body})

    names = canonical({"side:red": {"name": "Ada", "salt": (b"s" * 32).hex()}})
    return with_global(forged(by_hand(), name, cosigners=[WITNESS], names=names)).to_bytes()


def _check(data: bytes, which: list[int], policy: Policy = STRICT) -> None:
    assert verify(Bundle.parse(data), policy).findings == ()
    accepted, codes = survivors(data, policy, which)
    assert accepted == []
    assert codes.total() == len(which)


def test_no_flipped_bit_of_a_sample_is_accepted() -> None:
    data = whole()
    _check(data, random.Random(20_251_130).sample(list(bits(data)), 4000))


def test_no_flipped_bit_behind_the_events_is_accepted() -> None:
    data = whole()
    behind = 8 * data.index(b"\ncheckpoint ")
    _check(data, random.Random(7).sample(range(behind, 8 * len(data)), 1500))


@pytest.mark.slow
def test_no_flipped_bit_at_all_is_accepted() -> None:
    data = whole()
    _check(data, list(bits(data)))


def test_a_run_that_was_stopped_goes_on_and_another_run_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    run = Kept(file, "one run")
    run.add(0, [], Counter({"E-ROOT": 3}))
    run.add(2, [17], Counter({"": 1, "E-SIZE": 2}))
    again = Kept(file, "one run")
    assert sorted(again.parts) == [0, 2]
    assert (again.accepted, again.codes) == ([17], Counter({"E-ROOT": 3, "E-SIZE": 2, "": 1}))
    with pytest.raises(SystemExit, match="another bundle"):
        Kept(file, "another run")
