"""Least squares.

    minimise over w, b    Σᵢ sᵢ (yᵢ − xᵢᵀw − b)²                                                   (1)

Closed forms: the normal equations (XᵀX) w = Xᵀy by LU or Cholesky, QR and singular value decompositions, and w = X†y;
LSMR for large sparse X. Where X does not have full rank the minimiser of least norm is returned. Golub & Van Loan
(2013), chapter 5; Björck (1996), doi:10.1137/1.9781611971484; LSMR: Fong & Saunders (2011), doi:10.1137/10079687X.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np
from scipy import linalg, optimize
from scipy.sparse.linalg import LinearOperator, lsmr
from sklearn.exceptions import ConvergenceWarning

from gnomon._typing import Floats, Matrix, is_sparse
from gnomon.numerics.linalg.cholesky import factor_spd
from gnomon.numerics.linalg.normal import WELL_CONDITIONED, has_lost_column, solve_normal, split_moments
from gnomon.numerics.linalg.rows import Rows, binary_exponent, check_coefficients
from gnomon.numerics.linalg.triangular import shortest, triangle
from gnomon.numerics.streaming import Moments

__all__ = ["LEAST_SQUARES_METHODS", "LeastSquares", "RankWarning", "centred_operator", "least_squares", "solve_by_lsmr"]

LeastSquaresMethod: TypeAlias = Literal["normal", "cholesky", "qr", "svd", "pinv", "lsmr"]

_DENSE_GRAM = 4096
"""The largest number of columns for which the d × d matrix of a sparse X is formed."""

_FOURTH_POWERS = 64
"""Between 2^-64 and 2^64 the numbers of LSMR stay in range."""

_SHARE = 1e-5
"""The share of the length of y that a column which was fitted may still explain."""


class RankWarning(np.exceptions.RankWarning):
    """X does not have full column rank: the least-squares solution is not unique, and the one of least norm was taken.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from gnomon.linear import LinearRegression
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = LinearRegression(fit_intercept=False).fit([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]], [1.0, 2.0, 2.0])
    >>> caught[0].category.__name__, model.coef_.round(7)
    ('RankWarning', array([0.3928571, 0.3928571]))
    """


class LeastSquares(NamedTuple):
    """A minimiser of (1) and what is known about it.

    Parameters
    ----------
    coef : ndarray of shape (d, k)
    intercept : ndarray of shape (k,)
    rss : ndarray of shape (k,)
        The cost Σ s r² of each target.
    method : str
        The method that was used in the end.
    rank : int or None
        Rank of the (centred) X; None where the method does not find it.
    condition : float
        Condition number of the (centred) X with columns of length one; nan where it is not found.
    R : ndarray of shape (min(n, d), d) or None
        RᵀR = Σ s (x − x̄)(x − x̄)ᵀ.
    x_mean : ndarray of shape (d,)

    References
    ----------
    Björck, Å. (1996). Numerical Methods for Least Squares Problems. doi:10.1137/1.9781611971484

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import least_squares
    >>> fit = least_squares(np.array([[0.0], [1.0], [2.0]]), np.array([[0.0], [1.0], [1.0]]))
    >>> fit.coef.round(7), fit.intercept.round(7), fit.rank
    (array([[0.5]]), array([0.1666667]), 1)
    """

    coef: Floats
    intercept: Floats
    rss: Floats
    method: str
    rank: int | None = None
    condition: float = np.nan
    R: Floats | None = None
    x_mean: Floats | None = None


def least_squares(
    X: Matrix,
    Y: Floats,
    weights: Floats | None = None,
    *,
    intercept: bool = True,
    method: LeastSquaresMethod = "qr",
    positive: bool = False,
    tol: float = 1e-6,
    sums: Moments | None = None,
    n_jobs: int | None = None,
) -> LeastSquares:
    """Minimise (1).

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, d)
    Y : ndarray of shape (n, k)
    weights : ndarray of shape (n,), optional
    intercept : bool, default=True
    method : {"normal", "cholesky", "qr", "svd", "pinv", "lsmr"}, default="qr"
        "cholesky" falls back to "qr" (sparse X: "lsmr") where it cannot be trusted, "normal" only where X has not
        full rank.
    positive : bool, default=False
        Require w ≥ 0 (Lawson & Hanson 1974), on the triangle of any of the dense methods.
    tol : float, default=1e-6
        Relative tolerance of LSMR.
    sums : Moments, optional
        The moments of [X Y], where they are known.
    n_jobs : int, optional
        Threads for sums over rows; by default as many as BLAS may use.

    Returns
    -------
    LeastSquares

    References
    ----------
    Golub, G. H. & Van Loan, C. F. (2013). Matrix Computations, chapter 5. ISBN 978-1-4214-0794-4.

    Lawson, C. L. & Hanson, R. J. (1995). Solving Least Squares Problems. doi:10.1137/1.9781611971217

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import least_squares
    >>> X, Y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([[0.0], [1.0], [1.0]])
    >>> least_squares(X, Y, intercept=False, method="svd").coef.round(7).ravel()
    array([0.1666667, 0.5      ])
    """
    if method not in LEAST_SQUARES_METHODS:
        raise ValueError(f"method={method!r} is unknown; choose from {list(LEAST_SQUARES_METHODS)}")
    if is_sparse(X) and method not in SPARSE_METHODS:
        raise ValueError(f"solver={method!r} needs a dense X; for sparse X choose from {list(SPARSE_METHODS)}")
    rows, of_y, of_weights = Rows(X, Y, weights, intercept, n_jobs).in_range()
    sums = None if of_y or of_weights else sums
    with np.errstate(over="ignore", invalid="ignore"):
        fit = _nonnegative(rows, sums) if positive else LEAST_SQUARES_METHODS[method](rows, tol, sums)
    fit = _back(fit, of_y, of_weights) if of_y or of_weights else fit
    check_coefficients(X, fit.coef)
    return fit


def _back(fit: LeastSquares, of_y: int, of_weights: int) -> LeastSquares:
    """The fit in the units of the data, where y was divided by 2^of_y and the weights by 2^of_weights."""
    with np.errstate(over="ignore", under="ignore"):
        rss = np.ldexp(fit.rss, 2 * of_y + of_weights)
        coef, b = np.ldexp(fit.coef, of_y), np.ldexp(fit.intercept, of_y)
        R = None if fit.R is None else np.ldexp(fit.R, of_weights // 2)
    if not np.all(np.isfinite(rss)) or np.any((fit.rss > 0.0) & (rss < np.finfo(float).tiny)):
        large = not np.all(np.isfinite(rss))
        warnings.warn(
            f"the least sum of squares is {'above' if large else 'below'} what floats can hold and given as "
            f"{'inf' if large else '0 or with fewer digits'}; the coefficients are not affected. For a value, "
            f"{'divide' if large else 'multiply'} y or the weights by a power of ten",
            RuntimeWarning,
            stacklevel=4,
        )
    return fit._replace(coef=coef, intercept=b, rss=rss, R=R)


def solve_by_lsmr(
    rows: Rows, rho: Floats, tol: float, *, max_iter: int | None = None
) -> tuple[Floats, Floats, Floats, Floats, int]:
    """w for each target by LSMR with damping √ρ on the centred rows, their costs, and the most iterations it took."""
    rows, of_y, of_weights = rows.in_range(_FOURTH_POWERS)
    rows, e = _moderate(rows)
    x_mean, y_mean = rows.means()
    A = centred_operator(rows, x_mean)
    right = rows.roots() * (rows.Y - y_mean)
    options = {"atol": tol, "btol": tol, "conlim": 0.0, "maxiter": max_iter or 10 * max(rows.shape)}
    damp = np.ldexp(np.sqrt(rho), -e - of_weights // 2)
    found = [lsmr(A, right[:, j], damp=float(damp[j]), **options) for j in range(rows.shape[2])]
    if any(solution[1] == 7 for solution in found):
        warnings.warn(
            f"LSMR stopped after {options['maxiter']} iterations, short of tol={tol:g}; raise max_iter, loosen tol, or "
            "scale the columns of X",
            ConvergenceWarning,
            stacklevel=5,
        )
    w = np.column_stack([solution[0] for solution in found])
    R = right - A @ w
    if all(solution[1] != 7 for solution in found):
        _warn_of_lost_columns(rows, x_mean, A.T @ R - damp**2 * w, np.linalg.norm(right, axis=0), tol)
    most = max(solution[2] for solution in found)
    with np.errstate(over="ignore", under="ignore"):
        rss, w = np.ldexp(np.sum(R**2, axis=0), 2 * of_y + of_weights), np.ldexp(w, of_y - e)
    return w, rss, np.ldexp(x_mean, e), np.ldexp(y_mean, of_y), most


def _moderate(rows: Rows) -> tuple[Rows, int]:
    """The rows with X divided by 2^e, so that products of four of its entries neither overflow nor underflow."""
    X: Any = rows.X
    stored = is_sparse(rows.X)
    e = int(binary_exponent(X.data if stored else X))
    if abs(e) <= _FOURTH_POWERS:
        return rows, 0
    scaled: Any = X.copy() if stored else np.ldexp(X, -e)
    if stored:
        scaled.data = np.ldexp(X.data, -e)
    lost = np.asarray((scaled != 0.0).sum(axis=0) != (X != 0.0).sum(axis=0)).ravel()
    if np.any(lost):
        j = int(np.argmax(lost))
        raise ValueError(f"column {j} of X is more than 2^1000 times smaller than the largest; scale the columns of X")
    return rows._replace(X=scaled), e


def _warn_of_lost_columns(rows: Rows, x_mean: Floats, gradient: Floats, length: Floats, tol: float) -> None:
    """Say which column still explains part of y: LSMR's own test is relative to the largest of them."""
    norms = _centred_norms(rows, x_mean)
    lost = np.any(np.abs(gradient) > max(_SHARE, 1e3 * tol) * np.multiply.outer(norms, length), axis=1)
    if np.any(lost):
        j = int(np.argmax(lost))
        warnings.warn(
            f"LSMR stopped before column {j} of X was fitted: it is {norms[j] / np.max(norms):.1g} times as long as "
            "the longest. Scale the columns of X, or use a solver that scales them ('qr', 'cholesky')",
            ConvergenceWarning,
            stacklevel=6,
        )


