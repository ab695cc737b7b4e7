"""The sigmoid that turns a score into a probability.

    minimise over α, β    ½ λ α²  +  Σᵢ wᵢ [ tᵢ log(1 + e^−zᵢ) + (1 − tᵢ) log(1 + e^zᵢ) ],    zᵢ = α sᵢ + β        (1)

The wᵢ sum to one; a class with prior π̃ has the weight π̃ in all. Newton's method in standardised scores, where
two numbers are well scaled whatever the units of s. Platt (1999), Probabilistic outputs for support vector machines;
Lin, Lin & Weng (2007), doi:10.1007/s10994-007-5018-6; Brümmer & du Preez (2006), doi:10.1016/j.csl.2005.08.001.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gnomon._typing import ArrayLike, Floats
from gnomon.numerics.special import log_sigmoid, sigmoid
from gnomon.numerics.validation import check_non_negative, check_numbers
from gnomon.optim._newton import newton

__all__ = ["SigmoidFit", "fit_sigmoid"]


class SigmoidFit(NamedTuple):
    """Slope and offset of (1).

    Fields
    ------
    slope, offset : float
        α and β.
    objective : float
        The value of (1).
    n_iter : int
    converged : bool
    gradient_norm : float
        ‖∇‖∞ in standardised scores.
    separable : bool
        Whether a threshold on s divides the rows by t without error; without λ there is no minimum then.

    References
    ----------
    Lin, H.-T., Lin, C.-J. & Weng, R. C. (2007). A note on Platt's probabilistic outputs for support vector machines.
    doi:10.1007/s10994-007-5018-6

    Examples
    --------
    >>> from gnomon.optim import fit_sigmoid
    >>> fit = fit_sigmoid([-1.0, 0.5, 1.0, -0.5], [0, 0, 1, 1])
    >>> round(fit.slope, 6), round(fit.objective, 6), fit.separable
    (0.839235, 0.641953, False)
    """

    slope: float
    offset: float
    objective: float
    n_iter: int
    converged: bool
    gradient_norm: float
    separable: bool


def fit_sigmoid(
    scores: ArrayLike,
    targets: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    lam: float = 0.0,
    tol: float = 1e-10,
    max_iter: int = 100,
) -> SigmoidFit:
    """Minimise (1).

    Parameters
    ----------
    scores : array-like of shape (n,)
        Finite.
    targets : array-like of shape (n,)
        t in [0, 1]: 1 and 0 for the classes, or probabilities in between (Platt's).
    weights : array-like of shape (n,), optional
        They are divided by their sum; by default all rows weigh the same.
    lam : float, default=0.0
        λ ≥ 0, in units of s².
    tol : float, default=1e-10
        On the gradient in standardised scores.
    max_iter : int, default=100

    References
    ----------
    Lin, H.-T., Lin, C.-J. & Weng, R. C. (2007). A note on Platt's probabilistic outputs for support vector machines.
    doi:10.1007/s10994-007-5018-6

    Examples
    --------
    At the minimum of (1) the mean of the probabilities is that of the targets:

    >>> import numpy as np
    >>> from gnomon.optim import fit_sigmoid
    >>> s = np.array([-2.0, -1, 0, 1, 3])
    >>> fit = fit_sigmoid(s, [0, 1, 0, 1, 1], lam=0.1)
    >>> round(float(np.mean(1 / (1 + np.exp(-fit.slope * s - fit.offset)))), 6)
    0.6
    """
    s, t = check_numbers("scores", scores), check_numbers("targets", targets)
    if s.ndim != 1 or t.shape != s.shape or not len(s):
        raise ValueError(f"scores of shape {s.shape} and targets of shape {t.shape} must be one number for each row")
    if not np.all(np.isfinite(s)):
        raise ValueError(f"scores has {int(np.sum(~np.isfinite(s)))} rows that are not finite; leave them out")
    if not np.all((t >= 0.0) & (t <= 1.0)):
        raise ValueError("targets must be in [0, 1]; give 1 for positive rows and 0 for others")
    w = np.ones(len(s)) if weights is None else check_numbers("weights", weights)
    w = w / np.sum(w)
    # Halving first keeps the difference of two large scores of opposite signs finite.
    centre = float(w @ s)
    unit = float(np.max(np.abs(s / 2 - centre / 2))) * 2.0
    unit = unit if unit > 0.0 else 1.0
    x = s / unit - centre / unit
    sd = float(np.sqrt(w @ x**2)) or 1.0
    x, unit = x / sd, unit * sd
    ridge = check_non_negative("lam", lam) / unit / unit

    def value_and_gradient(v: Floats) -> tuple[float, Floats]:
        z = v[0] * x + v[1]
        r = w * (sigmoid(z) - t)
        value = 0.5 * ridge * v[0] ** 2 - float(w @ (t * log_sigmoid(z) + (1.0 - t) * log_sigmoid(-z)))
        return value, np.array([ridge * v[0] + r @ x, np.sum(r)])

    def hessian(v: Floats) -> Floats:
        p = sigmoid(v[0] * x + v[1])
        c = w * p * (1.0 - p)
        return np.array([[ridge + c @ x**2, c @ x], [c @ x, np.sum(c)]])

    found = newton(value_and_gradient, np.zeros(2), hessian=hessian, tol=tol, max_iter=max_iter)
    slope = float(found.w[0]) / unit
    offset = float(found.w[1]) - float(found.w[0]) * (centre / unit)
    return SigmoidFit(
        slope, offset, found.objective, found.n_iter, found.converged, found.gradient_norm, _divided(s, t)
    )


def _divided(s: Floats, t: Floats) -> bool:
    """Whether some threshold has all rows with t = 1 on one side and all with t = 0 on the other, borders included."""
    if not np.all((t == 0.0) | (t == 1.0)):
        return False
    low, high = s[t == 0.0], s[t == 1.0]
    if len(low) and np.all(s == low[0]) and len(high):
        return False
    return not len(low) or not len(high) or bool(np.max(low) <= np.min(high) or np.max(high) <= np.min(low))
