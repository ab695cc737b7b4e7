"""Absolute loss and the powers of the residual.

    ℓ(y, z) = |y − z|^p,    p > 0;    p = 1 is the absolute loss                                   (1)

Boscovich (1757) and Laplace (1793) for p = 1; Gonin & Money (1989), Nonlinear Lp-Norm Estimation, for the rest.
"""

from __future__ import annotations

import numpy as np

from gnomon._jit import choose, noun
from gnomon._typing import Floats, Numbers
from gnomon.losses._base import ROUNDING, Between, Loss
from gnomon.numerics.special import soft_threshold
from gnomon.numerics.weights import weighted_quantile

__all__ = ["AbsoluteLoss", "LpLoss"]


@noun
class AbsoluteLoss(Loss):
    """Absolute loss ℓ(y, z) = |y − z|, whose best constant is the median.

    The sub-gradient is sign(z − y), 0 at the kink; the conjugate is u y for |u| ≤ 1; the proximal step moves z
    towards y by at most t: y + S(z − y, t).

    References
    ----------
    Koenker, R. & Bassett, G. (1978). Regression quantiles. doi:10.2307/1913643

    Examples
    --------
    >>> from gnomon.losses import AbsoluteLoss
    >>> AbsoluteLoss().value(3.0, 1.0), AbsoluteLoss().gradient(3.0, 1.0)
    (np.float64(2.0), np.float64(-1.0))
    >>> float(AbsoluteLoss().prox(3.0, 1.0, 0.5))
    1.5
    """

    smooth = False

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        return np.abs(y - z)

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        return np.sign(z - y)

    def curvature(self, y: Numbers, z: Numbers) -> Numbers:
        return 0.0 * z

    def best_shift(self, residuals: Floats, weights: Floats, between: Between = "middle") -> float:
        """The weighted median."""
        return weighted_quantile(residuals, 0.5, weights, between=between)

    def conjugate(self, y: Numbers, u: Numbers) -> Numbers:
        return choose(np.abs(u) <= 1.0 + ROUNDING, u * y, np.inf)

    def prox(self, y: Numbers, z: Numbers, step: Numbers) -> Numbers:
        return y + soft_threshold(z - y, step)

    def rescaled(self, unit: float) -> tuple[Loss, float]:
        return self, unit


@noun
class LpLoss(Loss):
    """Power of the residual ℓ(y, z) = |y − z|^p.

    Convex for p ≥ 1. For p < 1 it is not: a descent finds a local minimum only. The gradient is
    p |r|^{p−1} sign(z − y), 0 at r = 0; it is Lipschitz continuous for p = 2 alone. With q = p/(p − 1) the conjugate is
    u y + (p − 1)(|u|/p)^q.

    Parameters
    ----------
    p : float, default=2.0
        The power, > 0.

    References
    ----------
    Gonin, R. & Money, A. H. (1989). Nonlinear Lp-Norm Estimation. doi:10.1201/9780203745526

    Examples
    --------
    >>> from gnomon.losses import LpLoss
    >>> float(LpLoss(4.0).value(3.0, 1.0)), float(LpLoss(4.0).gradient(3.0, 1.0))
    (16.0, -32.0)
    >>> LpLoss(1.5).convex, LpLoss(0.5).convex
    (True, False)
    """

    p: float = 2.0

    def __post_init__(self) -> None:
        if not 0.0 < self.p < np.inf:
            raise ValueError(f"p={self.p!r} must be > 0 and finite; MaxLoss is the limit p → ∞")

    @property
    def convex(self) -> bool:
        """Whether p ≥ 1."""
        return self.p >= 1.0

    @property
    def smooth(self) -> bool:
        """Whether p = 2."""
        return self.p == 2.0

    @property
    def differentiable(self) -> bool:
        """Whether p > 1."""
        return self.p > 1.0

    @property
    def curved(self) -> bool:
        """Whether p ≥ 2; for 1 < p < 2 the curvature is infinite at r = 0."""
        return self.p >= 2.0

    @property
    def smoothness(self) -> float:
        return 2.0 if self.p == 2.0 else np.inf

    def value(self, y: Numbers, z: Numbers) -> Numbers:
        return np.abs(y - z) ** self.p

    def gradient(self, y: Numbers, z: Numbers) -> Numbers:
        size = choose(y == z, 1.0, np.abs(y - z))
        return self.p * np.sign(z - y) * size ** (self.p - 1.0)

    def curvature(self, y: Numbers, z: Numbers) -> Numbers:
        # At r = 0 the limit is 2 for p = 2, infinite for 1 < p < 2 and 0 for larger p; a kink (p ≤ 1) counts as 0.
        limit = 2.0 if self.p == 2.0 else (np.inf if 1.0 < self.p < 2.0 else 0.0)
        size = choose(y == z, 1.0, np.abs(y - z))
        return choose(y == z, limit, self.p * (self.p - 1.0) * size ** (self.p - 2.0))

    def conjugate(self, y: Numbers, u: Numbers) -> Numbers:
        if self.p > 1.0:
            return u * y + (self.p - 1.0) * (np.abs(u) / self.p) ** (self.p / (self.p - 1.0))
        radius = 1.0 + ROUNDING if self.p == 1.0 else 0.0
        return choose(np.abs(u) <= radius, u * y, np.inf)

    def rescaled(self, unit: float) -> tuple[Loss, float]:
        return self, unit**self.p
