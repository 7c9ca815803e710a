"""The list of keys: who may sign when, said by the root key; a key that is gone stays gone."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replays.audit.keylist import OVERLAP, YEAR, KeyList, Listed, Status, first_list, make_root
from replays.audit.keys import load_keys
from replays.audit.note import opened, written
from replays.audit.secretkey import SecretKey
from replays.audit.unproven import Unproven
from replays.audit.vkey import LAST_TIME
from tests.replays.audit.notes import HOST, LOG, OTHER_TWIN, TWIN, VKEY, known, secret

ROOT = secret(f"{HOST}/root", 11)
NEXT = secret(number=12)
GLOBAL = secret(f"{HOST}/global", 13)
START = 1_764_460_000
FIRST = first_list((LOG.public, GLOBAL.public), START)
TEXT = f"""wlog/v1/keys
{VKEY} 1764460000 1795996000 active
{LOG.public.vkey} 0 5 retired
{GLOBAL.public.vkey} 10 20 compromised 15
"""
MIXED = KeyList(
    (
        Listed(known(VKEY)[0], START, START + YEAR),
        Listed(LOG.public, 0, 5, "retired"),
        Listed(GLOBAL.public, 10, 20, "compromised", 15),
    )
)


def listed(status: Status = "active", since: int | None = None) -> Listed:
    return Listed(LOG.public, 10, 20, status, since)


def test_a_list_is_read_and_written_byte_for_byte() -> None:
    assert KeyList.parse(TEXT) == MIXED
    assert MIXED.text == TEXT


def test_a_list_is_what_the_root_key_signed() -> None:
    data = MIXED.signed(ROOT)
    assert data == written(TEXT, [ROOT.sign(TEXT)])
    assert KeyList.opened(data, ROOT.public) == MIXED


@pytest.mark.parametrize("signer", [LOG, secret(f"{HOST}/root", 99)])
def test_a_list_that_the_root_key_did_not_sign_is_refused(signer: SecretKey) -> None:
    with pytest.raises(Unproven, match=r"^E-KEYS note has no verifiable signatures$"):
        KeyList.opened(MIXED.signed(signer), ROOT.public)


def test_every_bit_of_a_signed_list_counts() -> None:
    data = first_list((LOG.public,), START).signed(ROOT)
    number = int.from_bytes(data)
    for at in range(len(data) * 8):
        with pytest.raises(Unproven, match=r"^E-KEYS "):
            KeyList.opened((number ^ 1 << at).to_bytes(len(data)), ROOT.public)


def test_what_the_root_key_signed_may_still_be_no_list() -> None:
    with pytest.raises(Unproven, match=r"^E-KEYS malformed list of keys: "):
        KeyList.opened(written("no list\n", [ROOT.sign("no list\n")]), ROOT.public)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "wlog/v1/keys\n",
        "wlog/v1/keys",
        TEXT[:-1],
        f"{TEXT}\n",
        TEXT.replace("wlog/v1/keys", "wlog/v2/keys"),
        TEXT.replace("wlog/v1/keys\n", ""),
        TEXT.replace(" active", ""),
        TEXT.replace(" active", " Active"),
        TEXT.replace(" active", " active 5"),
        TEXT.replace(" active", "  active"),
        TEXT.replace(" active", " active "),
        TEXT.replace(" retired", " retired 3"),
        TEXT.replace("compromised 15", "compromised"),
        TEXT.replace("compromised 15", "compromised 015"),
        TEXT.replace("compromised 15", "compromised -1"),
        TEXT.replace("compromised 15", f"compromised {LAST_TIME + 1}"),
        TEXT.replace("10 20", "010 20"),
        TEXT.replace("10 20", "10 10"),
        TEXT.replace("10 20", "20 10"),
        TEXT.replace("10 20", f"10 {LAST_TIME + 1}"),
        TEXT.replace("10 20", "\uff11\uff10 20"),
        TEXT.replace("+0fd0ac3e+", "+0fd0ac3f+"),
        TEXT.replace(LOG.public.vkey, VKEY),
    ],
)
def test_other_spellings_are_no_list(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        KeyList.parse(text)


def test_two_keys_that_nobody_can_tell_apart_are_not_listed_together() -> None:
    with pytest.raises(ValueError, match="same name and id"):
        first_list((TWIN.public, OTHER_TWIN.public), START)


@pytest.mark.parametrize(
    ("before", "after", "status", "since"),
    [
        (-1, 5, "active", None),
        (5, 5, "active", None),
        (0, LAST_TIME + 1, "active", None),
        (0, 5, "active", 3),
        (0, 5, "retired", 3),
        (0, 5, "compromised", None),
        (0, 5, "compromised", -1),
        (0, 5, "compromised", LAST_TIME + 1),
    ],
)
def test_lives_that_no_key_has(before: int, after: int, status: Status, since: int | None) -> None:
    with pytest.raises(ValueError, match=f"key {HOST}"):
        Listed(LOG.public, before, after, status, since)


def test_lives_reach_from_the_first_second_to_the_last() -> None:
    for since in (0, LAST_TIME):
        assert Listed(LOG.public, 0, LAST_TIME, "compromised", since).since == since


@pytest.mark.parametrize(
    ("key", "valid", "active"),
    [
        (listed(), [10, 14, 15, 19], [10, 14, 15, 19]),
        (listed("retired"), [10, 14, 15, 19], []),
        (listed("compromised", 15), [10, 14], []),
        (listed("compromised", 0), [], []),
        (listed("compromised", 99), [10, 14, 15, 19], []),
    ],
)
def test_what_a_key_is_good_for_and_when(key: Listed, valid: list[int], active: list[int]) -> None:
    times = [0, 9, 10, 14, 15, 19, 20, 99]
    assert [time for time in times if key.valid_at(time)] == valid
    assert [time for time in times if key.active_at(time)] == active
    assert [time for time in times if KeyList((key,)).valid_at(time)] == valid
    assert [time for time in times if KeyList((key,)).active_at(time)] == active


def test_a_first_list_is_of_keys_that_live_a_year() -> None:
    assert FIRST.active_at(START) == (LOG.public, GLOBAL.public) == FIRST.active_at(START + YEAR - 1)
    assert FIRST.active_at(START - 1) == () == FIRST.active_at(START + YEAR)
    assert YEAR == 31_536_000


def test_during_an_overlap_the_old_key_and_the_new_one_both_sign() -> None:
    at = START + YEAR - 86_400
    after = FIRST.rotated(NEXT.public, at)
    assert after.active_at(at - 1) == (LOG.public, GLOBAL.public)
    assert after.active_at(at) == (LOG.public, GLOBAL.public, NEXT.public)
    assert after.active_at(at + 86_400) == (LOG.public, NEXT.public), "the key of the other log goes its own way"
    assert after.active_at(at + OVERLAP - 1) == (LOG.public, NEXT.public)
    assert after.active_at(at + OVERLAP) == (NEXT.public,) == after.active_at(at + YEAR - 1)
    assert after.active_at(at + YEAR) == ()
    assert OVERLAP == 2_592_000


def test_an_early_rotation_ends_the_old_key_early() -> None:
    after = FIRST.rotated(NEXT.public, START + 10, life=100, overlap=20)
    assert after.keys[0] == Listed(LOG.public, START, START + 30)
    assert after.keys[2] == Listed(NEXT.public, START + 10, START + 110)


def test_a_rotation_does_not_bring_back_what_had_ended() -> None:
    ended = FIRST.rotated(NEXT.public, START + YEAR)
    assert ended.keys[:2] == FIRST.keys
    retired = FIRST.retired(LOG.public).rotated(NEXT.public, START + 10)
    assert retired.keys[0] == Listed(LOG.public, START, START + YEAR, "retired")


def test_a_key_is_not_listed_twice() -> None:
    with pytest.raises(ValueError, match="same name and id"):
        FIRST.rotated(LOG.public, START + 10)


def test_keys_are_retired_and_found_to_be_compromised() -> None:
    retired = FIRST.retired(LOG.public)
    assert retired.keys == (Listed(LOG.public, START, START + YEAR, "retired"), FIRST.keys[1])
    stolen = retired.compromised(LOG.public, START + 5)
    assert stolen.keys == (Listed(LOG.public, START, START + YEAR, "compromised", START + 5), FIRST.keys[1])
    with pytest.raises(ValueError, match=r"is retired, since"):
        stolen.retired(LOG.public)


def test_only_keys_of_the_list_are_changed() -> None:
    with pytest.raises(ValueError, match=r"no key .* in the list"):
        FIRST.retired(NEXT.public)
    with pytest.raises(ValueError, match=r"no key .* in the list"):
        FIRST.compromised(NEXT.public, 5)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (listed(), listed()),
        (listed(), listed("retired")),
        (listed(), listed("compromised", 12)),
        (listed("retired"), listed("compromised", 12)),
        (listed("compromised", 12), listed("compromised", 12)),
        (listed("compromised", 12), listed("compromised", 11)),
        (listed(), Listed(LOG.public, 10, 15)),
    ],
)
def test_a_list_may_come_after_one_that_says_less(older: Listed, newer: Listed) -> None:
    assert KeyList((newer,)).follows(KeyList((older,)))
    assert KeyList((Listed(NEXT.public, 0, 5), newer)).follows(KeyList((older,)))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (listed("retired"), listed()),
        (listed("compromised", 12), listed()),
        (listed("compromised", 12), listed("retired")),
        (listed("compromised", 12), listed("compromised", 13)),
        (listed(), Listed(NEXT.public, 10, 20)),
        (listed(), Listed(LOG.public, 11, 20)),
    ],
)
def test_a_list_that_takes_something_back_does_not_come_after(older: Listed, newer: Listed) -> None:
    assert not KeyList((newer,)).follows(KeyList((older,)))
    assert not KeyList((Listed(GLOBAL.public, 0, 5), newer)).follows(KeyList((Listed(GLOBAL.public, 0, 5), older)))


@given(st.lists(st.sampled_from(["rotate", "retire", "steal"]), max_size=5))
def test_whatever_is_done_to_a_list_comes_after_it_and_can_be_read(deeds: list[str]) -> None:
    now = FIRST
    for number, deed in enumerate(deeds):
        key, at = now.keys[-1].key, START + 100 * number
        fresh = secret(key.name, 100 + number).public
        stolen = any(entry.key == key and entry.status == "compromised" for entry in now.keys)
        after = now.rotated(fresh, at) if deed == "rotate" or stolen else now
        after = now.retired(key) if deed == "retire" and not stolen else after
        after = now.compromised(key, at) if deed == "steal" and not stolen else after
        assert after.follows(now)
        assert KeyList.parse(after.text) == after
        now = after


def test_a_root_key_is_made_once_and_signs_the_first_list(tmp_path: Path) -> None:
    keys = (LOG.public, GLOBAL.public)
    root, data = make_root(tmp_path / "safe", HOST, keys, START)
    assert KeyList.opened(data, root) == FIRST
    assert [signed.key.name for signed in opened(data, [root]).signed] == [f"{HOST}/root"]
    with pytest.raises(FileExistsError, match="has a root key already"):
        make_root(tmp_path / "safe", HOST, keys, START)
    assert [key.public for key in load_keys(tmp_path / "safe", "root", HOST)] == [root]
