"""Signed notes: read as others write them, and refused with every byte that is not as it should be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replays.audit.note import MOST_BYTES, MOST_SIGNATURES, Note, opened, parsed, written
from replays.audit.unproven import Unproven
from replays.audit.vkey import COSIGNATURE, PublicKey, Signature
from tests.replays.audit.notes import (
    ENOCH,
    ENOCH_LINE,
    LOG,
    NOTE,
    OTHER_TWIN,
    PETER,
    PETER_LINE,
    PUBLIC_LOG,
    PUBLIC_NOTE,
    PUBLIC_TEXT,
    PUBLIC_TIME,
    PUBLIC_WITNESSES,
    SEAT,
    TEXT,
    TWIN,
    WITNESS,
    known,
    secret,
)

PETER_ALONE = f"{TEXT}\n{PETER_LINE}"


def refusal(note: str | bytes, *keys: PublicKey) -> str:
    """What is said of a note that does not hold."""
    with pytest.raises(Unproven) as caught:
        opened(note if isinstance(note, bytes) else note.encode(), keys)
    assert caught.value.code == "E-CHECKPOINT"
    assert str(caught.value) == f"E-CHECKPOINT {caught.value.text}"
    return caught.value.text


def test_a_note_says_who_has_signed_it_and_who_else_may_have() -> None:
    note = opened(NOTE.encode(), known(PETER))
    assert note.text == TEXT
    assert [(signed.key.vkey, signed.time) for signed in note.signed] == [(PETER, None)]
    assert [signature.line for signature in note.unknown] == [ENOCH_LINE]


def test_signers_stand_in_the_order_of_their_lines() -> None:
    note = opened(NOTE.encode(), known(ENOCH, PETER))
    assert [signed.key.vkey for signed in note.signed] == [PETER, ENOCH]
    assert note.unknown == ()


def test_a_public_checkpoint_holds_with_its_log_and_its_witnesses() -> None:
    note = opened(PUBLIC_NOTE.encode(), known(PUBLIC_LOG, *PUBLIC_WITNESSES))
    assert note.text == PUBLIC_TEXT
    assert [signed.key.vkey for signed in note.signed] == [PUBLIC_LOG, *PUBLIC_WITNESSES]
    assert [signed.time for signed in note.signed] == [None, *[PUBLIC_TIME] * 4]
    assert [signature.label for signature in note.unknown] == ["arche2025h1.staging.ct.transparency.dev+cd333cb1"]


@pytest.mark.parametrize("note", [NOTE, PUBLIC_NOTE, PETER_ALONE])
def test_a_note_is_written_byte_for_byte_as_it_was_read(note: str) -> None:
    assert parsed(note.encode()).to_bytes() == note.encode()


def test_every_bit_of_a_note_counts() -> None:
    data = written("origin\n1\n", [LOG.sign("origin\n1\n"), SEAT.cosign("origin\n1\n", 5)])
    keys = [LOG.public, SEAT.public]
    whole = opened(data, keys)
    number = int.from_bytes(data)
    for at in range(len(data) * 8):
        try:
            note = opened((number ^ 1 << at).to_bytes(len(data)), keys)
        except Unproven:
            continue
        assert note.text == whole.text
        assert len(note.signed) == len(note.unknown) == 1, "only name and id may change: then nobody known has signed"


@given(st.binary(max_size=300))
def test_other_bytes_are_refused_in_one_way(data: bytes) -> None:
    refusal(data, LOG.public)


@given(st.text(max_size=60).map(lambda text: f"{text}\n"))
def test_what_is_written_can_be_opened_again(text: str) -> None:
    try:
        data = written(text, [LOG.sign(text), SEAT.cosign(text, 5)])
    except ValueError:
        return
    note = opened(data, [LOG.public, SEAT.public])
    assert note.text == text
    assert [signed.time for signed in note.signed] == [None, 5]


@pytest.mark.parametrize("text", ["\n", "\n\n", "a\n\n", "a\n\n\nb\n", f"a\n\n{PETER_LINE}", "ed è subito sera.\n"])
def test_texts_with_empty_lines_and_lines_like_signatures_stay_whole(text: str) -> None:
    assert opened(written(text, [LOG.sign(text)]), [LOG.public]).text == text


@pytest.mark.parametrize(
    ("note", "fault"),
    [
        ("", "there is no empty line before the signatures"),
        (TEXT, "there is no empty line before the signatures"),
        (f"{TEXT}{PETER_LINE}", "there is no empty line before the signatures"),
        (f"{TEXT}\n", "its last line does not end in a line feed"),
        (PETER_ALONE[:-1], "its last line does not end in a line feed"),
        (f"\1{PETER_ALONE}", "there is a control character in it"),
        (PETER_ALONE.replace(" ", "\t", 1), "there is a control character in it"),
        (PETER_ALONE.replace("\n", "\r\n", 1), "there is a control character in it"),
        (f"{PETER_ALONE}more\n", "line 2 of the signatures: a signature has"),
        (PETER_ALONE.replace("— ", "- "), "line 1 of the signatures: this is no base64"),
        (PETER_ALONE.replace("— ", "—"), "a signature has"),
        (PETER_ALONE.replace("— ", ""), "a signature has"),
        (PETER_ALONE.replace("— ", "— — "), "base64"),
        (PETER_ALONE.replace("PeterNeumann", "Peter Neumann"), "base64"),
        (PETER_ALONE.replace("PeterNeumann", ""), "no key has the name"),
        (PETER_ALONE.replace("PeterNeumann", "Peter+Neumann"), "no key has the name"),
        (PETER_ALONE.replace("PeterNeumann", "Peter\u00a0Neumann"), "no key has the name"),
        (PETER_ALONE.replace("PeterNeumann", "Peter\x0bNeumann"), "no key has the name"),
        (PETER_ALONE.replace("AM=\n", "AN=\n"), "base64"),
        (PETER_ALONE.replace("AM=\n", "AM=\n".replace("=", "")), "base64"),
        (PETER_ALONE.replace("AM=\n", "AM= \n"), "base64"),
        (f"{PETER_ALONE}— nobody AAAAAA==\n", "a signature has"),
        (f"{PETER_ALONE}— nobody \n", "a signature has"),
        (f"{PETER_ALONE}— nobody\n", "a signature has"),
    ],
)
def test_a_note_of_another_form_is_malformed(note: str, fault: str) -> None:
    found = refusal(note, *known(PETER))
    assert found.startswith("malformed note: ")
    assert fault in found


def test_bytes_that_are_no_utf8_are_malformed() -> None:
    assert refusal(b"\xff" + PETER_ALONE.encode(), *known(PETER)).startswith("malformed note: ")


def test_a_signature_may_be_as_short_as_a_byte_and_is_then_of_nobody() -> None:
    assert opened(f"{PETER_ALONE}— nobody AAAAAAA=\n".encode(), known(PETER)).unknown[0].blob == b"\0"


def test_a_note_has_at_most_a_hundred_signatures() -> None:
    others = [Signature(f"key{number}", bytes(4), bytes(64)) for number in range(MOST_SIGNATURES)]
    note = Note(TEXT, (LOG.sign(TEXT), *others))
    assert "more than 100" in refusal(note.to_bytes(), LOG.public)
    assert len(opened(Note(TEXT, note.signatures[:-1]).to_bytes(), [LOG.public]).unknown) == 99


def test_a_note_has_at_most_a_million_bytes() -> None:
    space = MOST_BYTES - len(written("\n", [LOG.sign("\n")]))
    longest = "x" * space + "\n"
    assert opened(written(longest, [LOG.sign(longest)]), [LOG.public]).text == longest
    assert "more than 1000000" in refusal(Note(f"x{longest}", (LOG.sign(f"x{longest}"),)).to_bytes(), LOG.public)


def test_a_note_that_nobody_known_has_signed_is_refused() -> None:
    assert refusal(NOTE) == "note has no verifiable signatures"
    assert refusal(NOTE, LOG.public) == "note has no verifiable signatures"


def test_a_key_is_known_by_name_and_id_together() -> None:
    peter = PublicKey.parse(PETER)
    namesake = PublicKey(peter.name, LOG.public.public)
    other_type = PublicKey(peter.name, peter.public, COSIGNATURE)
    other_name = PublicKey("Peter", peter.public)
    assert refusal(PETER_ALONE, namesake, other_type, other_name) == "note has no verifiable signatures"


def test_a_bad_signature_of_a_known_key_refuses_the_whole_note() -> None:
    bad = NOTE.replace("x08go/ZJ", "x08go/ZK")
    assert refusal(bad, *known(ENOCH, PETER)) == "invalid signature for key PeterNeumann+c74f20a3"
    assert [signed.key.vkey for signed in opened(bad.encode(), known(ENOCH)).signed] == [ENOCH]


def test_a_bad_signature_after_a_good_one_of_the_same_key_refuses_the_note() -> None:
    bad = PETER_LINE.replace("x08go/ZJ", "x08go/ZK")
    assert refusal(PETER_ALONE + bad, *known(PETER)) == "invalid signature for key PeterNeumann+c74f20a3"


def test_one_key_does_not_count_twice() -> None:
    assert "has signed it twice" in refusal(PETER_ALONE + PETER_LINE, *known(PETER))
    twice = written(TEXT, [WITNESS.cosign(TEXT, 5), LOG.sign(TEXT), WITNESS.cosign(TEXT, 6)])
    assert f"key {WITNESS.public.label} has signed it twice" in refusal(twice, WITNESS.public)
    assert len(opened(twice, [LOG.public]).unknown) == 2


def test_a_forger_with_the_same_name_and_id_is_found_out() -> None:
    forged = written(TEXT, [OTHER_TWIN.sign(TEXT)])
    assert refusal(forged, TWIN.public) == f"invalid signature for key {TWIN.public.label}"


def test_two_known_keys_of_one_name_and_id_are_refused() -> None:
    note = written(TEXT, [TWIN.sign(TEXT), LOG.sign(TEXT)])
    assert "nobody can tell their signatures apart" in refusal(note, LOG.public, TWIN.public, OTHER_TWIN.public)


def test_the_same_known_key_given_twice_is_one_key() -> None:
    assert len(opened(PETER_ALONE.encode(), known(PETER, PETER)).signed) == 1


def test_whoever_opens_a_note_for_something_else_has_a_code_for_it() -> None:
    for data in (b"", NOTE.encode()):
        with pytest.raises(Unproven) as caught:
            opened(data, [], "E-KEYS")
        assert caught.value.code == "E-KEYS"
    with pytest.raises(Unproven) as caught:
        opened(NOTE.encode(), [TWIN.public, OTHER_TWIN.public], "E-KEYS")
    assert caught.value.code == "E-KEYS"


@pytest.mark.parametrize(
    ("text", "signatures"),
    [
        ("no line feed", [LOG.sign(TEXT)]),
        (TEXT, []),
        (TEXT, [Signature("a b", bytes(4), bytes(64))]),
        (TEXT, [Signature("a", bytes(3), bytes(0))]),
        (TEXT, [secret(number=number).sign(TEXT) for number in range(1, 102)]),
        ("a\tb\n", [LOG.sign(TEXT)]),
        (TEXT, [Signature("a", bytes(5), bytes(64))]),
    ],
)
def test_nothing_is_written_that_nobody_could_read_again(text: str, signatures: list[Signature]) -> None:
    with pytest.raises(ValueError, match=r"."):
        written(text, signatures)
