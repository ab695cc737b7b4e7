"""
Ways down a valley
==================

The same quadratic, four solvers. Gradient descent zigzags across the valley, exact line search turns right angles,
momentum rolls through, Newton's method jumps to the end.
"""

import numpy as np

from gnomon import plot
from gnomon.optim import gradient_descent, newton
from gnomon.optim.schedules import Capped, ConstantRate, Inverse, InverseT0, Power

H = np.array([[6.0, 4.0], [4.0, 4.0]])


def valley(w):
    """Value and gradient of ½ wᵀHw."""
    return 0.5 * float(w @ H @ w), H @ w


start = np.array([-2.0, 0.6])
limits = {"tol": 1e-2, "iterates": True}
paths = {
    "gradient descent": gradient_descent(valley, start, step=0.18, **limits),
    "exact line search": gradient_descent(valley, start, step="exact", **limits),
    "momentum": gradient_descent(valley, start, step=0.06, momentum=0.6, **limits),
    "Newton": newton(valley, start, hessian=lambda w: H, iterates=True),
}
ax = plot.descent_paths(valley, {name: run.history["iterates"] for name, run in paths.items()}, minimum=[0, 0])

# %%
# Stochastic solvers need steps that shrink, but not too fast: Ση = ∞ and Ση² < ∞.

rates = {
    "constant": ConstantRate(0.1),
    "1/(1 + t)": Inverse(),
    "power ¾": Power(),
    "t₀": InverseT0(t0=100.0),
    "capped": Capped(),
}
for name, rate in rates.items():
    print(f"{name:10} Robbins–Monro: {rate.robbins_monro}")
ax = plot.schedule_curves(rates)
