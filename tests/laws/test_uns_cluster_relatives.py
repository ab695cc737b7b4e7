"""Laws of the relatives of k-means."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from gnomon.cluster import (
    KernelKMeans,
    KMeans,
    KMedians,
    KMedoids,
    PairwiseClustering,
    SoftKMeans,
    SphericalKMeans,
    exact_kmeans,
    intra_inter,
    partition_cost,
)
from gnomon.decomposition import KernelPCA
from gnomon.kernels import Linear, Polynomial
from gnomon.optim import em, kmeans

RNG = np.random.default_rng(0)


def groups(n=60, d=2, k=4, seed=0):
    rng = np.random.default_rng(seed)
    return 3.0 * rng.normal(size=(k, d))[rng.integers(k, size=n)] + rng.normal(size=(n, d))


@pytest.mark.spec("UNS-L05", "UNS-017")
def test_the_optimum_is_below_every_run():
    for seed in range(4):
        rng = np.random.default_rng(seed)
        x, weights = rng.normal(size=(8, 1)), rng.integers(0, 3, size=8)
        weights[:4] = 1
        wide = np.column_stack([x, np.zeros(8)])
        for k in (1, 2, 3, 4):
            line, all_partitions = exact_kmeans(x, k, weights), exact_kmeans(wide, k, weights)
            assert line.objective == pytest.approx(all_partitions.objective, rel=1e-9, abs=1e-12)
            many = KMeans(k, init="random", random_state=seed, tol=0).fit(x, sample_weight=weights)
            assert line.objective <= many.inertia_ * (1 + 1e-9) + 1e-12
            assert np.all(many.inertia_ <= many.restarts_ * (1 + 1e-12))
            repeated = exact_kmeans(np.repeat(x, weights, axis=0), k)
            assert repeated.objective == pytest.approx(line.objective, rel=1e-9, abs=1e-12)
    long = RNG.normal(size=(300, 1)) + 1e8
    for k in (2, 7):
        best = exact_kmeans(long, k)
        assert best.objective <= KMeans(k, n_init=10, random_state=0).fit(long).inertia_ * (1 + 1e-9)
        assert np.all(np.diff(best.labels[np.argsort(long[:, 0])]) != 0) == (k == 300)
        assert len(np.unique(best.labels)) == k
        assert best.objective == pytest.approx(kmeans(long, best.centers).objective, rel=1e-6)
    # Near rows beside far ones: their costs are differences of sums as large as the square of the distance.
    x = np.array([0.0, 1.0, 10.0, 11.5, 1e9, 1e9 + 2.0, 1e9 + 13.0, 1e9 + 14.0])[:, None]
    for weights in (np.ones(8), RNG.uniform(0.1, 3.0, size=8)):
        for k in (2, 3, 4, 5, 6):
            line = exact_kmeans(x, k, weights)
            np.testing.assert_array_equal(line.labels, exact_kmeans(x * [1.0, 0.0], k, weights).labels)
    with pytest.raises(ValueError, match="at most 12 rows"):
        exact_kmeans(groups(20), 2)
    with pytest.raises(ValueError, match="k=9"):
        exact_kmeans(groups(8), 9)


@pytest.mark.spec("UNS-L08", "UNS-004", "UNS-002")
def test_pairs_and_means():
    X = groups()
    labels = KMeans(4, random_state=0).fit(X).labels_
    J = sum(np.sum((X[labels == j] - X[labels == j].mean(axis=0)) ** 2) for j in range(4))
    assert partition_cost(X, labels, normalise="size") == pytest.approx(J)
    assert partition_cost(X, labels, objective="distance") == pytest.approx(J)
    Z = np.eye(4)[labels]
    means = np.array([X[labels == j].mean(axis=0) for j in range(4)])
    assert partition_cost(X, Z, objective="soft", representatives=means) == pytest.approx(J)
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    assert partition_cost(D, labels, metric="precomputed") == pytest.approx(
        partition_cost(X, labels, metric="euclidean")
    )
    cosine = partition_cost(X, labels, objective="similarity", representatives=means)
    unit, directions = (A / np.linalg.norm(A, axis=1, keepdims=True) for A in (X, means))
    assert cosine == pytest.approx(np.sum(unit * directions[labels]))
    kernel = partition_cost(X, labels, objective="pair_similarity", similarity=Linear())
    assert kernel == pytest.approx(
        sum(((X[r] @ X[r].T).sum() - np.trace(X[r] @ X[r].T)) / 2 for r in (labels == j for j in range(4)))
    )
    for bad, words in [
        (D[:5], "square"),
        (D + np.triu(D), "not symmetric"),
        (-D, "negative entry"),
        (D + np.eye(60), "on its diagonal"),
    ]:
        with pytest.raises(ValueError, match=words):
            intra_inter(bad, labels[: len(bad)], metric="precomputed")
    with pytest.raises(ValueError, match="row 0 of X is zero"):
        intra_inter(np.zeros((2, 2)), [0, 1], similarity="cosine")


@pytest.mark.spec("UNS-L11", "UNS-026", "UNS-001")
def test_soft_shares():
    X = groups()
    weights = RNG.integers(0, 3, size=60)
    found = SoftKMeans(4, random_state=0, tol=1e-9).fit(X, sample_weight=weights)
    assert np.all(np.diff(found.history_["objective"]) <= 1e-9 * abs(found.objective_))
    np.testing.assert_allclose(found.membership_.sum(axis=1), 1.0)
    np.testing.assert_allclose(found.membership_, found.predict_proba(X), atol=1e-6)
    squares = found.transform(X) ** 2
    beta = found.beta_
    F = -np.sum(weights * np.log(np.exp(-beta * squares).sum(axis=1))) / beta
    assert found.objective_ == pytest.approx(F, rel=1e-6)
    z = found.membership_
    free = np.sum(weights[:, None] * z * (squares + np.log(z) / beta))
    assert free == pytest.approx(F, rel=1e-6)
    start = X[:4]
    hard = SoftKMeans(4, 1e6, init=start, tol=0).fit(X)
    np.testing.assert_allclose(hard.cluster_centers_, kmeans(X, start).centers, rtol=1e-6, atol=1e-6)
    top = np.linalg.eigvalsh(np.cov(X.T, ddof=0))[-1]
    together = SoftKMeans(3, 0.4 / top, init=start[:3], tol=1e-13, max_iter=3000).fit(X)
    np.testing.assert_allclose(together.cluster_centers_, np.tile(X.mean(axis=0), (3, 1)), atol=1e-2)
    apart = SoftKMeans(2, 0.7 / top, random_state=0, tol=1e-12, max_iter=3000).fit(X)
    assert np.linalg.norm(np.diff(apart.cluster_centers_, axis=0)) > 0.1
    heavy = SoftKMeans(2, 0.3, init=start[:2]).fit(X, sample_weight=weights)
    repeated = SoftKMeans(2, 0.3, init=start[:2]).fit(np.repeat(X, weights, axis=0))
    np.testing.assert_allclose(heavy.cluster_centers_, repeated.cluster_centers_, rtol=1e-6)
    for c in (1e-150, 1e150):
        other = SoftKMeans(4, init=c * start).fit(c * X)
        np.testing.assert_allclose(other.membership_, SoftKMeans(4, init=start).fit(X).membership_, atol=1e-6)


@pytest.mark.spec("UNS-026", "UNS-L05")
def test_annealing_ends_no_higher_than_a_bad_start():
    X = np.concatenate([groups(40, seed=1), [[30.0, 0.0], [30.5, 0.0]]])
    start = X[:4]
    plain = SoftKMeans(4, 5.0, init=start).fit(X)
    slow = SoftKMeans(4, 5.0, init=start, anneal=(1e-4, 1.5), random_state=0).fit(X)
    assert slow.objective_ <= plain.objective_ + 1e-9
    for options, words in [
        ({"anneal": (1e-3, 0.5)}, "must be > 1"),
        ({"membership": "fuzzy", "beta": 1.0}, "no meaning"),
        ({"fuzziness": 3.0}, "no meaning"),
    ]:
        with pytest.raises(ValueError, match=words):
            SoftKMeans(4, **options).fit(X)


@pytest.mark.spec("UNS-027")
@pytest.mark.parametrize("m", [1.2, 2.0, 3.0])
def test_fuzzy_shares_are_stationary(m):
    X = groups()
    found = SoftKMeans(3, membership="fuzzy", fuzziness=m, random_state=0, tol=1e-12, max_iter=3000).fit(X)
    assert np.all(np.diff(found.history_["objective"]) <= 1e-9 * found.objective_)
    mass = found.membership_**m
    np.testing.assert_allclose((mass.T @ X) / mass.sum(axis=0)[:, None], found.cluster_centers_, atol=1e-4)
    squares = found.transform(X) ** 2
    assert np.sum(mass * squares) == pytest.approx(found.objective_, rel=1e-6)
    # Any other shares cost more.
    other = RNG.dirichlet(np.ones(3), size=60)
    assert np.sum(other**m * squares) >= found.objective_


@pytest.mark.spec("UNS-L12")
def test_hard_em_is_lloyd_and_soft_k_means_is_an_e_step():
    X, start, var = groups(), groups()[:3], 2.0

    def e_step(centers):
        log = -np.sum((X[:, None] - centers[None]) ** 2, axis=2) / (2.0 * var)
        joint = np.exp(log - log.max(axis=1, keepdims=True))
        return joint / joint.sum(axis=1, keepdims=True), float(np.sum(log.max(axis=1)))

    def m_step(z):
        return (z.T @ X) / z.sum(axis=0)[:, None]

    for steps in (1, 2, 3, 50):
        hard = em(e_step, m_step, start, hard=True, max_iter=steps)
        np.testing.assert_allclose(hard.theta, kmeans(X, start, max_iter=steps).centers, rtol=1e-12, atol=1e-12)
    soft = SoftKMeans(3, 0.5 / var, init=start).fit(X)
    soft.cluster_centers_ = start
    np.testing.assert_allclose(soft.predict_proba(X), e_step(start)[0], rtol=1e-12)


@pytest.mark.spec("UNS-L13", "UNS-028", "UNS-029")
def test_kernel_k_means():
    X = groups(50, 3, 3)
    weights = RNG.integers(1, 4, size=50)
    start = RNG.integers(3, size=50)
    plain = kmeans(
        X, np.array([np.average(X[start == j], axis=0, weights=weights[start == j]) for j in range(3)]), weights
    )
    K, H = X @ X.T, np.eye(50) - 1.0 / 50
    for options, given in [
        ({"kernel": "linear"}, X),
        ({"kernel": Linear()}, X),
        ({"kernel": "precomputed"}, K),
        ({"kernel": "precomputed"}, H @ K @ H),
        ({"kernel": "linear", "algorithm": "kpca"}, X),
    ]:
        found = KernelKMeans(3, init=start, **options).fit(given, sample_weight=weights)
        np.testing.assert_array_equal(found.labels_, plain.labels)
        assert found.objective_ == pytest.approx(plain.objective)
        np.testing.assert_array_equal(found.predict(given), found.labels_)
        assert np.all(np.diff(found.history_["objective"]) <= 1e-9 * found.objective_)
    new = groups(20, 3, 3, seed=5)
    expected = KMeans(3, init=plain.centers, max_iter=1, tol=1e9).fit(X, sample_weight=weights).predict(new)
    np.testing.assert_array_equal(
        KernelKMeans(3, "linear", init=start).fit(X, sample_weight=weights).predict(new), expected
    )
    curved = KernelKMeans(3, Polynomial(degree=2.0), init=start).fit(X)
    map_too = KernelKMeans(3, Polynomial(degree=2.0), init=start, algorithm="kpca").fit(X)
    np.testing.assert_array_equal(curved.labels_, map_too.labels_)
    assert curved.objective_ == pytest.approx(map_too.objective_)
    few = KernelKMeans(3, "linear", algorithm="kpca", n_components=1, random_state=0).fit(X)
    assert few.objective_ < curved.objective_


@pytest.mark.spec("UNS-L13", "UNS-028")
def test_a_shift_changes_no_minimiser():
    X = groups(30)
    K = X @ X.T
    start = RNG.integers(3, size=30)
    base = KernelKMeans(3, "precomputed", init=start).fit(K)
    lifted = KernelKMeans(3, "precomputed", init=base.labels_).fit(K + 7.0 * np.eye(30))
    assert lifted.objective_ == pytest.approx(base.objective_ + 7.0 * 27)
    bad = K - 5.0 * np.eye(30)
    with pytest.raises(ValueError, match="shift='auto'"):
        KernelKMeans(3, "precomputed").fit(bad)
    for weights in (np.ones(30), RNG.integers(1, 3, size=30)):
        moved = KernelKMeans(3, "precomputed", shift="auto", init=start).fit(bad, sample_weight=weights)
        direct = 0.0
        for j in range(3):
            rows, s = np.flatnonzero(moved.labels_ == j), weights[moved.labels_ == j]
            direct += s @ np.diag(bad)[rows] - s @ bad[np.ix_(rows, rows)] @ s / s.sum()
        assert moved.objective_ == pytest.approx(direct)


@pytest.mark.spec("UNS-L14")
def test_weighted_kernel_k_means_is_a_normalised_cut():
    W = RNG.uniform(size=(20, 20)) ** 4
    W = W + W.T
    np.fill_diagonal(W, 0.0)
    degree, sigma, k = W.sum(axis=1), 2.0, 3
    K = sigma * np.diag(1.0 / degree) + W / np.outer(degree, degree)
    found = KernelKMeans(k, "precomputed", shift="auto", init="random_partition", n_init=3, random_state=0).fit(
        K, sample_weight=degree
    )
    ncut = sum(
        1.0 - W[np.ix_(r, r)].sum() / degree[r].sum() for r in (np.flatnonzero(found.labels_ == j) for j in range(k))
    )
    assert found.objective_ == pytest.approx(ncut + sigma * (20 - k) - k + np.trace(np.diag(1.0 / degree) @ W) + 0.0)


@pytest.mark.spec("UNS-L15")
def test_rings():
    rng = np.random.default_rng(0)
    angles = rng.uniform(0.0, 2.0 * np.pi, size=300)
    radius = np.repeat([1.0, 3.0], 150)
    X = radius[:, None] * np.column_stack([np.cos(angles), np.sin(angles)]) + 0.1 * rng.normal(size=(300, 2))
    truth = radius > 2.0
    assert abs(adjusted_rand_score(truth, KMeans(2, n_init=5, random_state=0).fit(X).labels_)) < 0.05
    squares = np.sum(X**2, axis=1)
    product = KernelKMeans(2, "precomputed", random_state=0, n_init=5).fit(np.outer(squares, squares))
    assert adjusted_rand_score(truth, product.labels_) == 1.0
    found = KernelKMeans(2, "rbf", gamma=0.5, random_state=0, n_init=30).fit(X)
    assert adjusted_rand_score(truth, found.labels_) == 1.0


@pytest.mark.spec("UNS-030", "UNS-002")
def test_spherical_k_means():
    X = RNG.normal(size=(80, 4))
    found = SphericalKMeans(5, random_state=0, n_init=3).fit(X)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    np.testing.assert_allclose(np.linalg.norm(found.cluster_centers_, axis=1), 1.0)
    assert found.objective_ == pytest.approx(np.sum(unit * found.cluster_centers_[found.labels_]))
    assert np.all(np.diff(found.history_["objective"]) >= -1e-9)
    np.testing.assert_array_equal(found.labels_, np.argmax(unit @ found.cluster_centers_.T, axis=1))
    np.testing.assert_allclose(found.transform(X), 1.0 - unit @ found.cluster_centers_.T, atol=1e-12)
    np.testing.assert_array_equal(found.predict(X * RNG.uniform(0.1, 9.0, size=(80, 1))), found.labels_)
    assert found.objective_ == found.restarts_.max()
    with pytest.raises(ValueError, match="row 1 of X is zero"):
        SphericalKMeans(1).fit([[1.0], [0.0]])
    # Opposite rows have no mean direction: the centre goes to a row.
    opposite = SphericalKMeans(1, init=[[1.0, 0.0]]).fit([[0.0, 1.0], [0.0, -1.0]])
    assert np.linalg.norm(opposite.cluster_centers_) == pytest.approx(1.0)


@pytest.mark.spec("UNS-031")
def test_k_medians():
    X = groups(70, 3)
    weights = RNG.integers(0, 3, size=70)
    found = KMedians(4, init=X[:4]).fit(X, sample_weight=weights)
    repeated = KMedians(4, init=X[:4]).fit(np.repeat(X, weights, axis=0))
    np.testing.assert_allclose(found.cluster_centers_, repeated.cluster_centers_)
    assert np.all(np.diff(repeated.history_["objective"]) <= 1e-9)
    for j in range(4):
        inside = np.repeat(X, weights, axis=0)[repeated.labels_ == j]
        np.testing.assert_allclose(repeated.cluster_centers_[j], np.median(inside, axis=0))
    cost = np.abs(X - found.cluster_centers_[found.labels_]).sum(axis=1)
    assert found.objective_ == pytest.approx(weights @ cost)
    np.testing.assert_array_equal(found.predict(X)[weights > 0], found.labels_[weights > 0])
    far = np.concatenate([groups(20, 1, 1), [[1e6]]])
    assert abs(KMedians(1).fit(far).cluster_centers_[0, 0] - np.median(far)) < 1e-9


@pytest.mark.spec("UNS-032")
def test_no_exchange_of_medoids_helps():
    X = groups(40)
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    weights = RNG.integers(1, 4, size=40)
    for k, init in [(1, "build"), (3, "build"), (5, "random"), (4, [0, 1, 2, 3])]:
        found = KMedoids(k, metric="precomputed", init=init, random_state=0).fit(D, sample_weight=weights)
        cost = lambda rows: weights @ D[:, rows].min(axis=1)  # noqa: E731
        assert found.objective_ == pytest.approx(cost(found.medoid_indices_))
        np.testing.assert_array_equal(found.labels_, np.argmin(D[:, found.medoid_indices_], axis=1))
        for j, i in np.ndindex(k, 40):
            other = found.medoid_indices_.copy()
            other[j] = i
            assert cost(other) >= found.objective_ * (1 - 1e-9)
        assert np.all(np.diff(found.history_["objective"]) <= 1e-9)
    assert not hasattr(found, "predict")
    rows = KMedoids(3, metric="manhattan").fit(X)
    np.testing.assert_array_equal(rows.predict(X), rows.labels_)
    np.testing.assert_allclose(rows.transform(X)[:, 0], np.abs(X - X[rows.medoid_indices_[0]]).sum(axis=1))
    with pytest.raises(ValueError, match="must name 2 different rows"):
        KMedoids(2, init=[1, 1]).fit(X)


@pytest.mark.spec("UNS-033")
def test_no_move_of_a_row_helps():
    X = groups(25)
    weights = RNG.integers(1, 3, size=25)
    for options in ({"metric": "euclidean"}, {"metric": "sqeuclidean", "normalise": "size"}):
        found = PairwiseClustering(3, n_init=3, random_state=0, **options).fit(X, sample_weight=weights)
        twice = np.repeat(X, weights, axis=0)
        value = partition_cost(twice, np.repeat(found.labels_, weights), **options)
        assert found.objective_ == pytest.approx(value)
        assert found.objective_ == pytest.approx(found.restarts_.min())
        for i, j in np.ndindex(25, 3):
            trial = found.labels_.copy()
            trial[i] = j
            if len(set(trial.tolist())) == 3:
                moved = partition_cost(twice, np.repeat(trial, weights), **options)
                assert moved >= found.objective_ * (1 - 1e-9)
    alike = PairwiseClustering(3, similarity="cosine", normalise="size", random_state=0).fit(X)
    assert alike.objective_ == pytest.approx(
        partition_cost(X, alike.labels_, objective="pair_similarity", normalise="size")
    )
    # A new row joins where the cost rises least.
    new = RNG.uniform(-8.0, 8.0, size=(60, 2))
    found = PairwiseClustering(3, metric="sqeuclidean", normalise="size", random_state=0).fit(X)
    for x, label in zip(new, found.predict(new), strict=True):
        more = [np.append(found.labels_, j) for j in range(3)]
        costs = [partition_cost(np.vstack([X, x]), labels, normalise="size") for labels in more]
        assert np.argmin(costs) == label


@pytest.mark.spec("UNS-029")
@pytest.mark.parametrize("m", [1, 2, 4])
def test_k_means_on_the_first_kernel_components(m):
    X = groups(50, 3, 3)
    start = np.arange(50) % 3
    Z = KernelPCA(m, kernel="rbf", gamma=0.2).fit_transform(X)
    plain = kmeans(Z, np.array([Z[start == j].mean(axis=0) for j in range(3)]))
    found = KernelKMeans(3, kernel="rbf", gamma=0.2, algorithm="kpca", n_components=m, init=start).fit(X)
    assert np.array_equal(found.labels_, plain.labels)
    assert found.objective_ == pytest.approx(plain.objective, rel=1e-8)
    assert np.array_equal(found.predict(X), found.labels_)


@pytest.mark.parametrize(
    "model",
    [
        KMeans(3, random_state=0),
        KMedians(3, random_state=0),
        KMedoids(3),
        KMedoids(3, metric="precomputed"),
        KernelKMeans(3, random_state=0),
        KernelKMeans(3, Linear(), algorithm="kpca", random_state=0),
        PairwiseClustering(3, random_state=0),
        PairwiseClustering(3, similarity="cosine", normalise="size", random_state=0),
    ],
    ids=lambda model: f"{model.__class__.__name__}",
)
def test_fewer_distinct_rows_than_clusters_are_said(model):
    two = np.array([[1.0, 0.0], [0.0, 2.0], [-0.0, 2.0], [1.0, -0.0], [1.0, 0.0]])
    three = np.vstack([two, [[3.0, 3.5]]])

    def table(X):
        return np.abs(X[:, None] - X).sum(axis=2) if getattr(model, "metric", "") == "precomputed" else X

    with pytest.warns(ConvergenceWarning, match=r"\(2\) found smaller than n_clusters \(3\)"):
        model.fit(table(two))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(table(three))
    if isinstance(model, KMedoids) and model.metric == "euclidean":
        with pytest.warns(ConvergenceWarning, match=r"\(2\) found smaller"):
            model.fit(sparse.csr_array(two))
    # Rows without weight make no cluster.
    with pytest.warns(ConvergenceWarning, match=r"\(2\) found smaller"):
        model.fit(table(three), sample_weight=[1.0, 1.0, 1.0, 1.0, 1.0, 0.0])


@pytest.mark.parametrize("kind", [KMeans, SoftKMeans])
@pytest.mark.parametrize(("c", "said"), [(1e158, "too large"), (1e-170, "too small")])
def test_squares_that_floats_cannot_hold_are_refused(kind, c, said):
    X = groups()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=f"X are {said}.*scale all of X"):
            kind(3, random_state=0).fit(c * X)
        assert kind(3, random_state=0).fit(1e150 * X).objective_ < np.inf
        assert kind(3, random_state=0).fit(1e-150 * X).objective_ > 0.0
    if kind is KMeans and c < 1.0:
        # Rows on their centres have no squares to lose.
        assert kind(2, random_state=0).fit(c * np.array([[1.0], [2.0], [2.0]])).gap_ == 0.0
