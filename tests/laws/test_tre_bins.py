"""Shortcuts of large nodes say what the plain way says: histograms cut in one sweep, sums of rows by vectors."""

import itertools

import numpy as np
import pytest

from criterion_cases import CRITERIA
from gnomon._jit import compiled, jit_no_alloc
from gnomon.search import Gini, SumCriterion, code_columns, grow_tree
from gnomon.search._cuts import best_bin
from gnomon.search._nodes import Limits
from gnomon.search.class_criteria import PairGini

SWEPT = [
    name for name, case in CRITERIA.items() if case.may_use("grow_tree") and case.criterion.fixed_width().two_sums()
]


@jit_no_alloc
def _cut(criterion, limits, histogram, place, size, sums, scores, scale):
    return best_bin(criterion, limits, histogram, place, size, sums, scores, scale)


def limits_of(total, *, min_rows=1.0, min_mass=0.0):
    return Limits(2**31, 2, min_rows, min_mass, 0.0, 1, False, True, 1, total, 0.0, False, 512)


def rows_of(case, n, rng):
    """Targets and weights such as the criterion takes."""
    y = np.ravel(case.draw(rng.uniform(0.0, 2.0, n), rng))
    return y, rng.integers(1, 4, n).astype(float) if case.criterion.classes else rng.random(n) + 0.1


def tallied(criterion, codes, size, y, w):
    sums = np.zeros((size + 1) * criterion.width())
    for i, code in enumerate(codes):
        criterion.tally(sums, int(code) * criterion.width(), y, i, w[i])
    return sums


def best_of_all(criterion, histogram, size, *, min_rows, min_mass):
    """The merit, the last code on the left and the first on the right of the best cut between codes that occur."""
    groups = histogram[: size * criterion.width()].reshape(size, -1)
    present = np.flatnonzero(groups[:, 0])
    best = -np.inf, None, None
    for a, b in itertools.pairwise(present):
        sides = groups[: a + 1].sum(axis=0), groups[b:].sum(axis=0)
        enough = all(s[0] >= min_rows and criterion.mass(s, 0) >= min_mass for s in sides)
        merit = sum(criterion.merit(s, 0) for s in sides)
        if enough and merit > best[0] + 1e-12:
            best = merit, a, b
    return best


@pytest.mark.parametrize("name", SWEPT)
@pytest.mark.parametrize(("size", "n"), [(2, 5), (3, 2), (16, 400), (255, 60), (255, 3000)])
@pytest.mark.parametrize("limits", [{}, {"min_rows": 7.0}, {"min_mass": 5.0}])
@pytest.mark.parametrize("place", [0, 24])
def test_a_sweep_finds_the_best_cut(name, size, n, limits, place):
    rng = np.random.default_rng([size, n])
    criterion = CRITERIA[name].criterion.fixed_width()
    # Every third code does not occur.
    codes = rng.integers(0, size, n)
    codes -= codes % 3 == 1
    histogram = tallied(criterion, codes, size, *rows_of(CRITERIA[name], n, rng))
    total = (size + 1) * criterion.width()
    sums = np.concatenate([np.zeros(total), histogram.reshape(size + 1, -1).sum(axis=0)])
    shifted = np.concatenate([np.full(place, 99.0), histogram])
    arrays = shifted, place, size, sums, np.empty((4, size + 2)), 1e-12
    merit, a, b = _cut(compiled(criterion), compiled(limits_of(total, **limits)), *arrays)
    expected = best_of_all(criterion, histogram, size, **{"min_rows": 1.0, "min_mass": 0.0, **limits})
    if expected[1] is None:
        assert a == b
    else:
        assert merit == pytest.approx(expected[0], rel=1e-12)
        assert (a, b) == expected[1:]


def test_of_equal_cuts_the_first_is_taken():
    criterion, size = PairGini(), 5
    # Classes 0 1 0 1 0: the cuts after the first and before the last code are equally good.
    histogram = tallied(criterion, np.arange(5), size, np.array([0, 1, 0, 1, 0]), np.ones(5))
    total = (size + 1) * criterion.width()
    sums = np.concatenate([np.zeros(total), histogram.reshape(size + 1, -1).sum(axis=0)])
    arrays = histogram, 0, size, sums, np.empty((4, size + 2)), 1e-12
    assert _cut(compiled(criterion), compiled(limits_of(total)), *arrays)[1:] == (0, 1)


