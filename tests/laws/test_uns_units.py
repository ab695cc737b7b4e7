"""Laws of units: far from zero, at odd scales, and on tables with less structure than was asked for."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.decomposition import PCA as TheirPCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import silhouette_samples

from gnomon import plot
from gnomon.cluster import (
    AgglomerativeClustering,
    DivisiveClustering,
    KMeans,
    SoftKMeans,
    SpectralClustering,
    cluster_profile,
    cophenetic,
    dp_means,
    exact_kmeans,
    graph_cut_cost,
    intra_inter,
    partition_cost,
    silhouettes,
)
from gnomon.decomposition import NMF, PCA, DiscriminantProjection, KernelPCA
from gnomon.features import jl_distortion
from gnomon.numerics.linalg import top_eigh
from gnomon.numerics.streaming import group_moments, moments
from gnomon.optim import kmeans_lower_bound

RNG = np.random.default_rng(0)
SCALES = (1e-150, 1e-30, 1.0, 1e30, 1e150)


def rest_of_spectrum(X, k, weights):
    """The bound of k-means from singular values, rows centred in extended precision."""
    rows, s = X.astype(np.longdouble), weights.astype(np.longdouble)
    Z = (rows - s @ rows / s.sum()) * np.sqrt(s)[:, None]
    return float(np.sum(np.linalg.svd(Z.astype(float), compute_uv=False)[k - 1 :] ** 2))


@pytest.mark.spec("UNS-019")
def test_the_bound_holds_for_sparse_columns_far_from_zero():
    weights = RNG.integers(1, 4, size=40).astype(float)
    for seed in range(8):
        rng = np.random.default_rng(seed)
        full = rng.normal(size=(40, 4)) + np.array([1e6, 1e7, 0.0, 0.0])
        one_zero = full.copy()
        one_zero[seed, 0] = 0.0
        for X in (full, one_zero):
            for k in (2, 3, 4):
                exact = rest_of_spectrum(X, k, weights)
                assert kmeans_lower_bound(sparse.csr_array(X), k, weights) <= exact * (1 + 1e-13)
        assert kmeans_lower_bound(sparse.csr_array(full), 3, weights) == pytest.approx(
            rest_of_spectrum(full, 3, weights), rel=1e-8
        )
    found = KMeans(3, random_state=0).fit(sparse.csr_array(full), sample_weight=weights)
    assert found.lower_bound_ > 0.5 * found.inertia_ * (1 - found.gap_)


def test_moments_of_sparse_columns_far_from_zero():
    X = RNG.normal(size=(50, 3)) + np.array([1e8, 0.0, -1e6])
    X[::2, 1] = 0.0
    s = RNG.integers(1, 4, size=50).astype(float)
    index = np.arange(50) % 3
    twice = sparse.coo_matrix(
        (np.r_[0.5 * X.ravel(), 0.5 * X.ravel()], (np.tile(np.repeat(np.arange(50), 3), 2), np.tile(np.arange(3), 100)))
    ).tocsr()
    for A in (sparse.csr_array(X), sparse.csc_matrix(X), sparse.csr_array(twice)):
        kept = A.copy()
        for weights in (None, s):
            assert moments(A, weights).covariance() == pytest.approx(
                moments(X, weights).covariance(), rel=1e-6, abs=1e-7
            )
        ours, dense = (group_moments(B, index, 3, s, diagonal=True).scatter for B in (A, X))
        assert ours == pytest.approx(dense, rel=1e-6)
        assert abs(A - kept).max() == 0.0


@pytest.mark.spec("UNS-069", "UNS-110")
def test_sparse_components_far_from_zero():
    X = RNG.normal(size=(60, 4)) * [4.0, 2.0, 1.0, 0.5] + [1e6, 0.0, 0.0, 0.0]
    wanted = TheirPCA(2, svd_solver="full").fit(X)
    for solver in ("auto", "full", "covariance_eigh", "dual", "arpack", "randomized"):
        found = PCA(2, svd_solver=solver, random_state=0).fit(sparse.csr_array(X))
        for name in ("explained_variance_", "explained_variance_ratio_", "noise_variance_"):
            assert getattr(found, name) == pytest.approx(getattr(wanted, name), rel=1e-6), (solver, name)


@pytest.mark.spec("UNS-056")
def test_silhouettes_have_no_unit_and_see_groups_in_groups():
    x = np.r_[0.0, 1e-9, 2e-9, 1e-8, 1.1e-8, 1.0, 1.1][:, None]
    labels = np.array([0, 0, 0, 1, 1, 2, 2])
    wanted = silhouette_samples(cdist(x, x), labels, metric="precomputed")
    for scale in (1e-170, *SCALES, 1e170):
        assert silhouettes(x * scale, labels) == pytest.approx(wanted, rel=1e-6), scale
    single = np.r_[0.0, 1.0, 2.0, 10.0, 11.0, 1e4, 1.1e4][:, None]
    wanted = silhouette_samples(cdist(single, single), labels, metric="precomputed")
    for scale in (1e-30, 1.0, 1e30):
        assert silhouettes((single * scale).astype(np.float32), labels) == pytest.approx(wanted, rel=1e-3), scale


@pytest.mark.spec("UNS-071")
def test_numbers_of_components_have_no_unit():
    X = RNG.normal(size=(40, 5)) * [5.0, 4.0, 1.0, 0.9, 0.8]
    rank_two = np.column_stack([X[:, :2], np.full((40, 3), 0.1)])
    for scale in (1e-130, 1e-90, 1.0, 1e90, 1e130):
        assert PCA("elbow").fit(X * scale).n_components_ == 2
        assert PCA("mle").fit(X * scale).n_components_ == PCA("mle").fit(X).n_components_
        assert PCA("mle").fit(rank_two * scale).n_components_ == TheirPCA("mle").fit(rank_two).n_components_
    assert PCA("mle").fit(np.full((9, 3), 0.1)).n_components_ == TheirPCA("mle").fit(np.full((9, 3), 0.1)).n_components_


@pytest.mark.spec("UNS-093")
def test_the_error_of_a_divergence_is_that_of_its_factors():
    X = np.abs(RNG.normal(size=(12, 5))) + 0.1
    for beta in (1.0, 0.5, 0.0, 2.0):
        for scale in (1e-30, 1.0, 1e30):
            model = NMF(2, solver="mu", beta_loss=beta, init="random", random_state=0, tol=1e-3)
            found = model.fit(X * scale)
            # Twice the divergence grows as scale^β.
            error = found.reconstruction_err_ / scale ** (beta / 2.0)
            assert error**2 / 2.0 == pytest.approx(found.objective_ / scale**beta, rel=1e-6), (beta, scale)
            assert 0.0 < error < 5.0


@pytest.mark.spec("UNS-044")
def test_a_small_cut_keeps_its_digits():
    W = np.ones((6, 6))
    W[:3, 3:] = W[3:, :3] = 1e-14 * RNG.uniform(0.5, 1.5, size=(3, 3))
    W[3:, :3] = W[:3, 3:].T
    labels = [0, 0, 0, 1, 1, 1]
    for scale in SCALES:
        cut = scale * W[:3, 3:].sum()
        assert graph_cut_cost(scale * W, labels) == pytest.approx(cut, rel=1e-12)
        assert graph_cut_cost(scale * W, labels, "ratio") == pytest.approx(2.0 * cut / 3.0, rel=1e-12)
        assert graph_cut_cost(sparse.csr_array(W), labels, "normalized") == pytest.approx(
            2.0 * W[:3, 3:].sum() / (6.0 + W[:3, 3:].sum()), rel=1e-12
        )


@pytest.mark.spec("UNS-026")
def test_soft_clusters_at_every_scale():
    X = np.concatenate([RNG.normal(c, 0.3, size=(15, 2)) for c in (0.0, 5.0)])
    for membership in ("gibbs", "fuzzy"):
        wanted = SoftKMeans(2, membership=membership, init=X[[0, 20]], tol=1e-12).fit(X)
        for scale in SCALES:
            found = SoftKMeans(2, membership=membership, init=scale * X[[0, 20]], tol=1e-12).fit(scale * X)
            assert found.membership_ == pytest.approx(wanted.membership_, abs=1e-6), (membership, scale)
        far = scale * (X + 1e8)
        assert SoftKMeans(2, membership=membership, init=far[[0, 20]]).fit(far).membership_ == pytest.approx(
            wanted.membership_, abs=1e-4
        )
    # A centre that no row is near to stays among the rows.
    far = SoftKMeans(2, beta=5.0, init=[[1e8, 1e8], [1e8 + 1e4, 1e8]]).fit(X + 1e8)
    assert np.all(np.abs(far.cluster_centers_ - 1e8) < 10.0)


@pytest.mark.spec("UNS-041")
def test_equal_rows_are_not_split():
    for value in (0.1, 1e8 + 0.1, 1e-30 / 3.0):
        two = np.repeat([[value, 1.0], [value, 2.0]], 7, axis=0)
        for method in ("bisect", "principal", "diana"):
            with pytest.warns(ConvergenceWarning, match=r"clusters \(1\)"):
                assert DivisiveClustering(3, method=method, random_state=0).fit(two[:7]).n_clusters_ == 1
            with pytest.warns(ConvergenceWarning, match=r"clusters \(2\)"):
                found = DivisiveClustering(3, method=method, random_state=0).fit(two)
            assert len(set(found.labels_[:7])) == len(set(found.labels_[7:])) == 1


@pytest.mark.spec("UNS-042")
def test_graphs_of_equal_rows():
    for X in (np.full((24, 4), 0.1), np.full((24, 4), 1e8 + 0.1), np.zeros((24, 2))):
        for affinity in ("rbf", "self_tuning", "nearest_neighbors"):
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message="Graph is not fully connected")
                found = SpectralClustering(3, affinity=affinity, n_neighbors=4, random_state=0).fit(X)
            assert np.all(np.isfinite(found.embedding_))
            assert set(found.predict(X[:2])) <= set(found.labels_)
    copies = np.repeat(RNG.normal(size=(3, 4)), 8, axis=0)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Graph is not fully connected")
        found = SpectralClustering(3, affinity="self_tuning", n_neighbors=4, random_state=0).fit(copies)
    assert np.array_equal(found.predict(copies), found.labels_)


def test_a_part_of_a_spectrum_where_all_eigenvalues_are_equal():
    for n in (8, 24, 60):
        root = np.ones(n) / np.sqrt(np.full(n, n - 1.0))
        S = np.outer(root, root) * (1.0 - np.eye(n))
        for m in (1, n // 5, n // 3, n):
            values, V = top_eigh(S, m)
            assert values == pytest.approx(np.sort(np.r_[np.full(n - 1, -1.0 / (n - 1)), 1.0])[n - m :], abs=1e-12)
            assert np.allclose(V.T @ V, np.eye(m), atol=1e-10)
            assert np.allclose(S @ V, V * values, atol=1e-10)
    assert [part.shape for part in top_eigh(np.eye(3), 0)] == [(0,), (3, 0)]


@pytest.mark.spec("UNS-058")
def test_a_constant_column_stands_nowhere():
    labels = [0] * 3 + [1] * 7
    for value in (0.1, 1.0 / 3.0, 1e8 + 0.1, 1e-30):
        for weights in (None, RNG.uniform(0.1, 2.0, size=10)):
            found = cluster_profile(np.column_stack([np.arange(10.0), np.full(10, value)]), labels, weights)
            assert found.standing.z[:, 1].tolist() == [0.0, 0.0]
            assert found.sd[:, 1] == pytest.approx([0.0, 0.0], abs=1e-15 * value)


@pytest.mark.spec("UNS-065", "UNS-077")
@pytest.mark.parametrize("value", [0.0, 0.1, 1e8 + 0.1, 1e-30 / 3.0])
def test_rows_without_variance_have_no_components(value):
    X = np.full((9, 3), value)
    for solver in ("full", "covariance_eigh", "dual", "arpack", "randomized"):
        found = PCA(2, svd_solver=solver, random_state=0).fit(X)
        assert found.explained_variance_.tolist() == found.explained_variance_ratio_.tolist() == [0.0, 0.0]
        assert found.components_ @ found.components_.T == pytest.approx(np.eye(2), abs=1e-12)
        assert not found.transform(X).any()
        panels = plot.scree(found, threshold=0.9)
        assert panels["error"].lines[0].get_ydata().tolist() == [0.0, 0.0, 0.0]
    for options in ({}, {"eigen_solver": "nystroem", "n_landmarks": 4, "random_state": 0}):
        for rows in (X, X.astype(np.float32)):
            for kernel in ("linear", "rbf"):
                assert KernelPCA(kernel=kernel, **options).fit(rows).eigenvalues_.shape == (0,), (options, kernel)
    # Nor are directions beyond the rank those of rounding.
    wide = np.outer(np.arange(9.0), RNG.normal(size=200)) + value
    for solver in ("full", "dual"):
        W = PCA(svd_solver=solver).fit(wide).components_
        assert pytest.approx(np.eye(9), abs=1e-10) == W @ W.T, solver
    # Beside a column that varies, the others add none.
    one = np.column_stack([1e3 * np.arange(9.0), np.full((9, 2), value)])
    assert KernelPCA().fit(one).eigenvalues_ == pytest.approx([6e7], rel=1e-5)


@pytest.mark.spec("UNS-099")
def test_distortion_has_no_unit():
    X, Z = RNG.normal(size=(6, 4)), RNG.normal(size=(6, 3))
    wanted = cdist(Z, Z, "sqeuclidean")[np.triu_indices(6, 1)] / cdist(X, X, "sqeuclidean")[np.triu_indices(6, 1)]
    for scale in (1e-170, *SCALES, 1e170):
        assert jl_distortion(X * scale, Z * scale).ratios == pytest.approx(wanted, rel=1e-9), scale
    small = [(A * 1e-30).astype(np.float32) for A in (X, Z)]
    assert jl_distortion(*small).ratios == pytest.approx(wanted, rel=1e-4)


@pytest.mark.spec("UNS-038")
def test_a_tree_that_inverts_is_not_cut_by_height():
    X = [[0.0, 0.0], [1.0, 0.0], [0.5, 0.9], [9.0, 9.0]]
    for linkage in ("centroid", "median"):
        with pytest.raises(ValueError, match="inversions"):
            AgglomerativeClustering(None, distance_threshold=0.95, linkage=linkage).fit(X)
        assert AgglomerativeClustering(2, linkage=linkage).fit(X).labels_[:3].tolist() == [0, 0, 0]
    x = np.array([[0.0], [1.0], [3.0]])
    below, at = (AgglomerativeClustering(None, distance_threshold=t, linkage="single").fit(x) for t in (1.5, 1.0))
    assert (below.n_clusters_, at.n_clusters_) == (2, 3)
    with pytest.raises(ValueError, match="15 pairs"):
        cophenetic(below.merges_, np.zeros((6, 6)))


@pytest.mark.spec("UNS-048")
def test_a_run_with_a_price_that_was_cut_short_says_so():
    X = RNG.normal(size=(40, 2))
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        short = dp_means(X, 0.8, max_iter=1)
    whole = dp_means(X, 0.8)
    for found in (short, whole):
        assert len(np.unique(found.labels)) == len(found.centers)
        squares = cdist(X, found.centers, "sqeuclidean")
        assert found.objective == pytest.approx(squares.min(axis=1).sum() + 0.8 * len(found.centers))
    with pytest.raises(ValueError, match="max_iter"):
        dp_means(X, 0.8, max_iter=0)


@pytest.mark.spec("UNS-003", "UNS-004")
def test_what_measures_of_labels_refuse():
    X, labels = RNG.normal(size=(6, 2)), [0, 0, 0, 1, 1, 1]
    hole = X.copy()
    hole[2, 1] = np.nan
    for measure in (intra_inter, partition_cost):
        with pytest.raises(ValueError, match="NaN"):
            measure(hole, labels)
        with pytest.raises(ValueError, match="5 entries and X has 6 rows"):
            measure(X, labels[:5])
    with pytest.raises(ValueError, match="shares"):
        partition_cost(X, np.tile([2.0, -1.0], (6, 1)), objective="soft")
    with pytest.raises(ValueError, match=r"\(1, 2\).*\(2, 2\)"):
        partition_cost(X, labels, objective="distance", representatives=[[0.0, 0.0]])
    # A cluster that no row has a share of costs nothing.
    alone, empty = np.ones((6, 1)), np.column_stack([np.ones(6), np.zeros(6)])
    for normalise in ("none", "size"):
        whole, beside = (partition_cost(X, z, objective="soft", normalise=normalise) for z in (alone, empty))
        assert beside == pytest.approx(whole)
    for weights, words in (([-1.0] + [1.0] * 5, "negative"), ([np.nan] + [1.0] * 5, "NaN"), ([1.0] * 5, "shape")):
        with pytest.raises(ValueError, match=words):
            exact_kmeans(X, 2, weights)


@pytest.mark.spec("UNS-034")
def test_a_matrix_of_small_numbers_must_be_symmetric_too():
    with pytest.raises(ValueError, match="symmetric"):
        KMeans(2, metric="mahalanobis", VI=[[1e-9, 5e-10], [0.0, 1e-9]]).fit(RNG.normal(size=(9, 2)))


@pytest.mark.spec("UNS-110")
def test_single_precision_stays_single():
    X = RNG.normal(size=(30, 3)).astype(np.float32)
    pca = PCA(2).fit(X)
    assert {pca.get_covariance().dtype, pca.get_precision().dtype} == {np.dtype(np.float32)}
    assert pca.get_covariance() @ pca.get_precision() == pytest.approx(np.eye(3), abs=1e-4)
    for options in ({"eigen_solver": "randomized", "n_components": 2}, {"eigen_solver": "nystroem", "n_landmarks": 9}):
        found = KernelPCA(kernel="rbf", random_state=0, **options).fit(X)
        assert {found.transform(X).dtype, found.eigenvalues_.dtype} == {np.dtype(np.float32)}, options


@pytest.mark.spec("UNS-L33", "UNS-034")
def test_columns_of_any_size_are_not_singular():
    y = np.repeat([0, 1, 2], [11, 20, 29])
    X = RNG.normal(size=(60, 3)) + np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 1.0], [0.0, 5.0, 2.0]])[y]
    two, models = y < 2, {}
    for sizes in ([1.0, 1.0, 1.0], [1.0, 1e-6, 1.0], [1e6, 1e-6, 1.0], [1e-60, 1.0, 1e60]):
        for solver in ("eigen", "joint_diagonalization", "svd", "binary"):
            rows = two if solver == "binary" else np.ones(60, dtype=bool)
            found = DiscriminantProjection(solver=solver).fit((X * sizes)[rows], y[rows])
            first = models.setdefault(solver, found)
            assert found.eigenvalues_ == pytest.approx(first.eigenvalues_, rel=1e-9), (solver, sizes)
            Z, wanted = found.transform((X * sizes)[rows]), first.transform(X[rows])
            assert np.abs(Z) == pytest.approx(np.abs(wanted), rel=1e-7, abs=1e-9), (solver, sizes)
        groups = KMeans(3, metric="mahalanobis", init=(X * sizes)[[0, 20, 40]]).fit(X * sizes)
        assert groups.inertia_ == pytest.approx(models.setdefault("groups", groups).inertia_, rel=1e-9)
        assert groups.cluster_centers_ / sizes == pytest.approx(models["groups"].cluster_centers_, rel=1e-7)
    for value in (0.1, 1e8 + 0.1, 0.0):
        beside = np.column_stack([X, np.full(60, value)])
        found = DiscriminantProjection(solver="svd").fit(beside, y)
        assert found.eigenvalues_ == pytest.approx(models["svd"].eigenvalues_, rel=1e-9)
        with pytest.raises(ValueError, match="column 3 is constant"):
            DiscriminantProjection(solver="eigen").fit(beside, y)
        with pytest.raises(ValueError, match="singular"):
            KMeans(3, metric="mahalanobis").fit(beside)
    with pytest.raises(ValueError, match="depend on each other"):
        DiscriminantProjection(solver="eigen").fit(np.column_stack([X, X.sum(axis=1)]), y)
