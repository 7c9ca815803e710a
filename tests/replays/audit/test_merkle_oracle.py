"""Merkle trees against pymerkle, which follows RFC 6962 in roots and inclusion proofs (not in consistency proofs)."""

import pymerkle  # type: ignore[import-untyped]
import pytest

from replays.audit.merkle import leaf_hash, proves_inclusion, root
from replays.audit.merkle_tree import Tree
from tests.replays.audit import trees

MOST = 70


@pytest.fixture(scope="module")
def oracle() -> pymerkle.InmemoryTree:
    tree = pymerkle.InmemoryTree(algorithm="sha256")
    for entry in trees.data(MOST):
        tree.append_entry(entry)
    return tree


def test_leaves_and_roots_are_those_of_pymerkle(oracle: pymerkle.InmemoryTree) -> None:
    leaves = [leaf_hash(entry) for entry in trees.data(MOST)]
    assert leaves == [oracle.get_leaf(number) for number in range(1, MOST + 1)]
    for size in range(1, MOST + 1):
        assert root(leaves[:size]) == oracle.get_root(size)


@pytest.mark.parametrize("size", [*range(1, 18), 31, 32, 33, 64, 70])
def test_inclusion_proofs_are_those_of_pymerkle(oracle: pymerkle.InmemoryTree, size: int) -> None:
    tree = Tree(trees.leaves(MOST))
    for index, leaf in enumerate(trees.leaves(size)):
        proof = oracle.prove_inclusion(index + 1, size)
        siblings = tuple(part for part in proof.path if part != leaf)
        assert tree.inclusion(index, size) == siblings
        assert proves_inclusion(siblings, leaf, index, size, oracle.get_root(size))
        pymerkle.verify_inclusion(leaf, tree.root(size), proof)
