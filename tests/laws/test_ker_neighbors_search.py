"""Searches for neighbours: every way finds the same rows, at the same distances, whatever the unit and the origin."""

import itertools
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import pairwise_distances

from gnomon.numerics import neighbors
from gnomon.numerics.neighbors import _euclidean, index_rows, nearest_neighbors, radius_neighbors


def by_definition(X, Q, k, p=2.0):
    """The k nearest rows by sorting all distances in extended precision, ties by index."""
    A = np.abs(Q.astype(np.longdouble)[:, None] - X.astype(np.longdouble))
    D = A.max(axis=-1) if p == np.inf else (A**p).sum(axis=-1) ** (1 / np.longdouble(p))
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(D, order, axis=1).astype(float)


def tables():
    rng = np.random.default_rng(0)
    grid = np.array(list(itertools.product(range(4), repeat=3)), dtype=float)
    normal = rng.normal(size=(700, 20))
    pairs = np.repeat(rng.normal(size=(40, 9)), 3, axis=0)
    return {
        "one column": (rng.normal(size=(60, 1)), rng.normal(size=(9, 1))),
        "few columns": (rng.normal(size=(300, 3)), rng.normal(size=(50, 3))),
        "many columns": (normal, rng.normal(size=(80, 20))),
        "grid": (grid, grid[::5] + 0.5),
        "equal rows": (pairs, pairs[::7]),
        "all equal": (np.ones((40, 12)), np.ones((3, 12))),
        "one row": (np.ones((1, 2)), np.zeros((2, 2))),
        "far from the origin": (1e8 + np.round(normal, 3), 1e8 + np.round(normal[:40], 2)),
        "one row far away": (np.vstack([normal, np.full(20, 1e9)]), normal[:30] + 0.1),
        "clusters": (np.repeat(1e5 * rng.normal(size=(7, 20)), 100, axis=0) + 1e-5 * normal, 1e5 * normal[:30]),
        "wide": (rng.normal(size=(30, 600)), rng.normal(size=(7, 600))),
    }


TABLES = tables()


@pytest.mark.spec("KER-080")
@pytest.mark.parametrize("name", TABLES)
def test_every_way_finds_what_the_definition_says(name):
    X, Q = TABLES[name]
    for k in sorted({1, min(3, len(X)), min(17, len(X)), len(X)}):
        rows, distances = by_definition(X, Q, k)
        for method in ("brute", "kd_tree", "ball_tree", "auto"):
            if method == "ball_tree" and X.shape[1] > 12:
                continue
            found = nearest_neighbors(X, k, queries=Q, method=method)
            np.testing.assert_allclose(found.distances, distances, rtol=1e-14)
            # Distances of "clusters" may be equal in double precision alone.
            allowed = 2 if name == "clusters" else 0
            assert np.count_nonzero(found.indices != rows) <= allowed, f"{method}, k={k}"


@pytest.mark.spec("KER-080")
@pytest.mark.parametrize("p", [1.0, 1.5, 3.0, np.inf])
def test_minkowski_distances_by_every_way(p):
    X, Q = TABLES["grid"]
    rows, distances = by_definition(X, Q, 5, p)
    for method in ("brute", "kd_tree", "ball_tree", "auto"):
        found = nearest_neighbors(X, 5, queries=Q, metric="minkowski", params={"p": p}, method=method)
        np.testing.assert_allclose(found.distances, distances, rtol=1e-13)
        if p != 1.5:  # powers of 1.5 round differently in each way
            np.testing.assert_array_equal(found.indices, rows, err_msg=method)


@pytest.mark.parametrize("name", ["few columns", "many columns", "far from the origin", "clusters", "equal rows"])
def test_single_precision_rows_are_compared_in_double(name):
    X, Q = (part.astype(np.float32) for part in TABLES[name])
    rows, distances = by_definition(X, Q, 4)
    for method in ("brute", "auto"):
        found = nearest_neighbors(X, 4, queries=Q, method=method)
        np.testing.assert_array_equal(found.indices, rows)
        np.testing.assert_allclose(found.distances, distances, rtol=1e-14)


