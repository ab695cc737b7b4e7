"""Laws of every kernel: validity, exact gradients, parameters, and hard rows."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from gnomon.features import KernelFeatures
from gnomon.io import load, save
from gnomon.kernels import RBF, Constant, White, check_kernel, noun
from gnomon.testing import check_kernel_laws
from kernel_cases import CASES, VALID

over = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@pytest.mark.spec("KER-001", "KER-L01", "KER-L02")
@pytest.mark.parametrize("case", VALID, ids=lambda case: case.name)
def test_a_gram_matrix_of_200_rows_is_positive_semi_definite(case):
    report = check_kernel(case.kernel, case.sample())
    assert report, report


@pytest.mark.spec("KER-001", "KER-002", "KER-L01")
@over
def test_every_kernel_keeps_the_laws(case):
    X = case.sample(40)
    X[7] = X[3]
    check_kernel_laws(case.kernel, X)
    np.testing.assert_array_equal(case.kernel(X), case.kernel.gram(X))


@pytest.mark.spec("KER-001")
@over
def test_gradients_between_two_tables_equal_differences(case):
    A, B, kernel, h = case.sample(9), case.sample(8, seed=1), case.kernel, 1e-5
    G = kernel.gradients(A, B)
    for p in range(len(kernel.theta)):
        step = np.eye(len(kernel.theta))[p] * h
        up, down = (kernel.with_theta(kernel.theta + sign * step).gram(A, B) for sign in (1, -1))
        np.testing.assert_allclose(G[:, :, p], (up - down) / (2 * h), rtol=1e-6, atol=1e-8)
    M = np.random.default_rng(2).normal(size=G.shape[:2])
    np.testing.assert_allclose(kernel.pullback(A, B, M), np.einsum("ij,ijp->p", M, G), rtol=1e-9, atol=1e-11)


@noun
class Crooked(RBF):
    """A Gaussian with one mistake, which is named."""

    mistake: str = ""

    def cross(self, P, Q):
        K = RBF.cross(self, P, Q)
        if self.mistake == "symmetric":
            K[0, -1] += 1e-12
        return K - (0.5 if self.mistake == "eigenvalue" else 0.0)

    def diagonal(self, P):
        return RBF.diagonal(self, P) - (0.5 if self.mistake in ("eigenvalue", "diag is") else 0.0)

    def pairs(self, P, Q, i, j):
        off = {"eigenvalue": -0.5, "listed": 0.1}.get(self.mistake, 0.0)
        return RBF.pairs(self, P, Q, i, j) + off

    def slope(self, s):
        return RBF.slope(self, s) * (1.01 if self.mistake == "derivative" else 1.0)

    def contract(self, P, Q, M):
        return RBF.contract(self, P, Q, M) * (1.01 if self.mistake == "pullback" else 1.0)

    def map_size(self, A):
        return 1 if self.mistake == "inner products" else np.inf

    def features(self, X):
        return np.ones((len(X), 1))

    def pattern(self, P, Q):
        return sparse.csr_array((len(P), len(Q)), dtype=bool) if self.mistake == "pattern" else None


@pytest.mark.parametrize(
    "mistake",
    ["symmetric", "eigenvalue", "diag is", "listed", "derivative", "pullback", "inner products", "pattern"],
)
def test_a_kernel_with_a_mistake_breaks_the_law_of_that_name(mistake):
    X = np.random.default_rng(0).normal(size=(30, 2))
    check_kernel_laws(Crooked(1.3), X)
    with pytest.raises(AssertionError, match=f"law broken: .*{mistake}"):
        check_kernel_laws(Crooked(1.3, mistake=mistake), X)


@pytest.mark.spec("KER-001")
@over
def test_parameters_equality_and_copies(case):
    kernel = case.kernel
    copy = clone(kernel)
    assert copy == kernel
    assert hash(copy) == hash(kernel)
    assert copy is not kernel
    assert type(kernel)(**kernel.get_params(deep=False)) == kernel
    assert kernel.with_theta(kernel.theta).get_params().keys() == kernel.get_params().keys()
    assert pickle.loads(pickle.dumps(kernel)) == kernel
    assert kernel.bounds.shape == (len(kernel.theta), 2)
    if len(kernel.theta):
        assert kernel.with_theta(kernel.theta + 0.1) != kernel


@over
def test_a_model_with_the_kernel_survives_a_file(case, tmp_path):
    if case.name in ("FeatureMapKernel", "warp"):
        pytest.skip("it holds code, which no file does")
    rows, path = case.sample(8), tmp_path / "model.skops"
    model = KernelFeatures(rows[:3] if case.d > 1 else rows[:3].tolist(), case.kernel).fit(rows)
    save(model, path)
    again = load(path)
    assert again.kernel == case.kernel
    np.testing.assert_array_equal(again.transform(rows), model.transform(rows))


@pytest.mark.spec("KER-001")
@over
def test_single_precision_stays_single_and_agrees(case):
    X = case.sample(25)
    small = case.kernel.gram(X.astype(np.float32))
    assert small.dtype == np.float32
    # A search hands numbers of NumPy to a kernel, which must not widen what it computes.
    numbers = {name: np.float64(v) for name, v in case.kernel.get_params().items() if isinstance(v, float)}
    wide = case.kernel.with_params(**numbers)
    assert wide.gram(X.astype(np.float32)).dtype == np.float32
    assert wide.gradients(X.astype(np.float32)).dtype == (np.float32 if len(wide.theta) else np.float64)
    assert case.kernel.diag(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(small, case.kernel.gram(X), rtol=2e-4, atol=2e-5)


@over
def test_empty_blocks_single_rows_and_wrong_columns(case):
    X = case.sample(5)
    against = case.kernel.against(X)
    assert against.gram(X[:0]).shape == (0, 5)
    assert case.kernel.gram(X[:0]).shape == (0, 0)
    assert case.kernel.gram(X[:1]).shape == (1, 1)
    assert case.kernel.diag(X[:0]).shape == (0,)
    if not isinstance(case.kernel, Constant | White):
        with pytest.raises(ValueError, match="column"):
            against.gram(X[:, :2] if case.d > 2 else np.hstack([X, X]))
    read_only = np.asfortranarray(X)
    read_only.flags.writeable = False
    np.testing.assert_allclose(case.kernel.gram(read_only), case.kernel.gram(X), rtol=1e-13)
