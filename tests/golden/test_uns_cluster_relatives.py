"""Golden values of the relatives of k-means: exact optima, other costs, soft, kernel and spherical clusters."""

from itertools import product

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from gnomon.cluster import (
    KernelKMeans,
    KMedians,
    KMedoids,
    PairwiseClustering,
    SoftKMeans,
    SphericalKMeans,
    exact_kmeans,
    intra_inter,
    partition_cost,
)
from gnomon.kernels import RBF

P7 = np.array([[1, 1], [1.5, 2], [3, 4], [5, 7], [3.5, 5], [4.5, 5], [3.5, 4.5]])


def partitions(n, k):
    """Labellings of n rows with all of k clusters, each begun by the first of its rows."""
    for labels in product(range(k), repeat=n - 1):
        labels = np.array([0, *labels])
        if len(set(labels.tolist())) == k and all(labels[i] <= labels[:i].max() + 1 for i in range(1, n)):
            yield labels


@pytest.mark.spec("UNS-G02", "UNS-017")
@pytest.mark.parametrize(
    ("k", "cost", "labels"),
    [
        (1, 37.071429, [0] * 7),
        (2, 8.525, [0, 0, 1, 1, 1, 1, 1]),
        (3, 2.5, [0, 0, 1, 2, 1, 1, 1]),
        (4, 1.291667, [0, 0, 1, 2, 1, 3, 1]),
    ],
)
def test_the_optimum_of_seven_points(k, cost, labels):
    found = exact_kmeans(P7, k)
    assert found.objective == pytest.approx(cost, abs=5e-7)
    np.testing.assert_array_equal(found.labels, labels)


@pytest.mark.spec("UNS-G04", "UNS-004")
def test_the_sum_over_ordered_pairs():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    assert partition_cost(X, [0, 0, 0], pairs="ordered") == 20.0
    assert partition_cost(X, [0, 0, 0]) == 10.0
    assert partition_cost(X, [0, 0, 0], objective="distance") == pytest.approx(10.0 / 3.0)


@pytest.mark.spec("UNS-G05", "UNS-004", "UNS-031", "UNS-032", "UNS-033")
def test_seven_points_by_other_costs():
    def best(**options):
        sign = -1.0 if options.get("objective") == "pair_similarity" else 1.0
        costs = [(sign * partition_cost(P7, labels, **options), labels.tolist()) for labels in partitions(7, 2)]
        value, labels = min(costs)
        return sign * value, labels

    first = [0, 0, 1, 1, 1, 1, 1]
    assert best() == (pytest.approx(40.75), first)
    assert best(normalise="size") == (pytest.approx(8.525), first)
    assert best(metric="euclidean") == (pytest.approx(17.318648, abs=5e-7), [0, 0, 0, 1, 1, 1, 1])
    assert best(objective="pair_similarity") == (pytest.approx(14.971616, abs=5e-7), [0, 1, 1, 1, 1, 1, 1])
    assert best(pairs="ordered") == (pytest.approx(81.5), first)
    found = PairwiseClustering(2, random_state=0).fit(P7)
    assert found.objective_ == pytest.approx(17.318648, abs=5e-7)
    assert adjusted_rand_score(found.labels_, [0, 0, 0, 1, 1, 1, 1]) == 1.0
    sized = PairwiseClustering(2, metric="sqeuclidean", normalise="size", random_state=0).fit(P7)
    assert sized.objective_ == pytest.approx(8.525)
    assert adjusted_rand_score(sized.labels_, first) == 1.0
    with pytest.warns(UserWarning, match="normalise='size'"):
        alike = PairwiseClustering(2, similarity="cosine", random_state=0).fit(P7)
    assert alike.objective_ == pytest.approx(14.971616, abs=5e-7)
    assert adjusted_rand_score(alike.labels_, [0, 1, 1, 1, 1, 1, 1]) == 1.0
    middle = KMedians(2, n_init=5, random_state=0).fit(P7)
    assert middle.objective_ == pytest.approx(8.0)
    near = np.abs(P7[:, None] - middle.cluster_centers_).sum(axis=2)
    assert near.min(axis=1).sum() == pytest.approx(8.0)
    two, three = KMedoids(2).fit(P7), KMedoids(3).fit(P7)
    for model in (two, three):
        reach = np.linalg.norm(P7[:, None] - P7[model.medoid_indices_], axis=2)
        np.testing.assert_array_equal(model.labels_, reach.argmin(axis=1))
        assert model.objective_ == pytest.approx(reach.min(axis=1).sum())
    assert two.objective_ == pytest.approx(6.236068, abs=5e-7)
    assert set(two.medoid_indices_) in ({0, 4}, {1, 4})
    assert three.objective_ == pytest.approx(3.443175, abs=5e-7)


