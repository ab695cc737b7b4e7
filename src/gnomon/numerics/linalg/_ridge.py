"""Ridge regression: primal, dual, and for every ρ at once.

    minimise over w, b    Σᵢ sᵢ (yᵢ − xᵢᵀw − b)² + ρ ‖w‖²                                          (1)

    primal  w = (ZᵀZ + ρI)⁻¹ Zᵀt        dual  w = Zᵀα,  α = (ZZᵀ + ρI)⁻¹ t        Z = √s(X − x̄), t = √s(y − ȳ)
    ‖w(ρ)‖² = Σⱼ pⱼ / (σⱼ² + ρ)²,        tr H = Σⱼ σⱼ²/(σⱼ² + ρ)  (+ 1 for a free b)                        (2)

Hoerl & Kennard (1970), doi:10.1080/00401706.1970.10488634; the ρ of a bound ‖w‖² ≤ θ is a root of the secular equation
(2), found by Hebden's step: Moré & Sorensen (1983), doi:10.1137/0904038.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import linalg, optimize

from gnomon._typing import ArrayLike, Floats, Matrix, is_sparse
from gnomon.numerics.linalg._least_squares import _DENSE_GRAM, solve_by_lsmr
from gnomon.numerics.linalg.cholesky import factor_spd
from gnomon.numerics.linalg.normal import solve_normal, split_moments
from gnomon.numerics.linalg.rows import Rows, check_coefficients, fits_beside
from gnomon.numerics.linalg.triangular import triangle
from gnomon.numerics.streaming import Moments
from gnomon.numerics.validation import check_choice

__all__ = ["Norms", "RidgeSolution", "ridge", "ridge_norms", "solve_secular"]

RidgeMethod: TypeAlias = Literal["auto", "cholesky", "dual", "svd", "lsqr"]

METHODS: tuple[RidgeMethod, ...] = ("auto", "cholesky", "dual", "svd", "lsqr")

_EXACT = 1e-8
"""Tolerance of LSMR where it stands in for an exact form."""


class Norms(NamedTuple):
    """σⱼ² and pⱼ of equation (2): the squared length of w for every ρ.

    Parameters
    ----------
    squares : ndarray of shape (m,)
    powers : ndarray of shape (m, k)

    References
    ----------
    Moré, J. J. & Sorensen, D. C. (1983). Computing a trust region step. doi:10.1137/0904038

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import Norms
    >>> norms = Norms(np.array([3.0, 3.0]), np.array([[49.0], [1.0]]))
    >>> norms.at(1.0).round(7), norms.bound(3.125).round(7)
    (array([3.125]), array([1.]))
    """

    squares: Floats
    powers: Floats

    def at(self, rho: float | Floats) -> Floats:
        """‖w(ρ)‖² of each target; at ρ = 0 that of the least-norm solution."""
        return np.sum(self.powers * _inverse(self.squares[:, None] + rho) ** 2, axis=0)

    def bound(self, theta: float) -> Floats:
        """The least ρ ≥ 0 with ‖w(ρ)‖² ≤ θ, for each target."""
        return np.array([solve_secular(self.squares, p, theta) for p in self.powers.T])


class RidgeSolution(NamedTuple):
    """The minimiser of (1) and what is known about it.

    Parameters
    ----------
    coef : ndarray of shape (d, k)
    intercept : ndarray of shape (k,)
    rss : ndarray of shape (k,)
        Σ s r² of each target, without the penalty.
    dof : ndarray of shape (k,) or None
        tr H for each target, with one for a free b.
    method : str
        "cholesky", "dual", "svd", "lsqr" or "nnls".
    system : tuple
        (ZᵀZ, Zᵀt) or (ZZᵀ, t), from which `norms` follow; empty for "lsqr".
    n_iter : int or None
        Iterations of an iterative method.

    References
    ----------
    Hoerl, A. E. & Kennard, R. W. (1970). Ridge regression. doi:10.1080/00401706.1970.10488634

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import ridge
    >>> X, Y = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]]), np.array([[0.0], [1.0], [1.0]])
    >>> found = ridge(X, Y, 1.0, intercept=False)
    >>> found.coef.round(7).ravel(), found.dof.round(7), found.norms().at(1.0).round(7)
    (array([0.2, 0.4]), array([1.3333333]), array([0.2]))
    """

    coef: Floats
    intercept: Floats
    rss: Floats
    dof: Floats | None
    method: str
    system: tuple[Floats, ...] = ()
    n_iter: int | None = None

    def norms(self) -> Norms:
        """σⱼ² and pⱼ of equation (2)."""
        return _norms(self.method, *self.system)


def ridge(
    X: Matrix,
    Y: Floats,
    rho: ArrayLike,
    weights: Floats | None = None,
    *,
    intercept: bool = True,
    method: RidgeMethod = "auto",
    positive: bool = False,
    sums: Moments | None = None,
    n_jobs: int | None = None,
    **options: Any,
) -> RidgeSolution:
    """Minimise (1).

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, d)
    Y : ndarray of shape (n, k)
    rho : float or ndarray of shape (k,)
    weights : ndarray of shape (n,), optional
    intercept : bool, default=True
    method : {"auto", "cholesky", "dual", "svd", "lsqr"}, default="auto"
        "auto": the primal Cholesky form for n ≥ d, the dual one for d > n, "svd" where neither can be trusted; for a
        sparse X beside which the matrix of neither is small "lsqr" (LSMR with damping, `tol` at most 1e-8).
    positive : bool, default=False
        Require w ≥ 0, by non-negative least squares whatever the method.
    sums : Moments, optional
        The moments of [X Y], where they are known.
    n_jobs : int, optional
        Threads for sums over rows.
    **options
        `tol` and `max_iter` of "lsqr".

    Returns
    -------
    RidgeSolution

    References
    ----------
    Hoerl, A. E. & Kennard, R. W. (1970). Ridge regression. doi:10.1080/00401706.1970.10488634

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import ridge
    >>> X, Y = np.eye(2, 5), np.array([[2.0], [4.0]])
    >>> found = ridge(X, Y, 1.0, intercept=False)
    >>> found.method, found.coef.ravel()
    ('dual', array([1., 2., 0., 0., 0.]))
    """
    rows = Rows(X, Y, weights, intercept, n_jobs)
    rho = np.broadcast_to(np.asarray(rho, dtype=float), (Y.shape[1],))
    check_choice("method", method, METHODS)
    # What overflows is refused below; sums of squares that do, where they are asked for.
    with np.errstate(over="ignore", invalid="ignore"):
        found = _nonnegative(rows, rho) if positive else _by_method(rows, rho, method, sums, options)
    check_coefficients(X, found.coef)
    return found


def _by_method(
    rows: Rows, rho: Floats, method: RidgeMethod, sums: Moments | None, options: dict[str, Any]
) -> RidgeSolution:
    if method == "lsqr":
        return _lsqr(rows, rho, **options)
    for attempt in _order(rows, method):
        found = attempt(rows, rho, sums)
        if found is not None:
            return found
    return _lsqr(rows, rho, **{**options, "tol": min(options.get("tol", _EXACT), _EXACT)})


def ridge_norms(rows: Rows, sums: Moments | None = None) -> Norms:
    """σⱼ² and pⱼ of equation (2) for the given rows, before any ρ is known.

    References
    ----------
    Moré, J. J. & Sorensen, D. C. (1983). Computing a trust region step. doi:10.1137/0904038

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import Rows, ridge_norms
    >>> X, Y = np.array([[1.0, 0], [1, 1], [0, 1], [1, -1]]), np.array([[2.0], [2], [0], [3]])
    >>> ridge_norms(Rows(X, Y, intercept=False)).at(1.0).round(7)
    array([3.125])
    """
    if rows.shape[0] < rows.shape[1]:
        return _norms("dual", *_dual_system(rows, rows.means()))
    sums = rows.moments() if sums is None else sums
    S, c, *_ = split_moments(sums, rows.shape[1], intercept=rows.intercept)
    return _norms("cholesky", S, c)


def solve_secular(squares: Floats, powers: Floats, theta: float, *, max_iter: int = 200) -> float:
    """The least ρ ≥ 0 with Σⱼ pⱼ/(σⱼ² + ρ)² ≤ θ, by Newton's method on ‖w‖⁻¹.

    References
    ----------
    Moré, J. J. & Sorensen, D. C. (1983). Computing a trust region step. doi:10.1137/0904038

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import solve_secular
    >>> round(solve_secular(np.array([3.0, 3.0]), np.array([49.0, 1.0]), 2.0), 7)
    2.0
    """
    if theta == 0.0:
        return np.inf if np.any(powers > 0.0) else 0.0
    rho = 0.0
    for _ in range(max_iter):
        inverse = _inverse(squares + rho)
        length = np.sum(powers * inverse**2)
        # ‖w‖⁻¹ is concave in ρ, so the iterates rise to the root from the left.
        step = (np.sqrt(length / theta) - 1.0) * length / np.sum(powers * inverse**3) if length > theta else 0.0
        rho += step
        if step <= 4.0 * np.finfo(float).eps * rho:
            break
    return float(rho)


Form: TypeAlias = Callable[[Rows, Floats, Moments | None], RidgeSolution | None]


def _order(rows: Rows, method: RidgeMethod) -> tuple[Form, ...]:
    n, d, _ = rows.shape
    named = {"cholesky": (_primal, _svd), "dual": (_dual, _svd), "svd": (_svd,)}
    if method in named:
        return named[method]
    if is_sparse(rows.X):
        return _sparse_order(rows, n, d)
    return (_primal, _svd) if d <= n else (_dual, _svd)


def _sparse_order(rows: Rows, n: int, d: int) -> tuple[Form, ...]:
    """The exact forms whose matrix is small compared with X; if there is none, only products with X are used."""
    if d <= _DENSE_GRAM // 8:
        return _primal, _svd
    if n < d and fits_beside(rows.X, n):
        return (_dual,)
    return (_primal,) if d <= _DENSE_GRAM and fits_beside(rows.X, d) else ()


def _primal(rows: Rows, rho: Floats, sums: Moments | None) -> RidgeSolution | None:
    sums = rows.moments() if sums is None else sums
    parts = {}
    for r in set(rho.tolist()):
        part = solve_normal(rows, r, sums=sums)
        if part is None:
            return None
        parts[r] = part
    first = parts[rho[0]]
    w = np.column_stack([parts[r].coef[:, j] for j, r in enumerate(rho)])
    rss = np.array([parts[r].rss[j] for j, r in enumerate(rho)])
    dof = np.array([len(w) - (r * parts[r].factor.inverse_trace() if r > 0.0 else 0.0) for r in rho])
    b = first.y_mean - first.x_mean @ w
    return RidgeSolution(w, b, rss, dof + rows.intercept, "cholesky", (first.S, first.c))


def _dual(rows: Rows, rho: Floats, sums: Moments | None) -> RidgeSolution | None:
    x_mean, y_mean = rows.means()
    K, T = _dual_system(rows, (x_mean, y_mean))
    factors = {}
    for r in set(rho.tolist()):
        factor = factor_spd(K + r * np.eye(len(K))) if r > 0.0 else None
        if factor is None:
            return None
        factors[r] = factor
    alpha = np.column_stack([factors[r].solve(T[:, j]) for j, r in enumerate(rho)])
    w = rows.combine(rows.roots() * alpha, x_mean)
    dof = np.array([len(K) - r * factors[r].inverse_trace() for r in rho])
    # ρ α is the residual: no product with Z is needed.
    rss = np.sum((rho * alpha) ** 2, axis=0)
    return RidgeSolution(w, y_mean - x_mean @ w, rss, dof + rows.intercept, "dual", (K, T))


def _dual_system(rows: Rows, means: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """ZZᵀ and t."""
    root = rows.roots()
    # Without a factor (squares overflow) "svd" reports the error.
    with np.errstate(over="ignore", invalid="ignore"):
        K = root * rows.inner_products(means[0]) * root.T
    return K, (root * (rows.Y - means[1])).astype(float, copy=False)


def _svd(rows: Rows, rho: Floats, sums: Moments | None) -> RidgeSolution:
    found = triangle(rows)
    w, rss, dof = found.ridge(rho)
    system = (found.R.T @ found.R, found.R.T @ found.z)
    return RidgeSolution(w, found.y_mean - found.x_mean @ w, rss, dof + rows.intercept, "svd", system)


def _lsqr(rows: Rows, rho: Floats, tol: float = _EXACT, max_iter: int | None = None) -> RidgeSolution:
    w, rss, x_mean, y_mean, n_iter = solve_by_lsmr(rows, rho, tol, max_iter=max_iter)
    return RidgeSolution(w, y_mean - x_mean @ w, rss, None, "lsqr", n_iter=n_iter)


def _nonnegative(rows: Rows, rho: Floats) -> RidgeSolution:
    """Non-negative least squares on the rows of R and √ρ I, exact and as small as d allows."""
    found = triangle(rows)
    d = rows.shape[1]
    targets = zip(rho, found.z.T, strict=True)
    w = np.column_stack(
        [optimize.nnls(np.vstack([found.R, np.sqrt(r) * np.eye(d)]), np.append(z, np.zeros(d)))[0] for r, z in targets]
    )
    rss = found.rest + np.sum((found.R @ w - found.z) ** 2, axis=0)
    system = (found.R.T @ found.R, found.R.T @ found.z)
    return RidgeSolution(w, found.y_mean - found.x_mean @ w, rss, None, "nnls", system)


def _norms(method: str, matrix: Floats, right: Floats) -> Norms:
    if not np.all(np.isfinite(matrix)):
        raise ValueError("X has columns whose squares overflow; divide the columns by their scale")
    squares, U = linalg.eigh(matrix)
    # Eigenvalues at the level of rounding belong to directions along which w has no component.
    squares = np.where(squares > len(squares) * np.finfo(float).eps * np.max(squares, initial=0.0), squares, 0.0)
    inside = (U.T @ right) ** 2
    powers = squares[:, None] * inside if method == "dual" else np.where(squares[:, None] > 0.0, inside, 0.0)
    return Norms(squares, powers)


def _inverse(a: Floats) -> Floats:
    return np.divide(1.0, a, out=np.zeros_like(a), where=a > 0.0)