def _centred_norms(rows: Rows, x_mean: Floats) -> Floats:
    """‖√s (xⱼ − x̄ⱼ)‖ of every column, where zeros that are not stored count as a sum of weights."""
    X: Any = rows.X
    s = rows.roots()[:, 0] ** 2
    if not is_sparse(rows.X):
        return np.sqrt(s @ (X - x_mean) ** 2)
    i, j = X.tocoo().coords
    stored = np.bincount(j, s[i] * (X.data - x_mean[j]) ** 2, X.shape[1])
    return np.sqrt(stored + (np.sum(s) - np.bincount(j, s[i], X.shape[1])) * x_mean**2)


def centred_operator(rows: Rows, x_mean: Floats) -> LinearOperator:
    """√s (X − x̄) as a linear operator, so that a sparse X stays sparse."""
    X, n, d = rows.X, rows.shape[0], rows.shape[1]
    root = np.ones(n) if rows.weights is None else np.sqrt(rows.weights)

    def apply(w: Floats) -> Floats:
        w = w.reshape(d, -1)
        return root[:, None] * (X @ w - x_mean @ w)

    def adjoint(r: Floats) -> Floats:
        r = root[:, None] * r.reshape(n, -1)
        return X.T @ r - np.outer(x_mean, np.sum(r, axis=0))

    return LinearOperator((n, d), matvec=apply, rmatvec=adjoint, matmat=apply, rmatmat=adjoint, dtype=float)


