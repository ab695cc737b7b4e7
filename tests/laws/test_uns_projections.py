"""Laws of kernel components and discriminant directions."""

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KernelCenterer

from gnomon.decomposition import PCA, DiscriminantProjection, KernelPCA, fisher_ratio
from gnomon.features import PolarFeatures, WithinClassWhitener
from gnomon.generative import LinearDiscriminantAnalysis
from gnomon.kernels import RBF, CallableKernel, Linear, Polynomial
from gnomon.numerics.linalg import symmetric_operator
from gnomon.numerics.scatter import between_class_cov, within_class_cov

KERNELS = [RBF(1.5), Polynomial(2), RBF(2.0) + 0.5 * Linear()]


@pytest.fixture
def rows():
    return np.random.default_rng(2).normal(size=(40, 4)) + 3.0


@pytest.fixture
def classes():
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1, 2], [20, 15, 25])
    return rng.normal(size=(60, 5)) @ rng.normal(size=(5, 5)) + 2.0 * rng.normal(size=(3, 5))[y], y


@pytest.mark.spec("UNS-L29", "UNS-077", "UNS-079")
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_scores_of_kernel_components(rows, kernel):
    found = KernelPCA(kernel=kernel).fit(rows)
    K = KernelCenterer().fit_transform(kernel.gram(rows))
    alphas = found.eigenvectors_ / np.sqrt(found.eigenvalues_)
    np.testing.assert_allclose(np.einsum("ij,ik,kj->j", alphas, K, alphas), 1.0, rtol=1e-6)
    Z = found.eigenvectors_ * np.sqrt(found.eigenvalues_)
    np.testing.assert_allclose(found.transform(rows), Z, atol=1e-6)
    np.testing.assert_allclose(KernelPCA(kernel=kernel).fit_transform(rows), Z, atol=1e-12)
    np.testing.assert_allclose(Z @ Z.T, K, atol=1e-6)
    assert np.all(
        found.eigenvectors_[np.argmax(np.abs(found.eigenvectors_), axis=0), range(len(found.eigenvalues_))] > 0
    )


@pytest.mark.spec("UNS-L30", "UNS-078")
def test_centring_of_new_rows_agrees_with_that_of_training_rows(rows):
    given = RBF(1.5).gram(rows)
    centred = KernelCenterer().fit_transform(given)
    np.testing.assert_allclose(centred.sum(axis=0), 0.0, atol=1e-10)
    np.testing.assert_allclose(KernelCenterer().fit_transform(centred), centred, atol=1e-12)
    by_matrix = KernelPCA(4, kernel="precomputed").fit(given)
    by_rows = KernelPCA(4, kernel=RBF(1.5)).fit(rows)
    new = rows[:7] + 0.3
    np.testing.assert_allclose(by_matrix.transform(RBF(1.5).gram(new, rows)), by_rows.transform(new), atol=1e-10)
    np.testing.assert_allclose(by_matrix.transform(given)[3], by_rows.transform(rows[3:4])[0], atol=1e-10)
    through_origin = KernelPCA(2, kernel=RBF(1.5), center=False).fit(rows)
    np.testing.assert_allclose(through_origin.eigenvalues_, np.linalg.eigvalsh(given)[::-1][:2], rtol=1e-10)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_krylov_space_finds_the_components_and_leaves_a_given_matrix_alone(dtype):
    given = RBF(1.5).gram(np.random.default_rng(3).normal(size=(230, 4))).astype(dtype)
    before, tol = given.copy(), {"float32": 2e-4, "float64": 1e-10}[dtype]
    function = CallableKernel(lambda A, B: given if len(A) == len(B) == len(given) else RBF(1.5).gram(A, B))
    every = np.linalg.eigh(KernelCenterer().fit_transform(given.astype(float)))[0][::-1]
    for kernel, copy_X in (("precomputed", True), ("precomputed", False), (function, True)):
        few = KernelPCA(5, kernel=kernel, copy_X=copy_X, random_state=0).fit(given)
        np.testing.assert_allclose(few.eigenvalues_, every[:5], rtol=tol)
        np.testing.assert_array_equal(given, before)
    assert few.eigenvectors_.shape == (230, 5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products_with_a_symmetric_matrix(dtype):
    rng = np.random.default_rng(4)
    S, V = rng.normal(size=(9, 9)), rng.normal(size=(9, 2)).astype(dtype)
    S = (S + S.T).astype(dtype)
    for order in "CF":
        times = symmetric_operator(np.asarray(S, order=order))
        assert times.dtype == S.dtype
        np.testing.assert_allclose(times @ V[:, 0], S @ V[:, 0], rtol=1e-5)
        np.testing.assert_allclose(times @ V, S @ V, rtol=1e-5)


@pytest.mark.spec("UNS-077")
def test_objects_and_refusals_of_kernel_components(rows):
    common = CallableKernel(lambda a, b: float(len(set(a) & set(b))), pairwise=True)
    words = ["tea", "eat", "sun", "nut", "ten"]
    assert KernelPCA(2, kernel=common).fit(words).transform(["net"]).shape == (1, 2)
    with pytest.raises(ValueError, match="significant negative eigenvalues"):
        KernelPCA(kernel="precomputed", center=False).fit(np.array([[0.0, 1.0], [1.0, 0.0]]))
    with pytest.raises(ValueError, match="precomputed"):
        KernelPCA(kernel="precomputed", fit_inverse_transform=True).fit(np.eye(3))


@pytest.mark.spec("UNS-079")
def test_landmarks_bound_the_size_of_the_model(rows):
    X = np.random.default_rng(0).normal(size=(200, 2))
    whole = KernelPCA(3, kernel=RBF(1.5)).fit(X)
    few = KernelPCA(3, kernel=RBF(1.5), eigen_solver="nystroem", n_landmarks=60, random_state=0).fit(X)
    assert few.X_fit_.shape == (60, 2)
    np.testing.assert_allclose(few.eigenvalues_, whole.eigenvalues_, rtol=1e-3)
    np.testing.assert_allclose(few.transform(X), few.eigenvectors_ * np.sqrt(few.eigenvalues_), atol=1e-8)
    assert np.max(subspace_angles(few.eigenvectors_, whole.eigenvectors_)) < 0.05
    all_rows = KernelPCA(3, kernel=RBF(1.5), eigen_solver="nystroem", n_landmarks=200).fit(X)
    np.testing.assert_allclose(all_rows.eigenvalues_, whole.eigenvalues_, rtol=1e-8)


@pytest.mark.spec("UNS-081")
def test_kernel_components_make_rings_separable():
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 2 * np.pi, size=300), np.repeat([1.0, 2.0], 150) + 0.1 * rng.normal(size=300)
    X, y = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), np.repeat([0, 1], 150)
    plain = LinearDiscriminantAnalysis().fit(X, y).score(X, y)
    curved = make_pipeline(KernelPCA(5, kernel=RBF(1.0)), LinearDiscriminantAnalysis()).fit(X, y).score(X, y)
    assert plain < 0.6
    assert curved == 1.0


