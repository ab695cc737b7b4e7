"""
A mixture of rows with gaps
===========================

Three clouds of points, and most rows have lost one of their two coordinates. EM needs neither rows without gaps nor
guesses in their place: a missing cell is one more hidden quantity, and it is integrated out.
"""

import matplotlib.pyplot as plt
import numpy as np

from gnomon import plot
from gnomon.generative import DensityImputer, GaussianMixture

rng = np.random.default_rng(1)
shapes = [([0, 0], [[1, 0.8], [0.8, 1]]), ([5, 0], [[0.4, 0], [0, 2]]), ([2, 5], [[2, -0.9], [-0.9, 0.6]])]
whole = np.vstack([rng.multivariate_normal(mean, cov, 120) for mean, cov in shapes])
rows = whole.copy()
gaps = rng.random(len(rows)) < 0.75
rows[gaps, rng.integers(0, 2, np.sum(gaps))] = np.nan

# %%
# Dropping the incomplete rows leaves a quarter of the table. The mean of a column in place of its gaps draws two bars
# of points through the middle, and the mixture models the bars. EM over what is there finds the clouds. The number is
# the mean log-likelihood of the rows as they were before they lost anything.

filled = np.where(np.isnan(rows), np.nanmean(rows, axis=0), rows)
options = {"n_components": 3, "n_init": 3, "tol": 1e-5, "max_iter": 500, "random_state": 0}
fits = {
    "complete rows only": (GaussianMixture(**options).fit(rows[~gaps]), rows[~gaps]),
    "means in the gaps": (GaussianMixture(**options).fit(filled), filled),
    "EM over all cells": (GaussianMixture(**options).fit(rows), rows[~gaps]),
}
figure, panels = plt.subplots(1, 3, figsize=(10.5, 4.4), layout="constrained", sharex=True, sharey=True)
for ax, (title, (model, shown)) in zip(panels, fits.items(), strict=True):
    plot.mixture_levels(model, shown, shares=(0.95,), ax=ax)
    ax.set_title(f"{title}: {model.score(whole):.3f}", loc="left", fontsize=10)

# %%
# The last of these laws fills in the gaps. The conditional mean is the guess of least squared error, but all guesses
# lie on a few curves; a draw from the conditional law keeps the shape of the clouds.

figure, panels = plt.subplots(1, 2, figsize=(8.4, 3.9), layout="constrained", sharex=True, sharey=True)
for ax, strategy in zip(panels, ("mean", "sample"), strict=True):
    guess = DensityImputer.from_density(model, strategy, random_state=0).transform(rows)
    ax.scatter(*rows[~gaps].T, s=9, color="#767676")
    ax.scatter(*guess[gaps].T, s=12, color="#D55E00", marker="s")
    ax.set(xlabel="$x_1$", ylabel="$x_2$")
    ax.set_title(f"gaps filled (squares): {strategy}", loc="left", fontsize=10)
