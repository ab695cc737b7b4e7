"""
Contours that never cross
=========================

A one-class support vector machine draws a line around most of the rows. Several of them, one for each share of the
rows, need not fit into each other: the line around half of the rows may leave the line around 80 % of them. Solved
together, they can't.
"""

from itertools import pairwise

import numpy as np

from gnomon import plot
from gnomon.kernels import RBF
from gnomon.svm import NestedOneClassSVM, OneClassSVM

rng = np.random.default_rng(0)
ring = rng.uniform(0.0, 2.0 * np.pi, 120)
X = np.vstack(
    [
        np.column_stack([np.cos(ring), np.sin(ring)]) * 2.5 + 0.25 * rng.normal(size=(120, 2)),
        0.4 * rng.normal(size=(60, 2)) + [4.0, 3.0],
    ]
)

# %%
# One by one: points that are inside a smaller region and outside a larger one.

points = rng.uniform(-5.0, 7.0, size=(20_000, 2))
levels = (0.5, 0.8, 0.95)
alone = [OneClassSVM(kernel=RBF(1.0), nu=1.0 - level).fit(X).decision_function(points) > 0.0 for level in levels]
crossings = sum(int(np.sum(small & ~large)) for small, large in pairwise(alone))
print("crossings, one by one:", crossings)

# %%
# Together: none, and each region holds the share of the rows that was asked for, or more. Rows on a contour are inside:
# here the outermost one passes through all the rows that it could leave out.

model = NestedOneClassSVM(levels, kernel=RBF(1.0)).fit(X)
inside = model.contains(points)
print("crossings, together:", int(np.sum(inside[:, :-1] & ~inside[:, 1:])))
print("shares of the rows:", model.coverage_.round(3))
plot.nested_regions(model, X)

# %%
# The fit says how far it can be from the optimum, and how many rows it needs.

print(f"objective {model.objective_:.6f}, gap at most {model.dual_gap_:.1e}; {model.n_support_} of {len(X)} rows")
