"""
How much one outlier counts
===========================

The fit that minimises Σ|r|^p follows an outlier the more the larger p is: the median line (p = 1) ignores it, least
squares is dragged along, and the minimax line (p = ∞) cares for nothing else.
"""

import numpy as np

from gnomon import plot
from gnomon.linear import LpRegression

X = np.arange(5.0)[:, None]
y = np.array([0.0, 1.0, 2.0, 3.0, 14.0])
models = {f"p = {p:g}": LpRegression(p).fit(X, y) for p in (1.0, 1.5, 2.0, 4.0)} | {
    "p = ∞": LpRegression(np.inf).fit(X, y)
}
for name, model in models.items():
    print(f"{name:8} slope {model.coef_[0]:.4f}, intercept {model.intercept_:+.4f}")

ax = plot.fits(models, X, y)

# %%
# The reason is the shape of the losses.

ax = plot.regression_losses()
