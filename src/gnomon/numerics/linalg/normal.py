"""The normal equations, with iterative refinement.

    (S + ρ I) w = c,    S = Σ sᵢ (xᵢ − x̄)(xᵢ − x̄)ᵀ,    c = Σ sᵢ (xᵢ − x̄)(yᵢ − ȳ)                      (1)

Forming S squares the condition number κ of the scaled design, so w has a relative error of about ε κ². Steps of
iterative refinement with residuals taken from the rows themselves, w ← w + (S + ρI)⁻¹(Zᵀ(y − Zw) − ρw), shrink it by
the factor ε κ² each and reach the accuracy of a QR factorisation while ε κ² < 1: Björck (1987),
doi:10.1016/0024-3795(87)90101-7 (corrected semi-normal equations).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._typing import Floats
from gnomon.numerics.linalg.cholesky import SpdFactor, factor_spd
from gnomon.numerics.linalg.rows import Rows
from gnomon.numerics.streaming import Moments

__all__ = ["WELL_CONDITIONED", "NormalSolution", "solve_normal"]

WELL_CONDITIONED = 1e7
"""The largest condition number of the scaled design for which equation (1) is used."""

_NEEDS_REFINEMENT = 1e3
_ALMOST_EXACT = 1e-8
_UNDERFLOW = 1e-280
_EPS = np.finfo(float).eps


class NormalSolution(NamedTuple):
    """What equation (1) gives: w, the cost Σ s r², the factor of S + ρI, and the moments it came from.

    Parameters
    ----------
    coef : ndarray of shape (d, k)
    rss : ndarray of shape (k,)
    factor : SpdFactor
    x_mean, y_mean : ndarray
        Zero where there is no intercept.
    S, c : ndarray
        The matrix (without ρ) and right-hand sides of (1).

    References
    ----------
    Björck, Å. (1987). Stability analysis of the method of seminormal equations. doi:10.1016/0024-3795(87)90101-7

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import Rows, solve_normal
    >>> solution = solve_normal(Rows(np.array([[0.0], [1.0], [2.0]]), np.array([[0.0], [1.0], [1.0]])), rho=1.0)
    >>> solution.coef.round(7)
    array([[0.3333333]])
    """

    coef: Floats
    rss: Floats
    factor: SpdFactor
    x_mean: Floats
    y_mean: Floats
    S: Floats
    c: Floats

    @property
    def condition(self) -> float:
        """Condition number of the scaled design, estimated."""
        return float(np.sqrt(self.factor.condition))


def solve_normal(rows: Rows, rho: float = 0.0, *, sums: Moments | None = None) -> NormalSolution | None:
    """Solve equation (1) for one ρ; None where its condition number makes the result untrustworthy.

    Parameters
    ----------
    rows : Rows
    rho : float, default=0.0
    sums : Moments, optional
        The moments of the rows, where they are known.

    Returns
    -------
    NormalSolution or None

    References
    ----------
    Björck, Å. (1987). Stability analysis of the method of seminormal equations. doi:10.1016/0024-3795(87)90101-7

    Examples
    --------
    >>> import numpy as np
    >>> from gnomon.numerics.linalg import Rows, solve_normal
    >>> solve_normal(Rows(np.ones((3, 2)), np.ones((3, 1)))) is None
    True
    """
    sums = rows.moments() if sums is None else sums
    S, c, T, x_mean, y_mean = split_moments(sums, rows.shape[1], intercept=rows.intercept)
    if rho == 0.0 and has_lost_column(S, sums, rows.intercept):
        return None
    factor = factor_spd(S + rho * np.eye(len(S)))
    if factor is None or factor.condition >= WELL_CONDITIONED**2:
        return None
    w = factor.solve(c)
    rss = np.maximum(np.diag(T) - np.sum(w * (2.0 * c - S @ w), axis=0), 0.0)
    if factor.condition > _NEEDS_REFINEMENT**2:
        refined = _refine(rows, factor, w, rho, x_mean, y_mean)
        if refined is None:
            return None
        w, rss = refined
    elif np.any(rss < _ALMOST_EXACT * np.diag(T)):
        # The difference above suffers from cancellation: compute the residuals themselves.
        rss = rows.residual_sums(w, x_mean, y_mean)[1]
    return NormalSolution(w, rss, factor, x_mean, y_mean, S, c)


def split_moments(sums: Moments, d: int, *, intercept: bool) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """S, c, the scatter of Y, x̄ and ȳ; about the origin and with zero means where there is no intercept."""
    with np.errstate(over="ignore", invalid="ignore"):
        A = sums.scatter if intercept else sums.about_zero()
    mean = sums.mean if intercept else np.zeros_like(sums.mean)
    return A[:d, :d], A[:d, d:], A[d:, d:], mean[:d], mean[d:]


def has_lost_column(S: Floats, sums: Moments, intercept: bool) -> bool:
    """Whether a centred column is only rounding error, or its square underflows or overflows."""
    d = len(S)
    noise = 8.0 * _EPS * np.abs(sums.mean[:d]) * np.sqrt(sums.weight) if intercept else np.zeros(d)
    with np.errstate(over="ignore"):
        squares = np.maximum(noise**2, _UNDERFLOW)
    return not (np.all(np.diag(S) > squares) and np.all(np.isfinite(S)))


def _refine(
    rows: Rows, factor: SpdFactor, w: Floats, rho: float, x_mean: Floats, y_mean: Floats, *, max_steps: int = 12
) -> tuple[Floats, Floats] | None:
    """Refinement until the next correction is below rounding; None where it does not contract."""
    scale = factor.scale[:, None]
    rate = min(_EPS * factor.condition, 0.5)
    last = np.inf
    for _ in range(max_steps):
        gradient, _ = rows.residual_sums(w, x_mean, y_mean)
        step = factor.solve(gradient - rho * w)
        size = float(np.linalg.norm(scale * step))
        if not size < 0.5 * last:
            break
        w, last = w + step, size
        if size * rate <= _EPS * np.linalg.norm(scale * w):
            break
    reached = last <= 1e-6 * np.linalg.norm(scale * w) or last == 0.0
    return (w, rows.residual_sums(w, x_mean, y_mean)[1]) if reached else None
