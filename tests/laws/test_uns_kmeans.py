"""k-means: descent, exactness of the accelerated algorithms, bounds, seeds and symmetries."""

import warnings
from itertools import combinations, pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from gnomon.cluster import AgglomerativeClustering, KMeans, exact_kmeans
from gnomon.cluster._starts import Starts
from gnomon.optim import kmeans, kmeans_lower_bound, nearest_center, seed_centers
from gnomon.optim.center_search import CenterSearch, one_group

RNG = np.random.default_rng(0)
ALGORITHMS = ["lloyd", "hamerly", "elkan", "yinyang", "auto"]


def groups(n=400, d=5, k=12, spread=2.0, seed=0):
    rng = np.random.default_rng(seed)
    return spread * rng.normal(size=(k, d))[rng.integers(k, size=n)] + rng.normal(size=(n, d))


def _tables():
    X = groups()
    holes = np.where(X > 1.0, X, 0.0)
    return {
        "dense": X,
        "single": X.astype(np.float32),
        "sparse": sparse.csr_array(holes),
        "sparse single": sparse.csr_array(holes.astype(np.float32)),
        "ties": np.round(X),
        "far from zero": X + 1e8,
        "one row far away": np.vstack([X, np.full((1, 5), 1e5)]),
        "tiny and large columns": X * [1e-9, 1e-6, 1e-9, 1e-7, 1.0],
    }


TABLES = _tables()


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def cost(X, centers, weights=None):
    squares = np.sum((dense(X)[:, None].astype(float) - centers[None]) ** 2, axis=2)
    return np.sum((np.ones(len(squares)) if weights is None else weights) * squares.min(axis=1))


@pytest.mark.spec("UNS-L02", "UNS-016", "UNS-006", "UNS-110")
@pytest.mark.parametrize("name", TABLES)
def test_all_algorithms_have_the_same_labels(name):
    X = TABLES[name]
    weights = RNG.uniform(0.5, 2.0, size=X.shape[0])
    for k in (1, 2, 25):
        start = dense(X[seed_centers(X, k, np.random.RandomState(k))])
        runs = [kmeans(X, start, weights, algorithm=a) for a in ALGORITHMS]
        for run in runs:
            np.testing.assert_array_equal(run.labels, runs[0].labels)
            assert run.n_iter == runs[0].n_iter
            np.testing.assert_allclose(
                run.centers, runs[0].centers, rtol=1e-12 if X.dtype == float else 1e-6, atol=1e-12
            )


@pytest.mark.spec("UNS-L01", "UNS-005", "UNS-007")
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("algorithm", ["lloyd", "yinyang"])
def test_the_cost_never_rises_and_the_end_is_a_fixed_point(name, algorithm):
    X = TABLES[name]
    start = dense(X[:12])
    found = kmeans(X, start, algorithm=algorithm)
    values = found.history["objective"]
    assert found.converged
    assert found.stop_reason == "no_change"
    # Rows far from zero have half of their digits; the rest is rounding of the cost of the first assignment.
    slack = 1e-12 if X.dtype == float else 1e-6
    assert np.all(np.diff(values) <= slack * values[0])
    assert values[0] == pytest.approx(cost(X, start.astype(X.dtype)), rel=1e-9)
    assert values[-1] == pytest.approx(found.objective, rel=1e-6)
    A = dense(X).astype(float)
    squares = np.sum((A[:, None] - found.centers[None].astype(float)) ** 2, axis=2)
    own = np.take_along_axis(squares, found.labels[:, None], axis=1)[:, 0]
    assert np.all(own <= squares.min(axis=1) * (1 + 1e-12))
    for j in range(12):
        np.testing.assert_allclose(found.centers[j], A[found.labels == j].mean(axis=0), rtol=1e-6, atol=1e-6)
    assert found.objective == pytest.approx(own.sum(), rel=1e-9)


@pytest.mark.spec("UNS-006")
def test_the_lowest_of_equal_centres_is_taken():
    X = np.array([[0.0], [1.0], [2.0]])
    for algorithm in ALGORITHMS:
        found = kmeans(X, np.array([[2.0], [0.0]]), algorithm=algorithm, max_iter=1)
        assert found.history["objective"][0] == 1.0
    labels, squares = nearest_center(X, np.array([[2.0], [0.0], [2.0]]))
    np.testing.assert_array_equal(labels, [1, 0, 0])
    np.testing.assert_array_equal(squares, [0.0, 1.0, 0.0])