@jit_no_alloc
def _sums(criterion, cells, low, high, y, w, everything, within):
    criterion.weigh_all(everything, 0, y, w, len(y))
    criterion.weigh_range(within, 0, cells, low, high, y, w, len(y))


@pytest.mark.parametrize("n", [0, 1, 7, 33, 1000])
def test_sums_of_three_classes_by_vectors(n):
    rng = np.random.default_rng(n)
    cells, y, w = rng.integers(0, 100, n).astype(np.uint8), rng.integers(0, 3, n), rng.random(n)
    found, expected = np.zeros((2, 4)), np.zeros(4)
    _sums(compiled(Gini(3)), cells, 20, 60, y, w, *found)
    SumCriterion.weigh_range(Gini(3), expected, 0, cells, 20, 60, y, w, n)
    np.testing.assert_allclose(found[1], expected, rtol=1e-13)


@pytest.mark.parametrize("n", [0, 1, 7, 33, 1000])
@pytest.mark.parametrize("kind", [np.uint8, np.uint32])
@pytest.mark.parametrize("only", [None, 0, 1])
def test_sums_of_two_classes_by_vectors(n, kind, only):
    rng = np.random.default_rng(n)
    cells, w = rng.integers(0, 100, n).astype(kind), rng.random(n)
    y = rng.integers(0, 2, n) if only is None else np.full(n, only)
    found = np.zeros(3), np.zeros(3)
    _sums(compiled(PairGini()), cells, 20, 60, y, w, *found)
    expected = np.zeros(3), np.zeros(3)
    SumCriterion.weigh_all(PairGini(), expected[0], 0, y, w, n)
    SumCriterion.weigh_range(PairGini(), expected[1], 0, cells, 20, 60, y, w, n)
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    if only is not None:
        assert np.array_equal([sums[2 - only] for sums in found], [0.0, 0.0])


@pytest.mark.parametrize("thresholds", ["midpoints", "edges"])
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_bins_of_one_value_are_as_good_as_values(gaps, thresholds):
    rng = np.random.default_rng(0)
    X, y = np.round(rng.normal(size=(600, 3)), 1), rng.integers(0, 2, 600).astype(np.int32)
    X[rng.random(X.shape) < gaps] = np.nan
    exact, binned = code_columns(X), code_columns(X, bins=255)
    assert len(exact.edges) == 0 < len(binned.edges)
    for name in ("codes", "sizes", "starts", "low", "high"):
        assert np.array_equal(getattr(exact, name), getattr(binned, name)), name
    one, two = (grow_tree(columns, y, Gini(2), thresholds=thresholds) for columns in (exact, binned))
    assert np.array_equal(one.nodes, two.nodes)


@pytest.mark.parametrize("bins", [None, 16])
def test_columns_of_few_and_of_many_codes_stand_side_by_side(bins):
    n = 400
    X = np.column_stack([np.arange(n) % 3, np.arange(n)[::-1], np.full(n, np.nan), np.arange(n) % 300]).astype(float)
    columns = code_columns(X, category=[False, False, False, True], bins=bins)
    assert columns.codes.dtype == np.uint32
    assert columns.sizes.tolist() == [3, n if bins is None else bins, 0, 300]
    assert np.array_equal(columns.codes[0], X[:, 0])
    assert np.array_equal(columns.codes[3], X[:, 3])
    assert np.all(columns.codes[2] == 0)
    assert np.all(np.diff(columns.codes[1].astype(int)) <= 0)
    some = columns.take(np.array([3, 0]))
    assert np.array_equal(some.low, [*range(300), 0.0, 1.0, 2.0])


@pytest.mark.spec("TRE-052")
def test_edges_of_bins_are_midpoints_of_few_values_and_quantiles_of_many():
    few = np.array([[1.0], [1.0], [2.0], [4.0], [np.nan], [8.0]])
    assert code_columns(few, bins=4).edges.tolist() == [1.5, 3.0, 6.0, np.inf]
    many = np.random.default_rng(0).permutation(1000.0 + np.arange(1000.0))[:, None]
    edges = code_columns(many, bins=4).edges
    assert edges.tolist() == [1249.5, 1499.5, 1749.5, np.inf]
