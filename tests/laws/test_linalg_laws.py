"""Laws of the shared linear algebra."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from gnomon.numerics.linalg import (
    NotPositiveDefiniteError,
    Rows,
    factor_covariance,
    factor_spd,
    hat_matrix,
    inverse_root,
    least_squares,
    leverages,
    ridge,
    ridge_norms,
    ridge_path,
    solve_normal,
    solve_secular,
    triangle,
    triangle_of_moments,
)
from gnomon.numerics.streaming import moments


def regression(n, d, k=1, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.standard_normal((n, k))


def test_ridge_with_no_penalty_on_one_target_only():
    """A dependent column and ρ = 0: that target has the solution of least norm, the others theirs."""
    X, Y = regression(20, 3, 2)
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    for method in ("auto", "svd"):
        found = ridge(X, Y, np.array([0.0, 1.0]), method=method)
        assert_allclose(found.coef[:, 0], least_squares(X, Y[:, :1]).coef[:, 0])
        assert_allclose(found.coef[:, 1], ridge(X, Y[:, 1:], 1.0).coef[:, 0])
        assert_allclose(found.dof[0], 4.0)


def test_ridge_is_positive_whatever_the_method_and_refuses_others():
    X, Y = regression(20, 4)
    expected = ridge(X, Y, 1.0, positive=True).coef
    assert np.min(expected) >= 0.0
    for method in ("cholesky", "dual", "svd", "lsqr"):
        assert_allclose(ridge(X, Y, 1.0, method=method, positive=True).coef, expected)
    with pytest.raises(ValueError, match="method='qr' is unknown"):
        ridge(X, Y, 1.0, method="qr")


def test_ridge_of_squares_that_overflow_says_so():
    X, Y = regression(3, 6)
    with pytest.raises(ValueError, match="squares overflow"):
        ridge(1e200 * X, Y, 1.0)


def test_the_normal_equations_leave_a_rank_that_they_cannot_see_to_qr():
    X, Y = regression(200, 5)
    dependent = np.column_stack([X, X @ np.arange(1.0, 6.0)])
    assert least_squares(X, Y, method="normal").rank == 5
    assert least_squares(dependent, Y, method="qr").rank == 5
    assert least_squares(dependent, Y, method="normal").rank == 5
    near = np.column_stack([X, X[:, 0] + 1e-9 * X[:, 1] ** 2])
    found = least_squares(near, Y, method="normal")
    assert (found.rank, found.method) == (6, "normal")


def test_lsmr_does_not_stop_silently_short():
    X, Y = regression(50, 10)
    with pytest.warns(ConvergenceWarning, match="LSMR stopped after 2 iterations"):
        ridge(X * 10.0 ** np.arange(10), Y, 1.0, method="lsqr", max_iter=2)


def test_weights_in_single_precision_count_exactly():
    X, Y = regression(50, 3)
    X, s = X.astype(np.float32), np.full(50, 3.0, dtype=np.float32)
    Z, _ = Rows(X, Y, s, intercept=False).centred(slice(0, 50), np.zeros(3), np.zeros(1))
    assert_allclose(Z.T @ Z, 3.0 * X.astype(float).T @ X.astype(float), rtol=1e-14)
    assert_allclose(moments(X, s).scatter, 3.0 * moments(X).scatter, rtol=1e-13)


def spd(d, seed=0):
    B = np.random.default_rng(seed).standard_normal((d, 2 * d))
    return B @ B.T


def test_factor_solves_and_knows_its_condition():
    scale = np.array([1e-6, 1.0, 1e6, 1e3])
    A = spd(4) * np.outer(scale, scale)
    factor = factor_spd(A)
    solution = np.arange(1.0, 9.0).reshape(4, 2) / scale[:, None]
    assert_allclose(factor.solve(A @ solution), solution, rtol=1e-9)
    assert_allclose(factor.root.T @ factor.root, A)
    assert_allclose(factor.inverse_trace(), np.trace(np.linalg.inv(A)))
    scaled = A / np.sqrt(np.outer(np.diag(A), np.diag(A)))
    assert_allclose(factor.condition, np.linalg.cond(scaled, 1), rtol=0.5)
    assert factor_spd(np.array([[1.0, 2.0], [2.0, 1.0]])) is None
    assert factor_spd(np.array([[np.nan]])) is None


@pytest.mark.parametrize("rank", [1, 3, 5])
def test_jitter_is_as_small_as_can_be(rank):
    B = np.random.default_rng(0).standard_normal((5, rank))
    A = B @ B.T
    found = factor_covariance(A)
    L = np.tril(found.lower)
    assert_allclose(L @ L.T, A + found.jitter * np.eye(5), atol=1e-12)
    assert (found.jitter == 0.0) == (rank == 5)
    assert found.jitter < 1e-6
    with pytest.raises(NotPositiveDefiniteError, match="least eigenvalue is -1"):
        factor_covariance(-np.eye(2))


@pytest.mark.parametrize("shape", [(500, 7), (30, 7), (4, 7)])
@pytest.mark.parametrize("intercept", [True, False])
def test_triangle_keeps_the_geometry(shape, intercept):
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal(shape) + 3, rng.standard_normal((shape[0], 2))
    s = rng.uniform(0.5, 2, shape[0])
    rows = Rows(X, Y, s, intercept)
    Z, T = rows.centred(slice(0, shape[0]), *rows.means())
    found = triangle(rows)
    assert_allclose(found.R.T @ found.R, Z.T @ Z, atol=1e-10)
    assert_allclose(found.R.T @ found.z, Z.T @ T, atol=1e-10)
    w, rss = found.least_squares()
    assert_allclose(w, np.linalg.lstsq(Z, T, rcond=1e-12)[0], atol=1e-9)
    assert_allclose(rss, np.sum((T - Z @ w) ** 2, axis=0), atol=1e-10)
    assert_allclose(found.least_squares(by_svd=True)[0], w, atol=1e-9)
    if shape[0] > 7:
        again = triangle_of_moments(rows.moments(), 7, intercept=intercept)
        assert_allclose(again.least_squares()[0], w, atol=1e-8)
        assert_allclose(solve_normal(rows).coef, w, atol=1e-9)
    W = inverse_root(found.R, found.rank)
    assert_allclose((Z @ W).T @ (Z @ W), np.eye(found.rank), atol=1e-9)


@pytest.mark.parametrize("shape", [(25, 4), (6, 15)])
@pytest.mark.parametrize("rho", [0.0, 0.7])
def test_leverages_are_the_diagonal_of_the_hat(shape, rho):
    rng = np.random.default_rng(0)
    X, s = rng.standard_normal(shape), rng.uniform(0.5, 2, shape[0])
    H = hat_matrix(X, rho=rho, weights=s)
    assert_allclose(np.diag(H), leverages(X, rho=rho, weights=s))
    assert np.all(np.diag(H) <= 1 + 1e-9)
    assert_allclose(H @ np.ones(shape[0]), 1.0)


@pytest.mark.parametrize("shape", [(40, 5), (8, 20)])
def test_secular_equation(shape):
    rng = np.random.default_rng(0)
    rows = Rows(rng.standard_normal(shape), rng.standard_normal((shape[0], 1)))
    norms = ridge_norms(rows)
    path = ridge_path(rows, 1e-6, mode="svd")
    for rho in (1e-6, 0.1, 1.0, 1e4):
        w = path.coef([rho])[0]
        assert_allclose(norms.at(rho), np.sum(w**2), rtol=1e-8)
        assert_allclose(norms.bound(float(np.sum(w**2))), rho, rtol=1e-4, atol=1e-9)
    assert solve_secular(np.array([1.0]), np.array([0.0]), 0.0) == 0.0


def test_the_users_arrays_are_not_written_to():
    rng = np.random.default_rng(0)
    X, Y, s = rng.standard_normal((300, 5)), rng.standard_normal((300, 1)), rng.uniform(1, 2, 300)
    for array in (X, Y, s):
        array.setflags(write=False)
    rows = Rows(X, Y, s)
    triangle(rows)
    solve_normal(rows)
    ridge_path(rows, 1.0).loo_residuals(np.array([1.0]))
