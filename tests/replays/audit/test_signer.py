"""The signer: it signs no tree that does not extend its last one, whoever asks, and remembers before it hands out."""

import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replays.audit.checkpoint import Checkpoint, battle_origin, global_origin, opened_checkpoint
from replays.audit.keylist import first_list
from replays.audit.merkle import EMPTY, leaf_hash, root
from replays.audit.merkle_tree import Tree
from replays.audit.remembered import MemoryDamaged, RememberedFiles
from replays.audit.secretkey import SecretKey
from replays.audit.signer import Contradiction, Fork, NoActiveKey, Rollback, Signer
from tests.replays.audit import trees
from tests.replays.audit.notes import BATTLE, HOST, LOG, SEAT, secret

ORIGIN = battle_origin(HOST, BATTLE)
OTHER = battle_origin(HOST, "0" * 32)
NOW = 1_764_460_000
NEXT = secret(number=12)
GLOBAL = secret(f"{HOST}/global", 13)
LEAVES = trees.leaves(30)
TREE = Tree(LEAVES)
ELSE = [*LEAVES[:7], leaf_hash(b"another seventh"), *LEAVES[8:]]


class Memory:
    """A memory without files, which may be full."""

    def __init__(self) -> None:
        self.last: dict[str, tuple[int, bytes]] = {}
        self.held: list[str] = []
        self.full = False

    @contextmanager
    def hold(self, origin: str) -> Iterator[None]:
        self.held.append(origin)
        try:
            yield
        finally:
            self.held.pop()

    def get(self, origin: str) -> tuple[int, bytes] | None:
        return self.last.get(origin)

    def put(self, origin: str, size: int, root: bytes) -> None:
        assert self.held == [origin]
        if self.full:
            raise OSError("no space left")
        self.last[origin] = size, root


def head(size: int, tree: Tree = TREE, origin: str = ORIGIN) -> Checkpoint:
    return Checkpoint(origin, size, tree.root(size))


def signer(folder: Path) -> Signer:
    return Signer([LOG], RememberedFiles(folder))


def grown(folder: Path, *sizes: int) -> Signer:
    """A signer that has signed these sizes, one after the other."""
    signs, last = signer(folder), 0
    for size in sizes:
        signs.sign(head(size), TREE.consistency(last, size), NOW)
        last = size
    return signs


def contradiction(signs: Signer, asked: Checkpoint, proof: tuple[bytes, ...]) -> Contradiction:
    before = signs.last(asked.origin)
    with pytest.raises(Contradiction) as caught:
        signs.sign(asked, proof, NOW)
    assert signs.last(asked.origin) == before, "what was refused is not remembered"
    assert caught.value.asked == asked
    assert before == (caught.value.signed.size, caught.value.signed.root)
    assert caught.value.signed.text in str(caught.value)
    assert asked.text in str(caught.value)
    return caught.value


def test_a_signed_checkpoint_can_be_opened(tmp_path: Path) -> None:
    note = signer(tmp_path).sign(head(5), (), NOW)
    opened = opened_checkpoint(note, [LOG.public], ORIGIN)
    assert opened.checkpoint == head(5)
    assert opened.note.unknown == ()


@pytest.mark.parametrize("sizes", [(1, 2, 3, 30), (0, 5), (5, 5, 8), tuple(range(31))])
def test_a_log_that_grows_is_signed(tmp_path: Path, sizes: tuple[int, ...]) -> None:
    assert grown(tmp_path, *sizes).last(ORIGIN) == (sizes[-1], TREE.root(sizes[-1]))
    assert signer(tmp_path).last(ORIGIN) == (sizes[-1], TREE.root(sizes[-1])), "and the next process knows"


def test_the_same_head_is_signed_again_and_again(tmp_path: Path) -> None:
    signs = grown(tmp_path, 8)
    assert signs.sign(head(8), (), NOW) == signs.sign(head(8), (), NOW) == signs.sign_leaves(ORIGIN, LEAVES[:8], NOW)


def test_a_restored_backup_is_a_rollback(tmp_path: Path) -> None:
    refused = contradiction(grown(tmp_path, 5, 20), head(12), ())
    assert isinstance(refused, Rollback)
    assert refused.code == "E-ROLLBACK"
    assert "size 20 was signed before, this log has only 12" in refused.text


def test_a_restored_backup_that_was_written_to_is_a_fork(tmp_path: Path) -> None:
    forked = Tree(ELSE)
    signs = grown(tmp_path, 5, 20)
    for asked, proof in [
        (head(20, forked), ()),
        (head(25, forked), forked.consistency(20, 25)),
        (head(25, forked), TREE.consistency(20, 25)),
        (head(25), forked.consistency(20, 25)),
        (head(25), ()),
        (head(20), TREE.consistency(5, 20)),
    ]:
        refused = contradiction(signs, asked, proof)
        assert isinstance(refused, Fork)
        assert refused.code == "E-FORK"
        assert "the 20 leaves signed before" in refused.text


