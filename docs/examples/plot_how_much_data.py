"""
How much data is enough?
========================

More rows help as long as the error comes from having few of them. A learning curve shows how fast it falls and where it
would end; bias, variance and the sources of the error say whether more rows, another model or more patience would help.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ShuffleSplit, learning_curve
from sklearn.pipeline import make_pipeline

from gnomon import plot
from gnomon.evaluation import bias_variance, diagnose_fit, error_sources, learning_curve_rate, required_n
from gnomon.features import PolynomialMap
from gnomon.linear import LinearModelRegressor, LinearRegression

NOISE = 0.3


def truth(X):
    """The best prediction."""
    return np.sin(3.0 * X[:, 0])


def sample(n, rng):
    """Rows from a bent curve with noise."""
    X = rng.uniform(-1, 1, (n, 1))
    return X, truth(X) + NOISE * rng.standard_normal(n)


X, y = sample(6000, np.random.default_rng(0))
model = make_pipeline(PolynomialMap(9, include_bias=False), LinearRegression())

# %%
# Training and validation error meet at the noise. The distance of the second from there falls as a power of the number
# of rows: about −1 where the model has the right shape.

sizes = [80, 160, 320, 640, 1280, 2560]
folds = ShuffleSplit(20, test_size=0.5, random_state=0)
_, train, validation = learning_curve(model, X, y, train_sizes=sizes, cv=folds, scoring="neg_mean_squared_error")
noise = np.mean([np.mean((y - truth(X))[test] ** 2) for _, test in folds.split(X)])
rate = learning_curve_rate(sizes, -validation, reference=noise)
print(f"slope {rate.slope}")
print(f"rows for an error 1 % above the noise: {rate.n_for(1.01 * noise):.0f}")
figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.7), layout="constrained")
plot.learning_curves(sizes, -train, -validation, rate=rate, ax=axes[0])
plot.learning_curves(sizes, -train, -validation, rate=rate, log=True, ax=axes[1])

# %%
# With forty rows tenth powers are too many, and straight lines too few. Cross-validation sees that in these rows alone.

degrees = list(range(1, 11))
few = diagnose_fit(model, X[:40], y[:40], "polynomialmap__degree", degrees, cv=10)
ax = plot.complexity_curve(few.values, few.train, few.validation, standard_error=few.standard_error,
                           regimes=few.regimes, chosen=few.values[few.one_se])  # fmt: skip
ax.set_yscale("log")

# %%
# Which rows are fitted and which are judged differs from scheme to scheme. A row is never judged by a model that has
# seen it, and in a nested scheme not by a choice that has seen it either.

panels = plot.split_panels()

# %%
# Where rows can be drawn again, the error splits into the part that all training sets share and the part in which they
# differ. The first, bias², falls with the degree; the second, variance, rises, and falls again with more rows.

figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.7), layout="constrained", sharey=True)
for n, ax in zip((40, 400), axes, strict=True):
    curve = bias_variance(model, sample, truth, n, 60, ("polynomialmap__degree", degrees[:6]), random_state=0)
    plot.bias_variance_terms(curve, x="degree", ax=ax).set_title(f"{n} rows", loc="left")
axes[0].set_ylim(0.0, 0.4)

# %%
# A fit that stops early has a third source. Here it is a cubic, whose shape is not quite right, after 30 steps of
# gradient descent. With ten rows the steps that are left out would only follow the noise, and stopping helps. From
# forty on more rows are of little use, and more steps are.

cubic = make_pipeline(PolynomialMap(3, include_bias=False), LinearModelRegressor(penalty=None))
stop = {"linearmodelregressor__solver": "gd", "linearmodelregressor__max_iter": 30}
options = {"n_datasets": 20, "n_large": 20_000, "n_test": 20_000, "random_state": 0}
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)
    sources = {n: error_sources(cubic, sample, truth, n, budget=stop, **options) for n in (10, 20, 40, 80, 160, 320)}
ax = plot.error_source_bars(sources)

# %%
# Without a curve there are bounds. Up to a constant they say how many rows a class of rules needs for an excess error
# of ε: log(1/ε)/ε where one of its rules makes no errors, and log(1/ε)/ε² in the worst case.

for eps in (0.1, 0.03, 0.01):
    print(f"ε = {eps}: {required_n(eps)} rows at best, {required_n(eps, 'worst')} at worst")

# %%
# The constant grows with the number of points that the class can label in every way. A line can do that with three
# points in the plane, not with four: two of the sixteen labellings are out of reach, and errors begin to mean
# something.

panels = plot.shattering(np.array([[0.0, 0.0], [1.0, 0.1], [0.9, 1.0], [0.1, 0.9]]))
