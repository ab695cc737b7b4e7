"""
The lasso path and its knots
============================

The lasso's coefficients are piecewise linear in the size of the ball that they live in. The knots, where a
coefficient enters or leaves, are computed exactly by least angle regression; a grid of λ with warm starts gives the
same curves.
"""

import numpy as np
from sklearn.datasets import load_diabetes

from gnomon import plot
from gnomon.linear import Lasso, path
from gnomon.losses import SquaredLoss
from gnomon.penalties import L1

data = load_diabetes()
X, y = data.data, data.target
knots = path(X, y, SquaredLoss(), L1(), exact=True)
print(f"{len(knots.lams)} knots; the first coefficient enters at λ = {knots.lams[0]:.1f}")

# %%
# Over θ = ‖w‖₁ the segments between the knots are straight.

panels = plot.coefficient_path(knots.lams, knots.coefs, names=data.feature_names, over="norm", knots=True)

# %%
# Over λ, on a grid. Between two knots the exact path is the linear interpolation in λ, so the two can be compared.

grid = path(X, y, SquaredLoss(), L1(), n_lams=60)
exact = np.array([np.interp(grid.lams, knots.lams[::-1], column[::-1]) for column in knots.coefs.T]).T
print(f"largest difference between grid and knots: {np.abs(grid.coefs - exact).max():.1e}")
panels = plot.coefficient_path(grid.lams, grid.coefs, names=data.feature_names, chosen=grid.lams[30])

# %%
# One fit carries its certificate: no other coefficients can lower the objective by more than the gap.

model = Lasso(objective="sum", lam=grid.lams[30]).fit(X, y)
print(f"objective {model.objective_:.1f}, duality gap {model.dual_gap_:.1e}")
