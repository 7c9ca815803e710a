"""The notary on real files: what it signs, what it refuses to sign, and what anybody can check of it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from replays.audit.checkpoint import battle_origin, opened_checkpoint
from replays.audit.merkle import Frontier, leaf_hash, proves_consistency, proves_inclusion
from replays.audit.secretkey import SecretKey
from replays.audit.vkey import COSIGNATURE
from replays.notary import BadCosignature, Malformed, seat_key
from replays.signedlog import NoProof, OtherSize
from replays.store import Beside, BranchRow
from tests.replays.desks import HOST, NOW, A, B, C, Desk, batch, split


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "battles.db"


@pytest.fixture
def desk(file: Path, database: str) -> Iterator[Desk]:
    with closing(Desk(file, database=database)) as opened:
        yield opened


# --- one battle ---


def test_the_head_that_is_signed_is_that_of_the_store(desk: Desk) -> None:
    desk.play(A)
    head = desk.opened(desk.notary.checkpoint(A))
    assert (head.size, head.root) == (3, desk.store.frontier(A).root)
    desk.play(A, 40)
    assert desk.opened(desk.notary.checkpoint(A)).root == Frontier().extended(desk.store.leaf_hashes(A)).root


def test_the_same_head_is_signed_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.play(A)
    note = desk.notary.checkpoint(A)
    monkeypatch.setattr(desk.notary.keyring.signer, "sign", None)
    assert desk.notary.checkpoint(A) == note


def test_every_entry_is_proved_and_no_other(desk: Desk) -> None:
    desk.play(A, 21)
    for index in range(21):
        words, proof, note = split(desk.notary.inclusion(A, index))
        head = desk.opened(note)
        assert words == ["c2sp.org/tlog-proof@v1", f"index {index}"]
        leaf = leaf_hash(desk.store.read(A)[index].data)
        assert proves_inclusion(proof, leaf, index, head.size, head.root)
        assert not proves_inclusion(proof, leaf_hash(b"another"), index, head.size, head.root)
    with pytest.raises(NoProof, match="no leaf 21"):
        desk.notary.inclusion(A, 21)


def test_every_older_head_is_shown_to_be_a_beginning(desk: Desk) -> None:
    roots = {0: Frontier().root}
    for _ in range(9):
        desk.play(A, 2)
        roots[desk.store.head(A)] = desk.store.frontier(A).root
    for old, root in roots.items():
        words, proof, note = split(desk.notary.consistency(A, old))
        head = desk.opened(note)
        assert words == [f"old {old}"]
        assert proves_consistency(proof, old, root, head.size, head.root)
    with pytest.raises(NoProof, match="does not extend one of 19"):
        desk.notary.consistency(A, 19)


def test_a_head_of_a_moment_ago_is_still_proved_and_an_old_one_is_not(desk: Desk) -> None:
    desk.play(A)
    note = desk.notary.checkpoint(A)
    for _ in range(16):
        desk.play(A)
        assert desk.notary.inclusion(A, 0, desk.store.head(A)).count(b"\n\n") == 2
    assert split(desk.notary.consistency(A, 3, 6))[2].startswith(note[:44])
    with pytest.raises(OtherSize, match="51 leaves now"):
        desk.notary.inclusion(A, 0, 3)
    with pytest.raises(NoProof, match="51 leaves, not 52"):
        desk.notary.inclusion(A, 0, 52)


def test_a_branch_has_a_tree_of_its_own_that_begins_as_its_parents(desk: Desk) -> None:
    desk.play(A, 9)
    desk.store.append(B, batch(5, 4, "b"), Beside(branch=BranchRow(B, A, 5)))
    desk.store.append(C, batch(7, 2, "c"), Beside(branch=BranchRow(C, B, 7)))
    for battle, size in ((A, 9), (B, 9), (C, 9)):
        assert desk.opened(desk.notary.checkpoint(battle), battle).size == size
    shared = Frontier().extended(desk.store.leaf_hashes(A, 5))
    for battle in (B, C):
        _, proof, note = split(desk.notary.consistency(battle, 5))
        head = desk.opened(note, battle)
        assert proves_consistency(proof, 5, shared.root, head.size, head.root)


def test_trees_that_were_used_least_are_let_go_and_made_again(file: Path) -> None:
    with closing(Desk(file, most=10)) as desk:
        for battle in (A, B, C, A, B, C):
            desk.play(battle, 8)
            desk.opened(desk.notary.inclusion(battle, 1).partition(b"\n\n")[2], battle)
        assert len(desk.notary._logs) < 3


# --- cosignatures ---


def seat(name: str, seed: int = 1) -> SecretKey:
    return SecretKey(f"{battle_origin(HOST, A)}/{name}", bytes([seed]) * 32, COSIGNATURE)


def test_seats_sign_the_head_and_only_what_holds_is_kept(desk: Desk) -> None:
    desk.play(A)
    red, blue, stranger = seat("side-red"), seat("side-blue", 2), seat("side-blue", 3)
    joined = {"side:red": red.public.public.hex(), "side:blue": blue.public.public.hex()}
    text = desk.notary.head(A).text
    own = desk.notary.checkpoint(A)

    def lines(*secrets: SecretKey, text: str = text) -> bytes:
        return "".join(secret.cosign(text, NOW).line for secret in secrets).encode()

    for bad in (lines(red, stranger), lines(red, text=text.replace("\n3\n", "\n4\n"))):
        with pytest.raises(BadCosignature):
            desk.notary.cosign(A, joined, bad)
    for nonsense in (b"", b"\n", b"nonsense\n", lines(red)[:-1], lines(red) + b"\n", b"\xff\n"):
        with pytest.raises(Malformed):
            desk.notary.cosign(A, joined, nonsense)
    assert desk.notary.checkpoint(A) == own
    desk.notary.cosign(A, joined, lines(blue), 3)
    both = desk.notary.cosign(A, joined, lines(red, blue))
    assert both == own + lines(blue, red)
    assert desk.notary.cosign(A, joined, red.cosign(text, NOW + 9).line.encode()) == both  # the first one stays
    keys = [seat_key(battle_origin(HOST, A), name, bytes.fromhex(key)) for name, key in joined.items()]
    found = opened_checkpoint(both, [*desk.keys, *keys]).note
    assert [(by.key.name.rpartition("/")[2], by.time) for by in found.signed[1:]] == [
        ("side-blue", NOW),
        ("side-red", NOW),
    ]
    desk.play(A)
    with pytest.raises(OtherSize, match="6 leaves now"):
        desk.notary.cosign(A, joined, lines(red), 3)
    with pytest.raises(BadCosignature, match="head of 6"):
        desk.notary.cosign(A, joined, lines(red))
    assert b"side-red" not in desk.notary.checkpoint(A)
