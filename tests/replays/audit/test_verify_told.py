"""What a broken file is told to be: where it was altered, how far it was judged, and nothing that is not so."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from api.terminal.verified import Answer, report_of, told
from api.terminal.verifying import Asked, answered, policy_of
from replays.audit.bundle import Bundle
from replays.audit.findings import Finding
from replays.audit.note import written
from replays.audit.verify.run import MOST_FINDINGS, UNREAD, verify
from replays.codec import canonical
from tests.replays.audit.notes import HOST, LOG, WITNESS, secret
from tests.replays.audit.wrapped import (
    GLOBAL,
    POLICY,
    Doc,
    alone,
    forged,
    long_battle,
    refused,
    said,
    sound,
    together,
    with_global,
    wrap,
)

KEY = Asked(keys=(LOG.public.vkey,))
UNSIGNED = Asked(unsigned=True)
GLOBALLY = Asked(keys=(LOG.public.vkey,), global_keys=(GLOBAL.public.vkey,))


def answer(data: bytes, asked: Asked = KEY) -> Answer:
    """What the program makes of a file."""
    return answered(data, Path("b.wlog"), asked, policy_of(asked))


def found(data: bytes, asked: Asked = KEY) -> list[Finding]:
    """What it finds."""
    return list(answer(data, asked).findings)


def codes(data: bytes, asked: Asked = KEY) -> list[tuple[str, int]]:
    """Codes and entries, without what is worth a look only."""
    return [(f.code, f.seq) for f in found(data, asked) if f.error]


def edited(at: int, was: bytes, now: bytes) -> bytes:
    """A file with something else in the entry at `at` (from 0), typed in with an editor."""
    data, entry = sound(alone()).to_bytes(), alone().data[at]
    assert was in entry
    return data.replace(entry, entry.replace(was, now))


# --- a file whose frame is broken


@pytest.mark.parametrize("asked", [KEY, UNSIGNED], ids=["with a key", "unsigned"])
def test_an_edit_that_changes_a_length_names_the_entry(asked: Asked) -> None:
    at = alone().first("HitRolled")
    data = edited(at, b'"hits":', b'"hits":1')
    first, *rest = found(data, asked)
    assert first.code == "E-BUNDLE"
    assert first.text.endswith(": the file was edited or cut")
    assert {("E-PREV", at + 2), ("E-RULE", at + 1)} <= {(f.code, f.seq) for f in rest}
    assert answer(data, asked).status == "invalid"


@pytest.mark.parametrize("asked", [KEY, UNSIGNED], ids=["with a key", "unsigned"])
def test_a_line_that_was_deleted_is_named(asked: Asked) -> None:
    data = sound(alone()).to_bytes().replace(alone().data[20] + b"\n", b"")
    assert [code for code, _ in codes(data, asked)][:2] == ["E-BUNDLE", "E-SIZE"]
    assert ("E-SEQ", 21) in codes(data, asked)


def test_an_edit_of_the_last_entry_is_told_by_the_root() -> None:
    [first, second] = found(edited(len(alone().data) - 1, b'"played"', b'"played on"'))
    assert (first.code, second.code) == ("E-BUNDLE", "E-ROOT")
    assert "it is the last entry" in second.text


def test_of_half_a_file_the_half_that_is_there_is_looked_at() -> None:
    data = sound(alone()).to_bytes()
    [cut, unread] = found(data[: len(data) // 2])
    assert (cut.code, unread.code) == ("E-BUNDLE", UNREAD)
    assert "the file was edited or cut" in cut.text
    kept = data[: len(data) // 2].count(b'\n{"action":') - 1  # the last is not whole
    assert f"from 1 to {kept}, and nothing else was judged" in unread.text
    [_, unread] = found(data[: data.index(b"events ") + 20])
    assert unread.text == "no entry was found in it"
    spoiled = data.replace(alone().data[9], alone().data[9].replace(b'"time":1', b'"time":2'))
    assert spoiled != data
    cut, altered, *_ = found(spoiled[: len(data) // 2])
    assert altered.seq in (10, 11)


@pytest.mark.parametrize(
    ("was", "now"),
    [(b"\nevents ", b"\nevent "), (b'"closed":true', b'"closed":maybe'), (b"wlog-bundle/1\n", b"wlog-bundle/2\n")],
)
def test_what_cannot_be_found_in_a_broken_frame_is_no_fault_of_the_program(was: bytes, now: bytes) -> None:
    data = sound(alone()).to_bytes()
    assert was in data
    altered = edited(20, b'"time":1', b'"time":11').replace(was, now)
    assert codes(data.replace(was, now))[0] == ("E-BUNDLE", 0)
    assert {code for code, seq in codes(altered) if seq in (21, 22)} & {"E-PREV", "E-FORMAT"}
    for at in range(0, len(data), 997):
        assert codes(data[:at] + b"\nevents 5\n" + data[at:])


def test_a_salvaged_file_is_never_valid() -> None:
    data = sound(alone()).to_bytes()
    for spoiled in (data + b"\n", data[:-1], data.replace(b"\ntsr 0\n", b"\ntsr 00\n"), b"wlog-bundle/1\n"):
        assert answer(spoiled).status == "invalid"
        assert answer(spoiled, UNSIGNED).status == "invalid"


def test_changed_line_ends_are_told() -> None:
    bundle = sound(alone()).to_bytes().replace(b"\n", b"\r\n")
    assert [f.text for f in found(bundle)] == ["its line ends were changed: fetch it again, and copy it byte for byte"]
    export = b"".join(entry + b"\r\n" for entry in alone().data)
    first = found(export, UNSIGNED)[0]
    assert (first.code, first.seq, first.text) == ("E-CANON", 1, "its line ends were changed")


# --- how far it was judged


def test_of_what_was_judged_in_part_only_that_part_is_told() -> None:
    whole = sound(alone())
    at = alone().first("HitRolled")
    entries = (*whole.entries[:at], b"{}", *whole.entries[at + 1 :])
    part = answer(replace(whole, entries=entries).to_bytes())
    judged = alone().docs[at]["action"] - 1
    lines = told(part, signed=True)
    assert f"Of entries 1 to {judged} only:" in lines
    assert not [line for line in lines if "dice:" in line or "end:" in line or "at the muster" in line]
    said_so = report_of(part, signed=True)
    assert said_so["read"] == {"judged": judged, "read": at, "signed": len(entries)}
    assert (said_so["level"], said_so["ending"], said_so["counts"]["entries"]) == (None, None, judged)
    assert "score" not in said_so
    all_of_it = report_of(answer(whole.to_bytes()), signed=True)
    assert (all_of_it["level"], all_of_it["read"]["judged"]) == ("L0", len(entries))


def test_where_nothing_could_be_judged_nothing_is_counted() -> None:
    whole = sound(alone())
    none = answer(replace(whole, entries=(b"{}", *whole.entries[1:])).to_bytes())
    assert "No action of it could be judged, and nothing was counted." in told(none, signed=True)
    assert [(f.code, f.seq) for f in none.findings if f.seq] == [("E-FORMAT", 1)]


def test_behind_what_was_read_the_rules_judge_nothing_either() -> None:
    """A face that no die has stops the proof half, and the rules half could read on."""
    whole = sound(alone())
    at = alone().first("HitRolled")
    docs = alone().docs
    docs[at]["body"]["dice"][0]["faces"][0] = 700
    entries = (*whole.entries[:at], canonical(docs[at]), *whole.entries[at + 1 :])
    findings = found(replace(whole, entries=entries).to_bytes())
    [unread] = [f.text for f in findings if f.code == UNREAD]
    assert unread.startswith(f"read up to entry {at} of")
    assert [f.code for f in findings if f.seq > at] == ["E-FORMAT"]


def test_warnings_end_no_verification_however_many_there_are() -> None:
    def back(docs: list[Doc]) -> None:
        for doc in docs:
            doc["time"] = 10_000_000 - doc["action"]
        faces = [doc for doc in docs if doc["type"] == "HitRolled"][-1]["body"]["dice"][0]["faces"]
        faces[0] = faces[0] % 6 + 1

    verified = verify(forged(long_battle(500), back), POLICY)
    assert len(said(verified, "W-TIME")) == MOST_FINDINGS
    assert said(verified, "E-DICE-VALUE")
    assert verified.status == "invalid"


# --- heads and keys


def test_a_head_that_was_altered_blames_no_entry() -> None:
    bundle = sound(alone())
    root = bundle.checkpoint.split(b"\n")[2]
    spoiled = bundle.checkpoint.replace(root, (b"B" if root[:1] == b"A" else b"A") + root[1:])
    [head] = [f for f in found(replace(bundle, checkpoint=spoiled).to_bytes()) if f.error]
    assert head.code == "E-CHECKPOINT"
    assert head.text == f"invalid signature for key {LOG.public.label}: the head was altered, or its signature"
    words = "What follows is what the file says of itself; it is not proved:"
    assert words in told(answer(replace(bundle, checkpoint=spoiled).to_bytes()), signed=True)
    assert words not in told(answer(bundle.to_bytes()), signed=True)


def test_another_key_of_the_log_of_battles_is_told_as_such() -> None:
    other = secret(f"{HOST}/global", 99)
    for key in (other, LOG):
        asked = Asked(keys=(LOG.public.vkey,), global_keys=(key.public.vkey,))
        [error] = [f for f in found(with_global(sound(alone())).to_bytes(), asked) if f.error]
        assert error.code == "E-GLOBAL"
        assert error.text == f"signed by {GLOBAL.public.label}; you gave {key.public.label}"


def test_under_another_key_an_undeclared_signature_in_the_log_of_battles_is_found_still() -> None:
    bundle = with_global(sound(alone()))
    top, _, note = bundle.global_proof.partition(b"\n\n")
    text = note.partition(b"\n\n")[0].decode() + "\n"
    signed = written(text, [GLOBAL.sign(text), WITNESS.cosign(text, 5)])
    more = replace(bundle, global_proof=top + b"\n\n" + signed)
    policy = replace(POLICY, global_keys=(secret(f"{HOST}/global", 99).public,))
    assert WITNESS.public.label in refused(more, "E-CHECKPOINT", "declared", policy).text


def test_an_open_battle_is_not_in_the_log_of_battles_yet() -> None:
    played = alone()
    still = answer(wrap(played.battle, played.data[:-1]).to_bytes(), GLOBALLY)
    assert still.status == "open"
    [warning] = [f for f in still.findings if f.code == "W-GLOBAL"]
    assert "not in the log of battles yet" in warning.text
    # A file that only says that its battle is open is held to what its log says.
    lies = wrap(played.battle, played.data, is_closed=False)
    assert {code for code, _ in codes(lies.to_bytes(), GLOBALLY)} == {"E-BUNDLE", "E-GLOBAL"}
    other = with_global(wrap(played.battle, played.data[:-1]), text=b"another checkpoint\n")
    assert codes(other.to_bytes(), GLOBALLY) == [("E-GLOBAL", 0)]


# --- words


def altered_last(bundle: Bundle) -> Bundle:
    """The same, with another last entry."""
    last = bundle.entries[-1].replace(b'"time":1', b'"time":2')
    return replace(bundle, entries=(*bundle.entries[:-1], last))


def test_where_only_the_root_speaks_it_says_which_entry_it_can_be() -> None:
    [error] = [f for f in found(altered_last(sound(alone())).to_bytes()) if f.error]
    assert error.text.endswith("the last entry, or a log rewritten from some entry on: --receipt tells which")
    whole = sound(alone())
    at = alone().first("HitRolled")
    altered = whole.entries[at].replace(b'"hits":', b'"hits":1')
    [root] = [
        f
        for f in found(replace(whole, entries=(*whole.entries[:at], altered, *whole.entries[at + 1 :])).to_bytes())
        if f.code == "E-ROOT"
    ]
    assert "last entry" not in root.text  # the others name it


SPELLED: dict[str, Callable[[bytes], bytes]] = {
    "it is no JSON from its character": lambda entry: entry[:-9],
    "it is no UTF-8 from its byte": lambda entry: entry.replace(b'"referee"', b'"\xff"'),
    "half a character stands in it, a lone surrogate": lambda entry: entry.replace(b'"referee"', b'"\\ud800"'),
    "it is nested too deeply": lambda entry: entry.replace(b'"v":1}', b'"v":' + b"[" * 60_000),
}


@pytest.mark.parametrize("words", SPELLED)
def test_what_is_not_canonical_is_told_in_words_of_our_own(words: str) -> None:
    played = alone()
    entries = (*played.data[:-1], SPELLED[words](played.data[-1]))
    [canon] = [f for f in found(replace(sound(played), entries=entries).to_bytes()) if f.code == "E-CANON"]
    assert canon.text.startswith(words)


def test_a_claim_that_is_not_so_is_told_from_both_sides() -> None:
    whole, cut = sound(alone()), wrap(alone().battle, alone().data[:-1])
    for bundle, closed, text in (
        (whole, False, "the bundle says that its battle is not closed, but its log is"),
        (cut, True, "the bundle says that its battle is closed, but its log is not"),
    ):
        lies = replace(bundle, meta=replace(bundle.meta, closed=closed))
        assert [f.text for f in found(lies.to_bytes()) if f.code == "E-BUNDLE"] == [text]


def test_another_state_says_that_it_may_itself_have_been_altered() -> None:
    def other(docs: list[Doc]) -> None:
        docs[-2]["state"] = "00" * 32

    [state] = [f for f in found(forged(alone(), other).to_bytes()) if f.code == "E-STATE"]
    assert state.text == "the table after it is another: something in this entry, or the state itself, was altered"


def test_one_is_told_in_the_singular() -> None:
    lines = "\n".join(told(answer(sound(alone()).to_bytes()), signed=True))
    for words in ("1 undo and 0 redos;", "1 chain of dice,"):
        assert words in lines
    one = "\n".join(told(answer(sound(together(1)).to_bytes()), signed=True))
    assert "1 roll of" in one


def test_the_report_of_a_broken_frame_is_json_as_well() -> None:
    report: dict[str, Any] = json.loads(json.dumps(report_of(answer(edited(20, b'"v":1', b'"v":11')), signed=True)))
    assert report["status"] == "invalid"
    assert [f["seq"] for f in report["findings"] if f["seq"]]