@pytest.mark.spec("UNS-L03", "UNS-019", "UNS-L28")
def test_the_bound_is_below_every_cost():
    X = groups(60, 6, 4)
    weights = RNG.uniform(0.5, 2.0, size=60)
    total = np.sum((X - X.mean(axis=0)) ** 2)
    last = np.inf
    for k in (1, 2, 4, 6, 7, 20):
        found = KMeans(k, n_init=10, random_state=0, tol=0).fit(X)
        assert found.lower_bound_ <= found.inertia_
        assert found.gap_ == pytest.approx((found.inertia_ - found.lower_bound_) / found.inertia_)
        assert found.inertia_ <= last
        last = found.inertia_
        values = np.linalg.svd(X, compute_uv=False)[k:] ** 2
        assert values.sum() <= found.inertia_ * (1 + 1e-12)
        Z = found.one_hot(X)
        assert np.sum((X - found.inverse_transform(Z)) ** 2) == pytest.approx(found.inertia_)
    assert KMeans(1).fit(X).inertia_ == pytest.approx(total)
    assert KMeans(1).fit(X).gap_ == pytest.approx(0.0, abs=1e-9)
    assert KMeans(60, init="farthest", random_state=0).fit(X).inertia_ < 1e-25 * total
    heavy = KMeans(3, random_state=0).fit(X, sample_weight=weights)
    assert heavy.lower_bound_ == pytest.approx(
        np.sort(np.linalg.eigvalsh(np.cov(X.T, aweights=weights, ddof=0) * weights.sum()))[:4].sum()
    )
    assert np.isnan(KMeans(2, certificate=False, random_state=0).fit(X).lower_bound_)
    wide = RNG.normal(size=(9, 201))
    assert KMeans(2, random_state=0).fit(wide[:, :200]).lower_bound_ > 0.0
    assert np.isnan(KMeans(2, random_state=0).fit(wide).lower_bound_)
    assert KMeans(2, random_state=0, certificate=True).fit(wide).lower_bound_ > 0.0
    assert kmeans_lower_bound(X, 7) == 0.0


@pytest.mark.spec("UNS-L04")
def test_translation_rotation_scale_and_weights():
    X = groups(200, 3, 5)
    start = X[:5]
    base = KMeans(5, init=start, tol=0).fit(X)
    Q = np.linalg.qr(RNG.normal(size=(3, 3)))[0]
    for A, C, factor in [(X + 7.0, start + 7.0, 1.0), (X @ Q, start @ Q, 1.0), (3.0 * X, 3.0 * start, 9.0)]:
        other = KMeans(5, init=C, tol=0).fit(A)
        np.testing.assert_array_equal(other.labels_, base.labels_)
        assert other.inertia_ == pytest.approx(factor * base.inertia_)
    stretched = KMeans(5, init=start * [100.0, 1.0, 1.0], tol=0).fit(X * [100.0, 1.0, 1.0])
    assert not np.array_equal(stretched.labels_, base.labels_)
    weights = RNG.integers(0, 3, size=200)
    heavy = KMeans(5, init=start, tol=1e-4).fit(X, sample_weight=weights)
    repeated = KMeans(5, init=start, tol=1e-4).fit(np.repeat(X, weights, axis=0))
    np.testing.assert_array_equal(np.repeat(heavy.labels_, weights), repeated.labels_)
    np.testing.assert_allclose(heavy.cluster_centers_, repeated.cluster_centers_, rtol=1e-12, atol=1e-12)
    assert heavy.n_iter_ == repeated.n_iter_
    assert heavy.inertia_ == pytest.approx(repeated.inertia_)
    np.testing.assert_allclose(heavy.history_["objective"], repeated.history_["objective"])
    assert heavy.lower_bound_ == pytest.approx(repeated.lower_bound_)


@pytest.mark.parametrize("c", [1e-150, 1e150])
def test_units_far_from_one(c):
    X = groups(100, 3, 4)
    base, other = (KMeans(4, init=A[:4], refine="exchange").fit(A) for A in (X, c * X))
    np.testing.assert_array_equal(other.labels_, base.labels_)
    assert other.inertia_ / c / c == pytest.approx(base.inertia_)
    assert other.lower_bound_ / c / c == pytest.approx(base.lower_bound_)
    np.testing.assert_allclose(other.transform(c * X) / c, base.transform(X), rtol=1e-9)
    small = KMeans(4, random_state=0).fit((X * 1e-15).astype(np.float32))
    large = KMeans(4, random_state=0).fit(X)
    assert small.inertia_ * 1e30 == pytest.approx(large.inertia_, rel=1e-4)


