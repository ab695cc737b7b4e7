"""Principal components of rows, by every route.

    S = Σᵢ sᵢ (xᵢ − c)(xᵢ − c)ᵀ = Σⱼ λⱼ vⱼ vⱼᵀ,    λ₁ ≥ λ₂ ≥ …,    vⱼᵀvₖ = 1[j = k]                 (1)

"covariance_eigh" factorises S (d × d), "dual" the matrix of inner products of the rows (n × n), with the same λ; "full"
is the singular value decomposition of the centred rows, which squares nothing; "randomized" projects on a random
range (Halko, Martinsson & Tropp 2011, doi:10.1137/090771806); "arpack" and "power" are Krylov and power iterations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import linalg
from scipy.sparse.linalg import LinearOperator, svds

from gnomon._typing import Floats
from gnomon.numerics.centred_rows import RowsAbout
from gnomon.numerics.linalg import top_eigh
from gnomon.numerics.scatter import fix_signs
from gnomon.numerics.streaming import Moments, moments

__all__ = ["ITERATIVE", "ROUTES", "Principal", "Route", "choose_route", "components_of_moments", "principal_components"]

Route: TypeAlias = Literal["covariance_eigh", "full", "dual", "randomized", "arpack", "power"]
WEAK = 1e-8
"""An eigenvalue of the squared matrix that is below this share of the largest has half of its digits, or none."""

Normalizer: TypeAlias = Literal["auto", "QR", "LU", "none"]

ITERATIVE: tuple[Route, ...] = ("randomized", "arpack", "power")
"""Routes that begin at random directions."""


class Principal(NamedTuple):
    """The first components of equation (1).

    Fields
    ------
    values : ndarray of shape (m,)
        λ, largest first: sums of squares, not divided by the number of rows.
    axes : ndarray of shape (d, m)
        v, as columns; the largest entry of each is positive.
    total : float
        Σ λ over all components, the trace of S.
    error : float
        A bound on ‖Sv − λv‖ / λ₁ that was measured: 0 for a factorisation, the residual of an iteration.

    References
    ----------
    Jolliffe, I. T. (2002). Principal Component Analysis. doi:10.1007/b98835

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.centred_rows import rows_about
    >>> from gnomon.numerics.principal import principal_components
    >>> X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -2.0]])
    >>> found = principal_components(rows_about(X), 1)
    >>> found.values.round(12), found.axes.ravel() + 0.0, round(found.total, 12)
    (array([8.]), array([0., 1.]), 10.0)
    """

    values: Floats
    axes: Floats
    total: float
    error: float = 0.0


def choose_route(n: int, d: int, m: int | None, sparse: bool) -> Route:
    """The fastest route: over the smaller symmetric matrix, unless it is large and few components are asked for.

    Parameters
    ----------
    n, d : int
        Rows and columns.
    m : int or None
        Components that are asked for; None for all, or as many as a rule finds.
    sparse : bool
        Whether the rows are sparse.

    Returns
    -------
    {"covariance_eigh", "full", "dual", "randomized"}

    References
    ----------
    Halko, N., Martinsson, P. G. & Tropp, J. A. (2011). Finding structure with randomness. doi:10.1137/090771806

    Examples
    --------
    >>> from gnomon.numerics.principal import choose_route
    >>> choose_route(100_000, 200, 20, False), choose_route(100_000, 10_000, 20, True)
    ('covariance_eigh', 'randomized')
    """
    few = m is not None and 1 <= m < 0.8 * min(n, d)
    if sparse:
        return "covariance_eigh" if d <= 1000 else "randomized" if few else "full"
    if max(n, d) <= 500:
        return "full"
    if few and min(n, d) > 1000:
        return "randomized"
    return "covariance_eigh" if n >= 10 * d else "dual" if d >= 10 * n else "full"


def principal_components(
    rows: RowsAbout,
    m: int,
    *,
    route: Route = "full",
    tol: float = 0.0,
    iterated_power: int | Literal["auto"] = "auto",
    n_oversamples: int = 10,
    normalizer: Normalizer = "auto",
    rng: Any = None,
) -> Principal:
    """The first m components of equation (1).

    Parameters
    ----------
    rows : RowsAbout
    m : int
    route : {"covariance_eigh", "full", "dual", "randomized", "arpack", "power"}, default="full"
    tol : float, default=0.0
        Relative accuracy of "arpack" and "power"; 0 for that of the numbers.
    iterated_power : int or "auto", default="auto"
        Power iterations of "randomized": 7 where m is below a tenth of the smaller side, else 4.
    n_oversamples : int, default=10
        Further random directions of "randomized".
    normalizer : {"auto", "QR", "LU", "none"}, default="auto"
        How "randomized" keeps its directions apart between iterations.
    rng : numpy.random.RandomState or Generator, optional
        Of the routes in `ITERATIVE`.

    Returns
    -------
    Principal

    References
    ----------
    Halko, N., Martinsson, P. G. & Tropp, J. A. (2011). Finding structure with randomness. doi:10.1137/090771806

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.centred_rows import rows_about
    >>> from gnomon.numerics.principal import principal_components
    >>> rows = rows_about(np.random.default_rng(0).normal(size=(50, 4)) * [4, 3, 2, 1])
    >>> values = [principal_components(rows, 2, route=r).values for r in ("full", "dual", "covariance_eigh")]
    >>> bool(np.allclose(values[0], values[1]) and np.allclose(values[0], values[2]))
    True
    """
    if route in ITERATIVE:
        rng = np.random.default_rng(0) if rng is None else rng
    if route == "randomized":
        found = _randomized(rows, m, iterated_power, n_oversamples, normalizer, rng)
    elif route in ("arpack", "power"):
        found = (_arpack if route == "arpack" else _power)(rows, m, tol, rng)
    else:
        found = ROUTES[route](rows, m)
    return found._replace(axes=fix_signs(found.axes))


def components_of_moments(rows: Moments, m: int, *, center: bool = True) -> Principal:
    """The first m components of rows of which weight, mean and scatter are known.

    Parameters
    ----------
    rows : Moments
    m : int
    center : bool, default=True
        About the mean, or about the origin.

    Returns
    -------
    Principal

    References
    ----------
    Jolliffe, I. T. (2002). Principal Component Analysis. doi:10.1007/b98835

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.principal import components_of_moments
    >>> from gnomon.numerics.streaming import moments
    >>> components_of_moments(moments(np.array([[0.0, 0.0], [2.0, 2.0]])), 1).values
    array([4.])
    """
    S = rows.scatter if center else rows.about_zero()
    values, U = top_eigh(S, m)
    return Principal(np.maximum(values[::-1], 0.0), fix_signs(U[:, ::-1]), float(np.trace(S)))


def _covariance(rows: RowsAbout, m: int) -> Principal:
    weights = None if rows.roots is None else rows.roots**2
    sums = moments(rows.X, weights)
    # About the centre that the rows have here, so that all routes agree to the last digits.
    return components_of_moments(Moments(sums.weight, sums.mean - rows.center, sums.scatter), m, center=False)


def _full(rows: RowsAbout, m: int) -> Principal:
    _, singular, Vt = linalg.svd(rows.dense(), full_matrices=False, overwrite_a=True, check_finite=False)
    return Principal(singular[:m] ** 2, Vt[:m].T, float(np.sum(singular**2)))


def _dual(rows: RowsAbout, m: int) -> Principal:
    Z = rows.dense()
    values, U = linalg.eigh(Z @ Z.T, check_finite=False)
    values, U = np.maximum(values[::-1], 0.0), U[:, ::-1][:, :m]
    # Lengths anew: a small eigenvalue of the squared matrix has few digits, and the axis would not have length one.
    axes = Z.T @ U
    lengths = np.linalg.norm(axes, axis=0)
    axes /= np.where(lengths > 0.0, lengths, 1.0)
    if m and not values[m - 1] > WEAK * values[0]:
        # What rounding left of a direction without variance is not orthogonal to the others.
        axes = linalg.qr(axes, mode="economic", check_finite=False)[0]
    return Principal(values[:m], axes, float(np.sum(values)))


def _randomized(
    rows: RowsAbout, m: int, iterated_power: int | Literal["auto"], extra: int, normalizer: Normalizer, rng: Any
) -> Principal:
    n, d = rows.shape
    steps = (7 if m < 0.1 * min(n, d) else 4) if iterated_power == "auto" else iterated_power
    # Algorithm 4.4 of Halko et al., its directions kept apart once in a step, on the side of the columns.
    size = min(m + extra, n, d)
    V = np.asarray(rng.normal(size=(d, size)), dtype=rows.X.dtype)
    apart = _NORMALIZERS["LU" if normalizer == "auto" and steps > 2 else "none" if normalizer == "auto" else normalizer]
    for _ in range(steps):
        V = apart(rows.scatter_times(V))
    Q = linalg.qr(rows.times(V), mode="economic", check_finite=False)[0]
    B = rows.transposed_times(Q)
    axes, singular, _ = linalg.svd(B, full_matrices=False, check_finite=False)
    axes, values = axes[:, :m], singular[:m] ** 2
    return Principal(values, axes, rows.square(), _residual(rows, axes, values))


def _apart_by_qr(Q: Floats) -> Floats:
    return linalg.qr(Q, mode="economic", check_finite=False)[0]


def _apart_by_lu(Q: Floats) -> Floats:
    return linalg.lu(Q, permute_l=True, check_finite=False)[0]


_NORMALIZERS: dict[str, Callable[[Floats], Floats]] = {"QR": _apart_by_qr, "LU": _apart_by_lu, "none": lambda Q: Q}


def _arpack(rows: RowsAbout, m: int, tol: float, rng: Any) -> Principal:
    n, d = rows.shape
    total = rows.square()
    if total == 0.0:
        # Rows without variance, of which ARPACK finds nothing: any directions will do.
        return Principal(np.zeros(m), np.eye(d, m), 0.0)
    Z = LinearOperator(
        shape=(n, d),
        matvec=lambda v: rows.times(np.ravel(v)),
        rmatvec=lambda u: rows.transposed_times(np.ravel(u)),
        matmat=rows.times,
        rmatmat=rows.transposed_times,
        dtype=rows.X.dtype,
    )
    start = np.asarray(rng.uniform(-1.0, 1.0, size=min(n, d)), dtype=rows.X.dtype)
    _, singular, Vt = svds(Z, k=m, tol=tol, v0=start)
    order = np.argsort(singular)[::-1]
    axes, values = Vt[order].T, singular[order] ** 2
    return Principal(values, axes, total, _residual(rows, axes, values))


def _power(rows: RowsAbout, m: int, tol: float, rng: Any, max_iter: int = 10_000) -> Principal:
    if m != 1:
        raise ValueError(f"power iteration finds one component, and {m} are asked for; choose another svd_solver")
    v = np.asarray(rng.normal(size=rows.shape[1]), dtype=float)
    v /= np.linalg.norm(v)
    limit = max(tol, 1e-13)
    for _ in range(max_iter):
        w = rows.scatter_times(v)
        value = float(v @ w)
        # By BLAS, whose norm holds entries that have no squares.
        length = float(linalg.norm(w))
        residual = float(linalg.norm(w - value * v))
        if length == 0.0 or residual <= limit * length:
            break
        v = w / length
    return Principal(np.array([value]), v[:, None], rows.square(), residual / value if value > 0.0 else 0.0)


def _residual(rows: RowsAbout, axes: Floats, values: Floats) -> float:
    """The largest ‖Sv − λv‖ in units of λ₁."""
    if not values.size or not values[0] > 0.0:
        return 0.0
    off = (rows.scatter_times(axes) - axes * values) / values[0]
    return float(np.max(np.linalg.norm(off, axis=0)))


ROUTES: dict[str, Callable[[RowsAbout, int], Principal]] = {
    "covariance_eigh": _covariance,
    "full": _full,
    "dual": _dual,
}
"""The factorisations."""
