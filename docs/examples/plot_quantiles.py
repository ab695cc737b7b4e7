"""
Quantiles by the pinball loss
=============================

Charge under-estimation c₁ and over-estimation c₂ per unit, and the best constant is the c₁/(c₁ + c₂) quantile. A
linear model with that loss predicts the quantile of y at x; several of them show how its spread changes.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from gnomon import plot
from gnomon.linear import LinearModelRegressor
from gnomon.losses import PinballLoss

rng = np.random.default_rng(0)
x = rng.uniform(0, 3, 400)
y = 1.0 + 0.7 * x + (0.15 + 0.35 * x) * rng.standard_normal(400)
X = x[:, None]

# %%
# At a kink the sub-gradient does not vanish, so these solvers can never say that they have arrived; the warning that
# they give instead is expected here. The share of rows below each line is the check.

models = {}
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)
    for level in (0.1, 0.5, 0.9):
        model = LinearModelRegressor(PinballLoss(level, 1.0 - level), lam=1e-6, solver="momentum", max_iter=2000)
        models[f"{level:.0%} quantile"] = model.fit(X, y)
for name, model in models.items():
    print(f"below the {name}: {np.mean(y < model.predict(X)):.3f}")

ax = plot.fits(models, X, y)

# %%
# The three losses.

ax = plot.regression_losses({f"level {q:g}": PinballLoss(q, 1 - q) for q in (0.1, 0.5, 0.9)})