@pytest.mark.parametrize("unit", [1e-300, 1e-150, 1e-40, 1e40, 1e150, 1e300])
@pytest.mark.parametrize("name", ["few columns", "many columns"])
def test_no_unit_overflows_or_underflows(name, unit):
    X, Q = TABLES[name]
    rows, distances = by_definition(X, Q, 5)
    for method in ("brute", "kd_tree"):
        found = nearest_neighbors(X * unit, 5, queries=Q * unit, method=method)
        np.testing.assert_array_equal(found.indices, rows)
        np.testing.assert_allclose(found.distances / unit, distances, rtol=1e-13)


@pytest.mark.parametrize("method", ["brute", "kd_tree"])
def test_queries_may_be_very_far_from_the_rows(method):
    X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    found = nearest_neighbors(X, 2, queries=np.array([[1e300, 0.0], [1e20, 0.0]]), method=method)
    np.testing.assert_array_equal(found.indices, [[0, 1], [0, 1]])
    np.testing.assert_allclose(found.distances, [[1e300] * 2, [1e20] * 2], rtol=1e-15)
    tiny = nearest_neighbors(X * 1e-200, 1, queries=np.array([[-1e200, 0.0]]), method=method)
    np.testing.assert_allclose(tiny.distances, [[1e200]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_rows_are_compared_without_cancellation(dtype):
    rng = np.random.default_rng(1)
    X = sparse.random_array((600, 50), density=0.1, rng=rng, dtype=dtype).tocsr()
    X = sparse.vstack([X, X[[7, 7, 7]]], format="csr")
    Q = X[::20] * dtype(1.0 + 1e-6)
    rows, distances = by_definition(X.toarray(), Q.toarray(), 6)
    for queries in (Q, Q.toarray()):
        found = nearest_neighbors(X, 6, queries=queries)
        np.testing.assert_array_equal(found.indices, rows)
        np.testing.assert_allclose(found.distances, distances, rtol=1e-14)
    dense = nearest_neighbors(X.toarray(), 6, queries=Q)
    np.testing.assert_array_equal(dense.indices, rows)


def test_the_screen_is_a_lower_bound_and_leaves_little():
    """Single precision leaves few comparisons on rows without structure, and double precision takes over elsewhere."""
    for name, coarse in [("many columns", False), ("clusters", True)]:
        X, Q = TABLES[name]
        index = _euclidean.euclidean_index(X)
        heaps = _euclidean.empty_heaps(len(Q), 1)
        Q = index.stored.like(Q)
        passed = _euclidean.search_block(index.stored, index.screen, Q, slice(0, len(Q.values)), heaps)
        assert (passed > _euclidean.COARSE) == coarse, (name, passed)


def test_no_row_is_its_own_neighbour():
    for name in ("grid", "equal rows", "many columns", "all equal"):
        X = TABLES[name][0]
        D = np.linalg.norm(X[:, None] - X, axis=-1)
        np.fill_diagonal(D, np.inf)
        rows = np.argsort(np.round(D, 9), axis=1, kind="stable")[:, :4]
        for method in ("brute", "kd_tree", "ball_tree"):
            found = nearest_neighbors(X, 4, method=method)
            np.testing.assert_array_equal(found.indices, rows, err_msg=f"{name} {method}")
        D[np.diag_indices_from(D)] = 0.0
        given = nearest_neighbors(np.round(D, 9), 4, metric="precomputed")
        np.testing.assert_array_equal(given.indices, rows)


def test_known_distances_alone_are_searched():
    graph = sparse.csr_array(([0.5, 0.0, 0.5, 0.1, 0.2], [2, 0, 1, 1, 0], [0, 3, 5, 5]), shape=(3, 3))
    index = index_rows(graph, metric="precomputed")
    np.testing.assert_array_equal(index.nearest(graph[:2], 2).indices, [[0, 1], [1, 0]])
    with pytest.raises(ValueError, match="only 0 neighbors"):
        index.nearest(graph, 1)


def test_the_number_of_threads_changes_nothing():
    rng = np.random.default_rng(2)
    for d in (3, 12):
        X, Q = rng.normal(size=(900, d)), rng.normal(size=(2500, d))
        one, two = (nearest_neighbors(X, 3, queries=Q, n_jobs=n_jobs) for n_jobs in (1, 2))
        np.testing.assert_array_equal(one.indices, two.indices)
        np.testing.assert_array_equal(one.distances, two.distances)


def test_misuse_says_what_to_do():
    X = np.eye(3)
    with pytest.raises(ValueError, match="k=4"):
        nearest_neighbors(X, 4, queries=X)
    with pytest.raises(ValueError, match="k=3"):
        nearest_neighbors(X, 3)
    with pytest.raises(ValueError, match="method='best' is unknown"):
        nearest_neighbors(X, 1, method="best")
    with pytest.raises(ValueError, match="choose 'ball_tree'"):
        nearest_neighbors(X, 1, metric="canberra", method="kd_tree")


def test_no_warning_is_given_where_rows_are_in_order():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nearest_neighbors(np.zeros((3, 9)), 2)
    assert neighbors.__all__ == sorted(neighbors.__all__)


@pytest.mark.parametrize(
    "name", ["one column", "grid", "many columns", "equal rows", "far from the origin", "clusters"]
)
def test_every_way_finds_all_rows_within_a_radius(name):
    X, Q = TABLES[name]
    D = np.linalg.norm((Q.astype(np.longdouble)[:, None] - X), axis=-1).astype(float)
    for radius in (0.0, float(np.quantile(D, 0.05)) * (1 + 1e-9), float(D.max()) * (1 + 1e-9)):
        inside = radius >= D
        for method in ("brute", "kd_tree", "ball_tree", "auto"):
            found = radius_neighbors(X, radius, queries=Q, method=method)
            np.testing.assert_array_equal(found.counts, inside.sum(axis=1), err_msg=f"{method} {radius}")
            np.testing.assert_array_equal(found.indices, np.nonzero(inside)[1])
            np.testing.assert_allclose(found.distances, D[inside], rtol=1e-13)
            assert found.graph().shape == D.shape


def test_rows_on_the_border_of_the_radius_are_inside_and_no_row_is_its_own():
    X = TABLES["grid"][0]
    D = np.linalg.norm(X[:, None] - X, axis=-1)
    np.fill_diagonal(D, np.inf)
    for unit in (1.0, 2.0**-500, 2.0**500):
        for method in ("brute", "kd_tree"):
            found = radius_neighbors(X * unit, unit, method=method)
            np.testing.assert_array_equal(found.indices, np.nonzero(D <= 1.0)[1])
            np.testing.assert_allclose(found.distances, unit, rtol=1e-15)
    np.fill_diagonal(D, 0.0)
    given = radius_neighbors(D, 1.0, metric="precomputed")
    np.testing.assert_array_equal(given.indices, found.indices)
    graph = radius_neighbors(sparse.csr_array(D), 1.0, metric="precomputed", queries=sparse.csr_array(D[:5]))
    np.testing.assert_array_equal(graph.indices, found.indices[: found.indptr[5]])
    for method in ("brute", "kd_tree"):
        queries = np.array([[1e300, 0.0, 0.0], [0.0, 0.0, 0.0]])
        for radius, counts in [(1e299, [0, 64]), (2e300, [64, 64])]:
            np.testing.assert_array_equal(radius_neighbors(X, radius, queries=queries, method=method).counts, counts)
    with pytest.raises(ValueError, match="radius=-1"):
        radius_neighbors(X, -1.0)


@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "canberra", "cosine"])
def test_a_radius_by_another_metric_and_of_sparse_rows(metric):
    X, Q = TABLES["few columns"]
    D = pairwise_distances(Q, X, metric=metric)
    radius = float(np.quantile(D, 0.1)) * (1 + 1e-9)
    found = radius_neighbors(X, radius, queries=Q, metric=metric)
    np.testing.assert_array_equal(found.indices, np.nonzero(radius >= D)[1])
    np.testing.assert_allclose(found.distances, D[radius >= D], rtol=1e-12)
    if metric == "manhattan":
        wide = radius_neighbors(sparse.csr_array(X), 1.0, queries=sparse.csr_array(Q))
        np.testing.assert_array_equal(wide.indices, radius_neighbors(X, 1.0, queries=Q).indices)
