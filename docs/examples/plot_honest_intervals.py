"""
Uncertainty that is right
=========================

A band is right if 80 % bands hold 80 % of new values, at every level. A Gaussian process whose noise is learned is
nearly so; with a noise that was set too small it is sure of things that are not so, and the error of the mean does
not show by how much.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import norm
from sklearn.datasets import load_diabetes
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from gnomon.gp import GaussianProcessRegressor
from gnomon.kernels import Constant, Linear, Matern

X, y = load_diabetes(return_X_y=True)
X = StandardScaler().fit_transform(X)


def fit(noise, rows, values):
    """A process with this noise, in units of the targets' variance."""
    kernel = Constant(0.5) * Matern(5.0, nu=2.5) + Constant(0.05) * Linear()
    optimizer = "fmin_l_bfgs_b" if noise == "learn" else None
    return GaussianProcessRegressor(kernel, noise=noise, optimizer=optimizer, normalize_y=True).fit(rows, values)


models = {"learned": "learn", "a tenth": 0.05, "a hundredth": 0.005}
standardized = {name: np.empty(len(y)) for name in models}
errors = {name: np.empty(len(y)) for name in models}
for train, test in KFold(4, shuffle=True, random_state=0).split(X):
    for name, noise in models.items():
        mean, std = fit(noise, X[train], y[train]).predict(X[test], return_std=True, include_noise=True)
        standardized[name][test] = (y[test] - mean) / std
        errors[name][test] = y[test] - mean

# %%
# Coverage that was reached over coverage that was asked for. On the diagonal a band holds what it promises.

asked = np.linspace(0.02, 0.98, 49)
figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.8), layout="constrained")
left.plot([0, 1], [0, 1], color="0.5", linestyle=":", label="as asked")
for name, z in standardized.items():
    reached = [np.mean(np.abs(z) < norm.ppf(0.5 + 0.5 * level)) for level in asked]
    left.plot(asked, reached, label=f"noise {name}" if name == "learned" else f"noise set to {name} of it")
left.set(xlabel="asked", ylabel="reached", title="coverage of new patients")
left.legend(fontsize=9)

# Where the probabilities of what came are uniform, the whole law is right, not its width alone.
right.hist(norm.cdf(standardized["learned"]), bins=12, range=(0, 1), density=True, color="#56B4E9", label="learned")
right.hist(
    norm.cdf(standardized["a hundredth"]), bins=12, range=(0, 1), density=True, histtype="step", color="#D55E00",
    linewidth=1.6, label="a hundredth",
)  # fmt: skip
right.axhline(1.0, color="0.5", linestyle=":")
right.set(xlabel="P(Y ≤ y) of what came", ylabel="density", title="probability transform")
right.legend(fontsize=9)

# %%
# The log-likelihood of new values punishes false confidence; the error of the mean grows by a sixth at most.

for name in models:
    z, error = standardized[name], errors[name]
    density = -0.5 * z**2 - np.log(np.abs(error / z)) - 0.5 * np.log(2.0 * np.pi)
    print(
        f"noise {name:12} root mean square error {np.sqrt(np.mean(error**2)):5.1f}   log-density {density.mean():7.2f}"
    )
