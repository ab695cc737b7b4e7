"""Hyper-parameters by the maximum of a smooth criterion.

    maximise over θ = log(hyper-parameters, σ²)    C(θ) + Σ log prior(θⱼ),    low ≤ θ ≤ high                    (1)

C is the evidence (Rasmussen & Williams 2006, section 5.4.1) or the leave-one-out score (section 5.4.2). The search from
the given start, and from points drawn uniformly between the bounds, is

    scoring in a box    where C has an information matrix, as the exact evidence of a few targets has
    L-BFGS-B            for any other C, and where scoring ends without a maximum                           (2)

Gilmour, Thompson & Cullis (1995), doi:10.2307/2533274; Byrd et al. (1995), doi:10.1137/0916069.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import optimize
from sklearn.exceptions import ConvergenceWarning

from gnomon._typing import Floats
from gnomon.gp._scoring import ScoredCriterion, climb
from gnomon.numerics.parallel import map_until_interrupt

__all__ = ["Criterion", "Optimizer", "Tuned", "tune"]

Criterion: TypeAlias = Callable[[Floats], tuple[float, Floats]]
"""θ → value and gradient of what is maximised."""
Optimizer: TypeAlias = Literal["fmin_l_bfgs_b"] | Callable[..., Any] | None

REASONS = {0: "tol", 1: "max_iter"}
"""Of L-BFGS-B by its status; another one is a line search that found no better point."""

ADVICE = {
    "diverged": "give noise (alpha), or start elsewhere; the kernel is as it was given",
    "interrupted": "the best so far is kept, fit again for more",
}

EDGE = 1e-3
"""How near to a bound, in units of log θ, a hyper-parameter is said to lie on it."""


class Tuned(NamedTuple):
    """The best end of all searches.

    Fields
    ------
    theta : ndarray
    value : float
        C at θ, priors included.
    slope : float
        The largest entry of the gradient that bounds do not stop; NaN where C is −∞.
    converged : bool
    reason : str
        "tol", "max_iter", "no_change", "diverged" where C is −∞ at θ, or "interrupted".
    message : str
        Of the optimiser.
    n_iter : int
    history : ndarray
        C after each iteration of the search that was kept.
    values : ndarray
        C at the end of every search.
    """

    theta: Floats
    value: float
    slope: float
    converged: bool
    reason: str
    message: str
    n_iter: int
    history: Floats
    values: Floats


class _End(NamedTuple):
    theta: Floats
    value: float
    reason: str
    message: str
    n_iter: int
    history: Floats
    gradient: Floats | None = None


def tune(
    criterion: Criterion,
    start: Floats,
    bounds: Floats,
    *,
    optimizer: Optimizer = "fmin_l_bfgs_b",
    n_restarts: int = 0,
    rng: np.random.RandomState,
    names: Sequence[str],
    n_jobs: int | None = None,
    scored: ScoredCriterion | None = None,
) -> Tuned:
    """Maximise (1); warnings say where a search stopped short and which hyper-parameter lies on a bound.

    An interrupt ends the search with the best θ so far, if C is known at any.
    """
    if n_restarts > 0 and not np.all(np.isfinite(bounds)):
        raise ValueError("n_restarts_optimizer needs finite bounds of all hyper-parameters; give them")
    starts = [start, *(rng.uniform(bounds[:, 0], bounds[:, 1]) for _ in range(n_restarts))]
    stopped = False

    def search(start: Floats) -> _End:
        nonlocal stopped
        if stopped:
            raise KeyboardInterrupt
        end = _search(criterion, start, bounds, optimizer, scored)
        stopped = end.reason == "interrupted"
        return end

    ends = map_until_interrupt(search, starts, n_jobs or 1)
    best = max(ends, key=lambda end: end.value)
    slope = np.nan
    if np.isfinite(best.value):
        gradient = criterion(best.theta)[1] if best.gradient is None else best.gradient
        slope = _free_slope(gradient, best.theta, bounds)
    reason = "interrupted" if stopped else best.reason
    found = Tuned(
        best.theta,
        best.value,
        slope,
        reason == "tol",
        reason,
        best.message,
        best.n_iter,
        best.history,
        np.array([end.value for end in ends]),
    )
    _warn(found, bounds, names)
    return found


def _search(
    criterion: Criterion, start: Floats, bounds: Floats, optimizer: Optimizer, scored: ScoredCriterion | None
) -> _End:
    if scored is not None and optimizer == "fmin_l_bfgs_b":
        end = _climbed(scored, start, bounds)
        if end.reason in ("tol", "interrupted"):
            return end
        start = end.theta
    seen, path = list[float](), list[float]()
    best: tuple[Floats, float] | None = None

    def cost(theta: Floats, eval_gradient: bool = True) -> Any:
        nonlocal best
        theta = np.array(theta, dtype=float)
        value, gradient = criterion(theta)
        value = value if np.isfinite(value) else -np.inf
        seen.append(value)
        best = (theta, value) if best is None or value > best[1] else best
        # A matrix that is not positive definite: as bad as anything, without a direction.
        value, gradient = (value, gradient) if np.isfinite(value) else (-1e300, np.zeros_like(theta))
        return (-value, -gradient) if eval_gradient else -value

    try:
        end = _optimized(cost, start, bounds, optimizer, path)
    except KeyboardInterrupt:
        if best is None:
            raise
        return _End(*best, "interrupted", "interrupted", len(path), np.array(path or best[1:]))
    if best is not None and best[1] == -np.inf:
        message = "the covariance is not positive definite wherever it was looked at"
        return _End(end.theta, -np.inf, "diverged", message, end.n_iter, np.array([-np.inf]))
    return end._replace(n_iter=len(seen), history=np.array(seen)) if callable(optimizer) else end


def _climbed(scored: ScoredCriterion, start: Floats, bounds: Floats) -> _End:
    """Where scoring ends."""
    found = climb(scored, start, bounds)
    path = np.append(found.history, [] if len(found.history) else [found.value])
    return _End(found.theta, found.value, found.reason, found.reason, len(found.history), path, found.gradient)


def _optimized(cost: Any, start: Floats, bounds: Floats, optimizer: Optimizer, path: list[float]) -> _End:
    """What the optimiser returns; `path` grows by C after each iteration."""
    if callable(optimizer):
        theta, least = optimizer(cost, start, bounds=bounds)
        return _End(np.asarray(theta, dtype=float), -float(least), "tol", "", 0, np.array(path))
    if optimizer != "fmin_l_bfgs_b":
        raise ValueError(f"Unknown optimizer {optimizer!r}; give 'fmin_l_bfgs_b', a function or None")
    found = optimize.minimize(
        cost,
        start,
        method="L-BFGS-B",
        jac=True,
        bounds=bounds,
        callback=lambda intermediate_result: path.append(-float(intermediate_result.fun)),
    )
    value = -float(found.fun)
    reason = REASONS.get(int(found.status), "no_change")
    return _End(found.x, value, reason, str(found.message), int(found.nit), np.array(path or [value]))


def _free_slope(gradient: Floats, theta: Floats, bounds: Floats) -> float:
    """The largest slope along which θ may still move."""
    up = (gradient > 0.0) & (theta < bounds[:, 1])
    down = (gradient < 0.0) & (theta > bounds[:, 0])
    return float(np.max(np.abs(gradient[up | down]), initial=0.0))


def _warn(found: Tuned, bounds: Floats, names: Sequence[str]) -> None:
    if not found.converged:
        warnings.warn(
            f"the search for hyper-parameters ended after {found.n_iter} iterations with the slope {found.slope:.3g} "
            f"({found.message}); {ADVICE.get(found.reason, 'start elsewhere, or give a function as optimizer')}",
            ConvergenceWarning,
            stacklevel=5,
        )
    for name, value, (low, high) in zip(names, found.theta, bounds, strict=True):
        for end, side in ((low, "lower"), (high, "upper")):
            if abs(value - end) < EDGE:
                warnings.warn(
                    f"{name} lies on its {side} bound {np.exp(end):.3g}; widen the bounds, or fix it",
                    ConvergenceWarning,
                    stacklevel=5,
                )
