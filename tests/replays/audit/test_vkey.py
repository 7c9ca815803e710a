"""Public and private keys of notes: their spelling, their names, and that each signs in its own words only."""

import pickle
from base64 import b64encode
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replays.audit.secretkey import SecretKey
from replays.audit.vkey import COSIGNATURE, ED25519, LAST_TIME, PublicKey, cosigned, strict_base64, time_of
from replays.audit.weakkeys import WeakKey
from tests.replays.audit.notes import (
    ENOCH,
    HOST,
    LOG,
    OTHER_TWIN,
    PETER,
    PETER_LINE,
    PETER_SECRET,
    PUBLIC_LOG,
    PUBLIC_WITNESSES,
    SEAT,
    TEXT,
    TWIN,
    VKEY,
    secret,
)

VKEYS = [VKEY, PETER, ENOCH, PUBLIC_LOG, *PUBLIC_WITNESSES]


@pytest.mark.parametrize("vkey", VKEYS)
def test_a_vkey_is_read_and_written_as_others_do(vkey: str) -> None:
    key = PublicKey.parse(vkey)
    assert key.vkey == vkey
    assert key.label == "+".join(vkey.split("+")[:2])
    assert key.kind == (COSIGNATURE if vkey in PUBLIC_WITNESSES else ED25519)


def test_the_id_of_a_key_is_that_of_the_page() -> None:
    public = PublicKey.parse(VKEY).public
    assert PublicKey.parse(VKEY).id == bytes.fromhex("0fd0ac3e")
    assert PublicKey(HOST, public, COSIGNATURE).id == sha256(HOST.encode() + b"\n\x04" + public).digest()[:4]


def test_no_part_of_a_vkey_and_no_neighbour_of_it_is_a_vkey() -> None:
    for start in range(len(PETER)):
        for end in range(start, len(PETER) + 1):
            if end - start < len(PETER):
                with pytest.raises(ValueError, match=r"."):
                    PublicKey.parse(PETER[start:end])
    for at, sign in enumerate(PETER):
        with pytest.raises(ValueError, match=r"."):
            PublicKey.parse(PETER[:at] + chr(ord(sign) + 1) + PETER[at + 1 :])


