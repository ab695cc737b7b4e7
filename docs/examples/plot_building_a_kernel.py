"""
Building a kernel
=================

The number of passengers of international airlines, month by month from 1949 to 1960 (Box & Jenkins 1976, series G),
grows, and it repeats each year. What is known of the problem goes into the kernel, one term at a time; the last three
years are kept to see what each term is worth.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV, TimeSeriesSplit

from gnomon.kernels import RBF, ExpSineSquared, Linear, check_kernel
from gnomon.svm import KernelRidge

PASSENGERS = """
112 118 132 129 121 135 148 148 136 119 104 118   115 126 141 135 125 149 170 170 158 133 114 140
145 150 178 163 172 178 199 199 184 162 146 166   171 180 193 181 183 218 230 242 209 191 172 194
196 196 236 235 229 243 264 272 237 211 180 201   204 188 235 227 234 264 302 293 259 229 203 229
242 233 267 269 270 315 364 347 312 274 237 278   284 277 317 313 318 374 413 405 355 306 271 306
315 301 356 348 355 422 465 467 404 347 305 336   340 318 362 348 363 435 491 505 404 359 310 337
360 342 406 396 420 472 548 559 463 407 362 405   417 391 419 461 472 535 622 606 508 461 390 432
"""

y = np.log(np.array(PASSENGERS.split(), dtype=float))
years = np.arange(len(y))[:, None] / 12.0
train, test = slice(0, 108), slice(108, None)

# %%
# Four attempts. A smooth function alone follows the data and knows nothing outside of them. A line continues the
# growth; a function of period one year continues the season; and the season changes slowly, so it is multiplied by a
# wide Gaussian.

smooth = RBF(0.3)
trend = Linear(coef0=1.0) + 0.1 * RBF(4.0)
season = ExpSineSquared(0.7, periodicity=1.0)
kernels = {
    "smooth": smooth,
    "smooth + line": smooth + Linear(coef0=1.0),
    "trend + season": trend + 0.1 * season,
    "trend + slowly changing season": trend + 0.1 * season * RBF(15.0),
}

figure, axes = plt.subplots(2, 2, figsize=(9.0, 5.6), layout="constrained", sharex=True, sharey=True)
models = {}
for ax, (name, kernel) in zip(axes.ravel(), kernels.items(), strict=True):
    assert check_kernel(kernel, years)
    models[name] = model = KernelRidge(alpha=0.003, kernel=kernel, parametric="constant").fit(years[train], y[train])
    found = model.predict(years)
    error = np.sqrt(np.mean((found[test] - y[test]) ** 2))
    print(f"{name:32} error of the last three years {100 * error:5.1f} %")
    ax.plot(1949 + years, np.exp(y), color="#767676", lw=1.0, label="passengers (1000)")
    ax.plot(1949 + years, np.exp(found), color="#0072B2", lw=1.5, label="fit, then forecast")
    ax.axvline(1958, color="#D55E00", ls=":", lw=1.0)
    ax.set_title(f"{name}: {100 * error:.1f} %", loc="left", fontsize=10)
axes[0, 0].legend(fontsize=8)

# %%
# A function of a sum of kernels is a sum of functions. The terms of the last model say how much each part contributes:
# the line, what bends it, and the season.

model = models["trend + slowly changing season"]
parts = model.components(years)
figure, axes = plt.subplots(1, 3, figsize=(10.0, 2.8), layout="constrained", sharex=True)
for ax, title, part in zip(axes, ("line", "bend", "season"), parts.T, strict=True):
    ax.plot(1949 + years, part, color="#009E73")
    ax.set_title(title, loc="left", fontsize=10)
    ax.set(xlabel="year", xticks=[1950, 1955, 1960])
axes[0].set_ylabel("part of log passengers")

# %%
# Widths and heights inside the kernel are parameters like any others. Here each is chosen by forecasts of single years
# from the years before them, within the training years.

grid = {
    "kernel__k1__k2__k1__value": [0.001, 0.01, 0.1],  # how high the bend may be,
    "kernel__k1__k2__k2__length_scale": [1.0, 2.0, 4.0],  # how quick,
    "kernel__k2__k2__length_scale": [5.0, 15.0, 45.0],  # and how many years the season needs to change
}
folds = TimeSeriesSplit(4, test_size=12)
search = GridSearchCV(model, grid, cv=folds, scoring="neg_root_mean_squared_error").fit(years[train], y[train])
error = np.sqrt(np.mean((search.predict(years[test]) - y[test]) ** 2))
print(f"{search.best_estimator_.kernel}\nerror of the last three years {100 * error:.1f} %")