@pytest.mark.spec("UNS-L32", "UNS-083", "UNS-084", "UNS-086", "UNS-088")
def test_directions_diagonalise_both_covariances(classes):
    X, y = classes
    total = np.cov(X.T, ddof=0)
    found = {
        solver: DiscriminantProjection(solver=solver).fit(X, y) for solver in ("eigen", "joint_diagonalization", "svd")
    }
    for model in found.values():
        W, S_W, S_B = model.components_.T, within_class_cov(X, y, 3), between_class_cov(X, y, 3)
        np.testing.assert_allclose(S_W + S_B, total, atol=1e-10)
        np.testing.assert_allclose(W.T @ S_W @ W, np.eye(2), atol=1e-8)
        np.testing.assert_allclose(W.T @ S_B @ W, np.diag(model.eigenvalues_), atol=1e-8)
        for w, value in zip(W.T, model.eigenvalues_, strict=True):
            assert fisher_ratio(X, y, 7.0 * w).ratio == pytest.approx(value, rel=1e-9)
        np.testing.assert_allclose(model.components_, found["eigen"].components_, atol=1e-8)
        assert np.linalg.matrix_rank(S_B, tol=1e-10) == 2
    best = found["eigen"].eigenvalues_[0]
    for seed in range(30):
        assert fisher_ratio(X, y, np.random.default_rng(seed).normal(size=5)).ratio < best
    two = y < 2
    binary = DiscriminantProjection(solver="binary").fit(X[two], y[two])
    S_W = within_class_cov(X[two], y[two], 2)
    step = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    direction = np.linalg.solve(S_W, step)
    np.testing.assert_allclose(
        binary.components_[0] / np.linalg.norm(binary.components_), direction / np.linalg.norm(direction)
    )
    assert binary.transform(X[y == 1]).mean() > binary.transform(X[y == 0]).mean()
    white = WithinClassWhitener().fit(X, y)
    rotated = DiscriminantProjection(solver="joint_diagonalization").fit(white.transform(X), y)
    np.testing.assert_allclose(
        np.abs(rotated.components_ @ white.whitening_), np.abs(found["eigen"].components_), atol=1e-7
    )
    square = DiscriminantProjection(orthonormal=True).fit(X, y).components_
    np.testing.assert_allclose(square @ square.T, np.eye(2), atol=1e-12)
    assert np.max(subspace_angles(square.T, found["eigen"].components_.T)) < 1e-7


