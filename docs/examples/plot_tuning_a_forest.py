"""
Tuning a forest
===============

A forest has a handful of parameters, a cross-validation of it takes a second, and a grid over all of them takes a day.
A search that learns from what it has seen needs far fewer. This page lets a Gaussian process choose the next forest,
and compares it with a grid and with spread points, about as many of each.
"""

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.model_selection import GridSearchCV, KFold

from gnomon import plot
from gnomon.gp import BayesianOptimizer, GPSearchCV, Integer, Real
from gnomon.trees import RandomForestRegressor

X, y = make_friedman1(200, noise=1.0, random_state=0)
forest = RandomForestRegressor(20, random_state=0)
folds = KFold(4, shuffle=True, random_state=0)

# %%
# A space says of each parameter what it may be. Leaves count on a logarithmic scale, and the share of rows that a tree
# sees exists only where rows are drawn.

space = {
    "min_samples_leaf": Integer(1, 50, log=True),
    "max_features": Real(0.1, 1.0),
    "bootstrap": [True, False],
    "max_samples": Real(0.2, 1.0, when={"bootstrap": True}),
}
N = 30
search = GPSearchCV(forest, space, n_iter=N, cv=folds, n_initial_points=8, n_candidates=10_000, random_state=0)
search.fit(X, y)
print(f"R² = {search.best_score_:.3f} with {search.best_params_}")

# %%
# About as many forests from a grid, and from points that are spread over the space: a grid of four parameters has room
# for two or three values of each.

grid = {
    "min_samples_leaf": [1, 5, 25],
    "max_features": [0.2, 0.6, 1.0],
    "bootstrap": [True],
    "max_samples": [0.3, 0.6, 1.0],
}
tried = GridSearchCV(forest, grid, cv=folds).fit(X, y)
drawn = [
    GPSearchCV(forest, space, n_iter=N, cv=folds, n_initial_points=N, random_state=seed).fit(X, y) for seed in (1, 2, 3)
]
order = np.random.default_rng(0).permutation(len(tried.cv_results_["params"]))
losses = {
    "Gaussian process": search.history_["loss"],
    "grid, in random order": -tried.cv_results_["mean_test_score"][order],
    "Sobol points, three runs": [other.history_["loss"] for other in drawn],
}
ax = plot.best_so_far(losses, y="−R², the least so far")

# %%
# With as many initial points as iterations the search never looks at what it learned: such runs are the points of a
# Sobol sequence, which cover the space better than independent draws do.
#
# What the search knows at the end can be drawn along any parameter. The band is that of the mean score, without the
# noise of the folds.

panels = plot.optimization_step(search.optimizer_, "max_features")

# %%
# A search that may be interrupted keeps a file, ``checkpoint="search.json"``; the same call goes on from it and asks
# what it would have asked. And a function that is no estimator at all is minimised by asking and telling:

optimizer = BayesianOptimizer({"x": Real(0.0, 1.0)}, n_initial_points=3, n_candidates=1000, random_state=1)
for _ in range(15):
    x = optimizer.ask()["x"]
    optimizer.tell({"x": x}, (6 * x - 2) ** 2 * np.sin(12 * x - 4))
x = optimizer.best_point_["x"]
print(f"least value {optimizer.best_loss_:.5f} at x = {x:.5f}; the minimum is -6.02074 at 0.75725")
