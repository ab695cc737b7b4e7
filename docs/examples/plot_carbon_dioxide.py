"""
Carbon dioxide on Mauna Loa
===========================

A sum of kernels says what a series is made of: a rise over decades, seasons whose shape drifts slowly, irregularities
of some years, and noise. Fitted up to 2003, the process predicts twenty years; the band says how far it trusts
itself.
"""

import matplotlib.pyplot as plt
import numpy as np

from gnomon import plot
from gnomon.gp import GaussianProcessRegressor
from gnomon.kernels import RBF, ExpSineSquared, RationalQuadratic

# Monthly means of February, May, August and November from 1960 on, in parts per million (NOAA, public domain).
MEANS = """
    317.0 320.0 315.9 315.0 317.7 320.6 316.8 316.1 318.6 321.0 317.4 316.7 319.1 322.2 317.8 317.1
    320.0 322.2 318.7 317.7 320.4 322.2 318.9 318.9 321.6 324.1 320.4 319.8 322.5 325.0 320.9 320.7
    323.1 325.6 322.1 321.3 324.4 327.4 323.7 322.9 326.0 328.1 324.7 324.0 326.7 328.9 325.4 324.8
    327.6 330.1 326.3 326.5 329.6 332.5 329.3 328.2 330.7 333.2 329.1 328.3 331.5 333.9 329.9 329.4
    332.7 334.7 330.7 330.2 333.2 336.9 332.6 332.5 335.3 338.0 334.4 333.8 336.7 339.2 335.7 335.3
    338.3 341.4 337.7 337.3 340.6 343.0 338.5 338.6 341.8 344.8 340.2 339.4 342.8 346.1 342.5 341.8
    344.9 347.8 343.7 343.3 346.4 349.3 345.3 344.7 347.5 350.5 346.2 346.2 348.9 352.1 348.2 348.1
    351.7 354.4 350.5 350.4 353.4 355.9 351.8 351.6 355.1 357.4 353.1 353.1 355.8 359.2 354.0 353.9
    357.2 359.7 355.0 354.4 357.4 360.3 355.8 355.5 359.0 361.8 357.6 357.6 361.0 363.8 359.3 359.6
    363.4 365.2 361.6 361.0 364.2 366.8 362.4 362.6 366.1 369.6 366.1 365.7 369.3 371.1 367.1 366.9
    369.7 371.8 368.3 368.5 371.7 374.0 369.8 369.9 373.4 375.9 372.0 372.4 375.8 378.8 374.6 374.8
    378.1 380.8 376.2 376.3 379.9 382.6 378.9 378.5 382.4 385.2 380.6 380.4 384.1 386.8 382.2 382.7
    386.1 388.8 384.3 384.4 387.7 390.4 386.3 386.2 390.4 393.2 388.5 388.9 392.1 394.4 390.3 390.5
    394.0 396.9 392.6 393.2 397.0 400.0 395.4 395.4 398.3 402.0 397.2 397.4 400.6 404.1 399.1 400.3
    404.2 407.9 402.4 403.7 406.7 409.9 405.3 405.3 408.5 411.4 407.2 408.2 412.0 414.9 410.2 410.5
    414.3 417.3 412.8 413.1 416.7 419.1 414.4 415.0 419.2 421.0 417.1 417.5 420.3 424.0 419.7 420.5
"""
y = np.array(MEANS.split(), dtype=float)
t = 1960.0 + 0.125 + 0.25 * np.arange(len(y))
seen = t < 2004.0

kernel = (
    66.0**2 * RBF(67.0)
    + 2.4**2 * RBF(90.0) * ExpSineSquared(1.3, 1.0, periodicity_bounds="fixed")
    + 0.66**2 * RationalQuadratic(1.2, alpha=0.78)
)
# The search starts where Rasmussen & Williams, section 5.4.3, ended, and learns all hyper-parameters and the noise.
model = GaussianProcessRegressor(kernel, noise="learn", mean=y[seen].mean()).fit(t[seen, None], y[seen])

mean, std = model.predict(t[:, None], return_std=True, include_noise=True)
ax = plot.predictive_band(t, mean, std)
ax.plot(t[seen], y[seen], ".", color="black", markersize=3, label="seen")
ax.plot(t[~seen], y[~seen], ".", color="#D55E00", markersize=3, label="not seen")
ax.set(xlabel="year", ylabel="CO₂ in ppm")
ax.legend(loc="upper left", fontsize=9)

# %%
# How often was a value that the model had not seen within its 95 % band? Nearly always at first. Then the world
# burned more than in all decades before, which no function of the past contains: the band is honest about functions
# that go on as they did, and about nothing else.

for end in (2007, 2010, 2014, 2024):
    part = ~seen & (t < end)
    inside = np.mean(np.abs(y[part] - mean[part]) < 1.96 * std[part])
    print(
        f"2004 to {end}: {inside:4.0%} inside, root mean square error {np.sqrt(np.mean((y - mean)[part] ** 2)):.1f} ppm"
    )

# %%
# The parts of the sum have means of their own: the covariance of a part with the data is that part alone.

found = model.kernel_
parts = {"rise": found.k1.k1, "seasons": found.k1.k2, "irregularities": found.k2}
figure, axes = plt.subplots(3, 1, figsize=(6.6, 5.4), sharex=True, layout="constrained")
for axis, (name, part) in zip(axes, parts.items(), strict=True):
    axis.plot(t, part.gram(t[:, None], t[seen, None]) @ model.alpha_, linewidth=1.0)
    axis.set_title(name, loc="left", fontsize=10)
    axis.axvline(2004.0, color="0.6", linewidth=0.8, linestyle=":")
    axis.set_ylabel("CO₂ in ppm")
axes[-1].set_xlabel("year")
