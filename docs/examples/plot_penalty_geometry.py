"""
Why the lasso selects and ridge does not
========================================

The same error contours, three balls. The lowest contour that reaches the ball touches the corner of the L1 ball,
where a coefficient is exactly zero; it touches the round L2 ball anywhere. The L0 "ball" is the pair of axes itself.
"""

import matplotlib.pyplot as plt
import numpy as np

from gnomon import plot
from gnomon.linear import Lasso, Ridge

rng = np.random.default_rng(1)
X = rng.standard_normal((60, 2)) @ np.array([[1.0, 0.3], [0.0, 1.0]])
y = X @ [1.6, 0.45] + 0.5 * rng.standard_normal(60)

figure, axes = plt.subplots(1, 3, figsize=(12, 4.2), layout="constrained")
for ball, ax in zip(("l1", "l2", "l0"), axes, strict=True):
    plot.penalty_geometry(X, y, ball, ax=ax, theta=None if ball == "l0" else 0.9)

# %%
# The points are those that the estimators find for the same bound.

print("lasso", Lasso(constraint=0.9, fit_intercept=False).fit(X, y).coef_.round(4))
print("ridge", Ridge(constraint=0.9, fit_intercept=False).fit(X, y).coef_.round(4))

# %%
# One coordinate of each penalty.

ax = plot.penalty_curves()