@pytest.mark.spec("UNS-008")
def test_centres_without_rows():
    X = np.array([[0.0], [1.0], [10.0], [11.0], [30.0]])
    start = np.array([[0.0], [1e3], [2e3]])
    moved = KMeans(3, init=start).fit(X)
    assert moved.n_relocated_ == 2
    # To the rows that are farthest from their centres, one after the other.
    with pytest.warns(ConvergenceWarning):
        once = KMeans(3, init=start, max_iter=1).fit(X)
    np.testing.assert_allclose(once.cluster_centers_, [[11.0 / 3.0], [30.0], [11.0]])
    np.testing.assert_array_equal(np.sort(np.bincount(moved.labels_)), [1, 2, 2])
    assert np.all(np.diff(moved.history_["objective"]) <= 0.0)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(1\)"):
        kept = KMeans(3, init=start, on_empty="keep").fit(X)
    np.testing.assert_array_equal(kept.cluster_centers_[1:], start[1:])
    dropped = KMeans(3, init=np.array([[1e3], [0.0], [11.0]]), on_empty="drop").fit(X)
    assert dropped.cluster_centers_.shape == (2, 1)
    assert dropped.inertia_ == pytest.approx(cost(X, dropped.cluster_centers_))
    for algorithm in ALGORITHMS:
        again = KMeans(3, init=np.array([[1e3], [0.0], [11.0]]), on_empty="drop", algorithm=algorithm).fit(X)
        np.testing.assert_array_equal(again.labels_, dropped.labels_)
    with pytest.raises(ValueError, match="2 of 3 clusters have no rows"):
        KMeans(3, init=start, on_empty="raise").fit(X)
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(2\)"):
        few = KMeans(3, random_state=0).fit(np.repeat([[0.0], [1.0]], 5, axis=0))
    assert few.inertia_ == 0.0


@pytest.mark.spec("UNS-009", "UNS-110")
def test_the_best_of_runs_is_kept_for_any_number_of_threads():
    X = groups()
    runs = [KMeans(12, init="random", random_state=3, n_jobs=j).fit(X) for j in (1, 2)]
    assert len(runs[0].restarts_) == 10
    assert runs[0].inertia_ == runs[0].restarts_.min()
    np.testing.assert_array_equal(runs[0].restarts_, runs[1].restarts_)
    np.testing.assert_array_equal(runs[0].cluster_centers_, runs[1].cluster_centers_)
    assert len(KMeans(12, random_state=0).fit(X).restarts_) == 1
    one, two = (KMeans(12, random_state=0, n_jobs=j).fit(X) for j in (1, 2))
    np.testing.assert_array_equal(one.cluster_centers_, two.cluster_centers_)


@pytest.mark.spec("UNS-010", "UNS-011", "UNS-015")
def test_other_starts():
    X = groups(100)
    weights = np.zeros(100)
    weights[[3, 8, 40]] = 1.0
    rows = seed_centers(X, 3, np.random.default_rng(0), weights, method="random")
    np.testing.assert_array_equal(np.sort(rows), [3, 8, 40])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        first = KMeans(4, init="random_partition", n_init=1, max_iter=1, random_state=0).fit(X)
    labels = np.random.RandomState(0).randint(4, size=100)
    means = np.array([X[labels == j].mean(axis=0) for j in range(4)])
    assert first.history_["objective"][0] == pytest.approx(cost(X, means))
    crowd = KMeans(6, init="random_partition", n_init=2, random_state=0).fit(X[:7])
    assert len(np.unique(crowd.labels_)) == 6
    few, labels = X[:7] + 100.0, np.random.RandomState(0).randint(6, size=7)
    for j, center in enumerate(Starts("random_partition", 6, 1).draw(few, np.ones(7), np.random.RandomState(0))[0]):
        inside = few[labels == j]
        near = np.abs(center - inside.mean(axis=0)).max() if len(inside) else np.abs(few - center).max(axis=1).min()
        assert near < 1e-12
    assert len(set(labels.tolist())) < 6
    given = KMeans(4, init=lambda X, k, random_state: X[:k], n_init=1).fit(X)
    np.testing.assert_array_equal(given.labels_, KMeans(4, init=X[:4]).fit(X).labels_)
    with pytest.raises(ValueError, match=r"shape \(2, 5\)"):
        KMeans(4, init=X[:2]).fit(X)
    with pytest.raises(ValueError, match="first=3 has no meaning"):
        KMeans(4, first=3).fit(X)


