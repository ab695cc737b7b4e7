"""The best number to act by, where the truth is uncertain.

    a* = argmin_a E[C(Y, a)]                                                                             (1)
    squared → mean,   absolute → median,   0/1 → mode,   c₁ (y − a)₊ + c₂ (a − y)₊ → the c₁/(c₁ + c₂) quantile      (2)
    of N(μ, σ²):  a* = μ + σ z,  z = Φ⁻¹(c₁/(c₁ + c₂)),  at the cost (c₁ + c₂) σ φ(z)

c₁ is the price of a truth above the action (under-estimation). Raiffa & Schlaifer (1961), Applied Statistical Decision
Theory; Gneiting (2011), Making and evaluating point forecasts, doi:10.1198/jasa.2011.r10138; Robertson & Cryer (1974),
An iterative procedure for estimating the mode, doi:10.1080/01621459.1974.10480246.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.optimize import minimize_scalar

from gnomon._typing import Floats
from gnomon.distributions import Normal
from gnomon.numerics.special import sigmoid
from gnomon.numerics.validation import check_choice, check_numbers, check_positive
from gnomon.numerics.weights import weighted_quantile

__all__ = ["ActionChoice", "bayes_action"]

RegressionCost: TypeAlias = (
    Literal["squared", "absolute", "zero_one"] | tuple[float, float] | Callable[[Floats, float], Floats]
)


class ActionChoice(NamedTuple):
    """An action, and what it is expected to cost.

    Fields
    ------
    action, cost : float
        The cost of "zero_one" is nan: a density has none.

    References
    ----------
    Gneiting, T. (2011). Making and evaluating point forecasts. doi:10.1198/jasa.2011.r10138

    Examples
    --------
    >>> from gnomon.decision import bayes_action
    >>> bayes_action([1.0, 2.0, 6.0], "squared").action
    3.0
    """

    action: float
    cost: float


def bayes_action(dist: Any, cost: RegressionCost = "squared") -> ActionChoice:
    """Equation (1).

    Parameters
    ----------
    dist : tuple (mean, sd), array-like of shape (n,), or object with `ppf` or `quantile`
        A normal law; samples; or any law, by its quantiles: a distribution of this package or of SciPy.
    cost : {"squared", "absolute", "zero_one"}, tuple (under, over) or callable, default="squared"
        (c₁, c₂) of (2); or a function of an array of truths and an action, whose mean is minimised numerically.

    Returns
    -------
    ActionChoice

    References
    ----------
    Gneiting, T. (2011). Making and evaluating point forecasts. doi:10.1198/jasa.2011.r10138

    Robertson, T. & Cryer, J. D. (1974). An iterative procedure for estimating the mode.
    doi:10.1080/01621459.1974.10480246

    Examples
    --------
    To have too little costs three times what it costs to have too much:

    >>> from gnomon.decision import bayes_action
    >>> found = bayes_action((10.0, 2.0), (3.0, 1.0))
    >>> round(found.action, 5), round(found.cost, 5)
    (11.34898, 2.54221)
    >>> bayes_action([1, 2, 3, 4, 10], (3.0, 1.0))
    ActionChoice(action=4.0, cost=4.8)
    """
    if isinstance(dist, tuple):
        dist = Normal(float(dist[0]), check_positive("sd", float(dist[1])) ** 2)
    if callable(cost):
        return _numeric(_truths(dist), cost)
    if not isinstance(cost, tuple):
        check_choice("cost", cost, ("squared", "absolute", "zero_one"))
    if cost == "zero_one":
        return ActionChoice(_mode(dist), np.nan)
    if cost == "squared":
        y, w = _truths(dist)
        return ActionChoice(float(w @ y), float(w @ (y - w @ y) ** 2))
    under, over = (check_positive("cost", float(c)) for c in ((1.0, 1.0) if cost == "absolute" else cost))
    share = under / (under + over)
    action = float(quantile_of(dist, share))
    y, w = _truths(dist, share)
    return ActionChoice(action, float(w @ (under * np.maximum(y - action, 0.0) + over * np.maximum(action - y, 0.0))))


def quantile_of(dist: Any, p: float) -> Any:
    """The p quantile of a law, or of samples, of which the lower one where there are several."""
    quantiles = _quantiles(dist)
    if quantiles is not None:
        return np.asarray(quantiles(p), dtype=float)
    y = _samples(dist)
    return weighted_quantile(y, p, np.ones(len(y)), between="lower")


def _quantiles(dist: Any) -> Callable[[Any], Any] | None:
    return getattr(dist, "ppf", None) or getattr(dist, "quantile", None)


def _truths(dist: Any, kink: float = 0.5) -> tuple[Floats, Floats]:
    """Truths and their probabilities: the samples, or nodes between quantiles 0, `kink` and 1 of a law.

    ∫₀¹ q(u) du by double exponential quadrature, which the singularities of q at 0 and 1 do not disturb: Takahasi &
    Mori (1974), doi:10.2977/prims/1195192451.
    """
    quantiles = _quantiles(dist)
    if quantiles is None:
        y = _samples(dist)
        return y, np.full(len(y), 1.0 / len(y))
    t = np.linspace(-3.2, 3.2, 801)
    u, w = sigmoid(np.pi * np.sinh(t)), np.cosh(t) / np.cosh(0.5 * np.pi * np.sinh(t)) ** 2
    w /= np.sum(w)
    nodes, weights = np.append(kink * u, kink + (1.0 - kink) * u), np.append(kink * w, (1.0 - kink) * w)
    inside = (nodes > 0.0) & (nodes < 1.0)
    return np.asarray(quantiles(nodes[inside]), dtype=float), weights[inside]


def _samples(dist: Any) -> Floats:
    y = check_numbers("dist", dist)
    if y.ndim != 1 or not len(y) or not np.all(np.isfinite(y)):
        raise ValueError(f"dist of shape {y.shape} must be a law, (mean, sd), or finite samples, one number each")
    return y


def _mode(dist: Any) -> float:
    """Of a law, where equal shares of probability are closest together; of samples, the most frequent or densest."""
    quantiles = _quantiles(dist)
    if quantiles is not None:
        low, high = 1e-6, 1.0 - 1e-6
        for _ in range(40):
            y = np.asarray(quantiles(np.linspace(low, high, 401)), dtype=float)
            best = int(np.argmin(y[20:] - y[:-20])) + 10
            low, high = (low + (high - low) / 400.0 * np.clip(best + step, 0, 400) for step in (-100, 100))
        return float(quantiles(0.5 * (low + high)))
    values, counts = np.unique(_samples(dist), return_counts=True)
    if np.max(counts) > 1:
        return float(values[np.argmax(counts)])
    while len(values) > 2:
        half = -(-len(values) // 2)
        first = int(np.argmin(values[half - 1 :] - values[: len(values) - half + 1]))
        values = values[first : first + half]
    return float(np.mean(values))


def _numeric(truths: tuple[Floats, Floats], cost: Callable[[Floats, float], Floats]) -> ActionChoice:
    """The best of many candidates between the truths, refined between its neighbours."""
    y, w = truths

    def mean_cost(a: float) -> float:
        return float(w @ np.asarray(cost(y, a), dtype=float))

    order = np.argsort(y)
    candidates = y[order][np.searchsorted(np.cumsum(w[order]), np.linspace(1e-4, 1.0 - 1e-4, 201)).clip(max=len(y) - 1)]
    costs = [mean_cost(a) for a in candidates]
    best = int(np.argmin(costs))
    low, high = candidates[max(best - 1, 0)], candidates[min(best + 1, len(candidates) - 1)]
    if not low < high:
        return ActionChoice(float(candidates[best]), costs[best])
    # In units of the interval and of the best cost, so that steps of the search do not overflow.
    unit = abs(costs[best]) or 1.0
    found = minimize_scalar(
        lambda u: mean_cost(low + u * (high - low)) / unit,
        bounds=(0.0, 1.0),
        method="bounded",
        options={"xatol": 1e-10},
    )
    refined = float(low + found.x * (high - low))
    value, action = min((costs[best], float(candidates[best])), (mean_cost(refined), refined))
    return ActionChoice(action, value)