def _normal(rows: Rows, tol: float, sums: Moments | None) -> LeastSquares:
    """LU of XᵀX, without refinement: the textbook formula."""
    sums = rows.moments() if sums is None else sums
    d = rows.shape[1]
    S, c, T, x_mean, y_mean = split_moments(sums, d, intercept=rows.intercept)
    lost = has_lost_column(S, sums, rows.intercept)
    factor = None if lost else factor_spd(S)
    if factor is not None and factor.condition < WELL_CONDITIONED**2:
        known = LeastSquares(c, y_mean, np.diag(T), "normal", d, float(np.sqrt(factor.condition)), factor.root, x_mean)
    else:
        # Squares of small singular values drown in rounding: only the rows themselves can tell the rank.
        known = _fallback(rows, tol)
    if known.rank != d or lost:
        return known
    try:
        w = np.linalg.solve(S, c)
    except np.linalg.LinAlgError:
        return known
    rss = np.maximum(np.diag(T) - np.sum(w * (2.0 * c - S @ w), axis=0), 0.0)
    return known._replace(coef=w, intercept=y_mean - x_mean @ w, rss=rss, method="normal")


def _cholesky(rows: Rows, tol: float, sums: Moments | None) -> LeastSquares:
    return _by_normal(rows, sums) or _fallback(rows, tol)