@pytest.mark.spec("UNS-014")
@pytest.mark.parametrize("linkage", ["median", "ward"])
def test_a_tree_to_start_from(linkage):
    X = groups(60)
    labels = AgglomerativeClustering(5, linkage=linkage).fit(X).labels_
    means = np.array([X[labels == j].mean(axis=0) for j in range(5)])
    for data in (X, sparse.csr_array(X)):
        found = KMeans(5, init="agglomerative", linkage=linkage).fit(data)
        assert found.history_["objective"][0] == pytest.approx(cost(X, means))
        assert len(found.restarts_) == 1
    some = KMeans(5, init="agglomerative", linkage=linkage, init_size=20, random_state=0).fit(X)
    assert some.history_["objective"][0] > found.history_["objective"][0] or linkage == "median"
    with pytest.raises(ValueError, match="init_size=4 must be at least n_clusters=5"):
        KMeans(5, init="agglomerative", init_size=4).fit(X)
    with pytest.raises(ValueError, match="init_size=9 has no meaning"):
        KMeans(5, init_size=9).fit(X)


@pytest.mark.spec("UNS-110")
def test_chunks_are_one_table():
    X = groups(300)
    weights = RNG.integers(1, 3, size=300)
    start = X[:8]
    whole = KMeans(8, init=start, tol=0).fit(X, sample_weight=weights)
    parts = [(X[i : i + 70], weights[i : i + 70]) for i in range(0, 300, 70)]
    for chunks in (parts, lambda: iter(parts), [(sparse.csr_array(A), s) for A, s in parts]):
        found = KMeans(8, init=start, tol=0).fit_chunks(chunks)
        np.testing.assert_allclose(found.cluster_centers_, whole.cluster_centers_, rtol=1e-9, atol=1e-9)
        assert found.inertia_ == pytest.approx(whole.inertia_)
        assert found.converged_
    np.testing.assert_array_equal(found.predict(X), whole.labels_)
    beside = KMeans(8, init=start, tol=0).fit_chunks([(1e3 + X[:9], np.zeros(9)), *parts])
    np.testing.assert_allclose(beside.cluster_centers_, whole.cluster_centers_, rtol=1e-9, atol=1e-9)
    far = KMeans(3, init=np.array([[0.0], [1e3], [2e3]])).fit_chunks([[[0.0], [1.0], [10.0]], [[11.0], [30.0]]])
    assert far.n_relocated_ == 2
    assert len(np.unique(far.predict([[0.0], [1.0], [10.0], [11.0], [30.0]]))) == 3
    with pytest.raises(ValueError, match="read only once"):
        KMeans(2).fit_chunks(iter([X]))
    with pytest.raises(ValueError, match="holds no table"):
        KMeans(2).fit_chunks([])


@pytest.mark.spec("UNS-110", "UNS-019", "UNS-023", "UNS-007", "UNS-009")
def test_a_fit_to_chunks_is_as_whole_as_one_to_rows():
    X = groups(300, spread=1.0)
    parts = [X[i : i + 70] for i in range(0, 300, 70)]
    for table, chunks in ((X, parts), (X + 1e6, [part + 1e6 for part in parts])):
        options = {
            "init": lambda A, k, random_state, table=table: table[random_state.permutation(60)[:k]],
            "n_init": 3,
            "tol": 0.05,
            "random_state": 0,
        }
        whole, found = KMeans(4, **options).fit(table), KMeans(4, **options).fit_chunks(chunks)
        np.testing.assert_allclose(found.cluster_centers_, whole.cluster_centers_, rtol=1e-9, atol=1e-9)
        assert (found.n_iter_, found.stop_reason_) == (whole.n_iter_, "tol")
        np.testing.assert_allclose(found.history_["objective"], whole.history_["objective"], rtol=1e-9)
        np.testing.assert_allclose(found.restarts_, whole.restarts_, rtol=1e-9)
        assert found.inertia_ == found.restarts_.min()
        assert 0.0 < found.lower_bound_ <= found.inertia_
        assert found.lower_bound_ == pytest.approx(whole.lower_bound_, rel=1e-9)
        assert found.gap_ == pytest.approx(whole.gap_, rel=1e-6)
        np.testing.assert_allclose(found.outlier_score(table), whole.outlier_score(table), rtol=1e-9)
    settled = KMeans(6, init=X[:6], tol=0).fit(X)
    again = KMeans(6, init=X[:6], tol=0).fit_chunks(parts)
    assert (
        (again.stop_reason_, again.n_iter_) == (settled.stop_reason_, settled.n_iter_) == ("no_change", settled.n_iter_)
    )
    assert np.isnan(KMeans(6, certificate=False, init=X[:6]).fit_chunks(parts).lower_bound_)
    # What belongs to an earlier fit is gone.
    assert "labels_" not in vars(settled.fit_chunks(parts))
    holes = sparse.csr_array(np.where(X > 0.0, X, 0.0))
    cut = [holes[i : i + 70] for i in range(0, 300, 70)]
    some = KMeans(4, init=dense(holes)[:4]).fit_chunks(cut)
    exact = np.sort(np.linalg.eigvalsh(np.cov(dense(holes).T, ddof=0) * 300))[:2].sum()
    assert 0.999 * exact < some.lower_bound_ <= exact