@pytest.mark.spec("UNS-G11", "UNS-026")
@pytest.mark.parametrize(
    ("beta", "shares", "centers", "values"),
    [
        (0.5, [0.817574, 0.622459, 0.377541, 0.182426], [-0.037591, 1.037591], [-0.701961, -0.711979]),
        (2.0, [0.997527, 0.880797, 0.119203, 0.002473], [-0.436690, 1.436690], [1.870596, 0.992700]),
    ],
)
@pytest.mark.filterwarnings("ignore:not converged")
def test_a_step_of_soft_k_means(beta, shares, centers, values):
    X, start = np.array([[-1.0], [0.0], [1.0], [2.0]]), np.array([[0.0], [1.0]])
    found = SoftKMeans(2, beta, init=start, max_iter=1).fit(X)
    np.testing.assert_allclose(found.cluster_centers_.ravel(), centers, atol=5e-7)
    np.testing.assert_allclose(found.history_["objective"], values, atol=5e-7)
    found.cluster_centers_ = start
    np.testing.assert_allclose(found.predict_proba(X)[:, 0], shares, atol=5e-7)


@pytest.mark.spec("UNS-G12", "UNS-027")
@pytest.mark.filterwarnings("ignore:not converged")
def test_a_step_of_fuzzy_c_means():
    X, start = np.array([[0.0], [1.0], [10.0], [11.0]]), np.array([[2.0], [8.0]])
    found = SoftKMeans(2, membership="fuzzy", init=start, max_iter=1).fit(X)
    np.testing.assert_allclose(found.cluster_centers_.ravel(), [0.594191, 10.454086], atol=5e-7)
    assert found.history_["objective"][0] == pytest.approx(16.609412, abs=5e-7)
    found.cluster_centers_ = start
    np.testing.assert_allclose(found.predict_proba(X)[:, 0], [0.941176, 0.98, 0.058824, 0.1], atol=5e-7)
    np.testing.assert_array_equal(found.predict_proba(start), np.eye(2))


@pytest.mark.spec("UNS-G13", "UNS-028")
def test_kernel_distances_of_seven_points():
    found = KernelKMeans(2, "linear", init=[0, 0, 1, 1, 1, 1, 1]).fit(P7)
    assert found.objective_ == pytest.approx(8.525)
    squares = P7[0] @ P7[0] - 2.0 * (P7[:1] @ P7.T) @ found._combine + found._norms
    np.testing.assert_allclose(squares.ravel(), [0.3125, 25.22])


@pytest.mark.spec("UNS-G14", "UNS-028", "UNS-L13")
def test_the_kernel_optimum_of_seven_points():
    K = (
        RBF.from_gamma(0.5).gram(P7)
        if hasattr(RBF, "from_gamma")
        else np.exp(-0.5 * np.sum((P7[:, None] - P7[None]) ** 2, axis=2))
    )
    H = np.eye(7) - 1.0 / 7.0

    def cost(labels, K):
        return sum(
            np.trace(K[np.ix_(r, r)]) - K[np.ix_(r, r)].sum() / len(r)
            for r in map(np.flatnonzero, (labels == 0, labels == 1))
        )

    best = min(partitions(7, 2), key=lambda labels: cost(labels, K))
    np.testing.assert_array_equal(best, [0, 0, 1, 0, 1, 1, 1])
    assert cost(best, K) == pytest.approx(2.875528, abs=5e-7)
    for matrix in (K, H @ K @ H):
        found = KernelKMeans(2, "precomputed", init="random_partition", n_init=20, random_state=0).fit(matrix)
        assert found.objective_ == pytest.approx(2.875528, abs=5e-7)
        assert cost(found.labels_, K) == pytest.approx(2.875528, abs=5e-7)


@pytest.mark.spec("UNS-G15", "UNS-030")
@pytest.mark.parametrize(("k", "expected"), [(3, 4.987784), (2, 4.225751)])
def test_directions(k, expected):
    X = np.array([[1.0, 0.0], [2.0, 0.2], [0.0, 3.0], [0.1, 0.5], [-1.0, 0.1]])
    found = SphericalKMeans(k, init="random", random_state=0).fit(X)
    assert found.objective_ == pytest.approx(expected, abs=5e-7)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    best = max(sum(np.linalg.norm(unit[labels == j].sum(axis=0)) for j in range(k)) for labels in partitions(5, k))
    assert best == pytest.approx(expected, abs=5e-7)


@pytest.mark.spec("UNS-003")
def test_means_of_pairs():
    found = intra_inter([[0.0], [1.0], [10.0], [12.0], [14.0]], ["a", "a", "b", "b", "b"])
    assert found.intra == pytest.approx((1 + 2 + 2 + 4) / 4)
    assert found.inter == pytest.approx((10 + 12 + 14 + 9 + 11 + 13) / 6)
    np.testing.assert_allclose(found.intra_of, [1.0, 8.0 / 3.0])
    np.testing.assert_allclose(found.inter_of, [found.inter] * 2)
    alike = intra_inter([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]], [0, 0, 1], similarity="cosine")
    assert (alike.intra, alike.inter) == (1.0, 0.0)
    assert np.isnan(alike.intra_of[1])
