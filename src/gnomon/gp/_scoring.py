"""Steps towards the maximum of a likelihood by its information matrix.

    s = argmax over |s|∞ ≤ r, low ≤ θ + s ≤ high    gᵀs − ½ f sᵀIs,    θ ← θ + s where C(θ + s) > C(θ)        (1)
    f = sᵀ(g(θ) − g(θ + s)) / sᵀIs,    ½ ≤ f ≤ 2                                                             (2)

Fisher scoring in a box. I is the average information of restricted likelihood, which costs no more than a gradient:
Gilmour, Thompson & Cullis (1995), doi:10.2307/2533274. It is never indefinite and small where the likelihood is flat,
so that a length scale that explains nothing goes to its bound in a few steps, for which methods of gradients need
dozens. Near the maximum it may be some times the curvature along the steps; f says it of the last one.
The radius r follows Conn, Gould & Toint (2000), Trust-Region Methods, algorithm 6.1.1, doi:10.1137/1.9780898719857.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy import optimize

from gnomon._typing import Floats

__all__ = ["Climbed", "Scored", "ScoredCriterion", "climb"]

MOST_STEPS = 100
RADIUS = 1.0
"""The first one, in units of log θ."""

GROWTH, SHRINKAGE = 2.5, 0.25
TRUSTED, DOUBTED, REFUSED = 0.7, 0.25, 0.05
"""Shares of the promised increase above which r grows, below which it shrinks, and below which no step is taken."""

ENOUGH = 2e-11
"""The promised increase, relative to C or to one, at which the search ends: its root is the error of θ."""

CORRECTION = 2.0
"""Bound of f."""

RIDGE = 1e-14
"""Added to a unit diagonal, so that (1) has one solution."""


class Scored(NamedTuple):
    """C(θ) with its gradient and information; −∞ where there is none.

    Fields
    ------
    value : float
    gradient : ndarray of shape (p,)
    information : ndarray of shape (p, p)
        Positive semi-definite.
    """

    value: float
    gradient: Floats
    information: Floats


ScoredCriterion: TypeAlias = Callable[[Floats], Scored]


class Climbed(NamedTuple):
    """Where the steps end.

    Fields
    ------
    theta, gradient : ndarray of shape (p,)
    value : float
    reason : str
        "tol" where no step promises more than `ENOUGH`, "interrupted", "max_iter", or "no_change" where r is zero.
    history : ndarray
        C after each step that was taken.
    """

    theta: Floats
    value: float
    gradient: Floats
    reason: str
    history: Floats


def climb(criterion: ScoredCriterion, start: Floats, bounds: Floats) -> Climbed:
    """Take steps (1) until none promises more; an interrupt after the first value ends them."""
    theta, radius, factor, path = np.clip(start, *bounds.T), RADIUS, 1.0, list[float]()
    here, reason = criterion(theta), "max_iter"
    for _ in range(MOST_STEPS if np.isfinite(here.value) else 0):
        I = factor * here.information
        step = _step(here.gradient, I, np.clip(bounds - theta[:, None], -radius, radius))
        promised = float(here.gradient @ step - 0.5 * step @ I @ step)
        length = float(np.max(np.abs(step)))
        if promised <= ENOUGH * max(1.0, abs(here.value)):
            # Small because of r alone: C does not do what its derivatives say.
            reason = "no_change" if length > 0.9 * radius else "tol"
            break
        try:
            there = criterion(theta + step)
        except KeyboardInterrupt:
            reason = "interrupted"
            break
        share = (there.value - here.value) / promised
        if share > TRUSTED and length > 0.9 * radius:
            radius *= GROWTH
        elif not share > DOUBTED:
            radius = SHRINKAGE * length
        factor = _factor(here, there, step) if share > REFUSED else 1.0
        if share > REFUSED:
            theta, here = theta + step, there
            path.append(here.value)
    return Climbed(theta, here.value, here.gradient, reason, np.array(path))


def _factor(here: Scored, there: Scored, step: Floats) -> float:
    """f of (2)."""
    expected = float(step @ here.information @ step)
    found = float(step @ (here.gradient - there.gradient)) / expected if expected > 0.0 else 1.0
    return min(max(found, 1.0 / CORRECTION), CORRECTION)


def _step(g: Floats, information: Floats, box: Floats) -> Floats:
    """s of (1), least squares in a box: ½ sᵀIs − gᵀs = ½ ‖Rs − R⁻ᵀg‖² up to a constant, in units of a unit diagonal."""
    scale = np.sqrt(np.diag(information))
    scale = np.where(scale > 0.0, scale, max(float(np.max(scale, initial=0.0)), 1.0) * np.sqrt(RIDGE))
    scaled = information / np.outer(scale, scale)
    values, vectors = np.linalg.eigh(scaled)
    roots = np.sqrt(np.maximum(values, RIDGE))
    R, target = roots[:, None] * vectors.T, (vectors.T @ (g / scale)) / roots
    low, high = box.T * scale
    # A parameter at its bound has an interval of one number, which the solver does not take.
    free = high > low
    found = np.clip(0.0, low, high)
    if np.any(free):
        found[free] = optimize.lsq_linear(R[:, free], target, (low[free], high[free]), method="bvls").x
    return found / scale