@pytest.mark.spec("UNS-110", "UNS-001")
def test_chunks_can_be_watched_and_interrupted(caplog):
    X = groups(200, spread=1.0)
    parts, passes = np.array_split(X, 3), []

    def read():
        passes.append(len(passes))
        if len(passes) > 6:
            raise KeyboardInterrupt
        return iter(parts)

    with pytest.warns(ConvergenceWarning, match="interrupted after 2 iterations"):
        found = KMeans(7, init=X[:7], tol=0).fit_chunks(read)
    assert (found.stop_reason_, found.converged_, found.n_iter_) == ("interrupted", False, 2)
    assert found.inertia_ == pytest.approx(-found.score(X))
    with caplog.at_level("INFO", logger="gnomon.optim"):
        KMeans(3, init=X[:3], verbose=1).fit_chunks(parts)
    assert len(caplog.records) > 2
    with pytest.warns(ConvergenceWarning, match="raise max_iter=1, "):
        KMeans(7, init=X[:7], max_iter=1).fit_chunks(parts)


@pytest.mark.spec("UNS-009")
def test_an_interrupt_ends_all_runs_and_keeps_the_best(monkeypatch):
    X, rows = groups(200, spread=1.0), []

    def interrupt(row):
        rows.append(row)
        if len(rows) == 4 + 5 * several:
            raise KeyboardInterrupt

    several = False

    monkeypatch.setattr("gnomon.cluster._fit_centers.log_row", interrupt)
    with pytest.warns(ConvergenceWarning, match="interrupted after"):
        found = KMeans(7, init="random", n_init=1, random_state=0, tol=0, verbose=1, n_jobs=1).fit(X)
    assert (found.stop_reason_, found.converged_, len(found.restarts_)) == ("interrupted", False, 1)
    assert found.inertia_ == pytest.approx(-found.score(X))
    rows.clear()
    several = True
    with pytest.warns(ConvergenceWarning):
        found = KMeans(7, init="random", n_init=9, random_state=0, max_iter=5, tol=0, verbose=1, n_jobs=1).fit(X)
    assert (len(found.restarts_), len(rows)) == (2, 9)


@pytest.mark.spec("UNS-110")
@pytest.mark.parametrize(
    "options",
    [
        {"refine": "exchange"},
        {"metric": "mahalanobis"},
        {"keep_rows": True},
        {"on_empty": "drop"},
        {"warn_scale": True},
        {"algorithm": "elkan"},
    ],
)
def test_what_chunks_cannot_do_is_refused_by_name(options):
    (name,) = options
    with pytest.raises(ValueError, match=f"{name}=.* all rows at once"):
        KMeans(2, **options).fit_chunks([groups(20)])


@pytest.mark.spec("UNS-110", "UNS-017")
@pytest.mark.parametrize("c", [1e-150, 1e-30, 1e30, 1e150])
def test_chunks_and_optima_in_any_unit(c):
    X = groups(100, 3, 4)
    base, other = (KMeans(4, init=A[:4]).fit_chunks(np.array_split(A, 3)) for A in (X, c * X))
    np.testing.assert_allclose(other.cluster_centers_ / c, base.cluster_centers_, rtol=1e-9)
    assert other.n_iter_ == base.n_iter_
    assert other.inertia_ / c / c == pytest.approx(base.inertia_)
    assert other.lower_bound_ / c / c == pytest.approx(base.lower_bound_)
    np.testing.assert_allclose(other.outlier_score(c * X), base.outlier_score(X), rtol=1e-9)
    for rows in (X[:9], X[:, :1]):
        one, scaled = exact_kmeans(rows, 3), exact_kmeans(c * rows, 3)
        np.testing.assert_array_equal(scaled.labels, one.labels)
        np.testing.assert_allclose(scaled.centers / c, one.centers, rtol=1e-9)
        assert scaled.objective / c / c == pytest.approx(one.objective)


