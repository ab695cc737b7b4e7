"""
A forest against a tree
=======================

A deep tree is right on average and wrong each time: another sample of the same data gives another tree. Averaging many
keeps what they agree on. This page measures that, and checks the error that a forest reports about itself.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_friedman1

from gnomon.trees import BaggingRegressor, DecisionTreeRegressor, ExtraTreesRegressor, RandomForestRegressor

SAMPLES, ROWS, NOISE = 20, 200, 1.0
X_new, truth = make_friedman1(500, noise=0.0, random_state=1000)
samples = [make_friedman1(ROWS, noise=NOISE, random_state=seed) for seed in range(SAMPLES)]


def parts(model):
    """Squared bias and variance at new rows, over models fitted to different samples of the same data."""
    answers = np.array([model.fit(X, y).predict(X_new) for X, y in samples])
    variance = np.mean(np.var(answers, axis=0, ddof=1))
    bias = np.mean((np.mean(answers, axis=0) - truth) ** 2) - variance / SAMPLES
    return bias, variance


# %%
# The truth is known here, so the error of new answers can be taken apart: what is wrong on average over twenty samples
# of 200 rows, and what differs from one sample to the next.

models = {
    "a stump": DecisionTreeRegressor(max_depth=1),
    "a tree of depth 3": DecisionTreeRegressor(max_depth=3),
    "a full tree": DecisionTreeRegressor(),
    "bagging, 50 trees": BaggingRegressor(n_estimators=50, random_state=0),
    "random forest, 50 trees": RandomForestRegressor(50, max_features=1 / 3, random_state=0),
    "Extra-Trees, 50 trees": ExtraTreesRegressor(50, random_state=0),
}
found = {name: parts(model) for name, model in models.items()}

fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
bias, variance = np.array(list(found.values())).T
places = np.arange(len(found))[::-1]
ax.barh(places, bias, color="#0072B2", label="squared bias")
ax.barh(places, variance, left=bias, color="#E69F00", label="variance")
ax.set(yticks=places, yticklabels=list(found), xlabel="mean squared error against the truth")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="lower right")
for name, (b, v) in found.items():
    print(f"{name:24s} bias² {b:5.2f}   variance {v:5.2f}")

# %%
# Depth trades bias for variance. Averaging takes most of the variance away and leaves the bias; random columns make the
# trees less alike, which lowers the variance further and costs some bias.
#
# The variance of a mean of T trees with variance σ² and correlation ρ is ρσ² + (1 − ρ)σ²/T: more trees never hurt, and
# soon no longer help.

sizes = [1, 2, 4, 8, 16, 32]
measured = [parts(RandomForestRegressor(T, max_features=1 / 3, random_state=0))[1] for T in sizes]
inverse = 1 / np.array(sizes)
slope, floor = np.polyfit(inverse, measured, 1)
fig, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.plot(sizes, measured, "o", color="#0072B2", label="measured")
ax.plot(sizes, floor + slope * inverse, color="#D55E00", label="ρσ² + (1 − ρ)σ²/T, fitted")
ax.axhline(floor, color="#888888", linestyle=":", label="ρσ²")
ax.set(xscale="log", xticks=sizes, xticklabels=sizes, xlabel="trees", ylabel="variance")
ax.minorticks_off()
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
print(f"σ² = {floor + slope:.2f}, ρ = {floor / (floor + slope):.2f}")

# %%
# Each tree leaves out about 37 % of the rows. Predicted by the trees that have not seen them, they give a test error
# without a test set. Beside it the error on 5 000 new rows, after 1, 2, … trees.

X, y = samples[0]
X_test, y_test = make_friedman1(5000, noise=NOISE, random_state=2000)
forest = RandomForestRegressor(200, max_features=1 / 3, oob_score=True, random_state=0).fit(X, y)
counts = np.arange(1, len(forest) + 1)
means = np.cumsum(forest.predict_trees(X_test).each, axis=0) / counts[:, None]
test_errors = np.mean((means - y_test) ** 2, axis=1)

fig, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.plot(counts, forest.oob_errors_, color="#0072B2", label="out of bag")
ax.plot(counts, test_errors, color="#D55E00", label="5 000 new rows")
ax.axhline(NOISE**2, color="#888888", linestyle=":", label="noise: nobody can do better")
ax.set(xscale="log", xlabel="trees", ylabel="mean squared error", ylim=(0, None))
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
print(f"out of bag {forest.oob_errors_[-1]:.2f}, new rows {test_errors[-1]:.2f}")

# %%
# With few trees the out-of-bag error is too high, because only a third of them answer for a row. And 200 rows are only
# 200: over the twenty samples, here is how both errors scatter. On average they are
# close, the out-of-bag error a little higher.

forests = [RandomForestRegressor(100, max_features=1 / 3, oob_score=True, random_state=0).fit(*s) for s in samples]
pairs = np.array([[f.oob_errors_[-1], np.mean((f.predict(X_test) - y_test) ** 2)] for f in forests])
print(f"mean over samples: out of bag {pairs[:, 0].mean():.2f}, new rows {pairs[:, 1].mean():.2f}")
fig, ax = plt.subplots(figsize=(4.2, 4), layout="constrained")
ax.plot(pairs[:, 0], pairs[:, 1], "o", color="#0072B2")
ends = [pairs.min() - 0.2, pairs.max() + 0.2]
ax.plot(ends, ends, color="#888888", linewidth=0.8)
ax.set(xlabel="out-of-bag error", ylabel="error on new rows", xlim=ends, ylim=ends, aspect="equal")
ax.spines[["top", "right"]].set_visible(False)
