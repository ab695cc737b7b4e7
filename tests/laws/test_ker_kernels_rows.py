"""Rows that are hard for kernels: sparse, huge, tiny, far from the origin, doubled; names and nested parameters."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from gnomon.decomposition import KernelPCA
from gnomon.kernels import (
    RBF,
    Additive,
    AdditiveChi2,
    CallableKernel,
    Chi2,
    Constant,
    FeatureMapKernel,
    GammaExponential,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    RationalQuadratic,
    Sigmoid,
    Spherical,
    TensorProduct,
    Truncated,
    Wendland,
    White,
    gram_matrix,
    read_kernel,
)
from gnomon.linear import LogisticRegression
from kernel_cases import CASES

DENSE_ONLY = (Chi2, AdditiveChi2, FeatureMapKernel)
OF_DISTANCE = [
    RBF(1.3),
    Laplacian(1.3),
    Laplacian(1.3, "l2"),
    GammaExponential(1.3, 0.9),
    Matern(1.3),
    Matern(1.3, 0.7),
    RationalQuadratic(1.3),
    Wendland(1.9),
    Spherical(1.9),
]
by_repr = pytest.mark.parametrize("kernel", OF_DISTANCE, ids=repr)


@pytest.mark.spec("KER-001")
@pytest.mark.parametrize(
    "case", [c for c in CASES if not isinstance(c.kernel, DENSE_ONLY) and c.name != "warp"], ids=lambda case: case.name
)
def test_sparse_rows_give_what_dense_ones_give(case):
    rng = np.random.default_rng(11)
    A, B = case.sample(14), case.sample(11, seed=1)
    A[rng.random(A.shape) < 0.5] = 0.0
    A[:, 0] += 0.1
    expected = case.kernel.gram(A, B)
    for left, right in [
        (sparse.csr_array(A), sparse.csr_array(B)),
        (sparse.csr_matrix(A), B),
        (A, sparse.csc_array(B)),
    ]:
        found = case.kernel.gram(left, right)
        assert isinstance(found, np.ndarray)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    K = case.kernel.gram(sparse.csr_array(A))
    np.testing.assert_allclose(K, case.kernel.gram(A), rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_allclose(case.kernel.diag(sparse.csr_array(A)), np.diag(K), rtol=1e-9, atol=1e-9)
    if len(case.kernel.theta):
        np.testing.assert_allclose(
            case.kernel.gradients(sparse.csr_array(A)), case.kernel.gradients(A), rtol=1e-7, atol=1e-7
        )


@pytest.mark.spec("KER-002")
@pytest.mark.parametrize(
    "kernel", [*OF_DISTANCE, RBF([1.0, 2.0, 3.0]), Linear(), Polynomial(2), RBF() + Linear()], ids=repr
)
def test_rows_of_two_precisions_are_compared_in_the_wider(kernel):
    """Far from zero, where single precision has few digits; whichever rows come first."""
    rng = np.random.default_rng(11)
    B = rng.normal(size=(30, 3)) + 1e4
    A = B[:7].astype(np.float32)
    expected = kernel.gram(A.astype(float), B)
    for found in (kernel.gram(A, B), kernel.gram(B, A).T, kernel.against(B).gram(A), gram_matrix(A, kernel, B)):
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
    assert kernel.gram(A).dtype == kernel.gram(A, A[:2]).dtype == np.float32


@pytest.mark.spec("KER-002")
@by_repr
@pytest.mark.parametrize("shape", [(30, 3), (30, 3000), (700, 9)], ids=str)
def test_a_row_is_at_distance_zero_from_itself(kernel, shape):
    """Exactly, in one call of BLAS and in tiles; Wendland's kernels are told that there are many columns."""
    rng = np.random.default_rng(11)
    if shape[1] > 3 and isinstance(kernel, (Wendland, Spherical)):
        kernel = Wendland(1.9, dim=shape[1])
    rows = rng.normal(size=shape)
    K = kernel.gram(rows)
    np.testing.assert_array_equal(np.diag(K), 1.0)
    np.testing.assert_array_equal(K, K.T)
    rows[1::2] = rows[::2]
    assert np.max(kernel.gram(rows)) == np.max(kernel.gram(rows, rows.copy())) == 1.0