@pytest.mark.spec("UNS-110", "UNS-017")
@pytest.mark.parametrize(("c", "said"), [(1e158, "too large"), (1e-170, "too small")])
def test_chunks_and_optima_without_squares_are_refused(c, said):
    X = groups(100, 3, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for fit in (
            lambda: KMeans(3, init=c * X[:3]).fit_chunks(np.array_split(c * X, 3)),
            lambda: exact_kmeans(c * X[:9], 3),
            lambda: exact_kmeans(c * X[:, :1], 3),
        ):
            with pytest.raises(ValueError, match=f"X are {said}.*scale all of X"):
                fit()
        # Rows on their centres have no squares to lose.
        rows = c * np.array([[1.0], [2.0], [2.0]])
        assert exact_kmeans(rows, 2).objective == 0.0
        assert KMeans(2, init=rows[:2]).fit_chunks([rows[:2], rows[2:]]).inertia_ == 0.0


@pytest.mark.spec("UNS-L06", "UNS-013")
def test_plain_seeds_keep_their_guarantee():
    rng = np.random.default_rng(1)
    sizes, corners = [900, 30, 30, 40], np.array([[0.0, 0.0], [20.0, 0.0], [0.0, 20.0], [20.0, 20.0]])
    X = np.concatenate([c + rng.normal(size=(n, 2)) for n, c in zip(sizes, corners, strict=True)])
    best = KMeans(4, n_init=5, random_state=0).fit(X).inertia_

    def mean_cost(**options):
        draws = np.random.default_rng(0)
        return np.mean([cost(X, X[seed_centers(X, 4, draws, **options)]) for _ in range(60)]) / best

    plain, greedy, uniform = mean_cost(n_trials=1), mean_cost(), mean_cost(method="random")
    assert plain <= 8.0 * (np.log(4) + 2.0)
    assert uniform > 3.0 * plain
    assert greedy < plain


@pytest.mark.spec("UNS-L07", "UNS-012")
def test_farthest_rows_cover_within_twice_the_least_radius():
    X = np.concatenate([groups(10, 2, 3), [[1e3, 0.0]]])
    apart = np.linalg.norm(X[:, None] - X[None], axis=2)
    for k in (2, 3):
        least = min(apart[:, list(rows)].min(axis=1).max() for rows in combinations(range(11), k))
        for first in range(11):
            rows = seed_centers(X, k, np.random.default_rng(0), method="farthest", first=first)
            assert 10 in rows
            assert apart[:, rows].min(axis=1).max() <= 2.0 * least
    found = KMeans(2, init="farthest", first=0).fit(X)
    np.testing.assert_array_equal(np.flatnonzero(found.labels_ == 1), [10])


@pytest.mark.spec("UNS-L10", "UNS-018")
def test_exchange_never_raises_the_cost():
    for seed in range(4):
        X = groups(40, 2, 3, seed=seed)
        weights = np.random.default_rng(seed).integers(0, 3, size=40)
        lloyd, refined = (
            KMeans(5, random_state=seed, tol=0, refine=r).fit(X, sample_weight=weights) for r in (None, "exchange")
        )
        assert refined.inertia_ <= lloyd.inertia_ * (1 + 1e-12)
        assert refined.inertia_ == pytest.approx(cost(X, refined.cluster_centers_, weights))
        for i, j in np.ndindex(40, 5):
            trial = refined.labels_.copy()
            trial[i] = j
            inside = [(X[trial == g], weights[trial == g]) for g in range(5)]
            moved = sum(np.sum(w[:, None] * (A - np.average(A, axis=0, weights=w)) ** 2) for A, w in inside if w.sum())
            assert moved >= refined.inertia_ * (1 - 1e-9)


@pytest.mark.spec("UNS-034")
def test_mahalanobis_is_euclid_on_whitened_rows():
    X = groups(150, 3, 4) @ RNG.normal(size=(3, 3))
    VI = np.linalg.inv(np.cov(X.T, ddof=0))
    L = np.linalg.cholesky(VI)
    ours = KMeans(4, init=X[:4], metric="mahalanobis", VI=VI, tol=0).fit(X)
    plain = KMeans(4, init=X[:4] @ L, tol=0).fit(X @ L)
    np.testing.assert_array_equal(ours.labels_, plain.labels_)
    assert ours.inertia_ == pytest.approx(plain.inertia_)
    np.testing.assert_allclose(ours.transform(X), plain.transform(X @ L), rtol=1e-9)
    np.testing.assert_allclose(ours.cluster_centers_ @ L, plain.cluster_centers_, rtol=1e-9, atol=1e-9)
    default = KMeans(4, init=X[:4], metric="mahalanobis", tol=0).fit(X)
    np.testing.assert_array_equal(default.labels_, ours.labels_)
    with pytest.raises(ValueError, match="singular"):
        KMeans(2, metric="mahalanobis").fit(np.column_stack([X, X[:, 0]]))
    with pytest.raises(ValueError, match="VI has no meaning"):
        KMeans(2, VI=VI).fit(X)


@pytest.mark.spec("UNS-020", "UNS-021", "UNS-022", "UNS-023", "UNS-024", "UNS-001")
def test_new_rows():
    X, new = groups(120, 3, 4), groups(30, 3, 4, seed=1)
    found = KMeans(4, random_state=0, keep_rows=True).fit(X, np.arange(120))
    apart = np.linalg.norm(new[:, None] - found.cluster_centers_[None], axis=2)
    np.testing.assert_allclose(found.transform(new), apart, rtol=1e-12)
    np.testing.assert_array_equal(found.predict(new), apart.argmin(axis=1))
    # The lowest of several that are equally near.
    for ends in ([[0.0], [2.0]], [[2.0], [0.0]]):
        assert KMeans(2, init=ends).fit([[0.0], [2.0]]).predict([[1.0]]).tolist() == [0]
    np.testing.assert_allclose(found.score_samples(new), -(apart.min(axis=1) ** 2))
    weights = RNG.uniform(size=30)
    assert found.score(new, sample_weight=weights) == pytest.approx(-weights @ apart.min(axis=1) ** 2)
    assert found.score(X) == pytest.approx(-found.inertia_)
    Z = found.one_hot(new).toarray()
    np.testing.assert_array_equal(Z.argmax(axis=1), found.predict(new))
    np.testing.assert_array_equal(Z.sum(axis=1), 1.0)
    np.testing.assert_allclose(found.inverse_transform(Z), found.cluster_centers_[found.predict(new)])
    # The mean square of the score is one inside every cluster.
    scores = found.outlier_score(X)
    for j in range(4):
        assert np.mean(scores[found.labels_ == j] ** 2) == pytest.approx(1.0)
    rows, distances = found.similar_items(new[0], 3)
    inside = np.flatnonzero(found.labels_ == found.predict(new[:1])[0])
    nearest = inside[np.argsort(np.linalg.norm(X[inside] - new[0], axis=1))[:3]]
    np.testing.assert_array_equal(rows, nearest)
    np.testing.assert_allclose(distances, np.linalg.norm(X[nearest] - new[0], axis=1))
    with pytest.raises(ValueError, match="keep_rows=True"):
        KMeans(2, random_state=0).fit(X).similar_items(new[0])


@pytest.mark.spec("UNS-025", "UNS-007", "UNS-001")
def test_warnings_and_errors():
    X = groups(100, 2, 3)
    with pytest.warns(UserWarning, match="StandardScaler"):
        KMeans(2, random_state=0, warn_scale=True).fit(X * [1.0, 1e3])
    with pytest.warns(ConvergenceWarning, match="raise max_iter=1, "):
        KMeans(9, init="random", n_init=1, random_state=0, max_iter=1).fit(X)
    with pytest.raises(ValueError, match="n_samples=3 should be >= n_clusters=4"):
        KMeans(4).fit(X[:3])
    with pytest.raises(ValueError, match="n_clusters"):
        KMeans(0).fit(X)
    with pytest.raises(ValueError, match="NaN in column 1"):
        KMeans(2).fit(np.array([[0.0, np.nan], [1.0, 1.0]]))
    loose, tight = (KMeans(9, random_state=0, tol=tol).fit(X) for tol in (0.5, 0.0))
    assert loose.stop_reason_ == "tol"
    assert loose.n_iter_ < tight.n_iter_
    assert tight.stop_reason_ == "no_change"


@pytest.mark.spec("UNS-L09", "UNS-011")
@pytest.mark.parametrize("k", [3, 5, 10])
def test_a_random_partition_and_random_rows_are_reported_side_by_side(k, record_property):
    """Which of the two starts is better depends on the groups; this writes the numbers, and holds neither to win."""
    X = groups(n=300, d=2, k=k, spread=10.0, seed=k)
    ends = {
        init: [KMeans(k, init=init, n_init=1, random_state=s).fit(X).inertia_ for s in range(20)]
        for init in ("random", "random_partition")
    }
    best = min(min(costs) for costs in ends.values())
    for init, costs in ends.items():
        ratio = float(np.mean(costs) / best)
        record_property(f"{init}, {k} groups, mean cost over the best", ratio)
        # Both are starts of k-means: no end is below the bound, and none is worse than one centre.
        assert kmeans_lower_bound(X, k) <= best * (1.0 + 1e-9)
        assert max(costs) < np.sum((X - X.mean(axis=0)) ** 2)


@pytest.mark.spec("UNS-007")
@pytest.mark.parametrize("tol", [1e-2, 0.05, 0.3])
def test_the_first_step_that_is_small_enough_is_the_last(tol):
    X = groups(n=600, k=8, spread=1.0, seed=3)
    start = X[:8]
    paths = [start]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        options = {"init": start, "n_init": 1, "tol": 0.0}
        paths += [KMeans(8, max_iter=steps, **options).fit(X).cluster_centers_ for steps in range(1, 60)]
    steps = np.array([np.sum((b - a) ** 2) for a, b in pairwise(paths)])
    allowed = tol * np.mean(np.var(X, axis=0))
    found = KMeans(8, init=start, n_init=1, tol=tol).fit(X)
    assert (found.stop_reason_, found.converged_) == ("tol", True)
    assert found.n_iter_ == int(np.argmax(steps <= allowed)) + 1


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("place", [0.0, 1.0, 300.0])
def test_the_nearest_centre_is_the_same_wherever_the_rows_lie(place, dtype, threads):
    rng = np.random.default_rng(0)
    X = (place + rng.standard_normal((3000, 20))).astype(dtype)
    centers = X[:40].copy()
    labels, squares = nearest_center(X, centers, n_jobs=threads)
    exact = ((X[:, None].astype(float) - centers[None].astype(float)) ** 2).sum(axis=2)
    np.testing.assert_array_equal(labels, np.argmin(exact, axis=1))
    np.testing.assert_allclose(squares, exact.min(axis=1), rtol=1e-9)


@pytest.mark.spec("UNS-L02")
@pytest.mark.parametrize("gap", [1e-3, 1e-7, 1e-10])
@pytest.mark.parametrize("size", [1e-18, 1.0, 1e12])
def test_products_in_single_precision_decide_only_what_they_can(gap, size):
    # Rows almost half way between two centres, in directions in which every product is rounded.
    rng = np.random.default_rng(1)
    turn = np.linalg.qr(rng.normal(size=(30, 30)))[0]
    centers, X = np.zeros((3, 30)), rng.normal(size=(500, 30))
    centers[:, 0] = 1.0, -1.0, 40.0
    side = rng.choice([-1.0, 1.0], size=500)
    X[:, 0] = gap * side
    found = nearest_center(size * (X @ turn), size * (centers @ turn))[0]
    np.testing.assert_array_equal(found, (side < 0.0).astype(int))
    exact = np.sum(np.min(np.sum((X[:, None] - centers) ** 2, axis=2), axis=1))
    for algorithm in ALGORITHMS:
        run = kmeans(size * (X @ turn), size * (centers @ turn), algorithm=algorithm, on_empty="keep", max_iter=1)
        assert run.history["objective"][0] / size**2 == pytest.approx(exact, rel=1e-12)


def test_products_are_in_double_precision_once_single_precision_leaves_much_open():
    X = groups()
    for rows, left in ((X, np.float32), (np.vstack([X, np.full((1, 5), 1e5)]), np.float64)):
        search = CenterSearch(rows, np.zeros(5), 12, lambda work, parts: [work(part) for part in parts])
        labels, centers = np.full(len(rows), -1), rows[-12:].copy()
        search.assign(centers, np.ones(len(rows)), one_group(12), labels)
        assert search.precision == left
        again = np.full(len(rows), -1)
        search.assign(centers, np.ones(len(rows)), one_group(12), again)
        np.testing.assert_array_equal(again, labels)
