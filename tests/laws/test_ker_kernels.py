"""Laws of every kernel: validity, exact gradients, parameters, and hard rows."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from gnomon.kernels import Constant, White, check_kernel
from kernel_cases import CASES, VALID

over = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@pytest.mark.spec("KER-001", "KER-L01", "KER-L02")
@pytest.mark.parametrize("case", VALID, ids=lambda case: case.name)
def test_a_gram_matrix_of_200_rows_is_positive_semi_definite(case):
    report = check_kernel(case.kernel, case.sample())
    assert report, report


@pytest.mark.spec("KER-001", "KER-002", "KER-L01")
@over
def test_gram_is_symmetric_to_the_bit_and_diag_is_its_diagonal(case):
    X = case.sample(40)
    X[7] = X[3]
    K = case.kernel.gram(X)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_allclose(case.kernel.diag(X), np.diag(K), rtol=1e-13, atol=1e-15)
    np.testing.assert_array_equal(case.kernel(X), K)


@pytest.mark.spec("KER-001")
@over
def test_listed_pairs_and_blocks_are_entries_of_the_matrix(case):
    X = case.sample(30)
    P = case.kernel.prepare(X)
    K = case.kernel.cross(P, P)
    i, j = np.arange(30), np.roll(np.arange(30), 7)
    np.testing.assert_allclose(case.kernel.pairs(P, P, i, j), K[i, j], rtol=1e-12, atol=1e-14)
    against = case.kernel.against(X)
    np.testing.assert_allclose(against.rows(np.array([4, 2])), K[[4, 2]], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(against.take(np.array([4, 2])).diag(), K[[4, 2], [4, 2]], rtol=1e-12)


@pytest.mark.spec("KER-001")
@over
def test_gradients_in_every_hyperparameter_equal_differences(case):
    A, B = case.sample(9), case.sample(8, seed=1)
    kernel, h = case.kernel, 1e-5
    for rows in (None, B):
        G = kernel.gradients(A, rows)
        assert G.shape[2] == len(kernel.theta)
        for p in range(len(kernel.theta)):
            step = np.eye(len(kernel.theta))[p] * h
            up, down = (kernel.with_theta(kernel.theta + sign * step).gram(A, rows) for sign in (1, -1))
            np.testing.assert_allclose(G[:, :, p], (up - down) / (2 * h), rtol=1e-6, atol=1e-8)
        M = np.random.default_rng(2).normal(size=G.shape[:2])
        np.testing.assert_allclose(kernel.pullback(A, rows, M), np.einsum("ij,ijp->p", M, G), rtol=1e-9, atol=1e-11)


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


@pytest.mark.spec("KER-001")
@over
def test_single_precision_stays_single_and_agrees(case):
    X = case.sample(25)
    small = case.kernel.gram(X.astype(np.float32))
    assert small.dtype == np.float32
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
