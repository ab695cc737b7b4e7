"""The whole lasso path, exactly.

    w(τ) = argmin ½ ‖y − Xw‖² + τ ‖w‖₁    is piecewise linear in τ                                   (1)

Between two knots the support A and its signs s stay, and the optimality conditions X_Aᵀ(y − X_A w_A) = τ s move w_A
along (X_AᵀX_A)⁻¹s. A knot is where a correlation reaches τ (a coordinate joins) or a coefficient zero (it leaves).
Osborne, Presnell & Turlach (2000), doi:10.1093/imanum/20.3.389; Efron, Hastie, Johnstone & Tibshirani (2004), LARS with
the lasso modification, section 3.1, doi:10.1214/009053604000000067.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from gnomon._typing import ArrayLike, Floats

__all__ = ["LassoKnots", "lasso_knots"]


class LassoKnots(NamedTuple):
    """The knots of (1): thresholds τ, falling, and the coefficients at each; linear in between.

    References
    ----------
    Efron, B., Hastie, T., Johnstone, I. & Tibshirani, R. (2004). Least angle regression. doi:10.1214/009053604000000067

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import lasso_knots
    >>> knots = lasso_knots(np.eye(2), np.array([3.0, 1.0]))
    >>> knots.tau, knots.at(0.5), knots.norms()
    (array([3., 1., 0.]), array([2.5, 0.5]), array([0., 2., 4.]))
    """

    tau: Floats
    coefs: Floats

    def at(self, tau: float) -> Floats:
        """w(τ)."""
        if tau >= self.tau[0]:
            return np.zeros(self.coefs.shape[1])
        k = max(int(np.searchsorted(-self.tau, -tau)), 1)
        if k >= self.tau.size:
            return self.coefs[-1].copy()
        share = (self.tau[k - 1] - tau) / (self.tau[k - 1] - self.tau[k])
        return (1.0 - share) * self.coefs[k - 1] + share * self.coefs[k]

    def norms(self) -> Floats:
        """‖w‖₁ at the knots; it rises as τ falls."""
        return np.abs(self.coefs).sum(axis=1)

    def tau_for(self, theta: float) -> float:
        """The τ with ‖w(τ)‖₁ = θ: the largest for θ = 0, 0 when θ is no bound."""
        norms = np.maximum.accumulate(self.norms())
        if theta >= norms[-1]:
            return float(self.tau[-1])
        return float(np.interp(theta, norms, self.tau))


def lasso_knots(X: ArrayLike, y: ArrayLike, *, max_knots: int | None = None) -> LassoKnots:
    """All knots of (1), for X and y already centred and weighted.

    Parameters
    ----------
    X : ndarray of shape (n, d)
    y : ndarray of shape (n,)
    max_knots : int, optional
        Stop after so many; the last is then not at τ = 0.

    Returns
    -------
    LassoKnots

    References
    ----------
    Efron, B., Hastie, T., Johnstone, I. & Tibshirani, R. (2004). Least angle regression.
    doi:10.1214/009053604000000067

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.optim import lasso_knots
    >>> X, y = np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, -1.0]]), np.array([2.0, 2.0, 0.0, 3.0])
    >>> lasso_knots(X, y).coefs.round(6)
    array([[ 0.      ,  0.      ],
           [ 2.      ,  0.      ],
           [ 2.333333, -0.333333]])
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    c = X.T @ y
    tau = float(np.max(np.abs(c), initial=0.0))
    w, left = np.zeros(X.shape[1]), None
    active: list[int] = []
    knots, floor = [(tau, w)], 1e-12 * tau
    while tau > floor and len(knots) != max_knots:
        joined = _join(X, c, tau, active, left)
        if joined is None:
            break
        active = joined
        d = _direction(X, active, c)
        step, left = _next_knot(X, c, w, active, d, tau)
        w = w.copy()
        w[active] += step * d
        tau -= step
        if left is not None:
            w[left] = 0.0
            active = [j for j in active if j != left]
        c = X.T @ (y - X @ w)
        knots.append((max(tau, 0.0), w))
    return LassoKnots(np.array([t for t, _ in knots]), np.array([w for _, w in knots]))


def _join(X: Floats, c: Floats, tau: float, active: list[int], left: int | None) -> list[int] | None:
    """The support with the coordinates whose correlation is τ; None when nothing can be added and nothing left."""
    tied = np.flatnonzero(np.abs(c) >= tau * (1.0 - 1e-9))
    joined = active + [int(j) for j in tied if j not in active and j != left]
    while joined and _dependent(X[:, joined]):
        joined.pop()
        if len(joined) <= len(active):
            return active if left is not None else None
    return joined or None


def _dependent(columns: Floats) -> bool:
    R = linalg.qr(columns, mode="r", check_finite=False)[0]
    size = np.abs(np.diag(R))
    return columns.shape[1] > columns.shape[0] or size.min() <= 1e-10 * size.max()


def _direction(X: Floats, active: list[int], c: Floats) -> Floats:
    """(X_AᵀX_A)⁻¹ s by QR, for a unit fall of τ."""
    R = linalg.qr(X[:, active], mode="economic", check_finite=False)[1]
    s = np.sign(c[active])
    return linalg.solve_triangular(R, linalg.solve_triangular(R, s, trans="T"))


def _next_knot(X: Floats, c: Floats, w: Floats, active: list[int], d: Floats, tau: float) -> tuple[float, int | None]:
    """How far τ falls until a coordinate joins, one leaves, or τ is zero; and which one leaves."""
    a = X.T @ (X[:, active] @ d)
    outside = np.ones(c.size, dtype=bool)
    outside[active] = False
    step = tau
    with np.errstate(divide="ignore", invalid="ignore"):
        for ratio in ((tau - c) / (1.0 - a), (tau + c) / (1.0 + a)):
            ahead = ratio[outside & (ratio > 1e-12 * tau)]
            step = min(step, float(np.min(ahead, initial=step)))
        leaving = -w[active] / d
    leaving[~(leaving > 1e-12 * tau)] = np.inf
    first = int(np.argmin(leaving))
    return (float(leaving[first]), active[first]) if leaving[first] < step else (step, None)
