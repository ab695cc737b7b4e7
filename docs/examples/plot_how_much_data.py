"""
How much data is enough?
========================

More rows help as long as the error comes from having few of them. A learning curve shows how fast it falls and where it
would end; bias, variance and the sources of the error say whether more rows, another model or more patience would help.
"""

import matplotlib.pyplot as plt
import numpy as np
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


X, y = sample(2000, np.random.default_rng(0))
model = make_pipeline(PolynomialMap(9, include_bias=False), LinearRegression())

# %%
# Training and validation error meet at the noise. The distance of the second from there falls as a power of the number
# of rows: −1 for a model that has the right shape.

sizes = [20, 40, 80, 160, 320, 640, 1280]
folds = ShuffleSplit(30, test_size=0.3, random_state=0)
_, train, validation = learning_curve(model, X, y, train_sizes=sizes, cv=folds, scoring="neg_mean_squared_error")
rate = learning_curve_rate(sizes[2:], -validation[2:], reference=NOISE**2)
print(f"slope {rate.slope}")
print(f"rows for an error 1 % above the noise: {rate.n_for(1.01 * NOISE**2):.0f}")
figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.7), layout="constrained")
plot.learning_curves(sizes[1:], -train[1:], -validation[1:], rate=rate, ax=axes[0])
plot.learning_curves(sizes[1:], -train[1:], -validation[1:], rate=rate, log=True, ax=axes[1])

# %%
# With thirty rows ninth powers are too many, and straight lines too few. Cross-validation shows where it is best to stop,
# from these rows alone.

degrees = list(range(1, 11))
few = diagnose_fit(model, X[:30], y[:30], "polynomialmap__degree", degrees)
ax = plot.complexity_curve(few.values, few.train, few.validation, standard_error=few.standard_error,
                           regimes=few.regimes, chosen=few.values[few.one_se])  # fmt: skip
ax.set_yscale("log")

# %%
# Where rows can be drawn again, the error splits into the part that all training sets share and the part in which they
# differ. The first, bias², falls with the degree; the second, variance, rises, and falls again with more rows.

figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.7), layout="constrained", sharey=True)
for n, ax in zip((30, 300), axes, strict=True):
    curve = bias_variance(model, sample, truth, n, 60, ("polynomialmap__degree", degrees[:7]), random_state=0)
    plot.bias_variance_terms(curve, x="degree", ax=ax).set(title=f"{n} rows", ylim=(0, 0.3))

# %%
# A fit that stops early has a third source. Here it is a cubic, whose shape is not quite right, by 200 steps of gradient
# descent. With few rows more rows help; with many only another model, or more steps.

cubic = make_pipeline(PolynomialMap(3, include_bias=False), LinearModelRegressor(penalty=None))
short = {"linearmodelregressor__solver": "gd", "linearmodelregressor__max_iter": 200}
