"""Checkpoints: three lines in one spelling, of the log that was asked for, signed by that log's own key."""

from base64 import b64decode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replays.audit.checkpoint import Checkpoint, battle_origin, global_origin, key_name, opened_checkpoint
from replays.audit.merkle import EMPTY, MOST_LEAVES
from replays.audit.note import written
from replays.audit.secretkey import SecretKey
from replays.audit.unproven import Unproven
from replays.audit.vkey import PublicKey
from tests.replays.audit.notes import BATTLE, HOST, LOG, SEAT, VKEY, WITNESS, secret

# The head of the sample battle of the first prototype (22 events), whose key is VKEY.
ORIGIN = f"{HOST}/battle/{BATTLE}"
ROOT = bytes.fromhex("ff7680b45ef8288a9d2be673d41011f688759c5a1a3ce32d2a72c33b829ea7fb")
SAMPLE = f"{ORIGIN}\n22\n/3aAtF74KIqdK+Zz1BAR9oh1nFoaPOMtKnLDO4Kep/s=\n"
GLOBAL = secret(f"{HOST}/global", 4)


def refusal(text: str, *signers: SecretKey, known: list[PublicKey] | None = None, origin: str | None = None) -> str:
    """What is said of a note of this text, signed by the log or by these."""
    keys = signers or (LOG,)
    note = written(text, [key.sign(text) if key.public.kind == 1 else key.cosign(text, 5) for key in keys])
    with pytest.raises(Unproven) as caught:
        opened_checkpoint(note, known or [key.public for key in keys], origin)
    return str(caught.value)


def test_the_sample_is_read_and_written_as_it_was() -> None:
    checkpoint = Checkpoint.parse(SAMPLE)
    assert checkpoint == Checkpoint(battle_origin(HOST, BATTLE), 22, ROOT)
    assert checkpoint.text == SAMPLE


def test_the_key_of_the_sample_is_the_one_that_its_signature_names() -> None:
    assert b64decode("D9CsPv7F")[:4] == PublicKey.parse(VKEY).id
    assert PublicKey.parse(VKEY).name == Checkpoint.parse(SAMPLE).key_name


@given(st.integers(1, MOST_LEAVES), st.binary(min_size=32, max_size=32))
def test_every_checkpoint_is_read_as_it_was_written(size: int, root: bytes) -> None:
    checkpoint = Checkpoint(ORIGIN, size, root)
    assert Checkpoint.parse(checkpoint.text) == checkpoint


def test_an_empty_log_has_one_head() -> None:
    empty = Checkpoint(global_origin(HOST), 0, EMPTY)
    assert Checkpoint.parse(empty.text) == empty
    with pytest.raises(ValueError, match="empty log"):
        Checkpoint(global_origin(HOST), 0, ROOT)


