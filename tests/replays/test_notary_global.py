"""The log of battles: published once, proved, and served as tiles."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pymerkle  # type: ignore[import-untyped]
import pytest

from replays.audit.checkpoint import global_origin, opened_checkpoint
from replays.audit.merkle import leaf_hash, proves_inclusion
from replays.audit.verify.globally import LEAF, read_proof
from replays.signedlog import LogForked
from replays.tlog import Tile
from tests.replays.desks import HOST, A, B, Desk


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "battles.db"


@pytest.fixture
def desk(file: Path, database: str) -> Iterator[Desk]:
    with closing(Desk(file, database=database)) as opened:
        yield opened


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
