"""The notary on real files: what it signs, what it refuses to sign, and what anybody can check of it."""

import multiprocessing
import shutil
import sqlite3
import stat
from base64 import b64decode
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Final

import pymerkle
import pytest

from replays.audit.checkpoint import Checkpoint, battle_origin, global_origin, opened_checkpoint
from replays.audit.keys import UnsafeKeys
from replays.audit.merkle import Frontier, leaf_hash, proves_consistency, proves_inclusion
from replays.audit.secretkey import SecretKey
from replays.audit.verify.globally import LEAF, read_proof
from replays.audit.vkey import COSIGNATURE, PublicKey
from replays.keyring import Keyring
from replays.notary import BadCosignature, Malformed, Notary, seat_key
from replays.signedlog import CannotSign, LogForked, NoProof, OtherSize
from replays.store import Beside, BranchRow, Sealed, Store
from replays.tlog import Tile

A, B, C = ("a" * 32, "b" * 32, "c" * 32)
HOST: Final = "war.example"
NOW: Final = 1_764_450_000


def batch(head: int, count: int = 3, word: str = "") -> list[Sealed]:
    return [Sealed(head + n, "HitRolled", 1, f"{word} {head + n}".encode()) for n in range(1, count + 1)]


class Desk:
    """A store in a file, and a notary beside it."""

    def __init__(self, file: Path, most: int = 200_000) -> None:
        self.file = file
        self.store = Store.open(str(file))
        self.notary = Notary(self.store, Keyring.open(Path(f"{file}.keys"), HOST), lambda: NOW * 1000, most)

    @property
    def keys(self) -> list[PublicKey]:
        return [PublicKey.parse(vkey) for vkey in self.notary.keyring.vkeys]

    def play(self, battle: str, count: int = 3, word: str = "") -> None:
        self.store.append(battle, batch(self.store.head(battle), count, word))

    def opened(self, note: bytes, battle: str = A) -> Checkpoint:
        return opened_checkpoint(note, self.keys, battle_origin(HOST, battle)).checkpoint

    def close(self) -> None:
        self.store.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "battles.db"


@pytest.fixture
def desk(file: Path) -> Iterator[Desk]:
    with closing(Desk(file)) as opened:
        yield opened


def split(text: bytes) -> tuple[list[str], list[bytes], bytes]:
    """The words before the hashes, the hashes, and the note."""
    top, _, note = text.partition(b"\n\n")
    lines = top.decode().split("\n")
    words = [line for line in lines if " " in line or "@" in line]
    return words, [b64decode(line) for line in lines if line not in words], note


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


# --- what was signed before ---


def test_a_restart_goes_on_signing_with_the_same_key(file: Path) -> None:
    with closing(Desk(file)) as desk:
        desk.play(A)
        note, keys = desk.notary.checkpoint(A), desk.keys
    with closing(Desk(file)) as desk:
        assert desk.keys == keys
        assert desk.notary.checkpoint(A) == note
        desk.play(A)
        assert desk.opened(desk.notary.checkpoint(A)).size == 6


@pytest.mark.parametrize(("played_on", "code", "words"), [(0, "E-ROLLBACK", "has only 3"), (9, "E-FORK", "extends")])
def test_a_restored_backup_is_not_signed(file: Path, played_on: int, code: str, words: str) -> None:
    with closing(Desk(file)) as desk:
        desk.play(A)
    backup = file.read_bytes()
    with closing(Desk(file)) as desk:
        desk.play(A)
        signed = desk.opened(desk.notary.checkpoint(A))
    file.write_bytes(backup)
    with closing(Desk(file)) as desk:
        if played_on:
            desk.play(A, played_on, "another history")
        with pytest.raises(LogForked, match=words) as found:
            desk.notary.checkpoint(A)
        assert (found.value.code, found.value.signed) == (code, signed.text)
        with pytest.raises(LogForked):
            desk.notary.inclusion(A, 0)
        desk.play(B)
        assert desk.opened(desk.notary.checkpoint(B), B).size == 3  # the others are signed as before


def test_a_backup_that_is_put_back_under_a_running_service_is_met_too(file: Path) -> None:
    with closing(Desk(file)) as desk, closing(sqlite3.connect(":memory:")) as backup:
        desk.play(A)
        early = desk.notary.checkpoint(A)
        with closing(sqlite3.connect(file)) as db:
            db.backup(backup)
        desk.play(A)
        desk.notary.checkpoint(A)
        with closing(sqlite3.connect(file)) as db:
            backup.backup(db)
        assert desk.store.head(A) == 3
        with pytest.raises(LogForked):
            desk.notary.checkpoint(A)
        assert early.startswith(b"war.example")


