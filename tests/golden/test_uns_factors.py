"""Golden values of matrix factorisations."""

import numpy as np
import pytest

from gnomon.decomposition import PCA, MatrixFactorization
from gnomon.optim import FactorPenalties, Factors, beta_divergence, half_square, multiplicative_updates
from gnomon.optim.factor_rows import descend
from gnomon.optim.factors import NonNegative, Orthonormal

V = np.array([[1.0, 2, 3], [2, 4, 6], [1, 1, 0]])
W0, H0 = np.array([[1.0, 0.5], [1, 1], [0.5, 1]]), np.array([[1.0, 1, 1], [0.5, 1, 1]])
P7 = np.array([[1.0, 1], [1.5, 2], [3, 4], [5, 7], [3.5, 5], [4.5, 5], [3.5, 4.5]])


@pytest.mark.spec("UNS-G46", "UNS-L28")
def test_residuals_of_seven_points():
    for m, expected in ((1, 0.473167), (2, 0.0)):
        found = MatrixFactorization(m, right=Orthonormal(), init="pca", tol=1e-12).fit(P7)
        assert 2 * found.objective_ == pytest.approx(expected, abs=5e-7)
        uncentred = PCA(m, center=False).fit(P7).reconstruction_error(P7, reduction="sum")
        assert uncentred == pytest.approx(expected, abs=5e-7)
    assert PCA(1).fit(P7).reconstruction_error(P7, reduction="sum") == pytest.approx(0.442912, abs=5e-7)


@pytest.mark.spec("UNS-G47", "UNS-093")
def test_updates_of_a_non_negative_factorisation():
    assert half_square(V, W0, H0) == 12.65625
    start = Factors(W0, H0)
    # The other side first: the transposed problem updates H before W.
    swapped = Factors(H0.T, W0.T)
    after_H = multiplicative_updates(V.T, swapped, 2.0, fixed_right=True, max_iter=1).w
    assert half_square(V.T, *after_H) == pytest.approx(7.643107, abs=5e-7)
    both = multiplicative_updates(V.T, swapped, 2.0, max_iter=1).w
    assert half_square(V.T, *both) == pytest.approx(0.845182, abs=5e-7)
    assert beta_divergence(V, *start, 1.0) == pytest.approx(5.715824, abs=5e-7)
    kl = multiplicative_updates(V.T, swapped, 1.0, FactorPenalties(), fixed_right=True, max_iter=1).w
    assert beta_divergence(V.T, *kl, 1.0) == pytest.approx(3.936467, abs=5e-7)


@pytest.mark.spec("UNS-G47", "UNS-092")
def test_one_sweep_of_coordinate_descent():
    H = H0.T.copy()
    descend(H, W0.T @ W0, V.T @ W0, 0.0, 0.0, 0.0, 1, 0.0)
    np.testing.assert_allclose(H.T, [[1.111111, 2.0, 3.111111], [0.567901, 0.888889, 0.567901]], atol=5e-7)
    assert half_square(V, W0, H.T) == pytest.approx(6.274348, abs=5e-7)
    W = W0.copy()
    descend(W, H.T @ H, V @ H, 0.0, 0.0, 0.0, 1, 0.0)
    assert half_square(V, W, H.T) == pytest.approx(0.410372, abs=5e-7)


@pytest.mark.spec("UNS-G48")
def test_a_sparse_code_in_an_orthonormal_dictionary():
    code = NonNegative(l1=0.5, lower=-np.inf).update(np.zeros((1, 3)), np.eye(3), np.array([[3.0, -0.2, -2.0]]))
    np.testing.assert_allclose(code, [[2.5, 0.0, -1.5]])
