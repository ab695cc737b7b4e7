"""Golden values of k-means."""

import numpy as np
import pytest

from gnomon.cluster import KMeans
from gnomon.optim import kmeans, seed_centers

P7 = np.array([[1, 1], [1.5, 2], [3, 4], [5, 7], [3.5, 5], [4.5, 5], [3.5, 4.5]])
LINE = np.array([[0.0], [1.0], [10.0], [11.0]])


@pytest.mark.spec("UNS-G01")
def test_two_centres_on_a_line():
    centers = []
    for steps in (1, 2, 3):
        found = kmeans(LINE, LINE[:2], max_iter=steps)
        centers.append(found.centers.ravel())
    np.testing.assert_allclose(centers, [[0, 22 / 3], [0.5, 10.5], [0.5, 10.5]])
    np.testing.assert_allclose(found.history["objective"], [181.0, 21.555556, 1.0], rtol=1e-7)
    assert found.n_iter == 3


@pytest.mark.spec("UNS-G03")
def test_seven_points():
    found = KMeans(2, init=P7[[0, 3]], tol=0).fit(P7)
    np.testing.assert_allclose(found.history_["objective"][:3], [33.25, 11.225694, 8.525], rtol=1e-7)
    np.testing.assert_allclose(found.cluster_centers_, [[1.25, 1.5], [3.9, 5.1]])


@pytest.mark.spec("UNS-G46")
def test_the_bound_of_seven_points():
    assert KMeans(2, init=P7[[0, 3]]).fit(P7).lower_bound_ == pytest.approx(0.442912, abs=5e-7)


@pytest.mark.spec("UNS-G06")
def test_exchange_leaves_a_fixed_point():
    X, start = np.array([[0.0], [1.0], [2.0], [3.1]]), np.array([[1.0], [3.1]])
    lloyd, refined = (KMeans(2, init=start, refine=refine).fit(X) for refine in (None, "exchange"))
    np.testing.assert_array_equal(lloyd.labels_, [0, 0, 0, 1])
    assert lloyd.inertia_ == pytest.approx(2.0)
    np.testing.assert_array_equal(refined.labels_, [0, 0, 1, 1])
    assert refined.inertia_ == pytest.approx(1.105)
    assert refined.inertia_ - lloyd.inertia_ == pytest.approx(-0.895)
    tie = KMeans(2, init=[[1.0], [3.0]]).fit([[0.0], [1.0], [2.0], [3.0]])
    np.testing.assert_array_equal(tie.labels_, [0, 0, 0, 1])
    assert tie.inertia_ == pytest.approx(2.0)
    # With the last row at c, moving "2" changes J by ½ (c − 2)² − 3/2: the sign turns at c = 2 + √3.
    for c, last in ((2.0 + 3.0**0.5 - 1e-6, [0, 0, 1, 1]), (2.0 + 3.0**0.5 + 1e-6, [0, 0, 0, 1])):
        moved = KMeans(2, init=[[1.0], [c]], refine="exchange").fit([[0.0], [1.0], [2.0], [c]])
        np.testing.assert_array_equal(moved.labels_, last)


@pytest.mark.spec("UNS-G07")
@pytest.mark.parametrize(
    ("weights", "expected"),
    [([1.0, 1, 1, 1], [0, 0.004505, 0.450450, 0.545045]), ([1.0, 2, 1, 1], [0, 0.008969, 0.448430, 0.542601])],
)
def test_the_law_of_the_second_seed(weights, expected):
    class Fixed:
        def __init__(self, u):
            self.u = u

        def uniform(self, size):
            return np.full(size, self.u)

    def row(u):
        return seed_centers(LINE, 2, Fixed(u), weights, n_trials=1, first=0)[1]

    # The row that a uniform number gives changes where the probabilities add up to it.
    for j, end in enumerate(np.cumsum(expected)[1:3], start=1):
        assert (row(end - 2e-6), row(end + 2e-6)) == (j, j + 1)
    assert (row(1e-9), row(1.0 - 1e-9)) == (1, 3)
    draws = np.random.default_rng(0)
    rows = [seed_centers(LINE, 2, draws, weights, n_trials=1, first=0)[1] for _ in range(800)]
    np.testing.assert_allclose(np.bincount(rows, minlength=4) / 800, expected, atol=0.06)


@pytest.mark.spec("UNS-G08")
def test_the_expected_cost_of_seeds():
    apart = (LINE - LINE.T) ** 2
    after = [[np.minimum(apart[:, a], apart[:, b]).sum() for b in range(4)] for a in range(4)]
    plain = np.mean([sum(p * c for p, c in zip(apart[a] / apart[a].sum(), after[a], strict=True)) for a in range(4)])
    assert plain == pytest.approx(2.894911, abs=5e-7)
    draws = np.random.default_rng(0)

    def mean(**options):
        return np.mean([after[a][b] for a, b in (seed_centers(LINE, 2, draws, **options) for _ in range(1000))])

    assert mean(n_trials=1) == pytest.approx(plain, abs=1.5)
    assert mean(method="random") == pytest.approx(61.666667, abs=8.0)
    assert plain <= 8.0 * (np.log(2.0) + 2.0) == pytest.approx(21.545177)


@pytest.mark.spec("UNS-G09")
def test_seeds_of_groups_of_unlike_size():
    rng = np.random.default_rng(2)
    sizes, corners = [900, 30, 30, 40], np.array([[0.0, 0.0], [20.0, 0.0], [0.0, 20.0], [20.0, 20.0]])
    X = np.concatenate([c + rng.normal(size=(n, 2)) for n, c in zip(sizes, corners, strict=True)])
    best = KMeans(4, n_init=5, random_state=0).fit(X).inertia_

    def ratio(runs, **options):
        draws, costs = np.random.default_rng(3), []
        for _ in range(runs):
            C = X[seed_centers(X, 4, draws, **options)]
            costs.append(np.sum((X[:, None] - C[None]) ** 2, axis=2).min(axis=1).sum())
        return np.mean(costs) / best

    # Probabilities in proportion to D give 9.6, to D³ 2.3, the greedy choice among candidates 2.0.
    assert 20.0 < ratio(100, method="random") < 60.0
    assert 3.5 < ratio(400, n_trials=1) < 5.0
    assert 2.0 < ratio(30, method="farthest") < 3.0


@pytest.mark.spec("UNS-G10")
def test_farthest_first():
    rows = seed_centers(P7, 7, np.random.default_rng(0), method="farthest", first=0)
    np.testing.assert_array_equal(rows, [0, 3, 2, 5, 1, 4, 6])
    apart = np.linalg.norm(P7[:, None] - P7[None], axis=2)
    radii = [apart[:, rows[:k]].min(axis=1).max() for k in range(1, 8)]
    np.testing.assert_allclose(radii, [7.211103, 3.605551, 1.802776, 1.118034, 1.0, 0.5, 0.0], atol=5e-7)
