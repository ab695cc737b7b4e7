"""
A race of solvers
=================

One problem, every solver that can minimise it, started at zero. The problem is an L2-penalised logistic regression
with columns of very different scale, which is what separates the solvers: those that use curvature do not mind, those
that follow the gradient do.
"""

import numpy as np

from gnomon import plot
from gnomon.losses import LogisticLoss
from gnomon.numerics.design import Design
from gnomon.optim import Problem, applicable_solvers
from gnomon.penalties import L2

rng = np.random.default_rng(0)
n, d = 1000, 30
X = rng.standard_normal((n, d)) * np.geomspace(1.0, 0.03, d)
y = np.where(X @ rng.standard_normal(d) + 0.5 * rng.logistic(size=n) > 0, 1.0, -1.0)

# %%
# A penalised intercept lets the dual solvers take part.

problem = Problem(Design(X, intercept="penalized"), y, LogisticLoss(), L2(1.0, half=True), np.ones(n))
print(*applicable_solvers(problem))

# %%
# The histories that the solvers return are the picture: the objective above the best value found, over seconds and over
# passes. Newton's method needs the fewest passes, each of them dear; coordinate methods make cheap ones.

panels = plot.solver_race(problem, max_iter=200)
