"""
Intervals you can trust
=======================

A model says 3.2; how far off may it be? Conformal prediction answers with an interval that holds the truth with the
probability that you ask for, whatever the model is and whatever law the rows come from: it looks at errors on rows that
the model has not seen. It needs exchangeable rows, and nothing else.
"""

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV

from gnomon import plot
from gnomon.decision import ConformalClassifier, ConformalRegressor
from gnomon.trees import HistGradientBoostingRegressor, RandomForestClassifier, RandomForestRegressor


def sample(n, rng):
    """A curve whose noise grows to the right."""
    x = rng.uniform(0, 4, n)
    return x[:, None], np.sin(2 * x) + 0.5 * x + (0.05 + 0.2 * x) * rng.standard_normal(n)


rng = np.random.default_rng(0)
X, y = sample(800, rng)
X_new, y_new = sample(2000, rng)

# %%
# One forest, fitted once. Every row was left out of about a third of its trees, and these say how far off the forest
# is: jackknife+ after bootstrap costs nothing beyond the forest.

forest = ConformalRegressor(RandomForestRegressor(100, min_samples_leaf=5, random_state=0), method="bootstrap")
intervals = forest.fit(X, y).predict_interval(X_new[:150])
ax = plot.prediction_intervals(intervals, y_new[:150], forest.predict(X_new[:150]))

# %%
# A straight line is a poor model here. Its intervals cover as often as they should: a poor model costs width, not
# trust. Any coverage can be asked for without a new fit.

line = ConformalRegressor(LinearRegression(), method="cross", random_state=0).fit(X, y)
boosting = HistGradientBoostingRegressor(loss="quantile", quantile=0.5, max_iter=60, random_state=0)
quantile = ConformalRegressor(boosting, method="cross", conformity="quantile", random_state=0).fit(X, y)
models = {"line": line, "forest": forest, "boosted quantiles": quantile}
curves = {name: model.coverage_curve(X_new, y_new) for name, model in models.items()}
panels = plot.coverage_curves(curves, size="mean width")

# %%
# The guarantee is for all rows together. Intervals of one width are too wide where the noise is small and too narrow
# where it is large; models of quantiles, or groups that calibrate by themselves, see the difference.

right = X_new[:, 0] > 3.0
halves = ConformalRegressor(LinearRegression(), method="cross", by=lambda rows: rows[:, 0] > 3.0, random_state=0)
for name, model in {**models, "line, by part": halves.fit(X, y)}.items():
    hits = model.predict_interval(X_new).covers(y_new)
    print(f"{name:18s} covers {hits.mean():.3f} of all rows, {hits[right].mean():.3f} of those beyond 3")

# %%
# A search chooses by the intervals themselves: `score` is the interval score, a proper one.

grid = {"estimator__max_iter": [10, 100], "conformity": ["absolute", "quantile"]}
search = GridSearchCV(ConformalRegressor(boosting, random_state=0), grid, cv=3).fit(X, y)
print(search.best_params_)

# %%
# If new rows come from elsewhere, and it is known how much more frequent each kind of row is there, weights repair the
# guarantee. Here new rows crowd to the right, where the noise is.

density_ratio = np.exp(X_new[:, 0])
crowd = rng.choice(len(y_new), 1000, p=density_ratio / density_ratio.sum())
for name, shift in (("as if nothing had changed", None), ("weighted", lambda rows: np.exp(rows[:, 0]))):
    model = ConformalRegressor(LinearRegression(), shift=shift, random_state=0).fit(X, y)
    print(f"{name}: {model.predict_interval(X_new[crowd]).covers(y_new[crowd]).mean():.3f}")

# %%
# Classes get sets. A set of one class is an answer, one of two says where the doubt is.

centres = np.array([[0.0, 0.0], [1.6, 0.0], [0.8, 1.6]])
kind = rng.integers(0, 3, 3000)
rows = centres[kind] + 0.7 * rng.standard_normal((3000, 2))
train, test = np.arange(3000) < 1500, np.arange(3000) >= 1500
labels = ConformalClassifier(RandomForestClassifier(100, min_samples_leaf=5, random_state=0), method="bootstrap")
sets = labels.fit(rows[train], kind[train]).predict_set(rows[test])
print(sets.labels()[:6])
ax = plot.set_sizes(sets, kind[test])
