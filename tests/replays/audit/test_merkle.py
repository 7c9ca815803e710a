"""Merkle trees against the vectors of RFC 6962, against a second opinion, and against forgeries."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replays.audit.merkle import (
    EMPTY,
    MOST_LEAVES,
    Frontier,
    leaf_hash,
    node_hash,
    proves_consistency,
    proves_inclusion,
    root,
)
from replays.audit.merkle_tree import Tree
from tests.replays.audit import trees

# The test vectors of Certificate Transparency (merkle_tree_test.cc of google/certificate-transparency).
ENTRIES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
L1 = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7"
N23 = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e"
N4567 = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
L4 = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"
N67 = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0"
N45 = "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a"
INCLUSIONS = [(0, 1, []), (0, 8, [L1, N23, N4567]), (5, 8, [L4, N67, ROOTS[4]]), (2, 3, [ROOTS[2]])]
CONSISTENCIES = [(1, 1, []), (1, 8, [L1, N23, N4567]), (6, 8, [N45, N67, ROOTS[4]]), (2, 5, [N23, L4])]

SMALL = 9
MANY = trees.leaves(40)
PAIRS = [(index, size) for size in range(1, SMALL + 1) for index in range(size)]
GROWTHS = [(old, new) for new in range(SMALL + 1) for old in range(new + 1)]


def hexed(proof: tuple[bytes, ...]) -> list[str]:
    return [part.hex() for part in proof]


def vectors(count: int) -> list[bytes]:
    return [leaf_hash(bytes.fromhex(entry)) for entry in ENTRIES[:count]]


def flips(proof: tuple[bytes, ...]) -> Iterator[tuple[bytes, ...]]:
    """The proof with each of its bits turned over."""
    for part, at in ((part, at) for part in range(len(proof)) for at in range(256)):
        changed = (int.from_bytes(proof[part]) ^ 1 << at).to_bytes(32)
        yield (*proof[:part], changed, *proof[part + 1 :])


def other_shapes(proof: tuple[bytes, ...]) -> Iterator[tuple[bytes, ...]]:
    """The proof with a part left out, doubled, added, or two changed over."""
    for at in range(len(proof)):
        yield proof[:at] + proof[at + 1 :]
        yield proof[: at + 1] + proof[at:]
    for at in range(len(proof) + 1):
        yield (*proof[:at], bytes(32), *proof[at:])
        yield (*proof[:at], EMPTY, *proof[at:])
    for at in range(len(proof) - 1):
        yield (*proof[:at], proof[at + 1], proof[at], *proof[at + 2 :])


@pytest.mark.parametrize("size", range(len(ROOTS)))
def test_roots_are_those_of_certificate_transparency(size: int) -> None:
    assert root(vectors(size)).hex() == Tree(vectors(size)).root().hex() == ROOTS[size]


@pytest.mark.parametrize(("index", "size", "proof"), INCLUSIONS)
def test_inclusion_proofs_are_those_of_certificate_transparency(index: int, size: int, proof: list[str]) -> None:
    assert hexed(Tree(vectors(8)).inclusion(index, size)) == proof


@pytest.mark.parametrize(("old", "new", "proof"), CONSISTENCIES)
def test_consistency_proofs_are_those_of_certificate_transparency(old: int, new: int, proof: list[str]) -> None:
    assert hexed(Tree(vectors(8)).consistency(old, new)) == proof


def test_a_leaf_never_passes_for_a_node() -> None:
    left, right = trees.leaves(2)
    assert leaf_hash(left + right) != node_hash(left, right)
    assert leaf_hash(b"") != EMPTY


def test_a_doubled_last_leaf_makes_another_root() -> None:
    assert root(MANY[:3]) != root([*MANY[:3], MANY[2]])


def test_a_tree_knows_every_size_that_it_has_had() -> None:
    tree = Tree(MANY)
    assert [tree.root(size) for size in range(41)] == [trees.root(MANY[:size]) for size in range(41)]
    assert tree.root() == trees.root(MANY)
    assert tree.size == 40


def test_nodes_of_a_tree_stay_at_their_place() -> None:
    tree = Tree(MANY)
    assert tree.node(0, 0) == MANY[0]
    assert tree.node(0, 39) == MANY[39]
    assert tree.node(3, 4) == trees.root(MANY[32:40])
    for height, index in [(0, 40), (3, 5), (4, 2), (6, 0), (-1, 0), (0, -1)]:
        with pytest.raises(IndexError):
            tree.node(height, index)


@pytest.mark.parametrize("size", [*range(SMALL + 1), 31, 32, 33, 40])
def test_all_proofs_of_a_tree_hold_for_both_checkers(size: int) -> None:
    tree = Tree(MANY)
    top = tree.root(size)
    for index in range(size):
        proof = tree.inclusion(index, size)
        assert proves_inclusion(proof, MANY[index], index, size, top)
        assert trees.included(proof, MANY[index], index, size, top)
    for old in range(size + 1):
        proof = tree.consistency(old, size)
        assert proves_consistency(proof, old, tree.root(old), size, top)
        assert trees.consistent(proof, old, tree.root(old), size, top)


def test_proofs_of_the_whole_tree_need_no_size() -> None:
    tree = Tree(MANY)
    assert tree.inclusion(7) == tree.inclusion(7, 40)
    assert tree.consistency(7) == tree.consistency(7, 40)


def test_every_bit_of_an_inclusion_proof_counts() -> None:
    tree, tried = Tree(MANY), 0
    for index, size in PAIRS:
        for proof in flips(tree.inclusion(index, size)):
            assert not proves_inclusion(proof, MANY[index], index, size, tree.root(size))
            tried += 1
    assert tried > 20_000


def test_every_bit_of_a_consistency_proof_counts() -> None:
    tree, tried = Tree(MANY), 0
    for old, new in GROWTHS:
        for proof in flips(tree.consistency(old, new)):
            assert not proves_consistency(proof, old, tree.root(old), new, tree.root(new))
            tried += 1
    assert tried > 20_000


def test_no_other_leaf_root_or_shape_passes_an_inclusion_proof() -> None:
    tree = Tree(MANY)
    for index, size in PAIRS:
        proof = tree.inclusion(index, size)
        for shape in other_shapes(proof):
            assert not proves_inclusion(shape, MANY[index], index, size, tree.root(size))
        assert not proves_inclusion(proof, MANY[index], index, size, tree.root(size + 1))
        assert not proves_inclusion(proof, MANY[index + 1], index, size, tree.root(size))


def test_no_other_root_or_shape_passes_a_consistency_proof() -> None:
    tree = Tree(MANY)
    for old, new in GROWTHS:
        proof = tree.consistency(old, new)
        for shape in other_shapes(proof):
            assert not proves_consistency(shape, old, tree.root(old), new, tree.root(new))
        assert not proves_consistency(proof, old, tree.root(old + 1), new, tree.root(new))
        if old:
            assert not proves_consistency(proof, old, tree.root(old), new, tree.root(new + 1))


def test_the_two_checkers_agree_when_only_index_and_size_of_an_inclusion_change() -> None:
    tree = Tree(MANY)
    passed = 0
    for index, size in PAIRS:
        proof, top = tree.inclusion(index, size), tree.root(size)
        for other, others in ((other, others) for others in range(-1, 20) for other in range(-2, 20)):
            found = proves_inclusion(proof, MANY[index], other, others, top)
            assert found == trees.included(proof, MANY[index], other, others, top)
            passed += found and (other, others) != (index, size)
    assert passed > 0, "a root does not commit to the size: this is why the size has to be signed"


def test_the_two_checkers_agree_when_only_sizes_of_a_consistency_change() -> None:
    tree = Tree(MANY)
    for old, new in GROWTHS:
        proof, roots = tree.consistency(old, new), (tree.root(old), tree.root(new))
        for less, more in ((less, more) for more in range(-1, 20) for less in range(-2, 22)):
            found = proves_consistency(proof, less, roots[0], more, roots[1])
            assert found == trees.consistent(proof, less, roots[0], more, roots[1])


def test_a_deeper_leaf_does_not_pass_for_one_of_a_smaller_tree() -> None:
    proof = Tree(MANY).inclusion(3, 4)
    assert proves_inclusion(proof, MANY[3], 3, 4, root(MANY[:4]))
    assert not proves_inclusion(proof, MANY[3], 1, 2, root(MANY[:4]))


def test_a_longer_growth_does_not_pass_for_a_shorter_one() -> None:
    proof = Tree(MANY).consistency(3, 8)
    assert not proves_consistency(proof, 3, root(MANY[:3]), 4, root(MANY[:8]))


def test_bytes_that_move_from_one_part_to_the_next_prove_nothing() -> None:
    left, right = MANY[:2]
    top = root(MANY[:2])
    assert not proves_inclusion((left + right[:1],), right[1:], 1, 2, top)
    assert node_hash(left[:-1], left[-1:] + right) == top
    assert not proves_consistency((left[-1:] + right,), 1, left[:-1], 2, top)


@pytest.mark.parametrize(
    ("old_root", "new", "new_root"), [(bytes(32), 0, EMPTY), (EMPTY, 0, bytes(32)), (b"", 4, EMPTY)]
)
def test_only_the_empty_tree_is_the_beginning_of_everything(old_root: bytes, new: int, new_root: bytes) -> None:
    assert proves_consistency((), 0, EMPTY, 4, root(MANY[:4]))
    assert proves_consistency((), 0, EMPTY, 0, EMPTY)
    assert not proves_consistency((), 0, old_root, new, new_root)
    assert not proves_consistency((EMPTY,), 0, EMPTY, 4, root(MANY[:4]))


@pytest.mark.parametrize(("index", "size"), [(-1, 4), (4, 4), (0, 41), (0, 0), (0, -1)])
def test_no_proof_is_made_for_a_leaf_that_is_not_there(index: int, size: int) -> None:
    with pytest.raises(ValueError, match="leaves"):
        Tree(MANY).inclusion(index, size)


@pytest.mark.parametrize(("old", "new"), [(-1, 4), (5, 4), (4, 41), (-2, -1)])
def test_no_proof_is_made_for_a_growth_that_never_was(old: int, new: int) -> None:
    with pytest.raises(ValueError, match="leaves"):
        Tree(MANY).consistency(old, new)


@pytest.mark.parametrize("size", [-1, 41])
def test_a_tree_has_no_root_of_a_size_that_it_never_had(size: int) -> None:
    with pytest.raises(ValueError, match="0 to 40 leaves"):
        Tree(MANY).root(size)


@pytest.mark.parametrize("leaf", [b"", bytes(31), bytes(33)])
def test_only_hashes_are_leaves(leaf: bytes) -> None:
    with pytest.raises(ValueError, match="a hash has 32 bytes"):
        Tree().append(leaf)
    with pytest.raises(ValueError, match="a hash has 32 bytes"):
        Frontier().appended(leaf)


def test_a_frontier_grows_as_the_tree_does_and_holds_one_peak_a_bit() -> None:
    frontier = Frontier()
    for size, leaf in enumerate(MANY):
        assert frontier.size == size
        assert frontier.root == trees.root(MANY[:size])
        assert len(frontier.peaks) == size.bit_count()
        frontier = frontier.appended(leaf)


@given(st.integers(0, 40), st.integers(0, 40))
def test_a_stored_frontier_goes_on_where_it_was(first: int, second: int) -> None:
    first, second = sorted((first, second))
    stored = Frontier().extended(MANY[:first]).to_bytes()
    assert len(stored) == 8 + 32 * first.bit_count()
    assert Frontier.from_bytes(stored).extended(MANY[first:second]) == Frontier().extended(MANY[:second])


def test_appending_leaves_the_old_frontier_as_it_was() -> None:
    before = Frontier().extended(MANY[:5])
    stored = before.to_bytes()
    before.appended(MANY[5])
    assert before.to_bytes() == stored


FIVE = Frontier().extended(MANY[:5]).to_bytes()


@pytest.mark.parametrize(
    "data",
    [b"", bytes(7), FIVE[:-1], FIVE + b"\0", FIVE[:-32], FIVE + bytes(32), b"\x80" + bytes(7) + bytes(32), FIVE[8:]],
)
def test_other_bytes_are_no_frontier(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"tree|frontier"):
        Frontier.from_bytes(data)


@pytest.mark.parametrize(
    ("size", "peaks"), [(-1, (EMPTY,)), (1, ()), (1, (b"",)), (MOST_LEAVES + 1, (EMPTY,)), (0, (EMPTY,))]
)
def test_a_frontier_has_the_peaks_of_its_size(size: int, peaks: tuple[bytes, ...]) -> None:
    with pytest.raises(ValueError, match="tree"):
        Frontier(size, peaks)


def test_a_tree_has_at_most_two_to_the_sixty_third_leaves_less_one() -> None:
    full = Frontier(9_223_372_036_854_775_807, (EMPTY,) * 63)
    assert Frontier.from_bytes(full.to_bytes()) == full
    with pytest.raises(ValueError, match="tree"):
        full.appended(EMPTY)


def test_growths_in_a_row_prove_the_whole_growth() -> None:
    tree = Tree(MANY)
    sizes = [1, 3, 4, 11, 32, 40]
    for old, new in pairwise(sizes):
        assert proves_consistency(tree.consistency(old, new), old, tree.root(old), new, tree.root(new))
