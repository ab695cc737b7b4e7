"""Paths of the lasso and the elastic net, and the grid of their strengths.

    α ↦ argmin over w of  ½ Σᵢ (xᵢᵀw − yᵢ)² / n  +  α r ‖w‖₁  +  ½ α (1 − r) ‖w‖²                         (1)

There is no b: centre X and y where one is meant. Friedman, Hastie & Tibshirani (2010), doi:10.18637/jss.v033.i01.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.utils import check_X_y

from gnomon._typing import ArrayLike, Floats, Matrix, MatrixLike, RandomState, is_sparse
from gnomon.base.progress import progress_of
from gnomon.base.targets import check_target
from gnomon.losses import SquaredLoss
from gnomon.numerics.design import Design
from gnomon.numerics.validation import FLOATS, check_choice, check_integer, check_interval, check_non_negative
from gnomon.optim import CoordinateOrder, Problem, coordinate_path, warn_unless_all_converged
from gnomon.penalties import ElasticNetPenalty

__all__ = ["alpha_grid", "check_precompute", "enet_path", "lasso_path"]


def enet_path(
    X: MatrixLike,
    y: ArrayLike,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    alphas: int | ArrayLike = 100,
    precompute: Any = "auto",
    Xy: ArrayLike | None = None,
    copy_X: bool = True,
    coef_init: ArrayLike | None = None,
    verbose: int | bool = False,
    return_n_iter: bool = False,
    positive: bool = False,
    check_input: bool = True,
    tol: float = 1e-4,
    max_iter: int = 1000,
    random_state: RandomState = None,
    selection: CoordinateOrder = "cyclic",
) -> tuple[Any, ...]:
    """The path (1), with scikit-learn's parameters and results.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    l1_ratio : float, default=0.5
        r.
    eps, alphas
        The number of values in a geometric grid down to `eps` times the largest, or the values.
    precompute, Xy
        XᵀX and Xᵀy, where they are known; they are compared with X and y, and not needed.
    copy_X, check_input : bool, default=True
        Ignored: X is never written to, and always validated.
    coef_init : array-like of shape (n_features,), optional
        Where the first α starts.
    verbose : int or bool, default=False
    return_n_iter : bool, default=False
        Whether the iterations of each α are returned as well.
    positive, tol, max_iter, random_state, selection
        As in `Lasso`.

    Returns
    -------
    alphas : ndarray of shape (n_alphas,)
        Falling.
    coefs : ndarray of shape (n_features, n_alphas)
    dual_gaps : ndarray of shape (n_alphas,)
    n_iters : list of int
        Only with `return_n_iter`.

    References
    ----------
    Friedman, J., Hastie, T. & Tibshirani, R. (2010). Regularization paths for generalized linear models via coordinate
    descent. doi:10.18637/jss.v033.i01

    Examples
    --------
    >>> from gnomon.linear import ElasticNet, LassoCV
    >>> X, y = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, -1.0]], [2.0, 2.0, 0.0, 3.0]
    >>> alphas, coefs, dual_gaps = LassoCV.path(X, y, alphas=[1.75, 0.5], tol=1e-10)
    >>> coefs.round(6)
    array([[0.      , 1.666667],
           [0.      , 0.      ]])
    """
    y = check_target(y, numeric=True)
    X, y = check_X_y(X, y, accept_sparse=("csc", "csr"), dtype=FLOATS, multi_output=True)
    if y.ndim != 1:
        raise ValueError(f"y has {y.shape[1]} columns, whose joint path is that of another model; call path for each")
    y, share = y.astype(X.dtype, copy=False), float(check_interval("l1_ratio", l1_ratio, 0.0, 1.0))
    weights = np.ones(len(y), dtype=X.dtype)
    start = np.zeros(X.shape[1]) if coef_init is None else np.asarray(coef_init, dtype=float)
    if start.shape != (X.shape[1],) or not np.all(np.isfinite(start)):
        raise ValueError(f"coef_init of shape {start.shape} must be finite and of shape ({X.shape[1]},)")
    check_precompute(precompute, X, weights, centred=False)
    if Xy is not None and not np.allclose(np.ravel(Xy), X.T @ y, rtol=1e-4, atol=1e-4 * np.max(np.abs(X.T @ y))):
        raise ValueError("Xy is not X.T @ y; leave it out, or give the product of this X and y")
    grid = _strengths(X, y, weights, alphas, share, eps=eps, positive=positive)
    penalties = [ElasticNetPenalty(float(alpha), share, half=True, positive=positive) for alpha in grid]
    problem = Problem(
        Design(X, intercept="none"), np.ascontiguousarray(y), SquaredLoss(half=True), penalties[0], weights / len(y)
    )
    options: dict[str, Any] = {"tol": tol, "max_iter": max_iter, "selection": selection, "random_state": random_state}
    report, solutions = progress_of(verbose, "path"), []
    for found in coordinate_path(problem, penalties, np.asarray(start, dtype=X.dtype), **options):
        solutions.append(found)
        if report is not None:
            report(len(solutions), len(grid))
    warn_unless_all_converged(solutions, max_iter)
    coefs = np.array([found.w for found in solutions]).T
    result = grid, coefs, np.array([found.dual_gap for found in solutions])
    return (*result, [found.n_iter for found in solutions]) if return_n_iter else result


def lasso_path(X: MatrixLike, y: ArrayLike, **options: Any) -> tuple[Any, ...]:
    """The path (1) of the lasso, r = 1: `enet_path` with its options."""
    return enet_path(X, y, l1_ratio=1.0, **options)


def _strengths(
    X: Matrix, y: Floats, weights: Floats, alphas: int | ArrayLike, share: float, *, eps: float, positive: bool
) -> Floats:
    if np.ndim(alphas) == 1:
        values = [float(check_non_negative("alphas", alpha)) for alpha in np.asarray(alphas)]
        if not values:
            raise ValueError("alphas is empty; give values to solve for, or their number")
        return np.sort(values)[::-1]
    if share == 0.0:
        raise ValueError("l1_ratio=0 has no largest useful alpha; give `alphas` as an array")
    n_alphas = check_integer("alphas", alphas, 1)
    return alpha_grid(X, y, weights, l1_ratio=share, eps=eps, n_alphas=n_alphas, fit_intercept=False, positive=positive)


def alpha_grid(
    X: Matrix,
    y: Floats,
    weights: Floats,
    *,
    l1_ratio: float,
    eps: float,
    n_alphas: int,
    fit_intercept: bool,
    positive: bool = False,
) -> Floats:
    """A geometric grid from the least α with w = 0 down to `eps` times it."""
    s = weights / weights.sum(dtype=float)
    r = y - s @ y if fit_intercept else y
    # Twice, so that what rounding leaves of the mean does not meet columns far from zero.
    r = r - s @ r if fit_intercept else r
    pull = X.T @ (s * r)
    largest = float(np.max(pull if positive else np.abs(pull), initial=0.0)) / l1_ratio
    if not np.isfinite(largest):
        raise ValueError("the products of X and y overflow; divide the columns of X, and y, by their scale")
    if largest <= 0.0 or np.max(np.abs(r)) <= np.finfo(float).resolution * np.max(np.abs(y)):
        return np.full(n_alphas, np.finfo(float).resolution)
    # Rounding of the pull, here or in a solver, must not leave a coefficient at the first value.
    largest *= 1.0 + 16.0 * float(np.finfo(X.dtype).eps)
    return np.geomspace(largest, eps * largest, n_alphas)


def check_precompute(value: ArrayLike, X: Matrix, weights: Floats, *, centred: bool) -> None:
    """Refuse a Gram matrix that is not XᵀSX; warn where it cannot be used, because X will be centred.

    The weights sᵢ in S sum to the number of rows.
    """
    if np.ndim(value) == 0:
        check_choice("precompute", value, (True, False, "auto"))
    if np.ndim(value) == 0 or is_sparse(X):
        return
    if isinstance(value, (list, tuple)):
        raise ValueError("precompute is a list; give XᵀX as an array, or True or False")
    s = weights * (len(weights) / np.sum(weights))
    if centred and not np.allclose(s @ X / len(s), 0.0):
        warnings.warn("precompute is the Gram matrix of X, but X is centred; leave it out", stacklevel=3)
        return
    gram, own, d = np.asarray(value), X.T @ (s[:, None] * X), X.shape[1]
    if gram.shape != (d, d):
        raise ValueError(f"precompute has shape {gram.shape}; give XᵀX of shape {(d, d)}, or True or False")
    rounding = 1e-4 if np.float32 in (gram.dtype, X.dtype) else 1e-7
    if not np.allclose(gram, own, rtol=rounding, atol=max(1e-5, rounding * float(np.max(np.abs(own))))):
        i, j = np.unravel_index(np.argmax(np.abs(gram - own)), gram.shape)
        raise ValueError(
            f"precompute[{i}, {j}]={gram[i, j]:g} is not the entry {own[i, j]:g} of XᵀX; compute it from this X and "
            "its weights, or leave it out"
        )