@pytest.mark.spec("KER-002")
@by_repr
@pytest.mark.parametrize("unit", [1e-150, 1e-3, 1e150])
@pytest.mark.parametrize("d", [2, 6])
def test_the_unit_of_rows_and_length_scale_cancels(kernel, unit, d):
    rng = np.random.default_rng(11)
    d = min(d, 3) if isinstance(kernel, Spherical) else d
    A, B = rng.normal(size=(2, 9, d))
    scaled = kernel.with_params(length_scale=kernel.length_scale * unit)
    np.testing.assert_allclose(scaled.gram(unit * A, unit * B), kernel.gram(A, B), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(scaled.gradients(unit * A), kernel.gradients(A), rtol=1e-9, atol=1e-12)


@pytest.mark.spec("KER-002")
@by_repr
@pytest.mark.parametrize("d", [2, 6])
def test_rows_of_any_size_give_finite_values(kernel, d):
    rng = np.random.default_rng(11)
    d = min(d, 3) if isinstance(kernel, Spherical) else d
    A = rng.normal(size=(6, d)) * np.array([1e-300, 1e-150, 1.0, 1e100, 1e160, 1e300])[:, None]
    K = kernel.gram(A)
    assert np.all(np.isfinite(K))
    np.testing.assert_array_equal(np.diag(K), 1.0)
    np.testing.assert_array_equal(K, K.T)
    assert np.all((K >= 0.0) & (K <= 1.0))


@pytest.mark.spec("KER-002")
@by_repr
@pytest.mark.parametrize("d", [2, 6])
def test_an_offset_of_the_rows_changes_nothing(kernel, d):
    rng = np.random.default_rng(11)
    d = min(d, 3) if isinstance(kernel, Spherical) else d
    # Numbers that are exact also beside 1e8.
    A, B = np.round(1024.0 * rng.normal(size=(2, 9, d))) / 1024.0
    np.testing.assert_allclose(kernel.gram(A + 1e8, B + 1e8), kernel.gram(A, B), rtol=1e-9, atol=1e-12)


@pytest.mark.spec("KER-002")
@by_repr
@pytest.mark.parametrize("size", [1.0, 1e3])
def test_equal_rows_are_at_distance_zero_and_close_ones_keep_their_digits(kernel, size):
    rng = np.random.default_rng(11)
    d = 3 if isinstance(kernel, Spherical) else 8
    A = size * rng.normal(size=(20, d))
    A[5:10] = A[0]
    A[10] = A[0]
    A[10, 0] = A[0, 0] + 2.0**-20
    K = kernel.gram(A)
    np.testing.assert_allclose(K[0, 5:10], 1.0, rtol=0.0, atol=4e-15)
    csr = sparse.csr_array
    for left, right in ((csr(A), csr(A[5:7])), (csr(A), A[5:7]), (A, csr(A[5:7]))):
        np.testing.assert_allclose(kernel.gram(left, right)[[0, 5, 9]], 1.0, rtol=0.0, atol=4e-15)
    zero, step = np.zeros((1, d)), np.zeros((1, d))
    step[0, 0] = 2.0**-20
    exact = 1.0 - kernel.gram(zero, step).item()
    assert 1.0 - K[0, 10] == pytest.approx(exact, rel=1e-6, abs=4e-15)


@pytest.mark.spec("KER-001")
@pytest.mark.parametrize("kernel", [Matern(nu=0.5), Matern(), RBF(), Wendland(smoothness=0)], ids=repr)
@pytest.mark.parametrize("far", [1.0, 1e170])
def test_sums_of_derivatives_keep_their_digits_where_rows_nearly_meet(kernel, far):
    rng = np.random.default_rng(11)
    A = rng.normal(size=(30, 5))
    A[1] = A[0] + 1e-9
    A[2] = A[0] + 1e-12
    A[3] = A[0]
    A[4] *= far
    kernel = kernel.with_params(length_scale=[0.7, 1.5, 3.0, 1.0, 2.0])
    M = rng.normal(size=(30, 30)) * 1e-3
    M[:4, :4] = 1.0
    G = kernel.gradients(A)
    np.testing.assert_allclose(kernel.pullback(A, None, M), np.einsum("ij,ijp->p", M, G), rtol=1e-12, atol=1e-14)


@pytest.mark.spec("KER-002")
@pytest.mark.parametrize(
    "kernel", [RBF(2.0), Laplacian(3.0), Polynomial(2) + White(0.1), Truncated(RBF(2.0), 3.0)], ids=repr
)
def test_tiles_and_threads_give_the_matrix_of_one_call(kernel):
    rng = np.random.default_rng(11)
    A, B = rng.normal(size=(1100, 5)), rng.normal(size=(600, 5))
    P = kernel.prepare(A)
    whole = kernel.cross(P, P)
    for n_jobs in (1, 2):
        K = gram_matrix(A, kernel, n_jobs=n_jobs)
        np.testing.assert_allclose(K, whole, rtol=1e-12, atol=1e-13)
        np.testing.assert_array_equal(K, K.T)
        np.testing.assert_allclose(
            gram_matrix(A, kernel, B, n_jobs=n_jobs), kernel.gram(B, A).T, rtol=1e-12, atol=1e-13
        )
    np.testing.assert_allclose(kernel.against(A).rows(slice(500, 530)), whole[500:530], rtol=1e-12, atol=1e-13)


@pytest.mark.spec("KER-003")
def test_functions_objects_and_matrices_as_kernels():
    rng = np.random.default_rng(11)
    words = ["tea", "eat", "sun", "sand"]

    def common(a, b):
        return len(set(a) & set(b))

    K = CallableKernel(common, pairwise=True).gram(words)
    np.testing.assert_array_equal(K, [[common(a, b) for b in words] for a in words])
    sets = CallableKernel(common, pairwise=True).gram([{1, 2}, {2}], [{2, 3}])
    np.testing.assert_array_equal(sets, [[1.0], [1.0]])
    both = CallableKernel(common, pairwise=True) * CallableKernel(lambda a, b: float(len(a) == len(b)), pairwise=True)
    assert both.takes_objects
    assert both.gram(words)[0, 3] == 0.0
    some = CallableKernel(common, pairwise=True).against(words).take(np.array([3, 0]))
    np.testing.assert_array_equal(some.gram(["send"]), [[common("send", "sand"), common("send", "tea")]])
    A = rng.normal(size=(5, 2))
    np.testing.assert_allclose(gram_matrix(A, lambda P, Q: P @ Q.T), A @ A.T)
    with pytest.raises(ValueError, match="pairwise=True"):
        gram_matrix(A, lambda P, Q: 1.0)
    with pytest.raises(ValueError, match="matmul") as caught:
        gram_matrix(A, lambda a, b: a @ b)
    assert "CallableKernel(function, pairwise=True)" in caught.value.__notes__[0]
    with pytest.raises(ValueError, match="square"):
        Precomputed().gram(np.ones((2, 3)))
    against = Precomputed().against(np.eye(3))
    with pytest.raises(ValueError, match="3 training rows"):
        against.gram(np.ones((1, 2)))
    np.testing.assert_array_equal(against.take(np.array([2, 0])).matrix(), np.eye(2))


@pytest.mark.spec("KER-003", "KER-039")
def test_matrices_are_sliced_on_both_axes_in_cross_validation():
    rng = np.random.default_rng(11)
    A = rng.normal(size=(40, 2))
    y = (np.sum(A**2, axis=1) > 1.5).astype(int)
    by_rows = cross_val_score(make_pipeline(KernelPCA(3, kernel=RBF(1.0)), LogisticRegression()), A, y, cv=4)
    by_matrix = cross_val_score(
        make_pipeline(KernelPCA(3, kernel="precomputed"), LogisticRegression()), RBF(1.0).gram(A), y, cv=4
    )
    np.testing.assert_array_equal(by_matrix, by_rows)


@pytest.mark.spec("KER-041")
def test_nested_parameters_and_lists_of_kernels_are_searched():
    rng = np.random.default_rng(11)
    A = rng.normal(size=(40, 2))
    y = (np.sum(A**2, axis=1) > 1.5).astype(int)
    model = make_pipeline(KernelPCA(3, kernel=RBF(50.0) + 0.1 * Linear()), LogisticRegression())
    grid = {"kernelpca__kernel__k1__length_scale": [0.7, 50.0], "kernelpca__kernel__k2__k1__value": [0.1, 0.2]}
    search = GridSearchCV(model, grid, cv=3).fit(A, y)
    assert search.best_params_["kernelpca__kernel__k1__length_scale"] == 0.7
    assert search.best_estimator_[0].kernel.k1 == RBF(0.7)
    assert model[0].kernel == RBF(50.0) + 0.1 * Linear()
    kernels = [Linear(), RBF(0.7), Additive([RBF(0.7), Matern()])]
    search = GridSearchCV(model, {"kernelpca__kernel": kernels}, cv=3, scoring="roc_auc").fit(A, y)
    means = [
        cross_val_score(clone(model).set_params(kernelpca__kernel=k), A, y, cv=3, scoring="roc_auc").mean()
        for k in kernels
    ]
    assert search.best_index_ == int(np.argmax(means))


@pytest.mark.spec("KER-001", "KER-041")
def test_parameters_of_kernels_inside_kernels():
    kernel = TensorProduct([RBF(1.0), Matern(2.0) + Constant(0.5)])
    params = kernel.get_params()
    assert params["k1__length_scale"] == 1.0
    assert params["k2__k1__nu"] == 1.5
    changed = kernel.with_params(k2__k1__nu=2.5, k1=Laplacian(3.0))
    assert changed == TensorProduct([Laplacian(3.0), Matern(2.0, 2.5) + Constant(0.5)])
    assert kernel == TensorProduct([RBF(1.0), Matern(2.0) + Constant(0.5)])
    copy = clone(kernel).set_params(k1__length_scale=9.0)
    assert copy.kernels[0] == RBF(9.0)
    assert kernel.kernels[0] == RBF(1.0)
    assert [h.name for h in kernel.hyperparameters] == ["k1__length_scale", "k2__k1__length_scale", "k2__k2__value"]
    assert RBF(1.0) != RBF(2.0)
    assert RBF(1.0) != Matern(1.0)
    assert RBF([1.0, 2.0]) == RBF(np.array([1.0, 2.0]))
    fixed = RBF(1.0, length_scale_bounds="fixed") + White(0.3, noise_level_bounds=(0.1, 0.7))
    np.testing.assert_allclose(fixed.bounds, np.log([[0.1, 0.7]]))
    assert repr(pickle.loads(pickle.dumps(fixed))) == repr(fixed)
    with pytest.raises(ValueError, match="Invalid parameter 'k3__nu'"):
        kernel.with_params(k3__nu=1.0)
    with pytest.raises(ValueError, match="theta has 1 entries"):
        kernel.with_theta([0.0])


@pytest.mark.spec("KER-003", "KER-019", "KER-023")
@pytest.mark.parametrize(
    "name", ["linear", "poly", "polynomial", "rbf", "sigmoid", "laplacian", "cosine", "chi2", "additive_chi2"]
)
def test_names_mean_what_they_mean_in_scikit_learn(name):
    rng = np.random.default_rng(11)
    A, B = rng.gamma(2.0, size=(12, 4)), rng.gamma(2.0, size=(7, 4))
    A[3] = 0.0
    options = {"gamma": 0.3, "degree": 2, "coef0": 0.7}
    expected = pairwise_kernels(A, B, metric=name, filter_params=True, **options)
    kernel = read_kernel(name, A, **options)
    np.testing.assert_allclose(kernel.gram(A, B), expected, rtol=1e-10, atol=1e-12)
    if name not in ("chi2", "additive_chi2", "linear", "cosine"):
        for gamma, value in (("scale", 1.0 / (4 * A.var())), ("auto", 0.25), (None, 0.25)):
            found = read_kernel(name, A, gamma=gamma, degree=2, coef0=0.7).gram(A, B)
            expected = pairwise_kernels(A, B, metric=name, filter_params=True, gamma=value, degree=2, coef0=0.7)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    assert kernel.psd == {"sigmoid": False, "additive_chi2": "conditional"}.get(name, True)


@pytest.mark.spec("KER-003")
def test_unknown_kernels_are_refused():
    for wrong in ("gauss", 3, None):
        with pytest.raises(ValueError, match="must be a Kernel"):
            read_kernel(wrong)
    with pytest.raises(ValueError, match="kernel=Sigmoid is a class of kernels"):
        read_kernel(Sigmoid)
    for gamma in (-1.0, "wide", True):
        with pytest.raises(ValueError, match="gamma="):
            read_kernel("rbf", np.ones((2, 2)), gamma=gamma)
    with pytest.raises(ValueError, match="negative values"):
        Chi2().gram([[-1.0]])
    with pytest.raises(ValueError, match="sparse"):
        Chi2().gram(sparse.csr_array(np.eye(2)))
    assert read_kernel("chi2", gamma=None).gamma == pytest.approx(1.0)
    assert read_kernel(Sigmoid()) == Sigmoid()