@pytest.mark.parametrize(
    "vkey",
    [
        "PeterNeumann+C74F20A3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        "PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==",
        "PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
        f"{PETER}\n",
        f" {PETER}",
        f"{PETER}+",
        "",
    ],
)
def test_other_spellings_of_a_vkey_are_refused(vkey: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        PublicKey.parse(vkey)


@pytest.mark.parametrize(
    "name", ["", "a b", "a+b", "a\u00a0b", "a\u2003b", "a\u0085", "a\nb", "a\0b", "a\x1f", "\ud800"]
)
def test_names_that_no_note_can_carry_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        PublicKey(name, LOG.public.public)


@pytest.mark.parametrize("name", ["a", "é", "transparency.dev/DEV:w", "\u2014"])
def test_other_names_are_taken(name: str) -> None:
    assert PublicKey.parse(PublicKey(name, LOG.public.public).vkey).name == name


@pytest.mark.parametrize("kind", [0, 2, 3, 5, 6, 255])
def test_keys_of_other_types_are_refused(kind: int) -> None:
    with pytest.raises(ValueError, match="type 01 or 04"):
        PublicKey(HOST, LOG.public.public, kind)


def test_a_weak_key_is_refused_before_it_can_verify_anything() -> None:
    with pytest.raises(WeakKey):
        PublicKey(HOST, b"\1" + bytes(31))


@given(st.binary(max_size=70))
def test_base64_has_one_spelling(data: bytes) -> None:
    assert strict_base64(b64encode(data).decode()) == data


@pytest.mark.parametrize(
    "text", ["AB==", "AA=", "AA", "AA==\n", "A A=", "AA==AA==", "AAAA=", "AA=A", "AAB=", "-_AA", "é"]
)
def test_other_spellings_of_base64_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        strict_base64(text)


def test_a_note_is_signed_byte_for_byte_as_others_do() -> None:
    assert SecretKey.parse(PETER_SECRET).sign(TEXT).line == PETER_LINE


def test_a_private_key_is_written_as_it_was_read() -> None:
    key = SecretKey.parse(PETER_SECRET)
    assert key.encoded() == PETER_SECRET
    assert key.public.vkey == PETER


def test_no_part_of_a_private_key_and_no_neighbour_of_it_is_one() -> None:
    spellings = [PETER_SECRET[at:] for at in range(1, len(PETER_SECRET))]
    spellings += [PETER_SECRET[:at] for at in range(len(PETER_SECRET))]
    spellings += [
        PETER_SECRET[:at] + chr(ord(sign) + 1) + PETER_SECRET[at + 1 :] for at, sign in enumerate(PETER_SECRET)
    ]
    for spelling in spellings:
        with pytest.raises(ValueError, match="private key"):
            SecretKey.parse(spelling)


def test_what_is_wrong_with_a_private_key_is_said_without_it() -> None:
    with pytest.raises(ValueError, match="private key") as caught:
        SecretKey.parse(PETER_SECRET[:-1])
    fault: BaseException | None = caught.value
    while fault is not None:
        assert "AYEKFALVFGyNhPJEMzD1QIDr" not in repr(fault)
        fault = fault.__context__


def test_a_private_key_does_not_show_or_travel() -> None:
    assert repr(LOG) == f"SecretKey({LOG.public.label})"
    with pytest.raises(TypeError):
        pickle.dumps(LOG)


def test_fresh_keys_are_all_different() -> None:
    assert len({SecretKey.fresh(HOST).public.public for _ in range(20)}) == 20
    assert SecretKey.fresh(HOST, COSIGNATURE).public.kind == COSIGNATURE


def test_a_signature_holds_for_its_text_and_key_only() -> None:
    blob = LOG.sign(TEXT).blob
    assert LOG.public.accepts(TEXT, blob)
    assert not LOG.public.accepts(TEXT + "\n", blob)
    assert not secret(number=9).public.accepts(TEXT, blob)
    for wrong in (b"", blob[:-1], blob + b"\0", bytes(64), bytes(8) + blob):
        assert not LOG.public.accepts(TEXT, wrong)


def test_every_bit_of_a_signature_counts() -> None:
    for key, blob in ((LOG, LOG.sign(TEXT).blob), (SEAT, SEAT.cosign(TEXT, 1_764_460_000).blob)):
        number = int.from_bytes(blob)
        for at in range(len(blob) * 8):
            assert not key.public.accepts(TEXT, (number ^ 1 << at).to_bytes(len(blob)))


def test_a_cosignature_signs_the_time_with_the_text() -> None:
    signature = SEAT.cosign(TEXT, 1_764_460_000)
    assert len(signature.blob) == 72
    assert time_of(signature.blob) == 1_764_460_000
    assert cosigned(TEXT, 1_764_460_000) == b"cosignature/v1\ntime 1764460000\n" + TEXT.encode()
    assert SEAT.public.accepts(TEXT, signature.blob)
    for wrong in (b"", bytes(7), signature.blob[8:], signature.blob[:-1], (1).to_bytes(8) + signature.blob[8:]):
        assert not SEAT.public.accepts(TEXT, wrong)


@pytest.mark.parametrize("time", [0, LAST_TIME])
def test_the_first_and_the_last_time_can_be_signed(time: int) -> None:
    assert SEAT.public.accepts(TEXT, SEAT.cosign(TEXT, time).blob)


@pytest.mark.parametrize("time", [-1, LAST_TIME + 1])
def test_no_other_time_is_signed(time: int) -> None:
    with pytest.raises(ValueError, match="no cosignature has the time"):
        SEAT.cosign(TEXT, time)


def test_a_cosignature_from_beyond_the_last_time_does_not_hold() -> None:
    time = LAST_TIME + 1
    blob = time.to_bytes(8) + SEAT._private.sign(cosigned(TEXT, time))
    assert not SEAT.public.accepts(TEXT, blob)


def test_a_log_key_never_signs_what_passes_for_a_cosignature() -> None:
    both = secret("both.example", 7), secret("both.example", 7, COSIGNATURE)
    blob = (5).to_bytes(8) + both[0]._private.sign(cosigned(TEXT, 5))
    assert both[1].public.accepts(TEXT, blob), "were it signed, it would pass"
    with pytest.raises(ValueError, match="pass for a cosignature"):
        both[0].sign(cosigned(TEXT, 5).decode())


def test_keys_sign_in_the_words_of_their_type_only() -> None:
    with pytest.raises(ValueError, match="only together with the time"):
        SEAT.sign(TEXT)
    with pytest.raises(ValueError, match="without the time"):
        LOG.cosign(TEXT, 5)


@pytest.mark.parametrize("text", ["", "no line feed", "a\tb\n", "a\0\n", "a\r\n", "\ud800\n"])
def test_what_is_no_text_of_a_note_is_not_signed(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        LOG.sign(text)
    with pytest.raises(ValueError, match=r"."):
        SEAT.cosign(text, 5)


def test_a_name_and_an_id_may_fit_two_keys_and_a_signature_only_one() -> None:
    assert TWIN.public != OTHER_TWIN.public
    assert (TWIN.public.name, TWIN.public.id) == (OTHER_TWIN.public.name, OTHER_TWIN.public.id)
    assert not TWIN.public.accepts(TEXT, OTHER_TWIN.sign(TEXT).blob)