def test_leaves_that_do_not_give_the_head_are_not_signed(desk: Desk) -> None:
    desk.play(A)
    with closing(sqlite3.connect(desk.file, isolation_level=None)) as db:
        db.execute("UPDATE leaves SET hash = zeroblob(32) WHERE seq = 2")
    with pytest.raises(CannotSign, match="damaged"):
        desk.notary.checkpoint(A)


def test_a_memory_that_cannot_be_read_signs_nothing(desk: Desk) -> None:
    desk.play(A)
    desk.notary.checkpoint(A)
    for path in Path(f"{desk.file}.keys", "signed").glob("*.checkpoint"):
        path.write_text("nonsense")
    desk.play(A)
    with pytest.raises(CannotSign, match="three lines"):
        desk.notary.checkpoint(A)


def test_threads_that_play_and_sign_never_meet_a_fork(desk: Desk) -> None:
    desk.play(A)
    faults: list[Exception] = []

    def ask(other: Notary) -> None:
        try:
            for _ in range(25):
                other.checkpoint(A)
        except Exception as fault:  # noqa: BLE001 - told below
            faults.append(fault)

    second = Notary(desk.store, Keyring.open(Path(f"{desk.file}.keys"), HOST), lambda: NOW * 1000)
    threads = [Thread(target=ask, args=(notary,)) for notary in (desk.notary, second) * 2]
    for thread in threads:
        thread.start()
    for _ in range(60):
        desk.play(A, 1)
    for thread in threads:
        thread.join()
    assert faults == []


def write_and_sign(file: str, battle: str) -> None:
    """What one of several processes does."""
    with closing(Desk(Path(file))) as desk:
        for _ in range(12):
            desk.play(battle, 2)
            desk.opened(desk.notary.checkpoint(A))
            desk.notary.publish(battle)


def test_processes_on_one_file_sign_one_history(file: Path) -> None:
    with closing(Desk(file)) as desk:
        desk.play(A)
        processes = [
            multiprocessing.get_context("spawn").Process(target=write_and_sign, args=(str(file), battle))
            for battle in (A, B)
        ]
        for process in processes:
            process.start()
        for process in processes:
            process.join(60)
        assert [process.exitcode for process in processes] == [0, 0]
        assert desk.opened(desk.notary.checkpoint(A)).size == 27
        head = opened_checkpoint(desk.notary.global_checkpoint(), desk.keys, global_origin(HOST)).checkpoint
        rows = desk.store.ledger.published(0, 100)
        assert [row.place for row in rows] == list(range(head.size))
        assert head.root == Frontier().extended(row.hash for row in rows).root


# --- keys ---


def test_keys_are_made_once_with_the_right_modes_and_apart(file: Path) -> None:
    with closing(Desk(file)) as desk:
        assert [key.name for key in desk.keys] == [HOST, f"{HOST}/global"]
    folder = Path(f"{file}.keys")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}
    assert modes == {
        f"{file.name}.keys": 0o700, "signed": 0o700, "log-1.key": 0o600, "global-1.key": 0o600,
        "log-1.vkey": 0o644, "global-1.vkey": 0o644,
    }  # fmt: skip


def test_keys_that_others_can_read_are_refused_in_words(file: Path) -> None:
    Desk(file).close()
    Path(f"{file}.keys").chmod(0o755)
    with pytest.raises(UnsafeKeys, match="others than the owner"):
        Desk(file)
    with pytest.raises(UnsafeKeys, match="no log has the origin"):
        Keyring.open(None, "not a host")


def test_without_a_folder_keys_last_as_long_as_the_process() -> None:
    one, other = Keyring.open(None, HOST), Keyring.open(None, HOST)
    assert not set(one.vkeys) & set(other.vkeys)
    with closing(Store.open(":memory:")) as store:
        notary = Notary(store, one, lambda: 0)
        for _ in range(3):
            store.append(A, batch(store.head(A)))
            assert notary.head(A).size == store.head(A)


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


# --- the log of battles ---


def heads(desk: Desk, count: int) -> list[bytes]:
    """Publish so many heads; what the leaves of the global log hold."""
    done = []
    for n in range(count):
        battle = f"{n % 7:032x}"
        desk.play(battle, 1)
        place, head = desk.notary.publish(battle)
        assert place == n
        done.append(LEAF + head.text.encode())
    return done


