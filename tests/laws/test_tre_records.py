"""Drawn cuts of many columns at once are those of one column after the other, and instructions do what they say."""

import os
import subprocess
import sys

import numpy as np
import pytest

from criterion_cases import RootGini
from gnomon import _vectors as vectors
from gnomon._jit import jit
from gnomon.search import Entropy, Gini, Misclassification, SquaredError, code_columns, grow_tree
from gnomon.search._grow import LARGE_FROM, Grower
from gnomon.search._record_splitter import Records, may_use_records

# Every case compiles kernels of its own; what they do is seen daily through the estimators.
pytestmark = pytest.mark.slow

FIELDS = ("nodes", "answers", "impurity", "weight", "n_rows", "missing", "ends")


def table(n=LARGE_FROM, p=7, classes=2, seed=0):
    """Rows with columns of few values, of skewed ones and of one value alone, and noisy classes."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, 1], X[:, 2], X[:, 3] = np.round(X[:, 1]), np.exp(3.0 * X[:, 2]), 1.0
    scores = X[:, :1] * np.arange(classes) + X[:, 4:5] * np.sin(np.arange(classes)) + rng.gumbel(size=(n, classes))
    return X, np.argmax(scores, axis=1).astype(np.int32)


OPTIONS = {
    "all": {},
    "few columns": {"max_features": 2},
    "leaves of five": {"min_samples_leaf": 5, "max_features": 3},
    "weighty leaves": {"min_weight_leaf": 12.0},
    "shallow": {"max_depth": 4},
    "best first": {"max_leaf_nodes": 25, "max_features": 3},
    "gains": {"min_gain": 3.0},
    "impure leaves": {"min_impurity": 0.2},
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("criterion", [Gini, Entropy, Misclassification, RootGini])
@pytest.mark.parametrize(("p", "classes"), [(7, 2), (7, 4), (45, 2)])
def test_trees_are_those_of_columns_one_by_one(p, classes, criterion, options):
    X, y = table(p=p, classes=classes)
    columns = code_columns(X, bins=255)
    taken = criterion(classes)
    assert may_use_records(columns, taken, "random", False)
    for seed in range(2):
        by_record = grow_tree(columns, y, taken, splitter="random", seed=seed, **options)
        by_column = grow_tree(columns, y, taken, rows=np.arange(len(y)), splitter="random", seed=seed, **options)
        for name in FIELDS:
            assert np.array_equal(getattr(by_record, name), getattr(by_column, name)), name


def test_one_grower_serves_many_trees_whatever_their_weights():
    X, y = table()
    columns, ones = code_columns(X, bins=255), np.ones(len(y))
    grower = Grower(columns, y, Gini(2), ones.copy(), most_rows=len(y), splitter="random", records=Records(columns, y))
    for seed, w in enumerate([ones, np.r_[2.0, ones[1:]], ones]):
        grower.w[:] = w
        tree, parts = grower.grow(np.arange(len(y)), seed)
        alone = grow_tree(columns, y, Gini(2), sample_weight=w, splitter="random", seed=seed)
        assert np.array_equal(tree.nodes, alone.nodes)
        # Rows are where they were if records were moved instead.
        assert (parts is None) == (w is ones)


@pytest.mark.parametrize(
    "change",
    [
        {"splitter": "best"},
        {"criterion": SquaredError()},
        {"criterion": Gini(257)},
        {"constrained": True},
        {"X": np.r_[np.nan, np.zeros(LARGE_FROM - 1)]},
        {"X": np.r_[-1e308, np.full(LARGE_FROM - 1, 1e308)]},
        {"bins": None},
        {"category": np.arange(7) == 3},
        {"width": 256},
    ],
    ids=["searched", "targets", "classes", "constraint", "gap", "range", "exact", "category", "columns"],
)
def test_other_tables_are_left_to_columns(change):
    X, _ = table()
    if "X" in change:
        X[:, 0] = change["X"]
    if "category" in change:
        X[:, 3] = np.arange(len(X)) % 5
    X = X[:, np.arange(change.get("width", X.shape[1])) % X.shape[1]]
    columns = code_columns(X, bins=change.get("bins", 255), category=change.get("category"))
    chosen = {"criterion": Gini(2), "splitter": "random", "constrained": False, **change}
    assert not may_use_records(columns, *(chosen[name] for name in ("criterion", "splitter", "constrained")))


INSTRUCTIONS = {
    "update_extremes": jit(lambda *given: vectors.update_extremes(*given)),
    "count_at_most": jit(lambda *given: vectors.count_at_most(*given)),
}


@pytest.mark.parametrize("rows", [1, 2, 7, 64, 255])
@pytest.mark.parametrize("stride", [32, 96])
@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_instructions_on_blocks_do_what_plain_python_does(name, stride, rows):
    rng = np.random.default_rng(rows)
    records, at = rng.integers(0, 256, (rows + 2) * stride, dtype=np.uint8), stride + stride - 32
    first, second = rng.integers(0, 256, (2, 40), dtype=np.uint8)
    one, two, behind = first.copy(), second.copy(), [first[32:].copy(), second[32:].copy()]
    getattr(vectors, name)(records, at, stride, rows, one, two)
    INSTRUCTIONS[name](records, np.uint64(at), np.uint64(stride), np.uint64(rows), first, second)
    assert np.array_equal(first, one)
    assert np.array_equal(second, two)
    assert np.array_equal([first[32:], second[32:]], behind)


SETS = {
    "transpose_block": jit(lambda *given: vectors.transpose_block(*given)),
    "mask_at_most": jit(lambda *given: vectors.mask_at_most(*given)),
    "extremes_within": jit(lambda *given: vectors.extremes_within(*given)),
    "popcount": jit(lambda *given: vectors.popcount(*given)),
}


@pytest.mark.parametrize("stride", [32, 96])
def test_blocks_are_turned_as_plain_python_does(stride):
    records = np.random.default_rng(stride).integers(0, 256, 40 * stride, dtype=np.uint8)
    one, two = np.zeros((2, 40 * vectors.WORD_BITS), dtype=np.uint8)
    given = np.uint64(stride - 32), np.uint64(stride)
    vectors.transpose_block(records, *given, one, np.uint64(3))
    SETS["transpose_block"](records, *given, two, np.uint64(3))
    assert np.array_equal(one, two)
    assert one[3 + 5 * vectors.WORD_BITS + 7] == records[8 * stride - 32 + 5]


@pytest.mark.parametrize("members", [1, 2**63, 2**64 - 1, 0x0F00F0F00000FF01])
@pytest.mark.parametrize("cut", [0, 100, 255])
def test_sets_are_those_of_plain_python(members, cut):
    cells = np.random.default_rng(cut).integers(0, 256, 3 * vectors.WORD_BITS, dtype=np.uint8)
    given, members = (cells, np.uint64(vectors.WORD_BITS + 1)), np.uint64(members)
    assert SETS["mask_at_most"](*given, np.uint8(cut)) == vectors.mask_at_most(*given, np.uint8(cut))
    assert SETS["extremes_within"](*given, members) == vectors.extremes_within(*given, members)
    assert SETS["popcount"](members) == vectors.popcount(members) == bin(members).count("1")


PLAIN = """
import numpy as np
from gnomon.search import Gini, _grow as grow, code_columns
grow.LARGE_FROM = 0
rng = np.random.default_rng(0)
X, y = rng.normal(size=(70, 3)), rng.integers(0, 2, 70).astype(np.int32)
columns = code_columns(X, bins=16)
for seed in range(2):
    one = grow.grow_tree(columns, y, Gini(2), splitter="random", max_features=2, seed=seed)
    two = grow.grow_tree(columns, y, Gini(2), rows=np.arange(70), splitter="random", max_features=2, seed=seed)
    assert one.node_count > 9 and np.array_equal(one.nodes, two.nodes)
"""


def test_records_grow_the_same_trees_as_plain_python():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-W", "error::RuntimeWarning", "-c", PLAIN], env=environment, check=True)