def test_after_a_refusal_the_true_log_goes_on(tmp_path: Path) -> None:
    signs = grown(tmp_path, 20)
    contradiction(signs, head(12), ())
    assert opened_checkpoint(signs.sign(head(25), TREE.consistency(20, 25), NOW), [LOG.public]).checkpoint == head(25)


def test_all_leaves_are_as_good_as_a_proof(tmp_path: Path) -> None:
    signs = signer(tmp_path)
    for size in (0, 1, 8, 20):
        note = signs.sign_leaves(ORIGIN, LEAVES[:size], NOW)
        assert opened_checkpoint(note, [LOG.public]).checkpoint == head(size)
    with pytest.raises(Rollback, match="E-ROLLBACK"):
        signs.sign_leaves(ORIGIN, LEAVES[:19], NOW)
    for size in (20, 25):
        with pytest.raises(Fork, match="E-FORK"):
            signs.sign_leaves(ORIGIN, ELSE[:size], NOW)
    assert signs.last(ORIGIN) == (20, root(LEAVES[:20]))


@given(st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=12))
def test_all_that_was_ever_signed_is_one_history(asked: list[tuple[int, bool]]) -> None:
    signs = Signer([LOG], Memory())
    trees_of = {False: LEAVES, True: ELSE}
    signed: list[list[bytes]] = []
    for size, other in asked:
        wanted = trees_of[other][:size]
        extends = not signed or signed[-1] == wanted[: len(signed[-1])]
        try:
            signs.sign_leaves(ORIGIN, wanted, NOW)
        except Contradiction:
            assert not extends
        else:
            assert extends
            signed.append(wanted)


def test_each_log_has_its_own_memory(tmp_path: Path) -> None:
    signs = grown(tmp_path, 20)
    signs.sign(head(3, origin=OTHER), (), NOW)
    assert signs.last(ORIGIN) == (20, TREE.root(20))
    assert signs.last(OTHER) == (3, TREE.root(3))
    assert signs.last(global_origin(HOST)) is None


def test_nothing_is_handed_out_that_could_not_be_remembered() -> None:
    memory = Memory()
    signs = Signer([LOG], memory)
    signs.sign(head(5), (), NOW)
    memory.full = True
    with pytest.raises(OSError, match="no space"):
        signs.sign(head(8), TREE.consistency(5, 8), NOW)
    assert memory.last[ORIGIN] == (5, TREE.root(5))


def test_all_active_keys_sign_and_no_others() -> None:
    listed = first_list((LOG.public, GLOBAL.public), NOW, 100).rotated(NEXT.public, NOW + 50, 100, 20)
    signs = Signer([LOG, NEXT, GLOBAL], Memory(), listed)
    seen = []
    for now in (NOW, NOW + 50, NOW + 69, NOW + 70, NOW + 149):
        note = opened_checkpoint(signs.sign(head(5), (), now), [LOG.public, NEXT.public, GLOBAL.public])
        assert note.note.unknown == ()
        seen.append([signed.key for signed in note.note.signed])
    one, both, other = [LOG.public], [LOG.public, NEXT.public], [NEXT.public]
    assert seen == [one, both, both, other, other]
    for now in (NOW - 1, NOW + 150):
        with pytest.raises(NoActiveKey, match=f"no key named {HOST} is active at {now}"):
            signs.sign(head(5), (), now)


def test_without_a_list_all_keys_of_the_name_sign() -> None:
    signs = Signer([LOG, NEXT, GLOBAL], Memory())
    note = opened_checkpoint(signs.sign(head(5), (), NOW), [LOG.public, NEXT.public])
    assert [signed.key for signed in note.note.signed] == [LOG.public, NEXT.public]


def test_either_key_opens_a_note_of_the_overlap() -> None:
    note = Signer([LOG, NEXT], Memory()).sign(head(5), (), NOW)
    for key in (LOG, NEXT):
        assert opened_checkpoint(note, [key.public]).checkpoint == head(5)


def test_each_kind_of_log_is_signed_by_its_own_key() -> None:
    signs = Signer([LOG, GLOBAL], Memory())
    for origin, key in ((ORIGIN, LOG), (global_origin(HOST), GLOBAL)):
        note = opened_checkpoint(signs.sign(head(5, origin=origin), (), NOW), [LOG.public, GLOBAL.public])
        assert [signed.key for signed in note.note.signed] == [key.public]
    with pytest.raises(NoActiveKey):
        signs.sign(head(5, origin=battle_origin("other.example", BATTLE)), (), NOW)


def test_a_key_that_is_not_listed_does_not_sign() -> None:
    memory = Memory()
    signs = Signer([NEXT], memory, first_list((LOG.public,), NOW))
    with pytest.raises(NoActiveKey):
        signs.sign(head(5), (), NOW)
    assert memory.last == {}


def test_only_keys_of_logs_sign_checkpoints() -> None:
    with pytest.raises(ValueError, match="is no key of a log"):
        Signer([LOG, SEAT], Memory())