def test_a_head_is_published_once_and_proved(desk: Desk) -> None:
    data = heads(desk, 30)
    assert desk.notary.publish(f"{29 % 7:032x}")[0] == 29
    for n in range(23, 30):
        head = desk.notary.head(f"{n % 7:032x}")
        text = desk.notary.global_proof(head)
        assert text is not None
        proof, note = read_proof(text)
        above = opened_checkpoint(note, desk.keys, global_origin(HOST)).checkpoint
        assert proof.leaf == n
        assert proves_inclusion(proof.hashes, leaf_hash(data[n]), n, above.size, above.root)
    desk.play(A)
    assert desk.notary.global_proof(desk.notary.head(A)) is None


def test_tiles_are_those_of_the_tree_and_grow_only(desk: Desk) -> None:
    data = [b"wlog/v1/battle-checkpoint\n%d\n" % n for n in range(600)]
    oracle = pymerkle.InmemoryTree(algorithm="sha256")
    for n, leaf in enumerate(data):
        desk.store.ledger.publish(A, n, leaf)
        oracle.append_entry(leaf)
    head = opened_checkpoint(desk.notary.global_checkpoint(), desk.keys).checkpoint
    assert (head.size, head.root) == (600, oracle.get_root())

    def tile(path: str) -> bytes | None:
        return desk.notary.tile(Tile.parse(path))

    leaves = b"".join(leaf_hash(leaf) for leaf in data)
    assert [tile("0/000"), tile("0/001"), tile("0/002.p/88")] == [leaves[:8192], leaves[8192:16384], leaves[16384:]]
    assert tile("0/002.p/7") == leaves[16384 : 16384 + 7 * 32]
    # The level above holds the roots of full tiles, as the oracle has them for trees of just those leaves.
    first, second = pymerkle.InmemoryTree(algorithm="sha256"), pymerkle.InmemoryTree(algorithm="sha256")
    for n in range(256):
        first.append_entry(data[n])
        second.append_entry(data[256 + n])
    assert tile("1/000.p/2") == first.get_root() + second.get_root()
    for absent in ("0/002", "0/002.p/89", "0/003.p/1", "1/000", "1/000.p/3", "2/000.p/1", "63/000.p/1", "entries/002"):
        assert tile(absent) is None
    bundle = tile("entries/002.p/88")
    assert bundle == b"".join(len(leaf).to_bytes(2) + leaf for leaf in data[512:])


@pytest.mark.parametrize(
    "path", ["", "0", "0/0", "0/0000", "00/000", "64/000", "-1/000", "0/000.p/0", "0/000.p/256", "0/000.p/01",
             "0/x000/000", "0/x001/67", "0/001/067", "entries/", "entries/000.p/300", "0/000/", "0/\u0660\u0660\u0660"],
)  # fmt: skip
def test_a_tile_has_one_spelling(path: str) -> None:
    with pytest.raises(ValueError, match="a tile"):
        Tile.parse(path)


def test_large_numbers_of_tiles_are_written_in_groups() -> None:
    assert Tile.parse("0/x001/x234/067") == Tile(0, 1_234_067, 256)
    assert Tile.parse("entries/x001/000.p/5") == Tile(None, 1000, 5)


def test_a_global_log_that_was_put_back_is_not_signed(file: Path, tmp_path: Path) -> None:
    with closing(Desk(file)) as desk:
        heads(desk, 5)
    shutil.copy(file, tmp_path / "backup.db")
    with closing(Desk(file)) as desk:
        desk.play(A)
        desk.notary.publish(A)
        desk.notary.global_checkpoint()
    shutil.copy(tmp_path / "backup.db", file)
    with closing(Desk(file)) as desk, pytest.raises(LogForked, match="only 5"):
        desk.notary.global_checkpoint()


def test_a_head_that_is_not_signed_is_not_published_and_holds_up_no_other(file: Path, tmp_path: Path) -> None:
    def listed(desk: Desk, battle: str) -> None:
        with closing(sqlite3.connect(file, isolation_level=None)) as db:
            values = (battle, desk.store.head(battle))
            db.execute(
                "INSERT INTO summaries VALUES (NULL, ?, '', '', 'playing', 1, '', '', '', '', '', ?, 0, 0, '', 0, 0)",
                values,
            )

    with closing(Desk(file)) as desk:
        desk.play(A)
        listed(desk, A)
    shutil.copy(file, tmp_path / "backup.db")
    with closing(Desk(file)) as desk:
        desk.play(A)
        desk.notary.checkpoint(A)
    shutil.copy(tmp_path / "backup.db", file)
    with closing(Desk(file)) as desk:
        desk.play(B)
        listed(desk, B)
        refused: list[str] = []
        assert desk.store.ledger.owed() == [A, B]
        assert desk.notary.publish_owed(lambda battle, _: refused.append(battle)) == 1
        assert refused == [A]
        assert [row.battle for row in desk.store.ledger.published(0, 9)] == [B]
        assert desk.store.ledger.owed() == [A]