@pytest.mark.parametrize(
    "text",
    [
        "",
        SAMPLE[:-1],
        f"{SAMPLE}\n",
        f"{SAMPLE}extension\n",
        f"{SAMPLE}extension",
        SAMPLE.replace("\n22\n", "\n"),
        SAMPLE.replace("\n22\n", "\n\n22\n"),
        SAMPLE.replace("22", "022"),
        SAMPLE.replace("22", "+22"),
        SAMPLE.replace("22", "-22"),
        SAMPLE.replace("22", "2_2"),
        SAMPLE.replace("22", "22 "),
        SAMPLE.replace("22", "\uff12\uff12"),
        SAMPLE.replace("22", ""),
        SAMPLE.replace("22", "00"),
        SAMPLE.replace("22", str(MOST_LEAVES + 1)),
        SAMPLE.replace("22", "9" * 5000),
        SAMPLE.replace("p/s=", "p/t="),
        SAMPLE.replace("p/s=", "p/s"),
        SAMPLE.replace("p/s=", "p/s= "),
        SAMPLE.replace("/3aAtF74", ""),
        SAMPLE.replace("/3aAtF74", "/3aAtF74/3aA"),
        SAMPLE.replace("/battle/", "/Battle/"),
        SAMPLE.replace("\n", "\r\n"),
    ],
)
def test_other_spellings_are_no_checkpoint(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Checkpoint.parse(text)


@pytest.mark.parametrize("size", [-1, MOST_LEAVES + 1])
def test_no_log_has_such_a_size(size: int) -> None:
    with pytest.raises(ValueError, match="leaves"):
        Checkpoint(ORIGIN, size, ROOT)


@pytest.mark.parametrize("root", [b"", ROOT[:-1], ROOT + b"\0"])
def test_no_log_has_such_a_root(root: bytes) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        Checkpoint(ORIGIN, 22, root)


@pytest.mark.parametrize("host", ["warlog.example", "localhost:8000", "a", "1.2.3.4", "a" * 253])
def test_hosts_that_logs_have(host: str) -> None:
    assert key_name(battle_origin(host, BATTLE)) == host
    assert key_name(global_origin(host)) == f"{host}/global"


@pytest.mark.parametrize(
    "host", ["", "Warlog.example", "a/b", "a b", "a+b", "-a", ".a", "a\n", "é", "a" * 254, "a\u0131"]
)
def test_hosts_that_no_log_has(host: str) -> None:
    with pytest.raises(ValueError, match="no log has the origin"):
        global_origin(host)
    with pytest.raises(ValueError, match="no log has the origin"):
        battle_origin(host, BATTLE)


@pytest.mark.parametrize("battle", ["", BATTLE[:-1], f"{BATTLE}0", BATTLE.upper(), f"{BATTLE[:-1]}g", f"{BATTLE}\n"])
def test_battles_that_no_log_has(battle: str) -> None:
    with pytest.raises(ValueError, match="no log has the origin"):
        battle_origin(HOST, battle)


@pytest.mark.parametrize(
    "origin", ["", HOST, f"{HOST}/", f"{HOST}/global/", "/global", f"{HOST}/battle/", "x\n/global"]
)
def test_names_that_are_no_origin(origin: str) -> None:
    with pytest.raises(ValueError, match="no log has the origin"):
        key_name(origin)


def test_a_checkpoint_opens_with_the_log_and_whoever_has_cosigned() -> None:
    data = written(SAMPLE, [LOG.sign(SAMPLE), SEAT.cosign(SAMPLE, 1_764_460_000), WITNESS.cosign(SAMPLE, 5)])
    opened = opened_checkpoint(data, [LOG.public, SEAT.public], ORIGIN)
    assert opened.checkpoint == Checkpoint.parse(SAMPLE)
    assert [(signed.key, signed.time) for signed in opened.note.signed] == [
        (LOG.public, None),
        (SEAT.public, 1_764_460_000),
    ]
    assert [signature.label for signature in opened.note.unknown] == [WITNESS.public.label]


def test_the_log_of_battles_has_a_key_of_its_own() -> None:
    text = Checkpoint(global_origin(HOST), 22, ROOT).text
    note = written(text, [GLOBAL.sign(text)])
    assert opened_checkpoint(note, [GLOBAL.public]).checkpoint.size == 22
    assert refusal(text, LOG).startswith(f"E-CHECKPOINT no key named {HOST}/global has signed")
    assert refusal(SAMPLE, GLOBAL).startswith(f"E-CHECKPOINT no key named {HOST} has signed")


def test_the_key_of_another_host_does_not_sign_for_this_one() -> None:
    other = secret("other.example", 5)
    assert refusal(SAMPLE, other).startswith(f"E-CHECKPOINT no key named {HOST} has signed for {ORIGIN}")


def test_cosigners_alone_are_not_the_log() -> None:
    impostor = secret(HOST, 6, 4)
    assert refusal(SAMPLE, SEAT).startswith("E-CHECKPOINT no key named")
    assert refusal(SAMPLE, impostor).startswith("E-CHECKPOINT no key named")


def test_a_checkpoint_of_another_log_is_not_the_one_that_was_wanted() -> None:
    wanted = battle_origin(HOST, "0" * 32)
    assert refusal(SAMPLE, origin=wanted) == f"E-ORIGIN checkpoint is of {ORIGIN}, wanted {wanted}"


def test_what_the_log_signed_may_still_be_no_checkpoint() -> None:
    assert refusal(f"{SAMPLE}more\n").startswith("E-CHECKPOINT malformed checkpoint: ")


def test_a_text_that_nobody_known_signed_is_not_even_read() -> None:
    stranger = secret(HOST, 8)
    found = refusal("no checkpoint\n", stranger, known=[LOG.public])
    assert found == "E-CHECKPOINT note has no verifiable signatures"
