"""
Kriging a river bank
====================

Zinc was measured at 150 places of a flood plain. What do the soils between them hold? Kriging is a Gaussian process
under its oldest name: a variogram shows how values part with distance, a kernel with the same rise is fitted, and the
map comes with another one that says where more should be dug.
"""

import matplotlib.pyplot as plt
import numpy as np

from gnomon.gp import GaussianProcessRegressor, variogram
from gnomon.kernels import Constant, Spherical

rng = np.random.default_rng(4)


def river(x):
    """Where the river runs."""
    return 1.2 + 0.5 * np.sin(2.2 * x)


places = rng.uniform([0.0, 0.0], [4.0, 2.5], (400, 2))
places = places[np.abs(places[:, 1] - river(places[:, 0])) > 0.08][:150]
distance = np.abs(places[:, 1] - river(places[:, 0]))
# Floods leave metal near the bank, in patches.
patches = GaussianProcessRegressor(0.12 * Spherical(0.7)).sample_prior(places, 1, random_state=1)[:, 0]
zinc = 6.8 - 1.6 * np.sqrt(distance) + patches + 0.1 * rng.standard_normal(len(places))

# %%
# The variogram of log zinc rises from the nugget, which is noise, to the sill. The range is how far one sample
# speaks. Far pairs differ in their distance to the river as well, so that their points lie above the kernel, which the
# evidence fits to near ones first.

kernel = Constant(0.2) * Spherical(1.0)
model = GaussianProcessRegressor(kernel, noise="learn", mean="ordinary").fit(places, zinc)
found = variogram(places, zinc, bins=14)
r = np.linspace(0.0, found.distance[-1], 200)[:, None]
fitted = model.noise_ + model.kernel_.diag(r) - model.kernel_.gram(r, np.zeros((1, 1)))[:, 0]

figure, ax = plt.subplots(figsize=(5.6, 3.6), layout="constrained")
ax.scatter(found.distance, found.semivariance, s=found.n_pairs / 10, label="data; area: number of pairs")
ax.plot(r, fitted, color="#D55E00", label="kernel at the maximum of the evidence")
ax.axhline(model.noise_, color="0.5", linestyle=":", label="nugget")
ax.set(xlabel="distance in km", ylabel="semivariance", ylim=(0.0, None))
ax.legend(fontsize=9, loc="lower right")

# %%
# The map of the mean, and that of the standard deviation: it depends on the places alone, not on what was found
# there.

axes = np.linspace(0.0, 4.0, 120), np.linspace(0.0, 2.5, 80)
A, B = np.meshgrid(*axes)
grid = np.column_stack([A.ravel(), B.ravel()])
mean, std = model.predict(grid, return_std=True)
figure, panels = plt.subplots(1, 2, figsize=(9.4, 3.2), layout="constrained", sharey=True)
for panel, values, name, colors in zip(
    panels, (mean, std), ("log zinc", "standard deviation"), ("YlOrBr", "Blues"), strict=True
):
    filled = panel.contourf(A, B, values.reshape(A.shape), levels=14, cmap=colors)
    figure.colorbar(filled, ax=panel, shrink=0.9)
    panel.plot(axes[0], river(axes[0]), color="white", linewidth=3)
    panel.plot(*places.T, ".", color="black", markersize=2)
    panel.set_title(name, loc="left", fontsize=10)
    panel.set_xlabel("east in km")
panels[0].set_ylabel("north in km")

# %%
# Leaving each sample out tells what the map is worth, without a refit; and the distance to the river, known
# everywhere, is a drift that says much of it.


def drift(rows):
    """A constant, and the root of the distance to the river."""
    return np.column_stack([np.ones(len(rows)), np.sqrt(np.abs(rows[:, 1] - river(rows[:, 0])))])


better = GaussianProcessRegressor(kernel, noise="learn", mean=drift).fit(places, zinc)
for name, fit in (("ordinary kriging", model), ("with the river as drift", better)):
    print(f"{name:24} leave-one-out error {np.sqrt(np.mean(fit.loo_residuals_**2)):.3f}")
