"""The exact lasso path of weighted rows.

    min over w, b of Σᵢ sᵢ (yᵢ − xᵢᵀw − b)² + 2τ‖w‖₁    is the path of  √s (X − x̄), √s (y − ȳ),  b = ȳ − x̄ᵀw        (1)

Efron, Hastie, Johnstone & Tibshirani (2004), doi:10.1214/009053604000000067. Without an intercept x̄ = 0 and ȳ = 0.
"""

from __future__ import annotations

import numpy as np

from gnomon._typing import Floats
from gnomon.optim import LassoKnots, lasso_knots

__all__ = ["weighted_knots"]


def weighted_knots(X: Floats, y: Floats, weights: Floats, *, intercept: bool) -> tuple[LassoKnots, Floats, float]:
    """The knots of (1), x̄ and ȳ."""
    x_mean, y_mean = np.zeros(X.shape[1], dtype=X.dtype), 0.0
    if intercept:
        x_mean, y_mean = np.average(X, axis=0, weights=weights), float(np.average(y, weights=weights))
    root = np.sqrt(weights)
    return lasso_knots(root[:, None] * (X - x_mean), root * (y - y_mean)), x_mean, y_mean