def _by_normal(rows: Rows, sums: Moments | None) -> LeastSquares | None:
    found = solve_normal(rows, sums=sums) if rows.shape[0] >= rows.shape[1] else None
    if found is None:
        return None
    w, x_mean = found.coef, found.x_mean
    root = found.factor.root
    return LeastSquares(w, found.y_mean - x_mean @ w, found.rss, "cholesky", len(w), found.condition, root, x_mean)


def _qr(rows: Rows, tol: float, sums: Moments | None = None) -> LeastSquares:
    return _by_triangle(rows, "qr")


def _svd(rows: Rows, tol: float, sums: Moments | None = None) -> LeastSquares:
    return _by_triangle(rows, "svd")


def _by_triangle(rows: Rows, method: Literal["qr", "svd"]) -> LeastSquares:
    found = triangle(rows)
    w, rss = found.least_squares(by_svd=method == "svd")
    b = found.y_mean - found.x_mean @ w
    return LeastSquares(w, b, rss, method, found.rank, found.condition, found.R, found.x_mean)


def _pinv(rows: Rows, tol: float, sums: Moments | None = None) -> LeastSquares:
    """w = X†y, with X† formed."""
    found = triangle(rows)
    n = rows.shape[0]
    Z, T = rows.centred(slice(0, n), found.x_mean, found.y_mean)
    scale = np.exp2(binary_exponent(Z, axis=0).astype(float))
    U, singular, Vt = linalg.svd(Z / scale, full_matrices=False, check_finite=False)
    r = found.rank
    w = shortest(Vt[:r] * scale, U[:, :r].T / singular[:r, None]) @ T
    rss = np.sum((T - Z @ w) ** 2, axis=0)
    b = found.y_mean - found.x_mean @ w
    return LeastSquares(w, b, rss, "pinv", found.rank, found.condition, found.R, found.x_mean)


def _lsmr(rows: Rows, tol: float, sums: Moments | None = None) -> LeastSquares:
    w, rss, x_mean, y_mean, _ = solve_by_lsmr(rows, np.zeros(rows.shape[2]), tol)
    return LeastSquares(w, y_mean - x_mean @ w, rss, "lsmr", x_mean=x_mean)


def _fallback(rows: Rows, tol: float) -> LeastSquares:
    if not is_sparse(rows.X):
        return _qr(rows, tol)
    # A few thousand columns fit in memory as a dense matrix; beyond that only products with X are affordable.
    return _qr(rows, tol) if rows.shape[1] <= _DENSE_GRAM // 8 else _lsmr(rows, tol)


def _nonnegative(rows: Rows, sums: Moments | None) -> LeastSquares:
    fit = (None if sums is None else _by_normal(rows, sums)) or _qr(rows, 0.0)
    check_coefficients(rows.X, fit.coef)
    # Both branches have set the triangle and the means.
    R, x_mean = cast(Floats, fit.R), cast(Floats, fit.x_mean)
    Z_y = R @ fit.coef
    w = np.column_stack([optimize.nnls(R, z)[0] for z in Z_y.T])
    rss = fit.rss + np.sum((R @ w - Z_y) ** 2, axis=0)
    b = fit.intercept + x_mean @ (fit.coef - w)
    return fit._replace(coef=w, intercept=b, rss=rss)


LEAST_SQUARES_METHODS: dict[LeastSquaresMethod, Callable[[Rows, float, Moments | None], LeastSquares]] = {
    "normal": _normal,
    "cholesky": _cholesky,
    "qr": _qr,
    "svd": _svd,
    "pinv": _pinv,
    "lsmr": _lsmr,
}
"""The closed forms and LSMR, by name."""

SPARSE_METHODS = ("normal", "cholesky", "lsmr")
