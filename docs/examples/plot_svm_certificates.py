"""
What a support vector machine can prove
=======================================

A support vector machine is the solution of a convex problem, so a fit can say how good it is: by how much its objective
may exceed the minimum at most, which rows hold the margin, and what a row inside it costs.
"""

import numpy as np
from sklearn.model_selection import GridSearchCV

from gnomon import plot
from gnomon.datasets import make_margin_outlier
from gnomon.svm import SVC, check_kkt

# %%
# One row of the second class lies beside the first. The classes can still be separated, but a hard margin then belongs
# to that row alone.

X, y = make_margin_outlier(random_state=0)
models = {"hard margin": SVC(kernel="linear", C=np.inf).fit(X, y), "C = 1": SVC(kernel="linear", C=1.0).fit(X, y)}
plot.boundary_panels(models, X, y)
for name, model in models.items():
    print(f"{name}: margin {model.margin_:.3g}, objective {model.objective_:.4g}, gap {model.dual_gap_:.1e}")

# %%
# With C = 1 the row pays for its slack instead. Rows on the margin have a ring, rows whose multiplier is at its bound a
# larger one in orange, with their slack drawn to the margin that they should have kept.

soft = models["C = 1"]
plot.svm_margin(soft, X, y)
for kind, count in zip(*np.unique(soft.point_classes_, return_counts=True), strict=True):
    print(count, kind)
print(check_kkt(soft, X, y))

# %%
# On more rows the solver works on a few hundred at a time. Its dual value rises, the primal value comes down, and the
# distance between them bounds the error of both.

rng = np.random.default_rng(0)
rows = rng.normal(size=(2000, 2))
labels = (rows**2).sum(axis=1) + 0.5 * rng.normal(size=2000) > 1.4
large = SVC(C=10.0, tol=1e-4, shrinking=False).fit(rows, labels)
plot.primal_dual(large.history_)
print(f"{large.objective_ - large.dual_gap_:.3f} ≤ minimum ≤ {large.objective_:.3f}")

# %%
# Price and width are found by cross-validation; the map shows that many pairs are about as good, along a ridge.

grid = {"C": np.logspace(-1, 3, 5), "gamma": np.logspace(-2, 1, 5)}
search = GridSearchCV(SVC(), grid, cv=3).fit(rows[:400], labels[:400])
plot.search_map(search, "C", "gamma", score="accuracy")