@pytest.mark.spec("UNS-L33")
def test_directions_do_not_depend_on_the_units_of_columns(classes):
    X, y = classes
    A = np.random.default_rng(0).normal(size=(5, 5))
    moved = DiscriminantProjection().fit(X @ A + 9.0, y)
    still = DiscriminantProjection().fit(X, y)
    np.testing.assert_allclose(moved.eigenvalues_, still.eigenvalues_, rtol=1e-7)
    np.testing.assert_allclose(np.abs(moved.transform(X @ A + 9.0)), np.abs(still.transform(X)), atol=1e-6)
    np.testing.assert_allclose(
        LinearDiscriminantAnalysis().fit(still.transform(X), y).predict_proba(still.transform(X)),
        LinearDiscriminantAnalysis().fit(X, y).predict_proba(X),
        atol=1e-7,
    )


@pytest.mark.spec("UNS-L34", "UNS-G45", "UNS-G44", "UNS-090")
def test_where_components_fail_directions_between_classes_work():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 500)
    X = np.column_stack([np.where(y, 1.5, -1.5) + 0.4 * rng.normal(size=1000), 5.0 * rng.normal(size=1000)])

    def accuracy(z):
        order = np.argsort(z.ravel())
        ones = np.cumsum(y[order])
        right = ones[-1] - ones + np.arange(1, 1001) - ones
        return max(right.max(), 1000 - right.min()) / 1000

    assert accuracy(PCA(1).fit_transform(X)) < 0.6
    assert accuracy(DiscriminantProjection().fit_transform(X, y)) > 0.99
    angle, radius = rng.uniform(-np.pi, np.pi, size=800), np.repeat([1.0, 2.0], 400) + 0.1 * rng.normal(size=800)
    rings, ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), np.repeat([0, 1], 400)
    assert DiscriminantProjection().fit(rings, ring).eigenvalues_[0] < 0.01
    polar = make_pipeline(PolarFeatures(), DiscriminantProjection()).fit(rings, ring)
    assert polar[-1].eigenvalues_[0] == pytest.approx(25, rel=0.15)


@pytest.mark.spec("UNS-087")
def test_columns_that_depend_on_each_other(classes):
    X, y = classes
    twice = np.column_stack([X, X[:, 0] + X[:, 1]])
    for solver in ("eigen", "joint_diagonalization"):
        with pytest.raises(ValueError, match=r"rank 5 in 6 columns.*solver='svd'"):
            DiscriminantProjection(solver=solver).fit(twice, y)
    same = DiscriminantProjection(solver="svd").fit(twice, y)
    plain = DiscriminantProjection(solver="eigen").fit(X, y)
    np.testing.assert_allclose(same.eigenvalues_, plain.eigenvalues_, rtol=1e-8)
    np.testing.assert_allclose(np.abs(same.transform(twice)), np.abs(plain.transform(X)), atol=1e-6)
    for shrinkage in ("auto", 0.1):
        assert DiscriminantProjection(solver="eigen", shrinkage=shrinkage).fit(twice, y).eigenvalues_[0] > 0.0
    with pytest.raises(ValueError, match="needs S_W"):
        DiscriminantProjection(solver="svd", shrinkage=0.1).fit(X, y)
    with pytest.raises(ValueError, match="two classes"):
        DiscriminantProjection(solver="binary").fit(X, y)
    with pytest.raises(ValueError, match="one class"):
        DiscriminantProjection().fit(X, np.zeros(60))


def test_weight_two_is_the_row_twice(classes):
    X, y = classes
    s = np.random.default_rng(0).integers(0, 3, size=60)
    for solver in ("eigen", "svd"):
        for shrinkage in (None, 0.2) if solver == "eigen" else (None,):
            model = DiscriminantProjection(solver=solver, shrinkage=shrinkage)
            weighted = model.fit(X, y, sample_weight=s).components_
            np.testing.assert_allclose(
                weighted, model.fit(np.repeat(X, s, axis=0), np.repeat(y, s)).components_, atol=1e-8
            )


@pytest.mark.spec("UNS-089")
def test_the_classifier_of_two_classes_is_a_threshold_on_the_projection(classes):
    X, y = classes
    X, y = X[y < 2], y[y < 2]
    line = DiscriminantProjection(1).fit(X, y)
    model = LinearDiscriminantAnalysis().fit(X, y)
    w = line.components_[0] / np.linalg.norm(line.components_[0])
    np.testing.assert_allclose(model.projection_score(X), X @ w, rtol=1e-9)
    # wᵀx ≥ t: where the discriminant is zero, and at any threshold that an application prefers.
    t = -float(model.intercept_[0]) / float(np.linalg.norm(model.coef_))
    assert np.array_equal(model.predict(X), (X @ w > t).astype(int))
    for threshold in (t, np.quantile(X @ w, 0.3), float((X @ w)[4])):
        assert np.array_equal(model.predict_at(X, threshold, tie="positive"), (model.projection_score(X) >= threshold))
        assert np.array_equal(model.predict_at(X, threshold), (model.projection_score(X) > threshold))