def test_threads_that_ask_for_different_histories_get_one(tmp_path: Path) -> None:
    signs, history = grown(tmp_path, 7), LEAVES[:7]
    for number in range(5):
        together = Barrier(8)

        def ask(wish: list[bytes], together: Barrier = together) -> list[bytes] | None:
            together.wait()
            try:
                signs.sign_leaves(ORIGIN, wish, NOW)
            except Fork:
                return None
            return wish

        wishes = [[*history, leaf_hash(b"%d %d" % (number, wish))] for wish in range(8)]
        with ThreadPoolExecutor(8) as pool:
            won = [wish for wish in pool.map(ask, wishes) if wish]
        assert len(won) == 1
        history = won[0]


CHILD = """
import sys
from pathlib import Path
from replays.audit.remembered import RememberedFiles
from replays.audit.signer import Fork, Signer
from tests.replays.audit import trees
from tests.replays.audit.notes import LOG

signs = Signer([LOG], RememberedFiles(Path(sys.argv[1])))
print("ready", flush=True)
for size in range(int(sys.argv[2]), 10_000):
    try:
        signs.sign_leaves(sys.argv[4], trees.told(size, sys.argv[3]), 0)
    except Fork:
        print("fork", flush=True)
        break
    print(size, flush=True)
"""


def child(folder: Path, size: int, last: str) -> subprocess.Popen[str]:
    program = [sys.executable, "-c", CHILD, str(folder), str(size), last, ORIGIN]
    started = subprocess.Popen(program, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3])
    assert started.stdout is not None
    assert started.stdout.readline() == "ready\n"
    return started


@pytest.mark.skipif(sys.platform == "win32", reason="processes share a memory on POSIX only")
def test_a_process_waits_for_another_and_sees_what_it_signed(tmp_path: Path) -> None:
    memory = RememberedFiles(tmp_path)
    Signer([LOG], memory).sign_leaves(ORIGIN, trees.told(7, ""), NOW)
    with memory.hold(ORIGIN):
        asks = child(tmp_path, 8, "theirs")
        time.sleep(0.3)
        memory.put(ORIGIN, 8, root(trees.told(8, "ours")))
    printed, _ = asks.communicate(timeout=20)
    assert printed == "fork\n"


def test_a_signer_that_is_killed_remembers_all_that_it_handed_out(tmp_path: Path) -> None:
    size = 1
    for pause in (0.05, 0.1, 0.15):
        asks = child(tmp_path, size, "")
        assert asks.stdout is not None
        first = asks.stdout.readline()
        time.sleep(pause)
        asks.kill()
        printed, _ = asks.communicate(timeout=20)
        handed_out = [int(line) for line in (first + printed).split("\n")[:-1]]
        last = signer(tmp_path).last(ORIGIN)
        assert last is not None
        assert last[0] in (handed_out[-1], handed_out[-1] + 1)
        assert last[1] == root(trees.told(last[0], ""))
        size = last[0]


@pytest.mark.parametrize(
    "content", [b"", b"\xff", head(8).text.encode()[:-1], head(8).text.replace("\n8\n", "\n08\n").encode()]
)
def test_a_memory_that_cannot_be_read_is_no_reason_to_sign(tmp_path: Path, content: bytes) -> None:
    signs = grown(tmp_path, 8)
    (file,) = tmp_path.glob("*.checkpoint")
    file.write_bytes(content)
    with pytest.raises(MemoryDamaged, match=file.name):
        signs.sign(head(8), (), NOW)
    assert file.read_bytes() == content


def test_the_memory_of_another_log_is_not_taken_for_this_one(tmp_path: Path) -> None:
    signs = grown(tmp_path, 8)
    (file,) = tmp_path.glob("*.checkpoint")
    file.write_text(head(3, origin=OTHER).text, "ascii")
    with pytest.raises(MemoryDamaged, match=f"is of {OTHER}, wanted {ORIGIN}"):
        signs.sign(head(8), (), NOW)


def test_the_memory_is_the_text_of_the_last_checkpoint(tmp_path: Path) -> None:
    grown(tmp_path / "own" / "folder", 5, 8)
    (file,) = (tmp_path / "own" / "folder").glob("*.checkpoint")
    assert file.read_text("ascii") == head(8).text


def test_a_memory_keeps_no_log_that_is_none(tmp_path: Path) -> None:
    memory = RememberedFiles(tmp_path)
    for origin, size, top in (("nowhere", 5, EMPTY), (ORIGIN, -1, EMPTY), (ORIGIN, 5, b"")):
        with pytest.raises(ValueError, match=r"."):
            memory.put(origin, size, top)
    assert list(tmp_path.iterdir()) == []


def test_a_signer_shows_no_secret() -> None:
    key = SecretKey.fresh(HOST)
    signs = Signer([key], Memory())
    signs.sign(head(5), (), NOW)
    with pytest.raises(Rollback) as caught:
        signs.sign(head(3), (), NOW)
    assert key.encoded().partition(key.public.label + "+")[2] not in f"{signs!r}{vars(signs)}{caught.value!r}"
