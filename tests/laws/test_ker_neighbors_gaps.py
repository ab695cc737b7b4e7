"""Neighbours by distances that are no number for some pairs: such pairs come last, as in scikit-learn."""

import warnings

import numpy as np
import pytest
import sklearn.neighbors as peers
from scipy import sparse
from sklearn.metrics import DistanceMetric, pairwise_distances

from gnomon.neighbors import KNeighborsClassifier, KNeighborsRegressor
from gnomon.numerics.neighbors import index_rows, nearest_neighbors, radius_neighbors

X = np.array([[0.0, 0, 0], [1, 2, 3], [0, 0, 0], [-1, 2, 0.5], [3, -3, 1], [2, 2, 2]])
NEW = np.array([[1.0, 1, 1], [1, 3, 2], [0, 0, 0], [0, 0, 5]])
Y = np.array([0, 1, 0, 1, 1, 0])


def first_apart(a, b):
    """No number where the first columns are equal."""
    return np.nan if a[0] == b[0] else float(np.abs(a - b).sum())


def never(a, b):
    return np.nan


def named(value):
    return getattr(value, "__name__", str(value))


CASES = [(metric, "brute") for metric in ("correlation", "cosine", "braycurtis", "dice", "jaccard", "canberra")]
CASES += [(metric, way) for metric in (first_apart, never) for way in ("brute", "ball_tree", "auto")]
CASES += [("braycurtis", "ball_tree"), ("sokalmichener", "ball_tree"), ("braycurtis", "auto"), ("dice", "ball_tree")]


def sorted_by_hand(metric, k):
    """Distances to all rows, in order: numbers, then infinities, then the rest; of equal ones the lower row."""
    D = np.array([[metric(q, x) for x in X] for q in NEW])
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    return order, np.take_along_axis(D, order, axis=1)


@pytest.mark.spec("KER-082")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
@pytest.mark.parametrize(("metric", "way"), CASES, ids=named)
@pytest.mark.parametrize("k", [2, 6])
def test_every_search_answers_with_rows_and_the_same_distances(metric, way, k):
    ours = KNeighborsClassifier(k, metric=metric, algorithm=way).fit(X, Y)
    distances, indices = ours.kneighbors(NEW)
    assert np.all((indices >= 0) & (indices < len(X)))
    assert all(len(set(row)) == k for row in indices)
    # A tree of theirs loses rows where a distance is no number.
    theirs = peers.KNeighborsClassifier(k, metric=metric, algorithm="brute" if metric != "sokalmichener" else way)
    expected = theirs.fit(X, Y).kneighbors(NEW)[0]
    np.testing.assert_allclose(distances, expected, equal_nan=True, atol=1e-12)
    others = ours.kneighbors(n_neighbors=min(k, 5), return_distance=False)
    assert not np.any(others == np.arange(len(X))[:, None])
    assert ours.kneighbors_graph(NEW).sum() == k * len(NEW)
    assert set(ours.predict(NEW)) <= {0, 1}
    np.testing.assert_allclose(ours.predict_proba(NEW).sum(axis=1), 1.0)
    assert np.all(np.isfinite(KNeighborsRegressor(k, metric=metric, algorithm=way).fit(X, Y).predict(NEW)))


@pytest.mark.parametrize("metric", [first_apart, never], ids=named)
@pytest.mark.parametrize("way", ["brute", "ball_tree"])
def test_what_is_no_number_comes_last_by_rows_and_is_within_no_radius(metric, way):
    indices, distances = sorted_by_hand(metric, 5)
    found = nearest_neighbors(X, 5, queries=NEW, metric=metric, method=way)
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_array_equal(found.distances, distances)
    graph = radius_neighbors(X, 3.5, queries=NEW, metric=metric, method=way).graph().toarray()
    known = np.array([[metric(q, x) <= 3.5 for x in X] for q in NEW])
    np.testing.assert_array_equal(graph > 0.0, known)
    assert index_rows(X, metric=metric, method=way).within(None, 3.5).counts.max() < len(X)


@pytest.mark.parametrize("weights", ["distance", lambda d: 1.0 / (1.0 + d)], ids=["distance", "function"])
def test_weights_of_such_distances_are_those_of_scikit_learn(weights):
    for ours, theirs in (
        (KNeighborsClassifier, peers.KNeighborsClassifier),
        (KNeighborsRegressor, peers.KNeighborsRegressor),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            options = {"n_neighbors": 6, "weights": weights, "metric": "correlation"}
            found, expected = (cls(**options).fit(X, Y).predict(NEW) for cls in (ours, theirs))
        np.testing.assert_allclose(found, expected, equal_nan=True)


@pytest.mark.parametrize("name", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("way", ["auto", "brute", "kd_tree", "ball_tree"])
def test_metrics_may_be_objects_in_every_search(name, way):
    rows = np.random.default_rng(0).normal(size=(50, 3))
    expected = KNeighborsRegressor(3, metric=name).fit(rows, rows[:, 0]).kneighbors(rows[:9] + 0.1)
    model = KNeighborsRegressor(3, metric=DistanceMetric.get_metric(name), algorithm=way).fit(rows, rows[:, 0])
    for found, known in zip(model.kneighbors(rows[:9] + 0.1), expected, strict=True):
        np.testing.assert_allclose(found, known)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.EfficiencyWarning")
def test_known_distances_may_be_dense_for_some_rows_and_sparse_for_others():
    rows = np.random.default_rng(0).normal(size=(30, 2))
    D, new = pairwise_distances(rows), pairwise_distances(rows[:5] + 0.1, rows)
    expected = KNeighborsClassifier(3).fit(rows, np.arange(30) % 2).kneighbors(rows[:5] + 0.1)[1]
    for stored in (D, sparse.csr_array(D)):
        model = KNeighborsClassifier(3, metric="precomputed").fit(stored, np.arange(30) % 2)
        for queries in (new, sparse.csr_array(new), sparse.coo_array(new)):
            np.testing.assert_array_equal(model.kneighbors(queries)[1], expected)
        with pytest.raises(TypeError, match="explicit zeros"):
            model.kneighbors(sparse.dok_array(new))
